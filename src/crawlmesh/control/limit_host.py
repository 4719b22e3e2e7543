"""Lay limits down for a host, over all crawls and nodes."""

import msgspec

from crawlmesh.control.context import ControlContext
from crawlmesh.control.look_at_hosts import named_host
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.host import HostLimits, HostState, HostStatus


async def limit_host(context: ControlContext, text: str, limits: HostLimits) -> HostStatus:
    """Replace the limits of a host, whether it was met or not; default limits take them away.

    They hold from the next lease on. Raises NotFoundError where the text can be no host.
    """
    host = named_host(text)
    before = await context.crawl_store.host_status(host)
    if limits != (HostLimits() if before is None else before.limits):
        await context.crawl_store.limit_host(host, limits)
        data = {"host": host, **msgspec.structs.asdict(limits)}
        event = Event(type=EventType.HOST_LIMITS_CHANGED, at=context.clock.now(), data=data)
        await context.store.append_events([event])
    status = await context.crawl_store.host_status(host)
    return status or HostStatus(host, HostState(host), limits)
