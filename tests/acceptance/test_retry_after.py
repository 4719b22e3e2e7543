from crawlmesh.testing.command import Command
from crawlmesh.testing.demo_site import DemoSite, DemoSiteOptions
from tests.acceptance.full_crawl import everywhere, urls_of

LIMITED = DemoSiteOptions(
    shops=2, products=3, categories=1, crawl_delay=0, curiosities=False, rate_limit_once=True, retry_after=3
)


def test_a_host_that_asks_for_a_pause_gets_it_and_others_do_not_wait(command: Command) -> None:
    with DemoSite(LIMITED) as site:
        command.run("crawl", *everywhere(site), "--output", "o.jsonl")
        assert urls_of(command.folder / "o.jsonl") == site.manifest.expected_records()
        limited = [request for request in site.log.requests(site.hosts[2]) if request.status != 404]
        pages = [request for request in limited if request.start.target != "/robots.txt"]
        refused, after = pages[0], pages[1]
        assert refused.end is not None
        assert refused.status == 429
        assert after.start.monotonic - refused.end.monotonic >= LIMITED.retry_after - 0.5
        others = [request.start.monotonic for request in site.log.requests(site.hosts[1])]
        assert max(others) < after.start.monotonic
