"""Take the limits of a host away."""

from crawlmesh.control.context import ControlContext
from crawlmesh.control.limit_host import limit_host
from crawlmesh.control.look_at_hosts import get_host
from crawlmesh.model.host import HostLimits


async def free_host(context: ControlContext, text: str) -> None:
    """The host is asked as its own answers say again. Raises NotFoundError; no limits are fine."""
    status = await get_host(context, text)
    await limit_host(context, status.host, HostLimits())
