"""A link: one URL of a crawl, from its discovery to its end."""

from enum import StrEnum

import msgspec


class LinkState(StrEnum):
    """Where a link stands. Every link is in exactly one of these (invariant 1)."""

    PENDING = "pending"
    LEASED = "leased"
    DONE = "done"
    DEAD = "dead"


class FoundBy(StrEnum):
    """How a link came into its crawl."""

    SEED = "seed"
    LINK = "link"
    REDIRECT = "redirect"
    SITEMAP = "sitemap"


class NewLink(msgspec.Struct, frozen=True, gc=False):
    """A URL that was discovered and that the rules allow.

    `url` is the canonical form and the identity. `request_url` is what goes out to the server
    (as found, less its fragment) and is None where it equals `url`.
    """

    crawl_id: str
    fingerprint: bytes  # 16 bytes, of `url`
    url: str
    host: str  # authority without a default port: the unit of politeness
    depth: int = 0
    priority: int = 5  # 1 … 10, 10 first
    parent_id: int | None = None  # id of the link on whose page this was found
    found_by: FoundBy = FoundBy.LINK
    request_url: str | None = None
    redirects: int = 0  # hops that led here
    template: int = 0  # 63-bit hash of the URL's template; 0: not counted


class LeasedLink(msgspec.Struct, frozen=True, gc=False):
    """A link as it is handed to a worker."""

    id: int
    crawl_id: str
    url: str
    depth: int
    priority: int
    attempt: int  # 1 for the first try
    request_url: str | None = None
    redirects: int = 0
    etag: str | None = None  # of the copy that the store holds, on a recrawl
    last_modified: str | None = None
    found_by: FoundBy = FoundBy.LINK

    @property
    def address(self) -> str:
        """The URL to request."""
        return self.request_url or self.url

    @property
    def is_sitemap(self) -> bool:
        """Whether this is a sitemap itself: the pages in it are one step further away."""
        return self.found_by is FoundBy.SITEMAP and self.depth == 0


class SkippedLink(msgspec.Struct, frozen=True, gc=False):
    """A URL that was discovered and that a rule kept out. `rule` names it for the ledger."""

    crawl_id: str
    fingerprint: bytes
    url: str
    rule: str
    parent_id: int | None = None
    depth: int = 0
