"""All parts of the suite in one class."""

from crawlmesh.testing.conformance.control_store.case import ControlStoreCase
from crawlmesh.testing.conformance.control_store.changing import Changing, LeaderFence
from crawlmesh.testing.conformance.control_store.concurrency import Concurrency
from crawlmesh.testing.conformance.control_store.durability import Closing, Durability
from crawlmesh.testing.conformance.control_store.executions import Deadlines, Executions, Loads
from crawlmesh.testing.conformance.control_store.heartbeats import Health, Heartbeats
from crawlmesh.testing.conformance.control_store.journal import Events, Logs
from crawlmesh.testing.conformance.control_store.keeping import Clusters, Keys
from crawlmesh.testing.conformance.control_store.leading import Leading
from crawlmesh.testing.conformance.control_store.listing import Listing
from crawlmesh.testing.conformance.control_store.nodes import ChangingNodes, GroupingNodes, ListingNodes
from crawlmesh.testing.conformance.control_store.positions import Positions
from crawlmesh.testing.conformance.control_store.pruning import Pruning
from crawlmesh.testing.conformance.control_store.queues import Queues, TaskCounting, Waiting
from crawlmesh.testing.conformance.control_store.random_walk import RandomWalk
from crawlmesh.testing.conformance.control_store.samples import HeartbeatMeans, Samples
from crawlmesh.testing.conformance.control_store.submitting import Deduplication, Idempotency, Submitting
from crawlmesh.testing.conformance.control_store.waking import Waking
from crawlmesh.testing.conformance.parts import refuse_shadowed_names


class ControlStoreSuite(
    Submitting,
    Idempotency,
    Deduplication,
    Changing,
    LeaderFence,
    Listing,
    Queues,
    Waiting,
    TaskCounting,
    Executions,
    Deadlines,
    Loads,
    ChangingNodes,
    ListingNodes,
    GroupingNodes,
    Heartbeats,
    Health,
    Clusters,
    Keys,
    Events,
    Logs,
    Positions,
    Samples,
    HeartbeatMeans,
    Leading,
    Waking,
    Pruning,
    Concurrency,
    RandomWalk,
    Closing,
    Durability,
):
    """Every rule of `crawlmesh.ports.control_store`. An adapter subclasses it as `TestItsName`."""


refuse_shadowed_names(ControlStoreSuite, ControlStoreCase)
