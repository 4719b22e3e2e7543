from crawlmesh.testing.command import Command
from crawlmesh.testing.demo_site import DemoSite, PageKind
from tests.acceptance.full_crawl import everywhere, urls_of
from tests.acceptance.page_server import PageServer


def test_scope_host_and_allow_host(site: DemoSite, command: Command) -> None:
    shop = f"http://{site.hosts[1]}/"
    arguments = ["crawl", shop, "--allow-private", "--exclude", "/flaky|/broken"]
    command.run(*arguments, "--output", "one.jsonl")
    hosts = {url.split("/")[2] for url in urls_of(command.folder / "one.jsonl")}
    assert hosts == {site.hosts[1]}
    command.run(*arguments, "--allow-host", site.hosts[2], "--depth", 1, "--output", "two.jsonl")
    assert urls_of(command.folder / "two.jsonl") == site.manifest.expected_records(
        start=shop, hosts=site.hosts[1:3], max_depth=1
    )


def test_scope_domain_and_any(command: Command, server: PageServer) -> None:
    with PageServer() as other:
        elsewhere = f"http://127.0.0.2:{other.port}/far"  # nobody listens there
        server.page("/", f'<a href="{other.url("/near")}">port</a><a href="{elsewhere}">far</a>')
        other.page("/near", "<h1>near</h1>")
        arguments = ["crawl", server.url(), "--allow-private", "--retries", 0, "--json"]
        for scope, records, dead, skipped in (
            ("host", 1, 0, {"scope_host": 2}),
            ("domain", 2, 0, {"scope_domain": 1}),
            ("any", 2, 1, {}),
        ):
            summary = command.run(*arguments, "--scope", scope).summary
            found = (summary["records"], summary["dead"], summary["by_rule"])
            assert found == (records, dead, skipped), scope


def test_include_and_exclude(site: DemoSite, command: Command) -> None:
    include, exclude = r"/products", r"/reviews$"
    arguments = ["--include", include, "--exclude", exclude, "--output", "o.jsonl", "--json"]
    shop = f"http://{site.hosts[1]}/"
    summary = command.run("crawl", shop, "--allow-private", *arguments).summary
    urls = urls_of(command.folder / "o.jsonl")
    expected = {
        url
        for url in site.manifest.expected_records(start=shop, hosts=[site.hosts[1]])
        if "/products" in url and not url.endswith("/reviews") and "/api/" not in url
    }
    assert urls == expected | {shop}
    assert summary["by_rule"].keys() == {"include", "exclude", "scope_host"}


def test_robots_can_be_ignored(site: DemoSite, command: Command) -> None:
    site.log.clear()
    arguments = [*everywhere(site), "--ignore-robots", "--output", "o.jsonl", "--exclude", "/flaky|/broken"]
    command.run("crawl", *arguments)
    forbidden = {entry.url for entry in site.manifest.of_kind(PageKind.DISALLOWED)}
    assert forbidden <= urls_of(command.folder / "o.jsonl")
    assert "/robots.txt" not in site.log.paths()


def test_sitemaps_lead_to_hidden_pages(site: DemoSite, command: Command) -> None:
    arguments = ["--sitemaps", "--depth", 1, "--output", "o.jsonl", "--json"]
    shop = f"http://{site.hosts[1]}/"
    summary = command.run("crawl", shop, "--allow-private", *arguments).summary
    hidden = {f"{shop}hidden/{number}" for number in (1, 2, 3)}
    assert hidden <= urls_of(command.folder / "o.jsonl")
    assert not any("sitemap" in url for url in urls_of(command.folder / "o.jsonl"))
    assert summary["finished"]


def test_a_host_without_a_sitemap_is_no_failure(site: DemoSite, command: Command) -> None:
    arguments = ["--sitemaps", "--depth", 0, "--strict", "--output", "o.jsonl"]
    command.run("crawl", f"http://{site.hosts[3]}/", "--allow-private", *arguments)
    assert urls_of(command.folder / "o.jsonl") == {f"http://{site.hosts[3]}/"}
