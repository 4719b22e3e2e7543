import asyncio
import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from crawlmesh.adapters.memory import MemoryCrawlStore
from crawlmesh.cli import live_screen
from crawlmesh.cli.crawl_run import CrawlOrder
from crawlmesh.cli.display import Display, Snapshot, choose_display
from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.model.crawl import CrawlProgress, HostProgress
from crawlmesh.model.host import HostState
from crawlmesh.settings import load_settings
from crawlmesh.testing.builders import all_fetched, lease_request, new_links
from crawlmesh.testing.manual_clock import ManualClock
from crawlmesh.worker.preparation import CrawlLimits, Prepared, Start, prepare

PROGRESS = CrawlProgress(
    pending=50, done=40, dead=2, pages=40, bytes=1_500, by_status={"200": 40, "301": 1, "404": 2}
)
HOSTS = [HostProgress("slow.example", 3, 40, 2, 0.25, HostState("slow.example", delay=1.5))]
SNAPSHOT = Snapshot(progress=PROGRESS, hosts=HOSTS, elapsed=61.0, pages_per_second=20.0, remaining=None)


class NotingScreen:
    """Keeps what it is shown; a moment passes before each further snapshot."""

    interval = 0.0

    def __init__(self, wanted: int) -> None:
        self.shown: list[Snapshot] = []
        self.closed = 0
        self.enough = asyncio.Event()
        self._wanted = wanted

    def show(self, snapshot: Snapshot) -> None:
        self.shown.append(snapshot)
        if len(self.shown) == self._wanted:
            self.enough.set()

    def tell(self, sentence: str) -> None:
        pass

    def close(self) -> None:
        self.closed += 1


def _order(**limits: Any) -> CrawlOrder:
    return CrawlOrder(
        settings=load_settings({}),
        definition=None,
        state=Path("s"),
        output=None,
        start=Start.RESUME,
        **limits,
    )


async def _prepared(store: MemoryCrawlStore, clock: ManualClock) -> Prepared:
    definition = CrawlDefinition(seeds=("https://a.example/",))
    prepared = await prepare(store, clock, "one", definition, CrawlLimits(), Start.RESUME)
    await store.add(new_links(19, crawl_id="one"))
    return prepared


async def test_a_crawl_is_shown_while_it_runs() -> None:
    clock = ManualClock()
    store = MemoryCrawlStore(clock)
    prepared = await _prepared(store, clock)
    screen = NotingScreen(3)
    async with Display(screen).watching(store, prepared, _order(max_pages=30, max_time=100.0), clock):
        (batch,) = (await store.lease(lease_request("one"))).batches
        clock.advance(2.0)
        await asyncio.sleep(0)
        clock.advance(2.0)
        await store.settle([all_fetched(batch)])
        await screen.enough.wait()
    assert screen.closed == 1
    assert screen.shown[-1].progress.pages == 20
    assert screen.shown[-1].remaining is not None
    assert screen.shown[-1].pages_per_second > 0
    assert [host.host for host in screen.shown[-1].hosts] == ["a.example"]


async def test_without_a_limit_nobody_knows_how_long_it_takes() -> None:
    clock = ManualClock()
    store = MemoryCrawlStore(clock)
    screen = NotingScreen(1)
    async with Display(screen).watching(store, await _prepared(store, clock), _order(), clock):
        await screen.enough.wait()
    assert screen.shown[0].remaining is None


async def test_a_screen_that_fails_does_not_end_the_crawl() -> None:
    clock = ManualClock()
    store = MemoryCrawlStore(clock)
    prepared = await _prepared(store, clock)
    await store.delete_crawl("one")
    screen = NotingScreen(1)
    async with Display(screen).watching(store, prepared, _order(), clock):
        await asyncio.sleep(0)
    assert screen.closed == 1


async def test_nothing_is_shown_when_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    clock = ManualClock()
    store = MemoryCrawlStore(clock)
    quiet = choose_display(quiet=True, as_json=False)
    async with quiet.watching(store, await _prepared(store, clock), _order(), clock):
        await asyncio.sleep(0)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_lines_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    screen = choose_display(quiet=False, as_json=False)._screen
    assert screen is not None
    screen.show(
        Snapshot(progress=CrawlProgress(), hosts=[], elapsed=0.0, pages_per_second=0.0, remaining=None)
    )
    screen.show(SNAPSHOT)
    screen.close()
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "1 min 01 s: 40 pages, 20 per second, 1.5 kB, 50 to go, 2 dead\n"


def test_the_live_picture_shows_everything() -> None:
    console = Console(width=120, record=True, file=open("/dev/null", "w"))  # noqa: PTH123, SIM115
    console.print(live_screen._picture(SNAPSHOT))
    console.file.close()
    text = console.export_text()
    for part in (
        "pages/s",
        "20",
        "1.5 kB",
        "46% of known links",
        "404 2",
        "slow.example",
        "250 ms",
        "1.5 s",
        "unknown",
    ):
        assert part in text


def test_a_line_that_stays_goes_above_the_live_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    console = Console(file=terminal, force_terminal=True, width=80)
    monkeypatch.setattr(live_screen, "Console", lambda **_: console)
    screen = live_screen.LiveScreen()
    screen.tell("before")
    screen.show(SNAPSHOT)
    screen.tell("while it is shown")
    screen.close()
    text = terminal.getvalue()
    assert text.startswith("before\n")
    assert "while it is shown\n\r\x1b[2K" in text  # and the picture is drawn anew below
