"""The hosts of all crawls: one, or a page of them."""

from crawlmesh.control.context import ControlContext
from crawlmesh.errors import NotFoundError
from crawlmesh.model.host import HostStatus
from crawlmesh.rules.host_names import host_name


def named_host(text: str) -> str:
    """The host that somebody means. Raises NotFoundError where it can be none."""
    host = host_name(text)
    if host is None:
        raise NotFoundError(
            f"There is no host {text!r}. Name one as links do: example.com, or example.com:8080."
        )
    return host


async def get_host(context: ControlContext, text: str) -> HostStatus:
    """One host over all crawls. Raises NotFoundError where it was never met and has no limits."""
    host = named_host(text)
    status = await context.crawl_store.host_status(host)
    if status is None:
        raise NotFoundError(f"There is no host {host!r}: no crawl has met it, and it has no limits.")
    return status


async def list_hosts(
    context: ControlContext, *, search: str | None = None, cursor: str | None = None, limit: int = 100
) -> tuple[list[HostStatus], str | None]:
    """A page of hosts by name, and where the next one begins (None: nowhere); `search` in their names."""
    found = await context.crawl_store.all_hosts(cursor or "", limit + 1, (search or "").lower())
    return found[:limit], found[limit - 1].host if len(found) > limit else None
