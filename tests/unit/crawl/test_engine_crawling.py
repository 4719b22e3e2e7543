import json
from collections import Counter

from crawlmesh.model.link import LinkState
from crawlmesh.model.page import FailureKind
from crawlmesh.testing.scripted_fetcher import Reply, failing, html, status, text
from tests.unit.crawl.kit import CrawlKit

A = "https://a.example"


async def test_a_small_graph_is_crawled_completely_and_each_url_requested_once() -> None:
    kit = CrawlKit()
    pages = {f"{A}/{number}": html(f"/{(number * 7) % 30}", f"{number + 1}#part") for number in range(29)}
    kit.web.serve_all({**pages, f"{A}/": html("/0", "/1?b=2&a=1", f"{A}/1?a=1&b=2"), f"{A}/29": html()})
    kit.web.serve(f"{A}/1?b=2&a=1", html())
    progress = await kit.crawl(f"{A}/")
    assert Counter(kit.web.urls()) == Counter({*pages, f"{A}/", f"{A}/29", f"{A}/1?b=2&a=1"})
    assert kit.web.urls(robots=True)[0] == f"{A}/robots.txt"
    assert (progress.done, progress.dead, progress.pending) == (32, 0, 0)
    assert await kit.record_urls() == {*pages, f"{A}/", f"{A}/29", f"{A}/1?a=1&b=2"}


async def test_a_url_goes_out_as_it_was_found() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", html("/x?z=1&a=%7e#part"))
    kit.web.serve(f"{A}/x?z=1&a=%7e", html())
    assert (await kit.crawl(f"{A}/")).dead == 0
    assert await kit.record_urls() == {f"{A}/", f"{A}/x?a=~&z=1"}


async def test_links_outside_of_the_scope_are_skipped_with_their_rule() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", html("https://b.example/", "/private/x", "mailto:a@b.c", "/ok"))
    progress = await kit.crawl(f"{A}/", exclude=("/private/",))
    assert progress.by_rule == {"scope_host": 1, "exclude": 1}
    assert (await kit.ledger("https://b.example/")).rule == "scope_host"
    assert kit.web.urls() == [f"{A}/", f"{A}/ok"]


async def test_a_link_first_found_too_deep_is_followed_when_found_again_nearer() -> None:
    kit = CrawlKit(concurrency=1, per_host=1)
    # /deep is met at depth 3 first, because /slow (depth 1) answers late.
    kit.web.serve_all(
        {
            f"{A}/": html("/1", "https://slow.example/"),
            f"{A}/1": html("/2"),
            f"{A}/2": html(f"{A}/deep"),
            "https://slow.example/": html(f"{A}/deep", takes=3.0),
            f"{A}/deep": html(),
        }
    )
    kit.options = CrawlKit(concurrency=4, per_host=1).options
    progress = await kit.crawl(f"{A}/", depth=2, scope="any")
    assert (await kit.ledger(f"{A}/deep")).state is LinkState.DONE
    assert kit.web.start_of(f"{A}/2") < kit.web.start_of(f"{A}/deep")
    assert progress.by_rule.get("depth", 0) <= 1


async def test_failures_that_may_pass_are_tried_again_and_then_dead() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", html("/once", "/always", "/gone", "/broken"))
    kit.web.serve(f"{A}/once", status(500), html())
    kit.web.serve(f"{A}/always", status(502))
    kit.web.serve(f"{A}/gone", status(410))
    kit.web.serve(f"{A}/broken", failing(FailureKind.PROTOCOL), failing(FailureKind.BODY_TIMEOUT), html())
    progress = await kit.crawl(f"{A}/")
    requests = Counter(kit.web.urls())
    assert requests[f"{A}/once"] == 2
    assert requests[f"{A}/always"] == 4
    assert requests[f"{A}/gone"] == 1
    assert requests[f"{A}/broken"] == 3
    assert progress.by_reason == {"http_502": 1, "http_410": 1}
    assert progress.retries == 1 + 3 + 2
    assert [attempt.number for attempt in (await kit.ledger(f"{A}/always")).attempts] == [1, 2, 3, 4]
    assert (await kit.ledger(f"{A}/always")).state is LinkState.DEAD


async def test_dead_links_can_be_tried_again() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", status(404), html("/x"))
    assert (await kit.crawl(f"{A}/")).dead == 1
    await kit.store.retry_dead("crawl")
    progress = await kit.go_on()
    assert (progress.dead, progress.done) == (1, 1)  # /x answers with 404
    assert kit.web.urls() == [f"{A}/", f"{A}/", f"{A}/x"]


async def test_content_that_is_of_no_use_is_skipped() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", html("/cut.pdf", "/whole.bin", "/data.json", "/plain.txt"))
    kit.web.serve(f"{A}/cut.pdf", Reply(headers=(("content-type", "application/pdf"),), truncated=True))
    kit.web.serve(f"{A}/whole.bin", Reply(headers=(("content-type", "image/png"),), body=b"\x89PNG\0\0"))
    kit.web.serve(f"{A}/data.json", text('{"a": 1}', "application/json"))
    kit.web.serve(f"{A}/plain.txt", text("words"))
    progress = await kit.crawl(f"{A}/")
    assert progress.by_outcome == {"fetched": 3, "skipped": 2}
    assert (await kit.ledger(f"{A}/cut.pdf")).reason == "content_type"
    assert await kit.record_urls() == {f"{A}/", f"{A}/data.json", f"{A}/plain.txt"}


async def test_a_recrawl_asks_whether_pages_have_changed() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", html("/x", etag='"1"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT"), status(304))
    kit.web.serve(f"{A}/x", html(), html("/new"))
    kit.web.serve(f"{A}/new", html())
    await kit.crawl(f"{A}/")
    await kit.store.recrawl("crawl")
    progress = await kit.go_on()
    again = [sent for sent in kit.web.requests if sent.url == f"{A}/"][1]
    assert again.headers == {"If-None-Match": '"1"', "If-Modified-Since": "Mon, 01 Jan 2024 00:00:00 GMT"}
    assert progress.by_outcome == {"not_modified": 1, "fetched": 2}
    assert await kit.record_urls() == {f"{A}/", f"{A}/x", f"{A}/new"}
    assert kit.web.urls(robots=True).count(f"{A}/robots.txt") == 1


async def test_max_pages_is_exact() -> None:
    kit = CrawlKit(per_host=8, batch_slots=4)
    kit.web.serve(f"{A}/", html(*(f"/{number}" for number in range(40)), "/404", "/moved"))
    kit.web.serve_all({f"{A}/{number}": html() for number in range(40)})
    progress = await kit.crawl(f"{A}/", limits={"max_pages": 11})
    assert progress.pages == 11
    assert not progress.finished
    assert progress.leased == 0
    assert len(await kit.record_urls()) == 11


async def test_pages_that_fail_do_not_count_against_max_pages() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", html("/404", "/later", "/ok"))
    kit.web.serve(f"{A}/later", status(500), html())
    kit.web.serve(f"{A}/ok", html())
    progress = await kit.crawl(f"{A}/", limits={"max_pages": 3})
    assert progress.pages == 3
    assert progress.dead == 1


async def test_a_crawl_without_a_living_host_ends() -> None:
    kit = CrawlKit()
    kit.web.serve("https://dead.example/robots.txt", failing(FailureKind.DNS))
    progress = await kit.crawl("https://dead.example/")
    assert progress.finished
    assert progress.by_reason == {"dns": 1}


async def test_an_engine_with_nothing_to_do_returns() -> None:
    kit = CrawlKit()
    await kit.create(f"{A}/")
    await kit.go_on()
    sent = len(kit.web.requests)
    await kit.go_on()
    assert len(kit.web.requests) == sent


async def test_the_fetcher_is_opened_and_closed() -> None:
    kit = CrawlKit()
    await kit.create(f"{A}/")
    engine = kit.engine()
    fetcher = engine._fetcher
    await engine.run()
    assert (fetcher.opened, fetcher.closed) == (1, 1)  # type: ignore[attr-defined]
    assert engine.running == 0


async def test_halves_of_characters_in_a_json_page_do_not_break_its_record() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", text('{"name": "a\\ud800b", "more": ["\\udfff"]}', "application/json"))
    await kit.crawl(f"{A}/", extraction={"selectors": {"name": "jmespath:name", "more": "jmespath:more"}})
    (record,) = await kit.store.records("crawl")
    assert json.loads(record.data)["name"] == "a?b"
