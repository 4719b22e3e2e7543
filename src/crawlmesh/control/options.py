"""How masters work: every number of the control plane, filled from the settings by the wiring."""

import msgspec

from crawlmesh.rules.node_health import HealthThresholds
from crawlmesh.rules.task_lifecycle import RetryOptions


class ControlOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Durations are in seconds. The defaults are those of the settings, for a cluster of several machines."""

    default_strategy: str = "least_loaded"
    task_timeout: float = 3600.0  # of one go; a web_crawl without a time-out of its own has none
    max_retries: int = 3
    retry: RetryOptions = RetryOptions()
    max_losses: int = 10  # nodes that a task may lose before it is given up as their killer
    nodes_per_crawl: int = 8  # that work on a web_crawl at once, unless the task says otherwise

    heartbeat_interval: float = 30.0  # told to nodes when they register
    heartbeat_timeout: float = 90.0  # of silence, then a node is unresponsive
    device_timeout: float = 300.0  # of silence in all, then it is offline
    timeout_check_interval: float = 60.0  # between two looks for silent nodes, at most
    health: HealthThresholds = HealthThresholds()
    health_interval: float = 60.0
    health_workers: int = 32  # checks at once
    health_timeout: float = 5.0  # of one connection

    max_tasks_per_schedule: int = 1000
    schedule_interval: float = 10.0  # between rounds that nothing asked for
    fleet_refresh: float = 1.0  # between two looks at what changed in the nodes
    fleet_reload: float = 60.0  # between two looks at all nodes
    leader_lease: float = 10.0

    task_timeout_interval: float = 1.0  # between two looks for overdue executions
    wake_interval: float = 1.0
    lease_expiry_interval: float = 5.0
    finish_crawls_interval: float = 5.0
    filter_watch_interval: float = 15.0  # between two looks for Bloom filters that are nearly full
    retention_interval: float = 60.0
    keep_tasks: float | None = 30 * 86_400.0  # ended ones; None: for ever
    keep_events: float | None = 7 * 86_400.0
    keep_heartbeats: float | None = 2 * 86_400.0
    keep_logs: float | None = 7 * 86_400.0
    keep_idempotency_keys: float = 86_400.0

    channel_grace: float = 5.0  # that the task channel has to bring work before a pull does
    publish_records: bool = False  # to the event bus, when a crawl has ended
    longest_pull: float = 60.0  # that a node may wait for work in one call
    merged_items: int = 1000  # of each list in the result of a crawl
    most_batch: int = 10_000  # tasks in one submission
    most_parameter_bytes: int = 1_048_576  # of one task, as JSON
