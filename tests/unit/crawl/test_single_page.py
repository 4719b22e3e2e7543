from crawlmesh.crawl.single_page import fetch_page
from crawlmesh.model.page import FailureKind
from crawlmesh.testing.manual_clock import ManualClock
from crawlmesh.testing.scripted_fetcher import ScriptedFetcher, ScriptedWeb, html, redirect, status

A = "https://a.example"


def _fetcher() -> tuple[ScriptedWeb, ScriptedFetcher]:
    web = ScriptedWeb(ManualClock())
    return web, ScriptedFetcher(web)


async def test_a_page_is_fetched_and_the_fetcher_closed() -> None:
    web, fetcher = _fetcher()
    web.serve(f"{A}/", html("/x"))
    assert (await fetch_page(fetcher, f"{A}/", 3)).status == 200
    assert (fetcher.opened, fetcher.closed) == (1, 1)


async def test_redirects_are_followed() -> None:
    web, fetcher = _fetcher()
    web.serve_all(
        {f"{A}/": redirect("/1"), f"{A}/1": redirect("https://b.example/2"), "https://b.example/2": html()}
    )
    response = await fetch_page(fetcher, f"{A}/", 2)
    assert (response.url, response.status) == ("https://b.example/2", 200)


async def test_too_many_redirects_are_a_failure() -> None:
    web, fetcher = _fetcher()
    web.serve(f"{A}/", redirect("/"))
    response = await fetch_page(fetcher, f"{A}/", 2)
    assert response.failure is FailureKind.PROTOCOL
    assert "More than 2 redirects" in response.detail
    assert len(web.requests) == 3
    assert fetcher.closed == 1


async def test_a_redirect_without_a_location_is_the_answer() -> None:
    web, fetcher = _fetcher()
    web.serve(f"{A}/", status(302))
    assert (await fetch_page(fetcher, f"{A}/", 2)).status == 302
