"""Keep the logs that nodes send (X5)."""

from crawlmesh.control.context import ControlContext
from crawlmesh.control.sessions import node_in_session
from crawlmesh.model.log_line import LogLine
from crawlmesh.protocol.node_messages import LogMessage

_LONGEST_LINE = 16_384  # characters
_LEVELS = frozenset({"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"})


async def append_logs(context: ControlContext, node_id: str, message: LogMessage) -> None:
    """Keep lines of executions that were this node's; others are left out."""
    await node_in_session(context, node_id, message.session)
    ids = list({line.execution_id for line in message.lines})
    if not ids:
        return
    own = {
        assignment.execution.id: assignment.task.id
        for assignment in await context.store.assignments(ids)
        if assignment.execution.node_id == node_id
    }
    lines = [
        LogLine(
            task_id=own[line.execution_id],
            execution_id=line.execution_id,
            at=line.at,
            level=line.level if line.level in _LEVELS else "INFO",
            message=line.message[:_LONGEST_LINE],
            node_id=node_id,
        )
        for line in message.lines
        if line.execution_id in own
    ]
    if lines:
        await context.store.append_logs(lines)
