"""All parts of the suite in one class."""

from crawlmesh.testing.conformance.parts import refuse_shadowed_names
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


refuse_shadowed_names(TaskChannelSuite, TaskChannelCase)
