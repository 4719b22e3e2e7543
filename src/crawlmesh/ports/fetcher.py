"""The fetcher: many requests under way at once, answers in batches."""

from typing import Protocol

from crawlmesh.model.page import FetchRequest, FetchResponse


class Fetcher(Protocol):
    """Sends requests and collects responses.

    `start` never blocks and never raises for what a server does: every request that was started
    comes back from `completed` exactly once, as a response or as a failure. Redirects are not
    followed: the engine decides about every hop. How many run at once is the engine's business.
    """

    async def open(self) -> None:
        """Get ready, inside the running event loop."""
        ...

    def start(self, request: FetchRequest) -> None:
        """Send a request."""
        ...

    async def completed(self, patience: float | None) -> list[FetchResponse]:
        """All answers that have come since the last call; waits for the first one.

        Returns an empty list after `patience` seconds, or when `wake` was called.
        """
        ...

    def wake(self) -> None:
        """Make a waiting `completed` return at once. Must be called from the event loop."""
        ...

    async def aclose(self) -> None:
        """Break off what is under way and let go of everything. Twice is fine."""
        ...
