"""A crawl on a terminal, live. Imported only where there is one, because rich takes a while to import."""

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from crawlmesh.cli.display import Snapshot
from crawlmesh.cli.words import in_bytes, in_time
from crawlmesh.model.crawl import CrawlProgress, HostProgress

_LIVE_INTERVAL = 0.5  # seconds


class LiveScreen:
    """A picture of the crawl that is drawn anew twice a second."""

    interval = _LIVE_INTERVAL

    def __init__(self) -> None:
        self._live = Live(console=Console(stderr=True), refresh_per_second=4, transient=True)

    def show(self, snapshot: Snapshot) -> None:
        """See Screen."""
        self._live.start()
        self._live.update(_picture(snapshot))

    def tell(self, sentence: str) -> None:
        """See Screen."""
        self._live.console.print(Text(sentence))  # above the picture, which other output would tear

    def close(self) -> None:
        """See Screen."""
        self._live.stop()


def _picture(snapshot: Snapshot) -> RenderableType:
    progress = snapshot.progress
    known = progress.added or 1
    ended = progress.done + progress.dead
    numbers = Table.grid(padding=(0, 3))
    numbers.add_row(
        _cell("pages", f"{progress.pages:,}"),
        _cell("pages/s", f"{snapshot.pages_per_second:,.0f}"),
        _cell("downloaded", in_bytes(progress.bytes)),
        _cell("queue", f"{progress.pending + progress.leased:,}"),
        _cell("dead", f"{progress.dead:,}", "red" if progress.dead else ""),
        _cell("skipped", f"{progress.skipped:,}"),
        _cell("time", in_time(snapshot.elapsed)),
        _cell("left", "unknown" if snapshot.remaining is None else in_time(snapshot.remaining)),
    )
    return Group(_bar(ended / known), numbers, _statuses(progress), _hosts(snapshot.hosts))


def _cell(name: str, value: str, style: str = "bold") -> Text:
    return Text.assemble((f"{name}\n", "dim"), (value, style))


def _bar(share: float) -> Text:
    width = 60
    filled = round(width * share)
    return Text.assemble(
        ("━" * filled, "green"), ("━" * (width - filled), "dim"), f" {share:.0%} of known links"
    )


def _statuses(progress: CrawlProgress) -> Text:
    text = Text("status  ", style="dim")
    for status, number in sorted(progress.by_status.items()):
        style = "green" if status < "300" else "yellow" if status < "400" else "red"
        text.append(f"{status} ", style)
        text.append(f"{number:,}  ", "default")
    return text


def _hosts(hosts: list[HostProgress]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("failing and slowest hosts", "done", "dead", "queue", "mean time", "delay"):
        table.add_column(name, justify="left" if name.startswith("f") else "right")
    for host in hosts:
        table.add_row(
            host.host,
            f"{host.done:,}",
            Text(f"{host.dead:,}", "red" if host.dead else ""),
            f"{host.queued:,}",
            f"{host.mean_elapsed * 1000:,.0f} ms",
            f"{host.state.delay:g} s" if host.state.delay else "",
        )
    return table
