"""How a task ended, for people and scripts."""

from typing import TYPE_CHECKING

import click

from crawlmesh.cli.exit_codes import ExitCode
from crawlmesh.cli.words import in_bytes, in_time
from crawlmesh.model.task import TaskStatus

if TYPE_CHECKING:
    from crawlmesh.client.answers import Task


def end_code(task: "Task") -> int:
    """The exit code of a command that waited for a task."""
    return ExitCode.DONE if task.status == TaskStatus.COMPLETED else ExitCode.FAILED


def print_end(task: "Task") -> None:
    """Say in a line or two how a task ended."""
    result = task.result
    reason = (result.error if result else None) or task.reason
    click.echo(f"{task.id} is {task.status}{f': {reason}' if reason else '.'}")
    if result is None or "pages_crawled" not in result.metrics:
        return
    metrics = result.metrics
    click.echo(
        f"{metrics['pages_crawled']:,} pages in {in_time(float(metrics.get('processing_time', 0)))}, "
        f"{in_bytes(float(metrics.get('data_size', 0)))}. "
        f"`crawlmesh task results {task.id}` prints the records."
    )
