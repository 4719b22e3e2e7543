"""From the links on a page to the links of a crawl."""

from collections.abc import Iterable

from crawlmesh.crawl.recent_links import RecentLinks
from crawlmesh.model.crawl import Dedup
from crawlmesh.model.link import FoundBy, LeasedLink, NewLink, SkippedLink
from crawlmesh.rules.rule_names import DEPTH, SCOPE_DOMAIN, SCOPE_HOST
from crawlmesh.rules.scope import ScopeRules
from crawlmesh.rules.spider_traps import TrapLimits, refuse_trap
from crawlmesh.rules.url_identity import (
    CanonicalUrl,
    KnownOrigins,
    LinkResolver,
    ParameterFilter,
    canonicalize,
    document_base,
    template_key,
)

_REMEMBERED_ORIGINS = 20_000
# Two generations of so many are kept. An exact store in the same process has the same bytes; who chose a
# filter wants to save them.
_REMEMBERED_FINGERPRINTS = {Dedup.EXACT: 4_000_000, Dedup.BLOOM: 250_000}

# Found nearer to a seed, or on another host, the same URL may be in.
_RULES_ABOUT_THE_PAGE = frozenset({DEPTH, SCOPE_HOST, SCOPE_DOMAIN})


class Discovery:
    """Decides for one crawl which links are followed, and remembers which it has decided already."""

    def __init__(
        self,
        crawl_id: str,
        scope: ScopeRules,
        traps: TrapLimits,
        ignored_parameters: ParameterFilter,
        dedup: Dedup = Dedup.EXACT,
    ) -> None:
        self._crawl_id = crawl_id
        self._scope = scope
        self._traps = traps
        self._ignored_parameters = ignored_parameters
        self._recent: RecentLinks[str] = RecentLinks()
        self._refused: RecentLinks[str] = RecentLinks()  # where another page could lead to another decision
        self._sent: RecentLinks[bytes] = RecentLinks(_REMEMBERED_FINGERPRINTS[dedup])
        self._origins: KnownOrigins = {}
        self.known = 0  # links on pages that were recognised here and did not go to the store

    def forget(self) -> None:
        """Send everything again: a settlement that carried links was refused."""
        self._recent.clear()
        self._refused.clear()
        self._sent.clear()

    def links_of(
        self,
        page: LeasedLink,
        page_url: str,
        base: str | None,
        hrefs: Iterable[str],
        discovered: list[NewLink],
        skipped: list[SkippedLink],
        found_by: FoundBy = FoundBy.LINK,
    ) -> None:
        """Sort the hrefs of a page into links to follow and links to skip; leave out what is known."""
        site, folder, document = _prefixes(document_base(page_url, base))
        resolver: LinkResolver | None = None
        place = f"{site} {page.depth} "
        remember = self._recent.remember
        known = 0
        for href in hrefs:
            first = href[:1]
            if first == "/" and href[1:2] != "/":
                key = site + href
            elif first == "h" and href.startswith(("http://", "https://")):
                key = href
            elif first == "#" or not first:
                continue
            else:
                key = (document if first == "?" else folder) + href
            if not remember(key):
                known += 1
                continue
            if self._refused.knows(place + key):
                self._recent.forget(key)
                known += 1
                continue
            if resolver is None:
                resolver = self._resolver(page_url, base)
            target = resolver.resolve(href)
            if target is not None:
                rule = self._sort(page, target, found_by, discovered, skipped)
                if rule in _RULES_ABOUT_THE_PAGE:
                    self._recent.forget(key)
                    self._refused.remember(place + key)
        self.known += known

    def _resolver(self, page_url: str, base: str | None) -> LinkResolver:
        if len(self._origins) > _REMEMBERED_ORIGINS:
            self._origins.clear()
        return LinkResolver(page_url, base, self._ignored_parameters, self._origins)

    def _sort(
        self,
        page: LeasedLink,
        target: CanonicalUrl,
        found_by: FoundBy,
        discovered: list[NewLink],
        skipped: list[SkippedLink],
    ) -> str | None:
        if self._sent.knows(target.fingerprint):
            self.known += 1
            return None
        depth = page.depth + 1
        # Whoever lists a URL in a sitemap need not be its neighbour.
        rule = self._refusal(target, depth, None if page.is_sitemap else page.url)
        if rule is None:
            self._sent.remember(target.fingerprint)
            discovered.append(self._new_link(page, target, depth, found_by))
        else:
            skipped.append(self._skip(page, target, depth, rule))
        return rule

    def redirect(
        self, link: LeasedLink, location: str
    ) -> tuple[CanonicalUrl | None, NewLink | SkippedLink | None]:
        """Where a redirect leads, and the link or the skip that comes of it.

        A seed may lead to another host: its owner says that the site lives there now.
        """
        target = canonicalize(location, link.address, self._ignored_parameters)
        if target is None:
            return None, None
        moved = link.depth == 0 and not link.is_sitemap
        rule = None if moved else self._refusal(target, link.depth, link.url)
        if rule is not None:
            return target, self._skip(link, target, link.depth, rule)
        return target, NewLink(
            self._crawl_id,
            target.fingerprint,
            target.url,
            target.host,
            link.depth,
            link.priority,
            link.id,
            FoundBy.SITEMAP if link.is_sitemap else FoundBy.REDIRECT,
            _unless_same(target),
            link.redirects + 1,
        )

    def sitemap(self, page: LeasedLink, location: str) -> NewLink | None:
        """A sitemap, as a link that is read for the links in it."""
        target = canonicalize(location, page.url, self._ignored_parameters)
        if target is None or not self._recent.remember("sitemap " + target.url):
            return None
        return NewLink(
            self._crawl_id,
            target.fingerprint,
            target.url,
            target.host,
            0,
            10,
            page.id,
            FoundBy.SITEMAP,
            _unless_same(target),
        )

    def _refusal(self, target: CanonicalUrl, depth: int, page_url: str | None) -> str | None:
        rule = self._scope.refuse(target, depth, page_url)
        return rule or refuse_trap(target.url, self._traps)

    def _new_link(self, page: LeasedLink, target: CanonicalUrl, depth: int, found_by: FoundBy) -> NewLink:
        return NewLink(
            self._crawl_id,
            target.fingerprint,
            target.url,
            target.host,
            depth,
            page.priority,
            page.id,
            found_by,
            _unless_same(target),
            0,
            template_key(target.url),
        )

    def _skip(self, page: LeasedLink, target: CanonicalUrl, depth: int, rule: str) -> SkippedLink:
        return SkippedLink(self._crawl_id, target.fingerprint, target.url, rule, page.id, depth)


def _unless_same(target: CanonicalUrl) -> str | None:
    return None if target.request_url == target.url else target.request_url


def _prefixes(base: str) -> tuple[str, str, str]:
    """What stands before a root-relative, a relative and a query-only reference, to tell them apart."""
    document = base.partition("#")[0].partition("?")[0]
    path_start = document.find("/", document.find("//") + 2)
    site = document if path_start < 0 else document[:path_start]
    return site, document.rpartition("/")[0] + "/\n", document + "\n"
