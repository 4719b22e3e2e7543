import pytest

from crawlmesh.testing.command import Command
from crawlmesh.testing.demo_site import DemoSite
from tests.acceptance.full_crawl import everywhere, mean_gap, urls_of
from tests.acceptance.page_server import PageServer


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_depth(site: DemoSite, command: Command, depth: int) -> None:
    done = command.run("crawl", *everywhere(site), "--depth", depth, "--output", "o.jsonl", "--json")
    assert urls_of(command.folder / "o.jsonl") == site.manifest.expected_records(max_depth=depth)
    assert done.summary["by_rule"]["depth"] > 0


def test_max_pages_is_exact_and_more_pages_go_on(site: DemoSite, command: Command) -> None:
    arguments = ["crawl", f"http://{site.hosts[1]}/", "--allow-private", "--output", "o.jsonl", "--json"]
    for number, processes in ((7, 1), (16, 2)):
        done = command.run(*arguments, "--max-pages", number, "--processes", processes)
        assert len(urls_of(command.folder / "o.jsonl")) == number
        assert (done.summary["records"], done.summary["stopped_by"]) == (number, "max_pages")
    command.run(*arguments)
    expected = site.manifest.expected_records(
        start=f"http://{site.hosts[1]}/", hosts=[site.hosts[1]], tracking_ignored=False
    )
    assert urls_of(command.folder / "o.jsonl") == expected


def test_max_time(server: PageServer, command: Command) -> None:
    for number in range(3000):
        server.page(f"/{number}", f'<a href="/{number + 1}">next</a>')
    arguments = ["crawl", server.url("/0"), "--allow-private", "--output", "o.jsonl", "--json"]
    done = command.run(*arguments, "--delay", 0.1, "--max-time", "2s")
    assert (done.summary["stopped_by"], done.summary["finished"]) == ("max_time", False)
    assert 0 < len(urls_of(command.folder / "o.jsonl")) == done.summary["records"] < 3000
    assert done.summary["pending"] == 1


def test_a_delay_is_kept(site: DemoSite, command: Command) -> None:
    site.log.clear()
    host = site.hosts[3]
    command.run("crawl", f"http://{host}/", "--allow-private", "--max-pages", 6, "--delay", 0.3)
    assert mean_gap(site, host) >= 0.3 * 0.9
    assert site.log.max_concurrency(host) == 1
