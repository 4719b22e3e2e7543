"""What users submit."""

from typing import Any

import msgspec


class NewTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task as it is submitted (S2 8.6.2, T1). What is left out comes from the settings of the master."""

    task_type: str = "web_crawl"
    parameters: dict[str, Any] = {}
    project_id: str = "default"
    workflow_id: str | None = None
    cluster_id: str | None = None
    priority: int = 5  # 1 … 10, 10 first
    min_resources: dict[str, int | float] = {}
    capabilities: dict[str, Any] = {}
    schedule_strategy: str | None = None
    target_region: str | None = None
    content_features: dict[str, Any] = {}
    node_type: str | None = None
    categories: tuple[str, ...] = ()
    max_retries: int | None = None
    timeout: float | None = None  # seconds for one go
    max_nodes: int | None = (
        None  # that may work on it at once; None: 1, and `nodes_per_crawl` for a deep web_crawl
    )
    deduplicate: bool = False  # whether the same URL, submitted before, is answered with that task (T10)
