"""A host for people to read."""

from typing import TYPE_CHECKING, Any

from crawlmesh.cli.printing import print_fields, print_json

if TYPE_CHECKING:
    from crawlmesh.client.hosts import Host, HostLimits


def print_host(host: "Host", *, as_json: bool) -> None:
    """All that is known of a host."""
    if as_json:
        print_json(host)
    else:
        print_fields(_fields(host))


def in_seconds(seconds: float) -> str:
    """A short duration, as exact as it was given; nothing where there is none."""
    return f"{seconds:g} s" if seconds else ""


def limits_in_words(limits: "HostLimits") -> str:
    """What a user laid down; empty: nothing."""
    parts = ["blocked"] if limits.blocked else []
    if limits.delay is not None:
        parts.append(f"delay {limits.delay:g} s")
    if limits.slots is not None:
        parts.append(f"slots {limits.slots}")
    return ", ".join(parts)


def _fields(host: "Host") -> dict[str, Any]:
    state = host.state
    return {
        "Host": host.host,
        "Limits of users": limits_in_words(host.limits) or "none",
        "Delay": in_seconds(host.delay) or "none",
        "Crawl-delay of its robots.txt": in_seconds(state.get("crawl_delay", 0.0)),
        "Delay for its answers": in_seconds(state.get("pressure", 0.0)),
        "Failures in a row": state.get("failures") or None,
        "Slots": f"{host.running} of {host.slots} leased",
        "Rests for": in_seconds(host.ready_in),
        "Links waiting": host.queued,
        "Links done": host.done,
        "Links dead": host.dead,
        "Mean time": f"{host.mean_elapsed:.3f} s" if host.mean_elapsed else "",
    }
