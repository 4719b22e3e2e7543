import json

import pytest

from crawlmesh.testing.command import Command
from crawlmesh.testing.demo_site import DemoSite
from tests.acceptance.full_crawl import FullCrawl


@pytest.mark.parametrize(
    ("target", "sentences"),
    [
        ("/", ["Found by a link on http://127.0.0.1:", "depth 1", "status 200, fetched", "with a record"]),
        ("/products/2?#reviews", ["Found by a link", "Done, with a record."]),
        ("/private/cellar", ["Skipped by the rule robots", "robots.txt forbids it"]),
        ("/files/photo.png", ["Skipped by the rule content_type", "neither HTML"]),
        ("/missing", ["status 404, dead (http_404)", "Dead: the server answered with status 404."]),
        ("/broken", ["Attempt 1,", "Attempt 4,", "Dead: the server answered with status 500."]),
        ("/loop/self", ["Dead: it redirects in a circle or too often."]),
        ("/moved/301", ["Done: it redirects to http://127.0.0.2:", "/arrived/301."]),
        ("/moved/away", ["redirects to http://127.0.0.99:", "That was not followed: Its host and port"]),
        ("/arrived/301", ["Found by a redirect on", "/moved/301", "Redirected from", "with a record"]),
        ("/flaky/1", ["Attempt 1,", "status 503, retry (http_503)", "Attempt 2,", "status 200, fetched"]),
    ],
)
def test_known_urls(
    site: DemoSite, full: FullCrawl, command: Command, target: str, sentences: list[str]
) -> None:
    done = command.run("why", f"http://{site.hosts[1]}{target}", "--state", full.state)
    for sentence in sentences:
        assert sentence in done.out


def test_a_url_that_was_kept_out(site: DemoSite, full: FullCrawl, command: Command) -> None:
    elsewhere = f"http://127.0.0.99:{site.manifest.port}/elsewhere"
    done = command.run("why", elsewhere, "--state", full.state)
    assert "Skipped by the rule scope_host: Its host and port are not those of a seed" in done.out
    entry = json.loads(command.run("why", elsewhere, "--state", full.state, "--json").out)
    assert (entry["state"], entry["rule"]) == (None, "scope_host")
    assert entry["parent_url"].endswith("/curiosities")


def test_a_url_that_was_never_seen(site: DemoSite, full: FullCrawl, command: Command) -> None:
    done = command.run("why", f"http://{site.hosts[1]}/hidden/1", "--state", full.state, code=1)
    assert "was never seen" in done.out
    done = command.run("why", "mailto:somebody", "--state", full.state, code=2)
    assert "'mailto:somebody' is not a URL" in done.err
