"""Links whose lease ran out go back to the others."""

from crawlmesh.control.loops.leader_loop import LeaderLoop


class LeaseExpiry(LeaderLoop):
    """Asks the crawl store to end what ran out. Several masters doing it at once would do no harm."""

    def interval(self) -> float:
        """Seconds between two questions."""
        return self.context.options.lease_expiry_interval

    async def run_once(self, now: float) -> int:  # noqa: ARG002
        """Returns 0: the store ends all at once, and there is never a reason to ask again soon."""
        self.lead.fence()
        await self.context.crawl_store.expire()
        return 0
