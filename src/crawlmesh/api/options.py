"""How the HTTP interfaces behave."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crawlmesh.errors import StoreError
from crawlmesh.model.preview import PagePreview, PreviewOrder
from crawlmesh.model.record import Record
from crawlmesh.observability.prometheus import PrometheusMeasurements
from crawlmesh.ports.record_export import RecordExport
from crawlmesh.ports.record_writer import RecordWriter


def _nobody_leads() -> bool:
    return False


class NoRecordExport:
    """Stands in where no formats of records are known."""

    def lines(self, records: Sequence[Record]) -> bytes:  # noqa: ARG002
        """Not possible here."""
        raise StoreError("This master writes no records.")

    def open_writer(self, path: Path) -> RecordWriter:  # noqa: ARG002
        """Not possible here."""
        raise StoreError("This master writes no records.")


async def no_preview(order: PreviewOrder) -> PagePreview:
    """Stands in where pages cannot be fetched."""
    raise StoreError(f"This master fetches no pages, so {order.url} cannot be shown.")


Preview = Callable[[PreviewOrder], Awaitable[PagePreview]]
"""Looks at one page. Raises InvalidError with the field `url` where it is no address."""


@dataclass(frozen=True, slots=True)
class ApiOptions:
    """What the wiring chooses. `leads` tells whether this master leads at the moment."""

    leads: Callable[[], bool] = _nobody_leads
    body_bytes: int = 32 * 1024 * 1024  # of a request, but for calls to the crawl store
    crawl_store_body_bytes: int = 256 * 1024 * 1024
    stream_heartbeat: float = 15.0  # seconds of silence in a stream of events
    live_interval: float = 2.0  # seconds from one snapshot in the live stream to the next, at least
    live_events_interval: float = 1.0  # the same of messages with events
    measurements: PrometheusMeasurements = field(default_factory=PrometheusMeasurements)
    record_export: RecordExport = field(default_factory=NoRecordExport)
    preview: Preview = no_preview
    dashboard: Path | None = None  # the folder of its built files; None: that of the package
