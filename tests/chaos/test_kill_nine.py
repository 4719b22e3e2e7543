"""kill -9 at any moment: nothing is lost, nothing is doubled, nobody is pestered (P3).

The moments are random; a run says its seed, and CHAOS_SEED repeats it.
"""

import random
import signal
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from subprocess import Popen

import psutil
import pytest

from crawlmesh.testing.demo_site import DemoSiteOptions
from tests.chaos import moments
from tests.chaos.conftest import Say
from tests.chaos.crawl_under_fire import CrawlUnderFire
from tests.chaos.moments import Seen
from tests.chaos.served_site import ServedSite, serving

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(900)]

ONE_PROCESS_KILLS = 32
TWO_PROCESSES_KILLS = 20
assert ONE_PROCESS_KILLS + TWO_PROCESSES_KILLS >= 50

# The delay is longer than a restart takes, so that a crawl that forgets it when it is killed is found out.
OPTIONS = DemoSiteOptions(
    shops=5, products=29, page_size=5, categories=2, latency=0.08, slow_seconds=0.1, crawl_delay=2.0
)

_MOST_CRAWLS = 6
_EXPORTS = 3

Moment = Callable[[Popen[str]], Seen]


async def test_one_process(tmp_path: Path, dice: random.Random, say: Say) -> None:
    await _crawl_under_fire(tmp_path, 1, ONE_PROCESS_KILLS, lambda crawl: _kill_everywhere(crawl, dice), say)


async def test_two_processes(tmp_path: Path, dice: random.Random, say: Say) -> None:
    def fire(crawl: CrawlUnderFire) -> None:
        while crawl.kills.total() < TWO_PROCESSES_KILLS and _kill_children_then_all(crawl, dice):
            pass

    await _crawl_under_fire(tmp_path, 2, TWO_PROCESSES_KILLS, fire, say)


async def _crawl_under_fire(
    folder: Path, processes: int, wanted: int, fire: Callable[[CrawlUnderFire], None], say: Say
) -> None:
    """Crawl the site, and once more where a crawl was through before it was hit often enough."""
    kills: Counter[str] = Counter()
    for number in range(_MOST_CRAWLS):
        with serving(folder / f"site-{number}", OPTIONS) as site:
            crawl = CrawlUnderFire(folder / f"crawl-{number}", site, processes, kills)
            fire(crawl)
            crawl.finish()
            say(f"--processes {processes}: {await crawl.check()}")
        if kills.total() >= wanted:
            return
    pytest.fail(f"only {kills.total()} kills in {_MOST_CRAWLS} crawls")


def _kill_everywhere(crawl: CrawlUnderFire, dice: random.Random) -> None:
    for kind, moment in _moments(crawl, dice):
        if not crawl.kill_at(kind, moment):
            break
    for _ in range(_EXPORTS):  # now and then one is through before it is hit
        crawl.kill_at("export", lambda _: moments.export_begun(crawl.output))


def _moments(crawl: CrawlUnderFire, dice: random.Random) -> list[tuple[str, Moment]]:
    site = crawl.site
    first: list[tuple[str, Moment]] = [
        ("start", lambda _: moments.spawned()),
        ("start", lambda _: moments.database_made(crawl.state)),
    ]
    middle = [("crawl", _after(site, dice.randrange(1, 22))) for _ in range(ONE_PROCESS_KILLS - 8)]
    middle += [("start", lambda process: moments.state_taken(crawl.state, process))] * 3
    dice.shuffle(middle)
    # Last, because all other hosts are through while the delayed one is waited for.
    last = [("delay", _after(site, dice.randrange(1, 3), site.delayed_host)) for _ in range(3)]
    return [*first, *middle, *last]


def _after(site: ServedSite, number: int, host: str | None = None) -> Moment:
    return lambda _: moments.further_requests(site, number, host)


def _kill_children_then_all(crawl: CrawlUnderFire, dice: random.Random) -> bool:
    """Run once, and hit single processes and then the whole. False where the crawl was through before."""
    with crawl.run() as process:
        for _ in range(dice.randrange(1, 4)):
            moment = moments.further_requests(crawl.site, dice.randrange(15))
            if not moments.wait_for(moment, process) or not _kill_a_child(crawl, process, dice):
                break
        moment = moments.further_requests(crawl.site, dice.randrange(20))
        if moments.wait_for(moment, process):
            process.kill()
        _, err = process.communicate()
    assert "Traceback" not in err, err
    if process.returncode == 0:
        return False
    assert process.returncode == -signal.SIGKILL, err
    crawl.kills["all"] += 1
    return True


def _kill_a_child(crawl: CrawlUnderFire, process: Popen[str], dice: random.Random) -> bool:
    """Kill one crawl process and see that another takes its place."""
    if not moments.wait_for(lambda: len(moments.crawl_processes(process)) == 2, process):
        return False
    victim = dice.choice(moments.crawl_processes(process))
    with suppress(psutil.NoSuchProcess):
        victim.kill()
    crawl.kills["one of two"] += 1
    return moments.wait_for(lambda: _replaced(process, victim), process)


def _replaced(process: Popen[str], victim: psutil.Process) -> bool:
    alive = moments.crawl_processes(process)
    return victim not in alive and len(alive) == 2
