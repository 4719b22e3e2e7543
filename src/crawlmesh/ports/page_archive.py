"""The page archive: whole responses, kept so that they can be extracted again without the network."""

from typing import Protocol

from crawlmesh.model.page import FetchResponse


class PageArchive(Protocol):
    """Keeps responses. What `append` returns is stored with the settlement and leads back to the page.

    Pages that were appended but never settled (a kill came between) are simply never asked for.
    """

    def append(self, response: FetchResponse, fetched_at: float) -> str:
        """Keep a response and return its reference, "segment:offset:length"."""
        ...

    def flush(self) -> None:
        """Hand everything appended so far to the operating system. Called before each settle."""
        ...

    def read(self, reference: str) -> FetchResponse:
        """The response behind a reference. Raises OutputError where it cannot be read."""
        ...

    def raw(self, reference: str) -> bytes:
        """The bytes behind a reference as they lie in the archive: one whole compressed member."""
        ...

    def close(self) -> None:
        """Finish the open segment. Twice is fine."""
        ...
