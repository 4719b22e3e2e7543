from typing import Any

import pytest

from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.errors import UrlError, UsageError
from crawlmesh.model.link import FoundBy
from crawlmesh.rules.spider_traps import TrapLimits

OTHER: dict[str, Any] = {
    "seeds": ("https://b.example/",),
    "scope": "domain",
    "allow_hosts": ("c.example",),
    "include": ("/in",),
    "exclude": ("/out",),
    "depth": 3,
    "extraction": {"fields": {"title": "title"}},
    "metadata": True,
    "ignored_parameters": ("utm_*",),
    "ignore_robots": True,
    "sitemaps": True,
    "archive": True,
    "traps": TrapLimits(1, 2, 3),
}
PLAIN = CrawlDefinition(seeds=("https://a.example/",))


def test_every_field_is_covered_here() -> None:
    assert set(OTHER) == set(CrawlDefinition.__struct_fields__)


def test_it_comes_back_from_json_as_it_was() -> None:
    for definition in (PLAIN, CrawlDefinition(**OTHER)):
        assert CrawlDefinition.from_json(definition.to_json()) == definition
        assert definition.differences(CrawlDefinition.from_json(definition.to_json())) == []


@pytest.mark.parametrize("name", OTHER)
def test_each_field_makes_a_difference(name: str) -> None:
    other = CrawlDefinition(**{"seeds": PLAIN.seeds, name: OTHER[name]})
    assert PLAIN.differences(other) == [name]
    assert other.differences(PLAIN) == [name]


def test_seed_links_and_sitemaps_of_a_plan() -> None:
    seeds = ("https://a.example/x?b=1&a=2", "https://a.example/y", "http://b.example:8080")
    links = CrawlPlan("crawl", CrawlDefinition(seeds=seeds, sitemaps=True)).seed_links()
    assert [(link.url, link.found_by) for link in links] == [
        ("https://a.example/x?a=2&b=1", FoundBy.SEED),
        ("https://a.example/y", FoundBy.SEED),
        ("http://b.example:8080/", FoundBy.SEED),
        ("https://a.example/sitemap.xml", FoundBy.SITEMAP),
        ("http://b.example:8080/sitemap.xml", FoundBy.SITEMAP),
    ]
    assert links[0].request_url == "https://a.example/x?b=1&a=2"


@pytest.mark.parametrize("seed", ["", "no address", "ftp://a.example/", "http://["])
def test_a_seed_that_is_no_url_is_refused_by_name(seed: str) -> None:
    with pytest.raises(UrlError, match="is not a URL that can be crawled") as caught:
        CrawlPlan("crawl", CrawlDefinition(seeds=(seed,)))
    assert repr(seed) in str(caught.value)


def test_a_pattern_that_cannot_be_understood_is_refused() -> None:
    with pytest.raises(UsageError, match=r"--include '\('"):
        CrawlPlan("crawl", CrawlDefinition(seeds=PLAIN.seeds, include=("(",)))
