"""Short ways to make the objects that tests of a crawl store need."""

import hashlib
from typing import Any
from urllib.parse import urlsplit

import msgspec

from crawlmesh.model.crawl import Crawl
from crawlmesh.model.lease import HostBatch, LeaseRequest, Settlement
from crawlmesh.model.link import FoundBy, LeasedLink, NewLink, SkippedLink
from crawlmesh.model.outcome import LinkOutcome, OutcomeKind


def fingerprint(url: str) -> bytes:
    """The identity of a URL: 16 bytes."""
    return hashlib.blake2b(url.encode(), digest_size=16).digest()


def crawl(crawl_id: str = "crawl", **fields: Any) -> Crawl:
    """A crawl without limits."""
    return msgspec.structs.replace(Crawl(crawl_id, b"{}", created_at=1.0), **fields)


def new_link(url: str, crawl_id: str = "crawl", **fields: Any) -> NewLink:
    """A link that was found on a page; its host is taken from the URL."""
    link = NewLink(crawl_id, fingerprint(url), url, urlsplit(url).netloc)
    return msgspec.structs.replace(link, **fields)


def seed(url: str, crawl_id: str = "crawl", **fields: Any) -> NewLink:
    """A link that the user gave."""
    return new_link(url, crawl_id, found_by=FoundBy.SEED, **fields)


def new_links(count: int, host: str = "a.example", crawl_id: str = "crawl", **fields: Any) -> list[NewLink]:
    """Links https://host/0, /1 … of one host."""
    return [new_link(f"https://{host}/{number}", crawl_id, **fields) for number in range(count)]


def skipped_link(url: str, rule: str = "depth", crawl_id: str = "crawl", **fields: Any) -> SkippedLink:
    """A URL that a rule kept out."""
    return msgspec.structs.replace(SkippedLink(crawl_id, fingerprint(url), url, rule), **fields)


def lease_request(*crawl_ids: str, **fields: Any) -> LeaseRequest:
    """A request for up to 1,000 links of these crawls; of the crawl "crawl" where none is named."""
    request = LeaseRequest("node", crawl_ids or ("crawl",), max_links=1_000)
    return msgspec.structs.replace(request, **fields)


def settlement(batch: HostBatch, *outcomes: LinkOutcome, **fields: Any) -> Settlement:
    """The end of a batch with these outcomes; links without one are returned."""
    return msgspec.structs.replace(Settlement(batch.fence, outcomes), **fields)


def all_fetched(batch: HostBatch, **fields: Any) -> Settlement:
    """The end of a batch whose links were all fetched."""
    return settlement(batch, *(fetched(link) for link in batch.links), **fields)


def fetched(link: LeasedLink, **fields: Any) -> LinkOutcome:
    """A page that came with status 200 and has a record."""
    defaults = {"http_status": 200, "elapsed": 0.5, "size": 100, "record": b'{"title":"A page"}'}
    return _outcome(link, OutcomeKind.FETCHED, defaults | fields)


def not_modified(link: LeasedLink, **fields: Any) -> LinkOutcome:
    """A page that is as it was."""
    return _outcome(link, OutcomeKind.NOT_MODIFIED, {"http_status": 304} | fields)


def redirected(link: LeasedLink, target: str, **fields: Any) -> LinkOutcome:
    """A page that lies elsewhere. The target has to be discovered beside it."""
    return _outcome(link, OutcomeKind.REDIRECTED, {"http_status": 301, "final_url": target} | fields)


def skipped(link: LeasedLink, reason: str = "robots", **fields: Any) -> LinkOutcome:
    """A link that a rule kept out once the host had answered."""
    return _outcome(link, OutcomeKind.SKIPPED, {"reason": reason} | fields)


def retry(link: LeasedLink, retry_in: float = 0.0, **fields: Any) -> LinkOutcome:
    """A failure that may pass."""
    defaults = {"http_status": 503, "reason": "http_503", "retry_in": retry_in}
    return _outcome(link, OutcomeKind.RETRY, defaults | fields)


def dead(link: LeasedLink, reason: str = "http_404", **fields: Any) -> LinkOutcome:
    """A failure that will not pass."""
    return _outcome(link, OutcomeKind.DEAD, {"http_status": 404, "reason": reason} | fields)


def returned(link: LeasedLink, **fields: Any) -> LinkOutcome:
    """An attempt that was not made."""
    return _outcome(link, OutcomeKind.RETURNED, fields)


def _outcome(link: LeasedLink, kind: OutcomeKind, fields: dict[str, Any]) -> LinkOutcome:
    return msgspec.structs.replace(LinkOutcome(link.id, kind, attempt=link.attempt), **fields)
