import pytest

from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.crawl.discovery import Discovery
from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.model.link import FoundBy, LeasedLink, NewLink, SkippedLink

SEED = "https://a.example/"
LOOKS_ABSOLUTE = ["http.html", "https-guide/x"]


def _discovery(**definition: object) -> Discovery:
    values = {"seeds": (SEED, "https://b.example/"), **definition}
    return CrawlPlan("crawl", CrawlDefinition(**values)).discovery  # type: ignore[arg-type]


def _find(
    discovery: Discovery, page: str, *hrefs: str, base: str | None = None, depth: int = 0
) -> tuple[list[NewLink], list[SkippedLink]]:
    found: list[NewLink] = []
    skipped: list[SkippedLink] = []
    link = LeasedLink(7, "crawl", page, depth, 5, 1)
    discovery.links_of(link, page, base, hrefs, found, skipped)
    return found, skipped


def _urls(found: tuple[list[NewLink], list[SkippedLink]]) -> list[str]:
    return [link.url for link in found[0]]


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("/x", "https://a.example/x"),
        ("x", "https://a.example/folder/x"),
        ("../x", "https://a.example/x"),
        ("?q=1", "https://a.example/folder/page?q=1"),
        ("//a.example/x", "https://a.example/x"),
        ("https://a.example/x#part", "https://a.example/x"),
        ("HTTPS://A.EXAMPLE/x", "https://a.example/x"),
        (" /x ", "https://a.example/x"),
        ("http.html", "https://a.example/folder/http.html"),
        ("x?b=1&a=2", "https://a.example/folder/x?a=2&b=1"),
    ],
)
def test_every_form_of_a_link_is_resolved(href: str, url: str) -> None:
    assert _urls(_find(_discovery(), "https://a.example/folder/page", href)) == [url]


@pytest.mark.parametrize(
    "href", ["", "#part", "mailto:a@b.c", "javascript:x()", "tel:1", "ftp://a.example/", "http://["]
)
def test_what_is_no_page_is_left_out(href: str) -> None:
    assert _find(_discovery(), SEED, href) == ([], [])


@pytest.mark.parametrize("href", ["/x", "x", "?q=1", "https://a.example/x", "//a.example/x", "http.html"])
def test_a_known_link_is_found_once(href: str) -> None:
    discovery = _discovery()
    assert len(_find(discovery, "https://a.example/folder/page", href, href)[0]) == 1
    assert _find(discovery, "https://a.example/folder/page", href) == ([], [])


@pytest.mark.parametrize("href", ["/x", "x", "?q=1", "x/y", "//{host}/x", "h", *LOOKS_ABSOLUTE])
def test_the_same_text_on_another_host_is_another_link(href: str) -> None:
    discovery = _discovery()
    for host in ("a.example", "b.example"):
        found = _urls(_find(discovery, f"https://{host}/folder/page", href.format(host=host)))
        assert len(found) == 1
        assert found[0].startswith(f"https://{host}/")


@pytest.mark.parametrize("href", ["x", "./x", "../x", "h", *LOOKS_ABSOLUTE])
def test_the_same_text_in_another_folder_is_another_link(href: str) -> None:
    discovery = _discovery()
    assert len(_find(discovery, "https://a.example/one/1/page", href)[0]) == 1
    assert len(_find(discovery, "https://a.example/two/2/page", href)[0]) == 1


def test_the_same_query_on_another_page_is_another_link() -> None:
    discovery = _discovery()
    assert _urls(_find(discovery, "https://a.example/one", "?q=1")) == ["https://a.example/one?q=1"]
    assert _urls(_find(discovery, "https://a.example/two", "?q=1")) == ["https://a.example/two?q=1"]


def test_the_same_text_under_another_scheme_is_another_link() -> None:
    discovery = _discovery()
    assert _urls(_find(discovery, "https://a.example/", "//a.example/x")) == ["https://a.example/x"]
    assert _urls(_find(discovery, "http://a.example/", "//a.example/x")) == ["http://a.example/x"]


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("https://b.example/base/", "https://b.example/base/x"),
        ("/base/", "https://a.example/base/x"),
        ("base/", "https://a.example/folder/base/x"),
        ("//b.example/base/", "https://b.example/base/x"),
        ("http://[", "https://a.example/folder/x"),
        ("", "https://a.example/folder/x"),
    ],
)
def test_links_are_relative_to_the_base_of_the_page(base: str, url: str) -> None:
    assert _urls(_find(_discovery(), "https://a.example/folder/page", "x", base=base)) == [url]


@pytest.mark.parametrize("base", ["/", "./", "/base/", "base/", "?x", "../"])
@pytest.mark.parametrize("href", ["x", "/x", "?q=1"])
def test_the_same_relative_base_on_another_host_makes_another_link(base: str, href: str) -> None:
    discovery = _discovery()
    for host in ("a.example", "b.example"):
        found = _urls(_find(discovery, f"https://{host}/one/page", href, base=base))
        assert len(found) == 1
        assert found[0].startswith(f"https://{host}/")


@pytest.mark.parametrize("base", ["./", "base/"])
def test_the_same_relative_base_in_another_folder_makes_another_link(base: str) -> None:
    discovery = _discovery()
    assert len(_find(discovery, "https://a.example/one/page", "x", base=base)[0]) == 1
    assert len(_find(discovery, "https://a.example/two/page", "x", base=base)[0]) == 1


def test_a_link_knows_where_it_was_found() -> None:
    ((link,), _) = _find(_discovery(), SEED, "/x?b=1&a=2", depth=3)
    assert (link.depth, link.parent_id, link.found_by) == (4, 7, FoundBy.LINK)
    assert (link.url, link.request_url) == ("https://a.example/x?a=2&b=1", "https://a.example/x?b=1&a=2")
    assert link.template != 0
    assert link.host == "a.example"


def test_a_link_that_is_too_deep_may_be_found_again_nearer() -> None:
    discovery = _discovery(depth=2)
    found, skipped = _find(discovery, SEED, "/x", "/x", depth=2)
    assert found == []
    assert [(skip.url, skip.rule, skip.depth) for skip in skipped] == [("https://a.example/x", "depth", 3)]
    assert _find(discovery, SEED, "/x", depth=2) == ([], [])
    assert _urls(_find(discovery, SEED, "/x", depth=1)) == ["https://a.example/x"]


def test_other_rules_skip_a_link_once() -> None:
    discovery = _discovery(exclude=("/x",))
    _, skipped = _find(discovery, SEED, "/x", "https://c.example/", "/a/a/a/a/a")
    assert [skip.rule for skip in skipped] == ["exclude", "scope_host", "repeated_segments"]
    assert _find(discovery, SEED, "/x", "https://c.example/", "/a/a/a/a/a") == ([], [])


def test_everything_is_found_again_when_it_forgets() -> None:
    discovery = _discovery()
    _find(discovery, SEED, "/x")
    discovery.forget()
    assert _urls(_find(discovery, SEED, "/x")) == ["https://a.example/x"]


def test_a_sitemap_is_found_once() -> None:
    discovery = _discovery()
    page = LeasedLink(7, "crawl", SEED, 0, 5, 1)
    sitemap = discovery.sitemap(page, "/map.xml")
    assert sitemap is not None
    assert (sitemap.url, sitemap.found_by, sitemap.priority) == (
        "https://a.example/map.xml",
        FoundBy.SITEMAP,
        10,
    )
    assert discovery.sitemap(page, "https://a.example/map.xml") is None
    assert discovery.sitemap(page, "http://[") is None


def test_links_that_the_process_knows_are_counted_and_stay_in_it() -> None:
    """However they are written: as the same text, as another text for the same page, or refused before."""
    discovery = _discovery(depth=1)
    assert len(_find(discovery, SEED, "/x", "/y", "https://c.example/")[0]) == 2
    assert discovery.known == 0
    assert _urls(_find(discovery, SEED, "/x", "/x#part", "https://c.example/", "/z")) == [
        "https://a.example/z"
    ]
    assert discovery.known == 3
    discovery.forget()
    assert _urls(_find(discovery, SEED, "/x", "/y")) == ["https://a.example/x", "https://a.example/y"]
    assert discovery.known == 3


def test_no_new_link_is_taken_for_a_known_one() -> None:
    """What is remembered is exact: it saves the way to the store and never a page."""
    discovery = _discovery()
    hrefs = [f"/{number}" for number in range(20_000)]
    assert len(_find(discovery, SEED, *hrefs)[0]) == 20_000
    assert discovery.known == 0
