"""What events say of tasks and results. Everything in it is bounded, because events are kept and streamed."""

from typing import Any, Final

import msgspec

from crawlmesh.model.task import Task, TaskResult

MOST_BYTES: Final = 4096  # as JSON, of each part that a user or a node brings


def task_info(task: Task) -> dict[str, Any]:
    """A task (S2: `task_info`) without what is empty. Moments are Unix seconds, as in all that is stored."""
    info = {
        "id": task.id,
        "project_id": task.project_id,
        "workflow_id": task.workflow_id,
        "task_type": task.task_type,
        "priority": task.priority,
        "min_resources": task.min_resources,
        "schedule_strategy": task.schedule_strategy,
        "target_region": task.target_region,
        "status": task.status,
        "created_at": task.created_at,
        "retry_count": task.retry_count,
        "max_retries": task.max_retries,
    }
    bounded = {
        "parameters": task.parameters,
        "capabilities": task.capabilities,
        "content_features": task.content_features,
    }
    told = {name: value for name, value in info.items() if value is not None and value != {}}
    told.update(_within_bounds({name: value for name, value in bounded.items() if value}))
    return told


def result_data(result: TaskResult) -> dict[str, Any]:
    """A result: its data and metrics where they are small; the task has all of them."""
    return {
        "success": result.success,
        "error": None if result.error is None else result.error[:MOST_BYTES],
        "timestamp": result.timestamp,
        **_within_bounds({"data": result.data, "metrics": result.metrics}),
    }


def _within_bounds(parts: dict[str, Any]) -> dict[str, Any]:
    """The parts that are small, and how large the others are, as `<name>_bytes`."""
    told: dict[str, Any] = {}
    for name, value in parts.items():
        size = len(msgspec.json.encode(value)) if value else 0
        if size <= MOST_BYTES:
            told[name] = value
        else:
            told[f"{name}_bytes"] = size
    return told
