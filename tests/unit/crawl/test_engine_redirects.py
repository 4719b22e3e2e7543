import pytest

from crawlmesh.crawl.page_visit import VisitLimits
from crawlmesh.model.link import FoundBy, LinkState
from crawlmesh.testing.scripted_fetcher import html, redirect, status
from tests.unit.crawl.kit import CrawlKit

A = "https://a.example"
B = "https://b.example"


async def test_a_target_in_scope_becomes_a_link_of_its_own() -> None:
    kit = CrawlKit()
    kit.web.serve_all(
        {f"{A}/": html("/old", "/older"), f"{A}/old": redirect("/new"), f"{A}/older": redirect("/new")}
    )
    kit.web.serve(f"{A}/new", html())
    progress = await kit.crawl(f"{A}/")
    assert kit.web.urls().count(f"{A}/new") == 1
    assert progress.by_outcome == {"fetched": 2, "redirected": 2}
    old, new = await kit.ledger(f"{A}/old"), await kit.ledger(f"{A}/new")
    assert (old.state, old.outcome, old.final_url) == (LinkState.DONE, "redirected", f"{A}/new")
    assert (new.found_by, new.depth, new.has_record) == (FoundBy.REDIRECT, 1, True)
    assert new.redirected_from == (f"{A}/old",)


async def test_a_target_out_of_scope_is_skipped_with_its_rule() -> None:
    kit = CrawlKit()
    kit.web.serve_all({f"{A}/": html("/out"), f"{A}/out": redirect(f"{B}/page")})
    progress = await kit.crawl(f"{A}/")
    assert progress.by_rule == {"scope_host": 1}
    assert (await kit.ledger(f"{B}/page")).rule == "scope_host"
    out = await kit.ledger(f"{A}/out")
    assert (out.outcome, out.reason, out.final_url) == ("redirected", "scope_host", f"{B}/page")
    assert all(sent.host == "a.example" for sent in kit.web.requests)


async def test_a_seed_may_move_to_another_host_and_its_site_with_it() -> None:
    kit = CrawlKit()
    kit.web.serve_all(
        {f"{A}/": redirect(f"{B}/start", 302), f"{B}/start": html("/1", f"{A}/2", "https://c.example/")}
    )
    kit.web.serve_all({f"{B}/1": html("/3"), f"{A}/2": html(), f"{B}/3": html()})
    progress = await kit.crawl(f"{A}/")
    assert await kit.record_urls() == {f"{B}/start", f"{B}/1", f"{B}/3", f"{A}/2"}
    assert progress.by_rule == {"scope_host": 1}


async def test_a_link_refused_on_one_site_is_followed_when_found_on_the_site_that_a_seed_moved_to() -> None:
    kit = CrawlKit(concurrency=2)
    kit.web.serve_all({f"{A}/": redirect(f"{B}/"), "https://c.example/": html(f"{B}/x")})
    kit.web.serve_all({f"{B}/": html("/x", takes=3.0), f"{B}/x": html()})
    await kit.crawl(f"{A}/", "https://c.example/")
    assert (await kit.ledger(f"{B}/x")).state is LinkState.DONE


async def test_a_page_that_redirects_to_itself_is_asked_again() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", redirect("/#set-cookie"), redirect(f"{A}/"), html("/x"))
    kit.web.serve(f"{A}/x", html())
    assert (await kit.crawl(f"{A}/")).pages == 2
    assert kit.web.urls() == [f"{A}/"] * 3 + [f"{A}/x"]


async def test_a_page_that_redirects_to_itself_is_asked_again_three_times_at_most() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", redirect("/"))
    progress = await kit.crawl(f"{A}/")
    assert kit.web.urls() == [f"{A}/"] * 4
    assert progress.by_reason == {"redirect_limit": 1}


@pytest.mark.parametrize(
    ("found", "location"), [("/x?b=1&a=2", "/x?a=2&b=1"), ("/%7Euser", "/~user"), ("/p?utm_source=z", "/p")]
)
async def test_a_redirect_to_another_spelling_of_the_same_url_is_followed(found: str, location: str) -> None:
    kit = CrawlKit()
    kit.web.serve_all({f"{A}/": html(found), f"{A}{found}": redirect(location), f"{A}{location}": html()})
    progress = await kit.crawl(f"{A}/", ignored_parameters=("utm_*",))
    assert progress.dead == 0
    assert progress.records == 2
    assert kit.web.urls() == [f"{A}/", f"{A}{found}", f"{A}{location}"]


async def test_chains_are_limited() -> None:
    kit = CrawlKit(visit=VisitLimits(max_redirects=3))
    kit.web.serve_all({f"{A}/{number}": redirect(f"/{number + 1}") for number in range(20)})
    progress = await kit.crawl(f"{A}/0")
    assert kit.web.urls() == [f"{A}/{number}" for number in range(4)]
    assert progress.by_reason == {"redirect_limit": 1}


async def test_a_circle_ends() -> None:
    kit = CrawlKit()
    kit.web.serve_all({f"{A}/1": redirect("/2"), f"{A}/2": redirect("/1")})
    progress = await kit.crawl(f"{A}/1")
    assert kit.web.urls() == [f"{A}/1", f"{A}/2"]
    assert progress.by_outcome == {"redirected": 2}


@pytest.mark.parametrize("location", ["ftp://a.example/", "http://[", "javascript:void(0)"])
async def test_a_redirect_to_no_url_is_dead(location: str) -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", redirect(location))
    assert (await kit.crawl(f"{A}/")).by_reason == {"bad_redirect": 1}


async def test_a_redirect_without_a_location_is_dead() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", status(302))
    assert (await kit.crawl(f"{A}/")).by_reason == {"http_302": 1}


async def test_links_of_a_page_are_relative_to_where_it_was_found() -> None:
    kit = CrawlKit()
    kit.web.serve_all(
        {f"{A}/": redirect("/deep/page"), f"{A}/deep/page": html("next"), f"{A}/deep/next": html()}
    )
    assert (await kit.crawl(f"{A}/")).dead == 0


async def test_another_spelling_is_followed_also_after_a_long_delay() -> None:
    kit = CrawlKit(delay=31.0)
    kit.web.serve(f"{A}/p?b=1&a=2", redirect("/p?a=2&b=1"))
    kit.web.serve(f"{A}/p?a=2&b=1", html())
    assert (await kit.crawl(f"{A}/p?b=1&a=2")).pages == 1
