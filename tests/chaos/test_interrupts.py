"""Ctrl-C once ends a crawl in good order; twice ends it at once; both keep everything."""

import os
import signal
from pathlib import Path
from subprocess import Popen

import msgspec
import psutil
import pytest

from crawlmesh.testing.demo_site import DemoSiteOptions
from tests.chaos import moments
from tests.chaos.crawl_under_fire import CrawlUnderFire, check_records
from tests.chaos.served_site import serving

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(300)]

PLAIN = DemoSiteOptions(
    shops=3, products=12, page_size=4, categories=2, latency=0.02, crawl_delay=0.5, curiosities=False
)
STUCK = msgspec.structs.replace(PLAIN, latency=3600)
PATIENCE = 120  # seconds; far less than an answer takes from a site that is stuck


def interrupt(process: Popen[str], number: signal.Signals = signal.SIGINT) -> None:
    """As a terminal does it: to the whole group. Returns when the command has taken it."""
    if number is signal.SIGINT:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    moments.wait_for(lambda: not _is_pending(process, number), process)


def _is_pending(process: Popen[str], number: signal.Signals) -> bool:
    try:
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    except FileNotFoundError:
        return False
    masks = [int(line.split()[1], 16) for line in lines if line.startswith(("SigPnd:", "ShdPnd:"))]
    return any(mask >> (number - 1) & 1 for mask in masks)


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_once_keeps_the_state_and_writes_the_output(
    tmp_path: Path, number: signal.Signals, processes: int
) -> None:
    with serving(tmp_path / "site", PLAIN) as site:
        crawl = CrawlUnderFire(tmp_path, site, processes)
        with crawl.run() as process:
            assert moments.wait_for(moments.further_requests(site, 20), process)
            interrupt(process, number)
            _, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (130, "")
        requests = site.requests()
        first = set(crawl.output.read_bytes().splitlines())
        assert first
        crawl.finish()
        await crawl.check()
        counts = site.log().fetch_counts()
        robots = {f"http://{host}/robots.txt" for host in site.manifest.hosts}
        # In good order means: what was fetched was kept, so that nothing is fetched again.
        assert [url for url, count in counts.items() if count > 1 and url not in robots] == []
        assert requests < site.requests()
        assert first <= set(crawl.output.read_bytes().splitlines())


@pytest.mark.parametrize("processes", [1, 2])
async def test_twice_ends_at_once_and_loses_nothing(tmp_path: Path, processes: int) -> None:
    folder = tmp_path / "site"
    with serving(folder, PLAIN) as site:
        crawl = CrawlUnderFire(tmp_path, site, processes)
        with crawl.run("--max-pages", 10) as process:
            assert process.wait(PATIENCE) == 0
        first = set(crawl.output.read_bytes().splitlines())
        assert len(first) == 10
    port = site.manifest.port
    with serving(folder, STUCK, port):
        await _interrupt_twice(crawl)
        assert set(crawl.output.read_bytes().splitlines()) == first
    with serving(folder, PLAIN, port):
        crawl.finish()
    manifest = site.manifest
    check_records(crawl.output, manifest, manifest.expected_records(tracking_ignored=False))
    assert first <= set(crawl.output.read_bytes().splitlines())


async def _interrupt_twice(crawl: CrawlUnderFire) -> None:
    with crawl.run(first_byte_timeout="900", total_timeout="900") as process:
        assert moments.wait_for(moments.further_requests(crawl.site, 1), process)
        children = moments.crawl_processes(process)
        interrupt(process)
        assert process.poll() is None, "the first one waits for the answers under way"
        interrupt(process)
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err.strip()) == (130, "")
    _, alive = psutil.wait_procs(children, timeout=PATIENCE)
    assert alive == []


def _a_child_has_begun(process: Popen[str]) -> bool:
    """Whether one has got its job, and has an event loop but no handler of signals yet, or just so."""
    try:
        return any(_has_event_loop(child.pid) for child in moments.crawl_processes(process))
    except (OSError, psutil.NoSuchProcess):
        return False


def _has_event_loop(process_id: int) -> bool:
    return any("eventpoll" in str(file.readlink()) for file in Path(f"/proc/{process_id}/fd").iterdir())


def test_while_the_processes_start(tmp_path: Path) -> None:
    with serving(tmp_path / "site", PLAIN) as site:
        crawl = CrawlUnderFire(tmp_path, site, processes=2)
        with crawl.run() as process:
            assert moments.wait_for(lambda: _a_child_has_begun(process), process)
            interrupt(process)
            _, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (130, "")
        crawl.finish()
        assert check_records(
            crawl.output, site.manifest, site.manifest.expected_records(tracking_ignored=False)
        )
