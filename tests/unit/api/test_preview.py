from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from crawlmesh.settings import load_settings
from crawlmesh.testing.demo_site import DemoSite, DemoSiteOptions
from crawlmesh.wiring.preview import make_previews
from tests.unit.api.master import Master

PREVIEW = "/api/v1/preview"


@pytest.fixture(scope="module")
def site() -> Iterator[DemoSite]:
    with DemoSite(DemoSiteOptions(shops=2, products=4, slow_seconds=0.05)) as site:
        yield site


@pytest.fixture
async def master(tmp_path: Path) -> AsyncIterator[Master]:
    settings = load_settings({"data_dir": tmp_path, "allow_private_networks": True}, None)
    async with AsyncExitStack() as closing:
        yield await Master.start(preview=make_previews(settings, closing).show)


async def test_a_page_and_what_selectors_take_from_it(master: Master, site: DemoSite) -> None:
    url = f"http://{site.hosts[1]}/products"
    entry = site.manifest.entries[url]
    body = {"url": url, "selectors": {"heading": "h1", "bad": "h1[["}, "extraction": {"titles[]": "h2.title"}}
    before = len(site.log.requests())
    for _ in range(2):
        shown = (await master.client("operator").post(PREVIEW, body)).json
        assert (shown["status"], shown["kind"], shown["problem"]) == (200, "html", None)
        assert shown["data"] == {
            "heading": entry.title,
            "titles": [product.title for product in entry.products],
        }
        assert list(shown["field_problems"]) == ["bad"]
        assert shown["links"] > 0
        assert shown["outline"][-1]["selector"] == "body"
    assert len(site.log.requests()) == before + 1
    again = (await master.client().post(PREVIEW, {**body, "refresh": True})).json
    assert again["title"] == entry.title
    assert len(site.log.requests()) == before + 2


async def test_a_specification_as_tasks_have_it(master: Master, site: DemoSite) -> None:
    spec = {
        "selectors": {
            "products": {"selector": "div.product", "fields": {"title": "h2.title", "price": "span.price"}}
        },
        "metadata": True,
    }
    body = {"url": f"http://{site.hosts[1]}/products", "extraction": spec}
    data = (await master.client().post(PREVIEW, body)).json["data"]
    assert data["products"][0].keys() == {"title", "price"}
    assert data["metadata"]["language"] == "en"


async def test_redirects_and_failures(master: Master, site: DemoSite) -> None:
    shop = f"http://{site.hosts[1]}"
    moved = (await master.client().post(PREVIEW, {"url": f"{shop}/chain/1"})).json
    assert (moved["url"], moved["final_url"]) == (f"{shop}/chain/1", f"{shop}/chain/end")
    missing = (await master.client().post(PREVIEW, {"url": f"{shop}/no/such/page"})).json
    assert missing["status"] == 404
    assert "status 404" in missing["problem"]
    picture = (await master.client().post(PREVIEW, {"url": f"{shop}/files/photo.png"})).json
    assert (picture["data"], picture["outline"]) == (None, [])
    assert "neither HTML" in picture["problem"]
    loop = (await master.client().post(PREVIEW, {"url": f"{shop}/loop/1"})).json
    assert (loop["status"], loop["data"]) == (None, None)
    assert "redirects" in loop["problem"]


async def test_private_addresses_are_refused_unless_the_setting_allows_them(
    tmp_path: Path, site: DemoSite
) -> None:
    async with AsyncExitStack() as closing:
        settings = load_settings({"data_dir": tmp_path}, None)
        master = await Master.start(preview=make_previews(settings, closing).show)
        answer = await master.client().post(PREVIEW, {"url": site.portal_url})
    assert (answer.status, answer.json["status"]) == (200, None)
    assert "allow_private_networks" in answer.json["problem"]


@pytest.mark.parametrize("url", ["", "mailto:me@example.com", "http://", "javascript:alert(1)"])
async def test_what_is_no_address_is_refused(master: Master, url: str) -> None:
    answer = await master.client().post(PREVIEW, {"url": url})
    assert (answer.status, answer.error["field"]) == (422, "url")


async def test_bodies_that_do_not_fit(master: Master) -> None:
    for body in ({}, {"url": "a.example", "selectors": {"a": 7}}, {"url": "a.example", "wait": 1}):
        assert (await master.client().post(PREVIEW, body)).status == 422


async def test_viewers_may_not(master: Master, site: DemoSite) -> None:
    assert (await master.client("viewer").post(PREVIEW, {"url": site.portal_url})).status == 403


async def test_a_master_without_a_fetcher_says_so() -> None:
    answer = await (await Master.start()).client().post(PREVIEW, {"url": "https://a.example/"})
    assert (answer.status, answer.error["code"]) == (503, "unavailable")
