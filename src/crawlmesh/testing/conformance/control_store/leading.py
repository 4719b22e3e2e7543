"""Who leads: one at a time, with fences that only grow."""

from crawlmesh.model.change import Leadership
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store.case import NOW, ControlStoreCase


class Leading(ControlStoreCase):
    """`lead`, `leader` and `resign`."""

    async def test_nobody_leads_at_first(self, store: ControlStore) -> None:
        """Resigning is fine all the same."""
        assert await store.leader() is None
        await store.resign("a")
        assert await store.leader() is None

    async def test_the_first_to_ask_leads(self, store: ControlStore) -> None:
        """Nobody else, until the time has run out."""
        lead = await store.lead("a", 10.0, NOW)
        assert lead is not None
        assert (lead.holder, lead.expires_at) == ("a", NOW + 10.0)
        assert lead.fence >= 1
        assert await store.lead("b", 10.0, NOW + 9.9) is None
        assert await store.leader() == lead
        assert await store.lead("b", 10.0, NOW + 10.0) == Leadership("b", lead.fence + 1, NOW + 20.0)

    async def test_renewing_keeps_the_fence(self, store: ControlStore) -> None:
        """And gives more time."""
        lead = await store.lead("a", 10.0, NOW)
        assert lead is not None
        assert await store.lead("a", 10.0, NOW + 9) == Leadership("a", lead.fence, NOW + 19)
        assert await store.lead("b", 10.0, NOW + 15) is None
        assert await store.leader() == Leadership("a", lead.fence, NOW + 19)

    async def test_taking_it_again_after_it_ran_out_raises_the_fence(self, store: ControlStore) -> None:
        """Also from oneself: another may have led meanwhile, for all one knows."""
        first = await store.lead("a", 10.0, NOW)
        again = await store.lead("a", 10.0, NOW + 10.0)
        assert first is not None
        assert again == Leadership("a", first.fence + 1, NOW + 20.0)

    async def test_who_resigns_makes_room_at_once(self, store: ControlStore) -> None:
        """Only the leader can."""
        lead = await store.lead("a", 10.0, NOW)
        assert lead is not None
        await store.resign("b")
        assert await store.lead("b", 10.0, NOW + 1) is None
        await store.resign("a")
        last = await store.leader()
        assert last is not None
        assert (last.holder, last.fence) == ("a", lead.fence)
        assert last.expires_at <= NOW
        taken = await store.lead("a", 10.0, NOW + 1)
        assert taken is not None
        assert taken.fence == lead.fence + 1

    async def test_fences_only_grow(self, store: ControlStore) -> None:
        """Whoever takes the lead, and however it ended."""
        fences = []
        for step in range(12):
            lead = await store.lead(f"master-{step % 3}", 10.0, NOW + 11 * step)
            assert lead is not None
            fences.append(lead.fence)
            if step % 2:
                await store.resign(lead.holder)
        assert fences == sorted(set(fences))
