import json

from crawlmesh.testing.command import Command
from crawlmesh.testing.demo_site import DemoSite
from tests.acceptance.full_crawl import selecting


def test_selectors_on_one_page(site: DemoSite, command: Command) -> None:
    url = f"http://{site.hosts[1]}/products"
    done = command.run("try", url, "--allow-private", *selecting(), "--links")
    entry = site.manifest.entries[url]
    decoder = json.JSONDecoder()
    data, end = decoder.raw_decode(done.out)
    assert [product["title"] for product in data["products"]] == [item.title for item in entry.products]
    assert data["heading"] == entry.title
    assert "/products/1" in json.loads(done.out[end:])
    assert done.err.startswith(f"{url}  status 200, ")


def test_redirects_are_followed_and_the_source_can_be_seen(site: DemoSite, command: Command) -> None:
    done = command.run("try", f"http://{site.hosts[1]}/chain/1", "--allow-private", "--html")
    assert f"<title>{site.manifest.entries[f'http://{site.hosts[1]}/chain/end'].title}</title>" in done.out


def test_what_cannot_be_shown_is_said(site: DemoSite, command: Command) -> None:
    shop = f"http://{site.hosts[1]}"
    done = command.run("try", f"{shop}/files/photo.png", "--allow-private", code=1)
    assert done.err == (
        f"crawlmesh: {shop}/files/photo.png: it is neither HTML, XML, JSON nor text, "
        "so nothing can be extracted.\n"
    )
    done = command.run("try", f"{shop}/", code=1)
    assert "private" in done.err
    done = command.run("try", f"{shop}/loop/1", "--allow-private", code=1)
    assert "redirects" in done.err
