"""What the demo site holds and what a crawl of it must bring, known without serving it."""

from collections import deque
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from crawlmesh.model.outcome import OutcomeKind
from crawlmesh.testing.demo_site.options import DemoSiteOptions
from crawlmesh.testing.demo_site.page_kind import EXPECTED_OUTCOME, RECORD_KINDS, PageKind
from crawlmesh.testing.demo_site.resource import ListedProduct, Resource
from crawlmesh.testing.demo_site.site import Site, build_site
from crawlmesh.testing.demo_site.traps import is_trap_target


class ManifestEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One URL of the site. `outcome` is None for what is not a link of a crawl (robots, sitemaps).

    `depth` counts clicks from the portal's home; a redirect is not a click; None: nothing leads there.
    """

    url: str
    kind: PageKind
    outcome: OutcomeKind | None
    status: int | None  # of the last answer; None: there is none
    content_type: str | None = None
    title: str | None = None
    products: tuple[ListedProduct, ...] = ()
    depth: int | None = None
    sitemap_only: bool = False
    links: tuple[str, ...] = ()
    redirect_to: str | None = None
    alias_of: str | None = None  # the URL that this one is, once tracking parameters are ignored

    @property
    def host(self) -> str:
        """Address and port."""
        return self.url.split("/", 3)[2]

    @property
    def gives_record(self) -> bool:
        """Whether fetching it yields a record."""
        return self.kind in RECORD_KINDS


class Manifest(msgspec.Struct, frozen=True):
    """Every URL of a site, by canonical URL."""

    options: DemoSiteOptions
    port: int
    hosts: tuple[str, ...]  # address and port; the portal first
    entries: dict[str, ManifestEntry]

    @classmethod
    def build(cls, options: DemoSiteOptions, port: int) -> "Manifest":
        """The manifest of the site that these options give."""
        return cls.of_site(build_site(options, port))

    @classmethod
    def of_site(cls, site: Site) -> "Manifest":
        """The manifest of a rendered site."""
        portal = site.hosts[0]
        hosts = tuple(shop.host for shop in site.hosts)
        entries = {entry.url: entry for entry in _entries(site, hosts)}
        manifest = cls(portal.options, portal.port, hosts, entries)
        for url, depth in manifest.depths(tracking_ignored=False).items():
            entries[url] = msgspec.structs.replace(entries[url], depth=depth)
        return manifest

    @classmethod
    def read(cls, path: Path) -> "Manifest":
        """Reads what `write` wrote."""
        return msgspec.json.decode(path.read_bytes(), type=cls)

    def write(self, path: Path) -> None:
        """Writes the manifest as JSON."""
        path.write_bytes(msgspec.json.encode(self))

    @property
    def portal_url(self) -> str:
        """Where a crawl of everything starts."""
        return f"http://{self.hosts[0]}/"

    def of_kind(self, kind: PageKind) -> tuple[ManifestEntry, ...]:
        """All entries of a kind."""
        return tuple(entry for entry in self.entries.values() if entry.kind is kind)

    def is_trap(self, url: str) -> bool:
        """Whether a URL belongs to a spider trap; most of these have no entry."""
        return is_trap_target("/" + url.split("/", 3)[-1])

    def expected_records(
        self,
        *,
        start: str | None = None,
        hosts: Collection[str] | None = None,
        max_depth: int | None = None,
        sitemaps: bool = False,
        tracking_ignored: bool = True,
        robots: bool = True,
    ) -> set[str]:
        """The canonical URLs that a full crawl must have exactly one record for.

        `start` defaults to the portal and `hosts`, the scope, to all hosts. With `sitemaps` the pages
        that only the sitemaps name are among them, whatever `max_depth`.
        """
        scope = frozenset(self.hosts if hosts is None else hosts)
        depths = self.depths(start=start, hosts=scope, tracking_ignored=tracking_ignored, robots=robots)
        kinds = RECORD_KINDS if robots else RECORD_KINDS | {PageKind.DISALLOWED}
        found = {
            url
            for url, depth in depths.items()
            if self.entries[url].kind in kinds and (max_depth is None or depth <= max_depth)
        }
        hidden = (entry for entry in self.entries.values() if sitemaps and entry.sitemap_only)
        return found | {entry.url for entry in hidden if entry.host in scope}

    def depths(
        self,
        *,
        start: str | None = None,
        hosts: Collection[str] | None = None,
        tracking_ignored: bool = True,
        robots: bool = True,
    ) -> dict[str, int]:
        """Every URL that a crawl meets (also what it must leave alone) with its click depth."""
        first = start or self.portal_url
        depths: dict[str, int] = {}
        waiting = deque([(first, 0)])
        while waiting:
            url, depth = waiting.popleft()
            entry = self.entries[url]
            if tracking_ignored and entry.alias_of:
                url, entry = entry.alias_of, self.entries[entry.alias_of]
            if url in depths or not (hosts is None or entry.host in hosts):
                continue
            depths[url] = depth
            if entry.redirect_to:  # in front: the queue stays sorted by depth
                waiting.appendleft((entry.redirect_to, depth))
            elif entry.gives_record or not (robots or entry.kind is not PageKind.DISALLOWED):
                waiting.extend((link, depth + 1) for link in entry.links)
        return depths


def _entries(site: Site, hosts: Collection[str]) -> Iterator[ManifestEntry]:
    for resource in site.resources.values():
        yield _entry(resource)
    leads = {link for resource in site.resources.values() for link in resource.links}
    leads |= {resource.redirect_to for resource in site.resources.values() if resource.redirect_to}
    for url in sorted(leads):
        if url.split("/", 3)[2] not in hosts:
            kind = PageKind.OUT_OF_SCOPE
            yield ManifestEntry(url=url, kind=kind, outcome=EXPECTED_OUTCOME[kind], status=None)


def _entry(resource: Resource) -> ManifestEntry:
    return ManifestEntry(
        url=resource.url,
        kind=resource.kind,
        outcome=EXPECTED_OUTCOME[resource.kind],
        status=None if resource.kind is PageKind.HANGING else resource.status,
        content_type=resource.content_type,
        title=resource.title,
        products=resource.products,
        sitemap_only=resource.sitemap_only,
        # Further trap pages have no entry.
        links=() if resource.kind is PageKind.TRAP else resource.links,
        redirect_to=resource.redirect_to,
        alias_of=resource.alias_of,
    )
