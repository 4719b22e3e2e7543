"""How far readers have come."""

from pathlib import Path

import pytest

from crawlmesh.errors import NotLeaderError
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store.case import NOW, ControlStoreCase


class Positions(ControlStoreCase):
    """`position` and `keep_position`."""

    async def test_a_reader_that_told_nothing_is_at_the_beginning(self, store: ControlStore) -> None:
        """Whatever its name."""
        assert await store.position("bus") == 0

    async def test_each_reader_has_a_position_of_its_own(self, store: ControlStore) -> None:
        """It is replaced, also by a lower one."""
        await store.keep_position("bus", 7)
        await store.keep_position("other", 2**40)
        await store.keep_position("bus", 9)
        assert await store.position("bus") == 9
        assert await store.position("other") == 2**40
        await store.keep_position("bus", 3)
        assert await store.position("bus") == 3

    async def test_a_former_leader_keeps_no_position(self, store: ControlStore) -> None:
        """Another reads on by now."""
        lead = await store.lead("a", 10.0, NOW)
        assert lead is not None
        await store.keep_position("bus", 5, leader_fence=lead.fence, now=NOW + 9)
        with pytest.raises(NotLeaderError):
            await store.keep_position("bus", 6, leader_fence=lead.fence, now=NOW + 10)
        with pytest.raises(NotLeaderError):
            await store.keep_position("bus", 6, leader_fence=lead.fence + 1, now=NOW + 1)
        assert await store.position("bus") == 5

    async def test_a_position_outlives_the_process(self, tmp_path: Path) -> None:
        """That is what it is for."""
        if not self.durable:
            pytest.skip("this store keeps nothing when it is closed")
        store = await self.open_store(tmp_path)
        await store.keep_position("bus", 12)
        await store.aclose()
        again = await self.open_store(tmp_path)
        assert await again.position("bus") == 12
        await again.aclose()
