"""What comes of one answer: the outcome of a link, its record, and the links it leads to."""

from typing import Any

import msgspec

from crawlmesh.crawl.extraction import Document, page_links, sitemap_links
from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.model.link import FoundBy, LeasedLink, NewLink, SkippedLink
from crawlmesh.model.outcome import LinkOutcome, OutcomeKind
from crawlmesh.model.page import FetchResponse
from crawlmesh.rules.retry_delay import is_retryable, retry_delay

_REDIRECTS = {301, 302, 303, 307, 308}

_encode = msgspec.json.Encoder().encode


class VisitLimits(msgspec.Struct, frozen=True):
    """How often a link is tried, and how far a redirect is followed."""

    max_attempts: int = 4
    retry_base: float = 1.0  # seconds
    retry_cap: float = 60.0  # seconds
    max_redirects: int = 10


class Repeat(msgspec.Struct, frozen=True):
    """A redirect that leads to the same page: request it again by this address."""

    address: str


class PageVisit:
    """Turns answers into outcomes, for all crawls of this process."""

    def __init__(self, limits: VisitLimits) -> None:
        self._limits = limits

    def outcome(
        self,
        plan: CrawlPlan,
        link: LeasedLink,
        response: FetchResponse,
        fetched_at: float,
        jitter: float,
        discovered: list[NewLink],
        skipped: list[SkippedLink],
    ) -> LinkOutcome | Repeat:
        """The outcome, or the wish to request the same page again."""
        status = response.status
        if 200 <= status < 300:
            return self._page(plan, link, response, fetched_at, discovered, skipped)
        if status in _REDIRECTS and response.header("location"):
            return self._redirect(plan, link, response, fetched_at, discovered, skipped)
        if status == 304 and (link.etag or link.last_modified):
            return _outcome(link, response, fetched_at, OutcomeKind.NOT_MODIFIED)
        outcome = self.failure(link, response, fetched_at, jitter)
        if outcome.kind is OutcomeKind.DEAD and link.is_sitemap:
            return _outcome(link, response, fetched_at, OutcomeKind.SKIPPED, "no_sitemap")
        return outcome

    def failure(
        self, link: LeasedLink, response: FetchResponse, fetched_at: float, jitter: float
    ) -> LinkOutcome:
        """Try again later, or give up."""
        reason = str(response.failure) if response.failure else f"http_{response.status}"
        if is_retryable(response.status, response.failure) and link.attempt < self._limits.max_attempts:
            delay = retry_delay(link.attempt, self._limits.retry_base, self._limits.retry_cap, jitter)
            return _outcome(link, response, fetched_at, OutcomeKind.RETRY, reason, retry_in=delay)
        return _outcome(link, response, fetched_at, OutcomeKind.DEAD, reason)

    def without_robots(
        self, link: LeasedLink, response: FetchResponse, fetched_at: float, jitter: float
    ) -> LinkOutcome:
        """Try a link again later whose host's robots.txt cannot be had, or give it up."""
        reason = str(response.failure) if response.failure else "robots_unavailable"
        kind = OutcomeKind.DEAD if link.attempt >= self._limits.max_attempts else OutcomeKind.RETRY
        delay = retry_delay(link.attempt, self._limits.retry_base, self._limits.retry_cap, jitter)
        return LinkOutcome(link.id, kind, link.attempt, reason=reason, fetched_at=fetched_at, retry_in=delay)

    def _page(
        self,
        plan: CrawlPlan,
        link: LeasedLink,
        response: FetchResponse,
        fetched_at: float,
        discovered: list[NewLink],
        skipped: list[SkippedLink],
    ) -> LinkOutcome:
        document = Document(response.body, response.header("content-type"), response.url)
        if link.is_sitemap:
            pages, sitemaps = sitemap_links(document)
            self._read_sitemap(plan, link, pages, sitemaps, discovered, skipped)
            reason = "sitemap" if pages or sitemaps else "no_sitemap"
            return _outcome(link, response, fetched_at, OutcomeKind.SKIPPED, reason)
        if response.truncated or document.kind == "other":
            return _outcome(link, response, fetched_at, OutcomeKind.SKIPPED, "content_type")
        data = plan.extractor.extract(document)
        if document.kind == "html":
            found = page_links(document)
            plan.discovery.links_of(link, link.address, found.base, found.hrefs, discovered, skipped)
        final_url = None if response.url == link.url else response.url
        return _outcome(
            link, response, fetched_at, OutcomeKind.FETCHED, record=encode_record(data), final_url=final_url
        )

    def _read_sitemap(
        self,
        plan: CrawlPlan,
        link: LeasedLink,
        pages: list[str],
        sitemaps: list[str],
        discovered: list[NewLink],
        skipped: list[SkippedLink],
    ) -> None:
        plan.discovery.links_of(link, link.address, None, pages, discovered, skipped, FoundBy.SITEMAP)
        further = (plan.discovery.sitemap(link, location) for location in sitemaps)
        discovered.extend(sitemap for sitemap in further if sitemap is not None)

    def _redirect(
        self,
        plan: CrawlPlan,
        link: LeasedLink,
        response: FetchResponse,
        fetched_at: float,
        discovered: list[NewLink],
        skipped: list[SkippedLink],
    ) -> LinkOutcome | Repeat:
        target, found = plan.discovery.redirect(link, response.header("location") or "")
        if target is None:
            return _outcome(link, response, fetched_at, OutcomeKind.DEAD, "bad_redirect")
        if target.url == link.url:
            return Repeat(target.request_url)
        if link.redirects >= self._limits.max_redirects:
            return _outcome(link, response, fetched_at, OutcomeKind.DEAD, "redirect_limit")
        if isinstance(found, NewLink):
            discovered.append(found)
            return _outcome(link, response, fetched_at, OutcomeKind.REDIRECTED, final_url=target.url)
        assert found is not None
        skipped.append(found)
        return _outcome(link, response, fetched_at, OutcomeKind.REDIRECTED, found.rule, final_url=target.url)


def encode_record(data: dict[str, Any]) -> bytes:
    """A record as JSON."""
    try:
        return _encode(data)
    except UnicodeEncodeError:
        return _encode(_without_surrogates(data))


def _without_surrogates(value: Any) -> Any:
    """Text from a JSON page may hold halves of characters, which no file can."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    return value


def _outcome(
    link: LeasedLink,
    response: FetchResponse,
    fetched_at: float,
    kind: OutcomeKind,
    reason: str | None = None,
    *,
    record: bytes | None = None,
    final_url: str | None = None,
    retry_in: float = 0.0,
) -> LinkOutcome:
    fetched = kind is OutcomeKind.FETCHED
    return LinkOutcome(
        link.id,
        kind,
        link.attempt,
        response.status or None,
        reason,
        final_url,
        fetched_at,
        response.elapsed,
        len(response.body),
        response.header("etag") if fetched else None,
        response.header("last-modified") if fetched else None,
        retry_in,
        record,
    )
