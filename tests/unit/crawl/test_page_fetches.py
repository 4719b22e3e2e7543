import asyncio

import pytest

from crawlmesh.crawl.page_fetches import PageFetches
from crawlmesh.model.page import FailureKind
from crawlmesh.testing.manual_clock import ManualClock
from crawlmesh.testing.scripted_fetcher import ScriptedFetcher, ScriptedWeb, failing, html, redirect

A = "https://a.example"


@pytest.fixture
def web() -> ScriptedWeb:
    return ScriptedWeb(ManualClock())


async def test_pages_that_are_asked_for_at_once_go_to_those_who_asked(web: ScriptedWeb) -> None:
    fetcher = ScriptedFetcher(web)
    web.serve_all({f"{A}/{number}": html(takes=0.5 - number / 10) for number in range(4)})
    web.serve(f"{A}/away", failing(FailureKind.DNS))
    fetches = PageFetches(lambda: fetcher, 3)
    urls = [*(f"{A}/{number}" for number in range(4)), f"{A}/away"]
    answers = await asyncio.gather(*(fetches.fetch(url) for url in urls))
    assert [answer.url for answer in answers] == urls
    assert answers[-1].failure is FailureKind.DNS
    await fetches.aclose()
    await fetches.aclose()
    assert (fetcher.opened, fetcher.closed) == (1, 1)


async def test_redirects_are_followed_up_to_a_limit(web: ScriptedWeb) -> None:
    web.serve_all({f"{A}/": redirect("/1"), f"{A}/1": redirect("/2"), f"{A}/2": html()})
    fetches = PageFetches(lambda: ScriptedFetcher(web), 2)
    assert (await fetches.fetch(f"{A}/")).url == f"{A}/2"
    web.serve(f"{A}/2", redirect("/"))
    assert "More than 2 redirects" in (await fetches.fetch(f"{A}/")).detail
    await fetches.aclose()


async def test_no_fetcher_is_made_where_none_is_needed() -> None:
    def refuse() -> ScriptedFetcher:
        raise AssertionError

    await PageFetches(refuse, 2).aclose()
