"""All parts of the suite in one class."""

from crawlmesh.testing.conformance.task_channel.case import TaskChannelCase
from crawlmesh.testing.conformance.task_channel.closing import Closing, Killing
from crawlmesh.testing.conformance.task_channel.dead_letters import DeadLetters
from crawlmesh.testing.conformance.task_channel.delivering import Accepting, ComingAgain, Prefetching
from crawlmesh.testing.conformance.task_channel.failing import Restarting, Unreachable
from crawlmesh.testing.conformance.task_channel.publishing import Publishing
from crawlmesh.testing.conformance.task_channel.sharing import Order, Removing, Sharing


class TaskChannelSuite(
    Publishing,
    Accepting,
    Prefetching,
    ComingAgain,
    DeadLetters,
    Sharing,
    Order,
    Removing,
    Closing,
    Killing,
    Unreachable,
    Restarting,
):
    """Every rule of `crawlmesh.ports.task_channel`. An adapter subclasses it as `TestItsName`."""


def _refuse_shadowed_names() -> None:
    """A name that two parts use would silently drop a test or a helper of one of them."""
    owners: dict[str, str] = {}
    for part in TaskChannelSuite.__mro__[1:]:
        if part in (object, TaskChannelCase):
            continue
        for name in vars(part):
            if name.startswith("__") or name == "pytestmark":
                continue
            if name in owners:
                raise TypeError(f"{part.__name__} and {owners[name]} both define {name}; rename one of them")
            owners[name] = part.__name__


_refuse_shadowed_names()
