"""How the HTTP interfaces behave."""

from collections.abc import Callable
from dataclasses import dataclass, field

from crawlmesh.observability.prometheus import PrometheusMeasurements


def _nobody_leads() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class ApiOptions:
    """What the wiring chooses. `leads` tells whether this master leads at the moment."""

    leads: Callable[[], bool] = _nobody_leads
    body_bytes: int = 32 * 1024 * 1024  # of a request, but for calls to the crawl store
    crawl_store_body_bytes: int = 256 * 1024 * 1024
    stream_heartbeat: float = 15.0  # seconds of silence in a stream of events
    measurements: PrometheusMeasurements = field(default_factory=PrometheusMeasurements)
