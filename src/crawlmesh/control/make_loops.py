"""All loops of a leader, ready to start."""

from collections.abc import Iterator, Sequence

from crawlmesh.control.bus_bodies import PLAIN_BODIES, BusBodies
from crawlmesh.control.context import ControlContext
from crawlmesh.control.fleet_view import FleetView
from crawlmesh.control.lead import Lead
from crawlmesh.control.leader import MakeLoops
from crawlmesh.control.loops.filter_watch import FilterWatch
from crawlmesh.control.loops.finish_crawls import FinishCrawls
from crawlmesh.control.loops.health_checks import HealthChecks
from crawlmesh.control.loops.heartbeat_timeouts import HeartbeatTimeouts
from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.control.loops.lease_expiry import LeaseExpiry
from crawlmesh.control.loops.publish_events import PublishEvents
from crawlmesh.control.loops.publish_records import PublishRecords
from crawlmesh.control.loops.retention import Retention
from crawlmesh.control.loops.schedule import Schedule
from crawlmesh.control.loops.take_samples import TakeSamples
from crawlmesh.control.loops.take_tasks import TakeTasks
from crawlmesh.control.loops.task_timeouts import TaskTimeouts
from crawlmesh.control.loops.wake_waiting import WakeWaiting
from crawlmesh.control.loops.watch_brokers import WatchBrokers
from crawlmesh.ports.node_probe import NodeProbe


def loops_with(probe: NodeProbe, bodies: BusBodies = PLAIN_BODIES) -> MakeLoops:
    """What a leader election needs: makes the loops of one term. `bodies` encodes for the event bus."""

    def make(context: ControlContext, lead: Lead) -> Sequence[LeaderLoop]:
        fleet_view = FleetView(context)
        return (
            *_with_brokers(context, lead, bodies),
            Schedule(context, lead, fleet_view),
            HeartbeatTimeouts(context, lead, fleet_view),
            HealthChecks(context, lead, probe),
            TaskTimeouts(context, lead),
            WakeWaiting(context, lead),
            LeaseExpiry(context, lead),
            FinishCrawls(context, lead),
            FilterWatch(context, lead),
            TakeSamples(context, lead, fleet_view),
            Retention(context, lead),
        )

    return make


def _with_brokers(context: ControlContext, lead: Lead, bodies: BusBodies) -> Iterator[LeaderLoop]:
    if context.task_channel is not None:
        yield TakeTasks(context, lead, context.task_channel.channel)
    if context.event_bus is not None:
        yield PublishEvents(context, lead, context.event_bus.channel, bodies)
        if context.options.publish_records:
            yield PublishRecords(context, lead, context.event_bus.channel, bodies)
    if context.task_channel is not None or context.event_bus is not None:
        yield WatchBrokers(context, lead)
