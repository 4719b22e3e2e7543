"""A node introduces itself, for the first time or again (N1)."""

import math
import re
import secrets
from collections.abc import Sequence
from typing import NamedTuple

from crawlmesh.control.clusters import ensure_cluster
from crawlmesh.control.context import ControlContext
from crawlmesh.control.crawl_state import expire_leases
from crawlmesh.control.credentials import hash_of, new_node_token
from crawlmesh.control.releasing import lose_executions
from crawlmesh.control.task_checks import check_text
from crawlmesh.errors import ConflictError, InvalidError
from crawlmesh.model.cluster import DEFAULT_CLUSTER
from crawlmesh.model.node import Node
from crawlmesh.protocol.node_messages import Registered, Registration
from crawlmesh.rules import node_lifecycle

_NODE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_MOST_TRIES = 8
_MOST_SLOTS = 100_000
_MOST_ENTRIES = 256


class _Known(NamedTuple):
    """The node as it was before it registered again, and what ran on it."""

    node: Node
    execution_ids: Sequence[str]


async def register_node(context: ControlContext, registration: Registration) -> Registered:
    """Add the node, or renew it where its identity is known: a new token, the next session.

    What an earlier process of it still has under way is lost: one that left in order has nothing any more,
    so it crashed, and a task that makes its nodes crash must come to an end.
    """
    _check(registration)
    cluster_id = await ensure_cluster(context, registration.cluster_id or DEFAULT_CLUSTER)
    token = new_node_token()
    for _ in range(_MOST_TRIES):
        known = await _known(context, registration)
        node_id = known.node.id if known else await _new_id(context, registration)
        now = context.clock.now()
        change = node_lifecycle.registered(
            known.node if known else None, registration, node_id, hash_of(token), cluster_id, now
        )
        if (await context.store.change_nodes([change], now=now))[0]:
            await _lose_earlier(context, known, change.node, registration)
            return _answer(context, change.node, token, now)
    raise ConflictError(f"The node {registration.name!r} registers several times at once; try again.")


async def _known(context: ControlContext, registration: Registration) -> _Known | None:
    node = await context.store.node_by_identity(node_lifecycle.identity_of(registration))
    if node is None:
        return None
    running = await context.store.node_assignments(node.id)
    return _Known(node, [assignment.execution.id for assignment in running])


async def _new_id(context: ControlContext, registration: Registration) -> str:
    wish = registration.device_id
    if wish and _NODE_ID.fullmatch(wish) and await context.store.node(wish) is None:
        return wish
    return f"node-{secrets.token_hex(4)}"


async def _lose_earlier(
    context: ControlContext, known: _Known | None, node: Node, registration: Registration
) -> None:
    context.remembered.forget_node(node.id)
    if known is None:
        return
    await lose_executions(context, known.execution_ids)
    if registration.new_process:
        await expire_leases(context, node.id, known.node.capabilities)


def _answer(context: ControlContext, node: Node, token: str, now: float) -> Registered:
    return Registered(
        node_id=node.id,
        registration_time=now,
        initial_status=node.status.value,
        token=token,
        session=node.session,
        cluster_id=node.cluster_id,
        heartbeat_interval=context.options.heartbeat_interval,
    )


def _check(registration: Registration) -> None:
    if not registration.name:
        raise InvalidError("name is empty; give the node a name.", "name")
    for field in ("name", "ip_address", "device_id", "cluster_id", "node_type", "region"):
        check_text(getattr(registration, field), field)
    if not 0 <= registration.port <= 65_535:
        raise InvalidError(f"port is {registration.port}; it must be from 0 to 65535.", "port")
    if not 1 <= registration.slots <= _MOST_SLOTS:
        raise InvalidError(f"slots is {registration.slots}; it must be from 1 to {_MOST_SLOTS}.", "slots")
    if not (math.isfinite(registration.weight) and registration.weight > 0):
        raise InvalidError(f"weight is {registration.weight}; it must be above 0.", "weight")
    for name, value in registration.resources.items():
        if not (math.isfinite(value) and value >= 0):
            raise InvalidError(f"resources.{name} is {value}; it must be 0 or more.", f"resources.{name}")
    for field in ("capabilities", "resources", "task_types"):
        if len(getattr(registration, field)) > _MOST_ENTRIES:
            raise InvalidError(f"{field} has more than {_MOST_ENTRIES} entries.", field)
