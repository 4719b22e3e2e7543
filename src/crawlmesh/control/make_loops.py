"""All loops of a leader, ready to start."""

from collections.abc import Sequence

from crawlmesh.control.context import ControlContext
from crawlmesh.control.fleet_view import FleetView
from crawlmesh.control.lead import Lead
from crawlmesh.control.leader import MakeLoops
from crawlmesh.control.loops.finish_crawls import FinishCrawls
from crawlmesh.control.loops.health_checks import HealthChecks
from crawlmesh.control.loops.heartbeat_timeouts import HeartbeatTimeouts
from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.control.loops.lease_expiry import LeaseExpiry
from crawlmesh.control.loops.retention import Retention
from crawlmesh.control.loops.schedule import Schedule
from crawlmesh.control.loops.task_timeouts import TaskTimeouts
from crawlmesh.control.loops.wake_waiting import WakeWaiting
from crawlmesh.ports.node_probe import NodeProbe


def loops_with(probe: NodeProbe) -> MakeLoops:
    """What a leader election needs: makes the loops of one term."""

    def make(context: ControlContext, lead: Lead) -> Sequence[LeaderLoop]:
        fleet_view = FleetView(context)
        return (
            Schedule(context, lead, fleet_view),
            HeartbeatTimeouts(context, lead, fleet_view),
            HealthChecks(context, lead, probe),
            TaskTimeouts(context, lead),
            WakeWaiting(context, lead),
            LeaseExpiry(context, lead),
            FinishCrawls(context, lead),
            Retention(context, lead),
        )

    return make
