from pathlib import Path

from crawlmesh.testing.command import Command
from crawlmesh.testing.demo_site import DemoSite, DemoSiteOptions
from tests.acceptance.full_crawl import everywhere, urls_of

TRAP = DemoSiteOptions(shops=1, products=4, categories=2, crawl_delay=0, curiosities=False, trap=True)


def test_traps_end_and_are_counted(command: Command, tmp_path: Path) -> None:
    with DemoSite(TRAP) as site:
        arguments = ["crawl", *everywhere(site), "--output", "o.jsonl", "--json", "--state", "state"]
        summary = command.run(*arguments, max_pages_per_template="20", max_repeated_segments="3").summary
        urls = urls_of(tmp_path / "o.jsonl")
        traps = {url for url in urls if site.manifest.is_trap(url)}
        assert urls - traps == site.manifest.expected_records()
        assert sum("/calendar" in url for url in traps) == 20
        assert sum("/trap/" in url for url in traps) == 5  # a/b … a/b/a/b/a/b
        assert summary["finished"]
        assert (summary["by_rule"]["template"], summary["by_rule"]["repeated_segments"]) == (1, 1)
        shop = f"http://{site.hosts[1]}"
        done = command.run("why", f"{shop}/calendar?month=21", "--state", "state")
        assert "Skipped by the rule template" in done.out
        done = command.run("why", f"{shop}/trap/a/b/a/b/a/b/a", "--state", "state")
        assert "Skipped by the rule repeated_segments" in done.out


def test_long_paths_are_cut(command: Command) -> None:
    with DemoSite(TRAP) as site:
        arguments = ["crawl", *everywhere(site), "--json", "--exclude", "calendar"]
        summary = command.run(*arguments, max_path_length="30", max_repeated_segments="100").summary
    assert summary["by_rule"]["path_length"] == 1
    assert summary["finished"]
