from itertools import pairwise

import pytest

from crawlmesh.model.link import LinkState
from crawlmesh.model.page import FailureKind
from crawlmesh.testing.scripted_fetcher import Reply, failing, html, redirect, status, text
from tests.unit.crawl.kit import CrawlKit

A = "https://a.example"
ROBOTS = f"{A}/robots.txt"


async def test_disallowed_links_are_skipped_and_never_requested() -> None:
    kit = CrawlKit()
    kit.web.serve(ROBOTS, text("User-agent: *\nDisallow: /private\n\nUser-agent: other\nDisallow: /"))
    kit.web.serve(f"{A}/", html("/private/a", "/public"))
    kit.web.serve(f"{A}/public", html())
    progress = await kit.crawl(f"{A}/")
    assert kit.web.urls(robots=True) == [ROBOTS, f"{A}/", f"{A}/public"]
    assert progress.by_outcome == {"fetched": 2, "skipped": 1}
    entry = await kit.ledger(f"{A}/private/a")
    assert (entry.state, entry.outcome, entry.reason) == (LinkState.DONE, "skipped", "robots")


async def test_a_whole_host_may_be_disallowed() -> None:
    kit = CrawlKit()
    kit.web.serve(ROBOTS, text("User-agent: bot\nDisallow: /"))
    progress = await kit.crawl(f"{A}/", f"{A}/x")
    assert kit.web.urls() == []
    assert progress.by_outcome == {"skipped": 2}


async def test_robots_may_be_ignored() -> None:
    kit = CrawlKit()
    kit.web.serve(ROBOTS, text("User-agent: *\nDisallow: /\nCrawl-delay: 10"))
    kit.web.serve(f"{A}/", html())
    assert (await kit.crawl(f"{A}/", ignore_robots=True)).pages == 1
    assert kit.web.urls(robots=True) == [f"{A}/"]


async def test_each_scheme_of_a_host_has_a_file_of_its_own() -> None:
    kit = CrawlKit()
    kit.web.serve("http://a.example/robots.txt", text("User-agent: *\nDisallow: /x"))
    kit.web.serve(f"{A}/", html("/x", "http://a.example/x"))
    kit.web.serve(f"{A}/x", html())
    await kit.crawl(f"{A}/")
    assert (await kit.ledger(f"{A}/x")).outcome == "fetched"
    assert (await kit.ledger("http://a.example/x")).outcome == "skipped"


@pytest.mark.parametrize("place", ["https://b.example/elsewhere", "/elsewhere"])
async def test_redirects_of_the_file_are_followed(place: str) -> None:
    kit = CrawlKit()
    kit.web.serve(ROBOTS, redirect(place))
    for host in ("a", "b"):
        kit.web.serve(f"https://{host}.example/elsewhere", text("User-agent: *\nDisallow: /x"))
    kit.web.serve(f"{A}/", html("/x"))
    await kit.crawl(f"{A}/")
    assert (await kit.ledger(f"{A}/x")).reason == "robots"


async def test_redirects_of_the_file_without_end_allow_everything() -> None:
    kit = CrawlKit()
    kit.web.serve(ROBOTS, redirect(ROBOTS))
    kit.web.serve(f"{A}/", html())
    assert (await kit.crawl(f"{A}/")).pages == 1
    assert kit.web.urls(robots=True).count(ROBOTS) == 6


async def test_redirects_of_the_file_keep_the_delay_of_the_host() -> None:
    kit = CrawlKit(delay=5.0)
    kit.web.serve(ROBOTS, redirect("/elsewhere"))
    kit.web.serve(f"{A}/", html())
    await kit.crawl(f"{A}/")
    starts = kit.web.starts("a.example")
    assert len(starts) == 3
    assert min(b - a for a, b in pairwise(starts)) >= 5.0


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (status(503), "robots_unavailable"),
        (status(500), "robots_unavailable"),
        (status(429), "robots_unavailable"),
        (failing(FailureKind.CONNECT), "connect"),
    ],
)
async def test_without_an_answer_links_are_tried_again_and_then_dead(reply: Reply, reason: str) -> None:
    kit = CrawlKit()
    kit.web.serve(ROBOTS, reply)
    kit.web.serve(f"{A}/", html())
    progress = await kit.crawl(f"{A}/", f"{A}/x")
    assert kit.web.urls() == []
    assert progress.by_reason == {reason: 2}
    assert progress.retries == 6


async def test_the_file_is_asked_for_again_before_links_are_tried_again() -> None:
    kit = CrawlKit()
    kit.web.serve(ROBOTS, status(503), text("User-agent: *\nDisallow: /x"))
    kit.web.serve(f"{A}/", html("/x"))
    progress = await kit.crawl(f"{A}/")
    assert kit.web.urls(robots=True) == [ROBOTS, ROBOTS, f"{A}/"]
    assert progress.dead == 0


async def test_the_file_is_asked_for_again_by_a_later_run() -> None:
    kit = CrawlKit()
    kit.web.serve(ROBOTS, failing())
    kit.web.serve(f"{A}/", html())
    assert (await kit.crawl(f"{A}/")).dead == 1
    kit.web.serve(ROBOTS, status(404))
    await kit.store.retry_dead("crawl")
    assert (await kit.go_on()).pages == 1


async def test_an_old_file_is_read_again() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", html())
    await kit.crawl(f"{A}/")
    kit.clock.advance(90_000)
    await kit.store.recrawl("crawl")
    await kit.go_on()
    assert kit.web.urls(robots=True) == [ROBOTS, f"{A}/", ROBOTS, f"{A}/"]


async def test_the_crawl_delay_lies_between_all_request_starts() -> None:
    kit = CrawlKit()
    kit.web.serve(ROBOTS, text("User-agent: *\nCrawl-delay: 7"))
    kit.web.serve(f"{A}/", html("/1", "/2", "/3"))
    kit.web.serve_all({f"{A}/{number}": html() for number in (1, 2, 3)})
    await kit.crawl(f"{A}/")
    starts = kit.web.starts("a.example")
    assert len(starts) == 5
    assert min(b - a for a, b in pairwise(starts)) >= 7.0


async def test_a_crawl_delay_that_is_longer_than_a_batch_lasts_costs_no_more_than_itself() -> None:
    kit = CrawlKit(settle_after=2.0)
    kit.web.serve(ROBOTS, text("User-agent: *\nCrawl-delay: 3"))
    kit.web.serve(f"{A}/", html(*(f"/{number}" for number in range(20))))
    kit.web.serve_all({f"{A}/{number}": html() for number in range(20)})
    await kit.crawl(f"{A}/")
    starts = kit.web.starts("a.example")
    assert len(starts) == 22
    assert starts[-1] < 21 * 3.2


async def test_the_crawl_delay_is_known_to_the_store_before_the_next_request() -> None:
    kit = CrawlKit()
    kit.web.serve(ROBOTS, text("User-agent: *\nCrawl-delay: 7"))
    kit.web.serve(f"{A}/", html())
    reported: list[float] = []
    kit.web.on_request = lambda _: reported.append(
        max((r.report.state.delay for r in kit.store.renewed if r.report and r.report.state), default=0.0)
    )
    await kit.crawl(f"{A}/")
    assert reported == [0.0, 7.0]


async def test_the_crawl_delay_holds_when_the_process_is_killed() -> None:
    kit = CrawlKit(settle_after=10.0)
    kit.web.serve(ROBOTS, text("User-agent: *\nCrawl-delay: 7"))
    kit.web.serve(f"{A}/", html("/1"))
    kit.web.serve(f"{A}/1", html())

    class KilledError(Exception):
        pass

    async def kill() -> None:
        raise KilledError

    await kit.create(f"{A}/")
    kit.store.before["settle"] = kill
    with pytest.raises(KilledError):
        await kit.engine().run()
    kit.store.before.clear()
    await kit.store.expire(everything=True)
    await kit.go_on()
    starts = kit.web.starts("a.example")
    assert kit.web.urls() == [f"{A}/", f"{A}/", f"{A}/1"]
    assert min(b - a for a, b in pairwise(starts)) >= 7.0
    assert kit.web.urls(robots=True).count(ROBOTS) == 1


async def test_a_redirect_to_no_url_at_all_means_that_there_is_no_file() -> None:
    kit = CrawlKit()
    kit.web.serve(ROBOTS, redirect("http://[x/"))
    kit.web.serve(f"{A}/", html())
    assert (await kit.crawl(f"{A}/")).pages == 1


async def test_a_url_is_judged_as_it_would_be_sent() -> None:
    kit = CrawlKit()
    kit.web.serve(ROBOTS, text("User-agent: *\nDisallow: /p?z="))
    kit.web.serve(f"{A}/", html("/p?z=1&a=2"))
    progress = await kit.crawl(f"{A}/")
    assert kit.web.urls() == [f"{A}/"]
    assert progress.by_rule == {"robots": 1}


async def test_the_file_of_another_scheme_arrives_while_all_links_of_a_batch_are_under_way() -> None:
    kit = CrawlKit()
    plain = A.replace("https:", "http:")
    kit.web.serve_all(
        {
            f"{A}/": html("/slow", "/a"),
            f"{A}/slow": html(takes=10.0),
            f"{A}/a": html(f"{plain}/s"),
            f"{plain}/s": html(),
        }
    )
    assert (await kit.crawl(f"{A}/")).pages == 4
