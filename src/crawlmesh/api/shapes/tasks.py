"""Tasks and their executions in answers."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from crawlmesh.api.shapes.moments import if_any, moment, moment_if_any, plain_numbers
from crawlmesh.control.explain_task import Explanation
from crawlmesh.model.execution import Allocation, EndedBy, Execution, ExecutionStatus
from crawlmesh.model.task import Task, TaskResult, TaskStatus


class CreatedTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task that was taken in. `duplicate` stands there where it is an earlier one."""

    id: str
    status: TaskStatus
    created_at: str
    priority: int
    duplicate: bool | UnsetType = UNSET


class CreatedTasks(msgspec.Struct, frozen=True):
    """One for each task of the request, in its order."""

    tasks: Sequence[CreatedTask]


class ResultShape(msgspec.Struct, frozen=True, kw_only=True):
    """What a task brought. `error` stands there where it did not succeed."""

    success: bool
    data: dict[str, Any]
    error: str | UnsetType = UNSET
    metrics: dict[str, Any]
    timestamp: str


class TaskShape(msgspec.Struct, frozen=True, kw_only=True):
    """A task. What has no value yet is left out."""

    id: str
    project_id: str
    workflow_id: str | UnsetType = UNSET
    task_type: str
    parameters: dict[str, Any]
    priority: int
    min_resources: dict[str, float]
    capabilities: dict[str, Any]
    schedule_strategy: str | UnsetType = UNSET
    target_region: str | UnsetType = UNSET
    content_features: dict[str, Any]
    status: TaskStatus
    created_at: str
    updated_at: str
    assigned_node: str | UnsetType = UNSET
    assigned_at: str | UnsetType = UNSET
    completed_at: str | UnsetType = UNSET
    result: ResultShape | UnsetType = UNSET
    retry_count: int
    max_retries: int
    cluster_id: str | UnsetType = UNSET
    node_type: str | UnsetType = UNSET
    categories: Sequence[str]
    timeout: float | UnsetType = UNSET
    max_nodes: int
    reason: str | UnsetType = UNSET
    started_at: str | UnsetType = UNSET
    not_before: str | UnsetType = UNSET
    losses: int


class ExecutionShape(msgspec.Struct, frozen=True, kw_only=True):
    """One node's go at a task. What has no value yet is left out."""

    id: str
    task_id: str
    node_id: str
    start_time: str
    end_time: str | UnsetType = UNSET
    status: ExecutionStatus
    result: ResultShape | UnsetType = UNSET
    metrics: dict[str, Any]
    retry_count: int
    ended_by: EndedBy | UnsetType = UNSET
    stop: EndedBy | UnsetType = UNSET
    deadline: str | UnsetType = UNSET
    allocation: Allocation | UnsetType = UNSET
    strategy: str
    choice: str
    fence: int


def created_task(task: Task, *, duplicate: bool = False) -> CreatedTask:
    """The answer to a submission."""
    return CreatedTask(
        id=task.id,
        status=task.status,
        created_at=moment(task.created_at),
        priority=task.priority,
        duplicate=True if duplicate else UNSET,
    )


def result_shape(result: TaskResult | None, *, with_data: bool = True) -> ResultShape | UnsetType:
    """A result, left out where there is none. Its data can be large."""
    if result is None:
        return UNSET
    return ResultShape(
        success=result.success,
        data=result.data if with_data else {},
        error=if_any(result.error),
        metrics=result.metrics,
        timestamp=moment(result.timestamp),
    )


def task_shape(task: Task, *, with_data: bool = True) -> TaskShape:
    """A task in the shape of S2 8.6.2."""
    return TaskShape(
        id=task.id,
        project_id=task.project_id,
        workflow_id=if_any(task.workflow_id),
        task_type=task.task_type,
        parameters=task.parameters,
        priority=task.priority,
        min_resources=plain_numbers(task.min_resources),
        capabilities=task.capabilities,
        schedule_strategy=if_any(task.schedule_strategy),
        target_region=if_any(task.target_region),
        content_features=task.content_features,
        status=task.status,
        created_at=moment(task.created_at),
        updated_at=moment(task.updated_at),
        assigned_node=if_any(task.assigned_node),
        assigned_at=moment_if_any(task.assigned_at),
        completed_at=moment_if_any(task.completed_at),
        result=result_shape(task.result, with_data=with_data),
        retry_count=task.retry_count,
        max_retries=task.max_retries,
        cluster_id=if_any(task.cluster_id),
        node_type=if_any(task.node_type),
        categories=task.categories,
        timeout=UNSET if task.timeout is None else task.timeout,
        max_nodes=task.max_nodes,
        reason=if_any(task.reason),
        started_at=moment_if_any(task.started_at),
        not_before=moment(task.not_before) if task.status is TaskStatus.WAITING else UNSET,
        losses=task.losses,
    )


def execution_shape(execution: Execution) -> ExecutionShape:
    """An execution, with the columns of S2 8.5.3 first."""
    return ExecutionShape(
        id=execution.id,
        task_id=execution.task_id,
        node_id=execution.node_id,
        start_time=moment(execution.start_time),
        end_time=moment_if_any(execution.end_time),
        status=execution.status,
        result=result_shape(execution.result),
        metrics=execution.metrics,
        retry_count=execution.retry_count,
        ended_by=execution.ended_by or UNSET,
        stop=execution.stop or UNSET,
        deadline=moment_if_any(execution.deadline),
        allocation=execution.allocation or UNSET,
        strategy=execution.strategy,
        choice=execution.choice,
        fence=execution.fence,
    )


class PlacementShape(msgspec.Struct, frozen=True, kw_only=True):
    """Why one node works on a task."""

    execution_id: str
    node_id: str
    since: str
    strategy: str
    choice: str
    allocation: Allocation | UnsetType = UNSET
    stop: str | UnsetType = UNSET


class ExplanationShape(msgspec.Struct, frozen=True, kw_only=True):
    """`summary` is the short answer; `reasons` are all that hold, most important first."""

    task_id: str
    status: TaskStatus
    summary: str
    reasons: Sequence[str]
    placements: Sequence[PlacementShape]
    nodes: int
    fitting: int
    free: int


def explanation_shape(explanation: Explanation) -> ExplanationShape:
    """Why a task waits, or why it went to that node."""
    return ExplanationShape(
        task_id=explanation.task_id,
        status=TaskStatus(explanation.status),
        summary=explanation.summary,
        reasons=explanation.reasons,
        placements=[
            PlacementShape(
                execution_id=placement.execution_id,
                node_id=placement.node_id,
                since=moment(placement.since),
                strategy=placement.strategy,
                choice=placement.choice,
                allocation=placement.allocation or UNSET,
                stop=if_any(placement.stop),
            )
            for placement in explanation.placements
        ],
        nodes=explanation.nodes,
        fitting=explanation.fitting,
        free=explanation.free,
    )
