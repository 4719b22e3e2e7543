from typing import Any

import pytest

from crawlmesh.crawl.limits import CrawlLimits
from crawlmesh.crawl.task_parameters import crawl_definition_from
from crawlmesh.errors import InvalidError
from crawlmesh.model.crawl import Dedup

URL = "https://example.com/products"
S2 = {
    "url": URL,
    "depth": 2,
    "selectors": {"product": "div.product", "title": "h2.title", "price": "span.price"},
}


def test_the_parameters_of_the_seed_are_understood() -> None:
    definition, limits = crawl_definition_from(S2)
    assert definition.seeds == (URL,)
    assert definition.depth == 2
    assert definition.scope == "host"
    assert definition.extraction == {"selectors": S2["selectors"], "metadata": False}
    assert limits == CrawlLimits()


def test_everything_can_be_given() -> None:
    definition, limits = crawl_definition_from(
        {
            "urls": ["example.com", "http://b.example/", "example.com"],
            "scope": "domain",
            "allow_hosts": ["c.example"],
            "include": ["/p/"],
            "exclude": "logout",
            "selectors": {"selectors": {"title": "h1"}, "metadata": True},
            "max_pages": 10,
            "delay": 1,
            "per_host": 2,
            "concurrency": 5,
            "headers": {"X-Test": "1"},
            "user_agent": "mybot/1.0 (me)",
            "ignore_robots": True,
            "sitemaps": True,
            "archive": False,
        }
    )
    assert definition.seeds == ("https://example.com", "http://b.example/")
    assert (definition.allow_hosts, definition.include, definition.exclude) == (
        ("c.example",),
        ("/p/",),
        ("logout",),
    )
    assert definition.metadata
    assert definition.ignore_robots
    assert definition.sitemaps
    assert (limits.max_pages, limits.delay, limits.per_host) == (10, 1.0, 2)
    pace = limits.pace()
    assert pace.headers == (("User-Agent", "mybot/1.0 (me)"), ("X-Test", "1"))
    assert pace.robots_agent == "mybot"


def test_what_is_left_open_comes_from_the_node() -> None:
    _, limits = crawl_definition_from({"url": URL, "per_host": 1}, CrawlLimits(delay=2.0, per_host=9))
    assert (limits.delay, limits.per_host) == (2.0, 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("url", "file:///etc/passwd"),
        ("url", "file:/etc/passwd"),
        ("url", "ftp://example.com/"),
        ("url", "data:text/html,x"),
        ("url", "javascript:alert(1)"),
        ("url", ""),
        ("url", 5),
        ("url", "https://"),
        ("urls", []),
        ("urls", "https://example.com/"),
        ("urls", [URL, "gopher://x/"]),
        ("depth", -1),
        ("depth", "2"),
        ("depth", 1.5),
        ("max_pages", 2.5),
        ("depth", True),
        ("selectors", {"title": "h1["}),
        ("selectors", ["h1"]),
        ("selectors", {"title": {"selector": "h1", "surprise": 1}}),
        ("scope", "world"),
        ("allow_hosts", [1]),
        ("include", ["("]),
        ("exclude", ["*"]),
        ("max_pages", 0),
        ("delay", -0.1),
        ("delay", float("nan")),
        ("per_host", 0),
        ("concurrency", "many"),
        ("headers", {"bad name": "x"}),
        ("headers", {"X": "a\r\nHost: b"}),
        ("headers", {"Host": "internal"}),
        ("headers", 5),
        ("user_agent", "\n"),
        ("user_agent", ""),
        ("ignore_robots", "yes"),
        ("sitemaps", 1),
        ("metadata", "no"),
        ("archive", True),
        ("dedup", "cuckoo"),
        ("dedup", True),
        ("dedup_capacity", 0),
        ("dedup_capacity", 1.5),
        ("dedup_error_rate", 0),
        ("dedup_error_rate", 0.5),
        ("surprise", 1),
    ],
)
def test_bad_values_are_refused_by_name(name: str, value: Any) -> None:
    parameters = {name: value} if name in ("url", "urls") else {"url": URL, name: value}
    with pytest.raises(InvalidError, match=rf"parameters\.{name}") as caught:
        crawl_definition_from(parameters)
    assert caught.value.field == f"parameters.{name}"


def test_the_dedup_of_a_task_goes_over_that_of_the_settings() -> None:
    defaults = CrawlLimits(dedup=Dedup.BLOOM, dedup_capacity=5_000, dedup_error_rate=0.01)
    _, limits = crawl_definition_from({"url": URL}, defaults)
    assert limits == defaults
    wanted = {"url": URL, "dedup": "exact", "dedup_capacity": 10, "dedup_error_rate": 0.001}
    _, limits = crawl_definition_from(wanted, defaults)
    assert limits == CrawlLimits(dedup=Dedup.EXACT, dedup_capacity=10, dedup_error_rate=0.001)


def test_a_start_is_needed_and_only_one_kind_of_it() -> None:
    with pytest.raises(InvalidError, match=r"parameters\.url: is missing"):
        crawl_definition_from({})
    with pytest.raises(InvalidError, match=r"parameters\.urls"):
        crawl_definition_from({"url": URL, "urls": [URL]})
