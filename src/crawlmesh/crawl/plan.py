"""A crawl's definition, made ready to work with."""

from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.crawl.discovery import Discovery
from crawlmesh.crawl.extraction import ExtractionSpec, Extractor
from crawlmesh.crawl.pace import CrawlPace
from crawlmesh.errors import UrlError
from crawlmesh.model.crawl import Dedup
from crawlmesh.model.link import FoundBy, NewLink
from crawlmesh.rules.scope import ScopeRules
from crawlmesh.rules.url_identity import CanonicalUrl, ParameterFilter, canonicalize


class CrawlPlan:
    """What a worker needs to know of a crawl. Built once in each process."""

    def __init__(
        self,
        crawl_id: str,
        definition: CrawlDefinition,
        pace: CrawlPace | None = None,
        max_pages: int | None = None,
        dedup: Dedup = Dedup.EXACT,
    ) -> None:
        self.crawl_id = crawl_id
        self.definition = definition
        self.pace = pace or CrawlPace()
        self.max_pages = max_pages
        self.ignored_parameters = ParameterFilter(definition.ignored_parameters)
        self._seeds = [_seed(seed, self.ignored_parameters) for seed in definition.seeds]
        scope = ScopeRules.build(
            definition.scope,
            self._seeds,
            definition.allow_hosts,
            definition.include,
            definition.exclude,
            definition.depth,
        )
        self.discovery = Discovery(crawl_id, scope, definition.traps, self.ignored_parameters, dedup)
        spec = None if definition.extraction is None else ExtractionSpec.from_json(definition.extraction)
        self.extractor = Extractor(spec, definition.metadata)

    def seed_links(self) -> list[NewLink]:
        """The links that the crawl starts from."""
        links = [
            NewLink(
                self.crawl_id,
                seed.fingerprint,
                seed.url,
                seed.host,
                found_by=FoundBy.SEED,
                request_url=None if seed.request_url == seed.url else seed.request_url,
            )
            for seed in self._seeds
        ]
        if self.definition.sitemaps:
            links += self._sitemap_links()
        return links

    def _sitemap_links(self) -> list[NewLink]:
        links = []
        for origin in {f"{seed.scheme}://{seed.host}": None for seed in self._seeds}:
            sitemap = canonicalize("/sitemap.xml", origin, self.ignored_parameters)
            if sitemap is not None:
                links.append(
                    NewLink(
                        self.crawl_id,
                        sitemap.fingerprint,
                        sitemap.url,
                        sitemap.host,
                        found_by=FoundBy.SITEMAP,
                        priority=10,
                    )
                )
        return links


def _seed(text: str, ignored_parameters: ParameterFilter) -> CanonicalUrl:
    url = canonicalize(text, None, ignored_parameters)
    if url is None:
        raise UrlError(
            f"{text!r} is not a URL that can be crawled. Give an address such as https://example.com/shop."
        )
    return url
