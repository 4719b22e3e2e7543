import asyncio
from pathlib import Path

import pytest

from crawlmesh.control.remove_node import remove_node
from crawlmesh.errors import (
    ConflictError,
    CrawlmeshError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    UnauthenticatedError,
)
from crawlmesh.protocol.node_messages import HeartbeatAnswer, HeartbeatMessage, Registered, Registration
from tests.unit.worker.agent_kit import AgentKit
from tests.unit.worker.control_master import ControlMaster


class Refusing(ControlMaster):
    """Refuses registrations for as long as there is an error to do it with."""

    def __init__(self, kit: AgentKit) -> None:
        super().__init__(kit.kit)
        self.errors: list[CrawlmeshError] = []
        self.gone = asyncio.Event()

    async def register(self, registration: Registration) -> Registered:
        if self.errors:
            raise self.errors.pop(0)
        return await super().register(registration)

    async def refused(self) -> None:
        await self.gone.wait()
        self.gone.clear()

    async def heartbeat(self, message: HeartbeatMessage) -> HeartbeatAnswer:
        try:
            return await super().heartbeat(message)
        except NotFoundError:
            self.gone.set()
            raise


@pytest.fixture
async def known(tmp_path: Path) -> tuple[AgentKit, Refusing]:
    """A node that has registered before, in another process."""
    kit = AgentKit(tmp_path)
    kit.master = master = Refusing(kit)
    async with kit.running():
        pass
    return kit, master


@pytest.mark.parametrize("kind", [UnauthenticatedError, ForbiddenError, InvalidError, NotFoundError])
async def test_a_known_node_with_a_wrong_token_says_so_and_ends(
    known: tuple[AgentKit, Refusing], kind: type[CrawlmeshError]
) -> None:
    kit, master = known
    master.errors = [kind("This is not a key of this cluster.")]
    with pytest.raises(kind, match="not a key"):
        await kit.agent().run()


async def test_a_refusal_that_may_pass_is_kept_to_be_shown(known: tuple[AgentKit, Refusing]) -> None:
    kit, master = known
    master.errors = [ConflictError("Try again.")]
    async with kit.running() as agent:
        assert (agent.refusal, master.errors) == ("", [])


async def test_a_node_that_was_removed_registers_again_and_waits_for_a_valid_token(
    known: tuple[AgentKit, Refusing],
) -> None:
    kit, master = known
    async with kit.running() as agent:
        before = len(master.registrations)
        master.errors = [UnauthenticatedError("The token was withdrawn.")]
        await remove_node(kit.kit.context, agent.node_id)
        master.gone.set()
        while len(master.registrations) == before:
            await kit.kit.store.wait("events", kit.kit.store.mark("events"), 0.05)
        await agent.registered.wait()
        assert await kit.kit.store.node(agent.node_id) is not None
