"""How a master hands out work and watches over it."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from crawlmesh.settings.checks import crawl_store_address, store_address


class MasterSettings(BaseModel):
    """Masters. All masters of one cluster should have the same."""

    control_store: Annotated[str | None, AfterValidator(store_address)] = Field(
        None,
        description=(
            "Where tasks and nodes are kept: `sqlite:///FILE`, or `postgresql://…` for several masters."
            " Empty: a file in `data_dir/cluster`."
        ),
    )
    crawl_store: Annotated[str | None, AfterValidator(crawl_store_address)] = Field(
        None,
        description=(
            "Where links and records of the cluster's crawls are kept: `sqlite:///FILE`, `postgresql://…`,"
            " `redis://[:PASSWORD@]HOST:PORT/0` (`rediss://` with TLS) or"
            " `redis+cluster://HOST:PORT?partitions=16`. Workers that have the setting talk to a server"
            " directly. Empty: beside the control store."
        ),
    )
    publish_records: bool = Field(
        False,
        description="Whether the records of each crawl are published to `event_bus` when it has ended.",
    )
    load_balance_strategy: str = Field(
        "least_loaded",
        min_length=1,
        description=(
            "How a node is chosen for a task that does not say: `least_loaded` (also `least_tasks`),"
            " `round_robin`, `weighted`, `random`, `geo_location`, `content_based`, `anti_crawling`,"
            " or one of your own."
        ),
    )
    dispatch_interval: float = Field(
        10.0,
        gt=0,
        le=3_600,
        description="Seconds after which a master looks for work at the latest; new tasks wake it.",
    )
    max_tasks_per_schedule: int = Field(
        1_000, ge=1, le=100_000, description="Tasks that are placed in one round."
    )
    nodes_per_crawl: int = Field(
        8,
        ge=1,
        le=10_000,
        description="Nodes that work on one deep crawl at once, where its task does not say.",
    )
    task_timeout: float = Field(
        3_600.0, gt=0, description="Seconds for one go at a task, where the task does not say."
    )
    max_retry_count: int = Field(
        3, ge=0, le=1_000, description="Further goes for a task that failed, where the task does not say."
    )
    task_retry_base: float = Field(
        5.0, ge=0, description="Seconds before a failed task's first retry at most; doubles with each."
    )
    task_retry_cap: float = Field(600.0, ge=0, description="Longest wait before a task's retry, in seconds.")
    max_losses: int = Field(
        10, ge=1, description="Nodes that may be lost while they work on one task before it is given up."
    )
    heartbeat_interval: float = Field(
        30.0, gt=0, le=3_600, description="Seconds between two reports of a worker about itself."
    )
    heartbeat_timeout: float | None = Field(
        None,
        gt=0,
        description=(
            "Seconds of silence after which a node is unresponsive and its work goes to others."
            " Empty: three heartbeats, but no more than `device_timeout`."
        ),
    )
    device_timeout: float = Field(
        300.0, gt=0, description="Seconds of silence in all after which a node is offline."
    )
    timeout_check_interval: float = Field(
        60.0,
        gt=0,
        le=3_600,
        description=(
            "Seconds between two looks for silent nodes at most; a third of their time-out if that is less."
        ),
    )
    enable_monitoring: bool = Field(
        True, description="Whether masters check the health of nodes; `/metrics` is served in any case."
    )
    health_check_interval: float = Field(
        60.0, gt=0, le=86_400, description="Seconds between two health checks of a node."
    )
    max_cpu_usage: float = Field(
        0.90,
        gt=0,
        le=1,
        description=(
            "A node above this share of its processors is unhealthy and gets nothing new, unless all that fit"
            " are; 1: never so, as in a standalone process that is told nothing."
        ),
    )
    max_memory_usage: float = Field(
        0.95, gt=0, le=1, description="A node above this share of its memory is unhealthy."
    )
    health_readings: int = Field(
        3,
        ge=1,
        le=100,
        description="Heartbeats whose mean of processors and memory counts for a node's health.",
    )
    max_task_errors: int = Field(
        0, ge=0, description="A node with more failed tasks than this since the last check is degraded."
    )
    max_task_latency: float = Field(
        5.0,
        gt=0,
        description="A node whose tasks wait longer than this for their start is degraded; seconds.",
    )
    leader_lease: float = Field(
        10.0,
        ge=0.1,
        le=3_600,
        description="Seconds after which another master takes over from a leader that went silent.",
    )
    keep_tasks: float = Field(
        30.0, gt=0, description="Days that ended tasks are kept, with their executions, logs and records."
    )
    keep_events: float = Field(7.0, gt=0, description="Days that events are kept.")
    keep_heartbeats: float = Field(2.0, gt=0, description="Days that the history of heartbeats is kept.")
    keep_logs: float = Field(7.0, gt=0, description="Days that the logs of executions are kept.")

    @property
    def silence(self) -> float:
        """Seconds after which a node is unresponsive."""
        return self.heartbeat_timeout or min(3 * self.heartbeat_interval, self.device_timeout)
