import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from crawlmesh.crawl import preview
from crawlmesh.crawl.preview import PagePreviews, PreviewLimits
from crawlmesh.errors import InvalidError
from crawlmesh.model.page import FailureKind, FetchResponse
from crawlmesh.model.preview import PagePreview, PreviewOrder
from crawlmesh.testing.manual_clock import ManualClock

A = "https://a.example/"
BODY = b'<title>A shop</title><h1>Things</h1><p class="price">7</p><p class="price">8</p><a href="/x">x</a>'


def page(url: str, body: bytes = BODY, **fields: Any) -> FetchResponse:
    given = {"status": 200, "headers": (("content-type", "text/html"),), "body": body, **fields}
    return FetchResponse(1, url, **given)


class Web:
    """Counts who is asked, and how many at once; holds answers back while `held`."""

    def __init__(self, answer: Callable[[str], FetchResponse] = page) -> None:
        self.answer = answer
        self.asked: list[str] = []
        self.most_at_once = 0
        self.busy = asyncio.Event()  # one is asked
        self.crowded = asyncio.Event()  # two are, at once
        self.open = asyncio.Event()
        self.open.set()
        self._at_once = 0

    async def fetch(self, url: str) -> FetchResponse:
        self.asked.append(url)
        self._at_once += 1
        (self.busy if self._at_once == 1 else self.crowded).set()
        self.most_at_once = max(self.most_at_once, self._at_once)
        await self.open.wait()
        self._at_once -= 1
        return self.answer(url)


def previews(web: Web, clock: ManualClock | None = None, **limits: Any) -> PagePreviews:
    return PagePreviews(web.fetch, clock or ManualClock(), PreviewLimits(**limits))


async def show(web: Web, url: str = A, **order: Any) -> PagePreview:
    return await previews(web).show(PreviewOrder(url=url, **order))


async def test_what_is_shown_of_a_page() -> None:
    shown = await show(Web(), fields={"heading": "h1", "prices[]": {"selector": ".price", "type": "number"}})
    assert (shown.url, shown.final_url, shown.status, shown.kind) == (A, A, 200, "html")
    assert (shown.title, shown.links, shown.bytes, shown.problem) == ("A shop", 1, len(BODY), None)
    assert shown.data == {"heading": "Things", "prices": [7, 8]}
    assert [node.selector for node in shown.outline] == ["head", "body"]
    assert not shown.truncated


async def test_without_fields_the_record_is_the_title_as_in_a_crawl() -> None:
    assert (await show(Web())).data == {"title": "A shop"}
    metadata = (await show(Web(), metadata=True)).data
    assert metadata is not None
    assert metadata["metadata"]["title"] == "A shop"


async def test_a_field_that_cannot_be_read_does_not_hold_up_the_others() -> None:
    fields = {"good": "h1", "bad": "h1[", "no=name": "h1", "also[]": 7, "good[]": "p", "metadata": "p"}
    shown = await show(Web(), fields=fields, metadata=True)
    assert shown.data is not None
    assert shown.data["good"] == "Things"
    assert shown.field_problems.keys() == {"bad", "no=name", "also[]", "good[]", "metadata"}
    assert "h1[" in shown.field_problems["bad"]
    assert all(text.endswith(".") or "h2" in text for text in shown.field_problems.values())
    only_bad = await show(Web(), fields={"bad": "h1["})
    assert (only_bad.data, list(only_bad.field_problems)) == ({}, ["bad"])


@pytest.mark.parametrize(
    "url", ["", "   ", "https://", "mailto:me@example.com", "http://[::1", "file:///etc/passwd"]
)
async def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidError) as raised:
        await show(Web(), url)
    assert raised.value.field == "url"


async def test_an_address_may_be_typed_as_people_do() -> None:
    web = Web()
    assert (await show(web, " a.example ")).final_url == A
    assert web.asked == [A]


async def test_a_page_is_asked_for_once_while_selectors_change() -> None:
    web, clock = Web(), ManualClock()
    shown = previews(web, clock)
    for selector in ("h1", "p", "a"):
        await shown.show(PreviewOrder(url=A, fields={"x": selector}))
    assert len(web.asked) == 1
    await shown.show(PreviewOrder(url=A, refresh=True))
    assert len(web.asked) == 2
    clock.advance(301.0)
    await shown.show(PreviewOrder(url=A))
    assert len(web.asked) == 3


async def test_few_pages_and_few_bytes_are_remembered() -> None:
    web = Web()
    shown = previews(web, kept_pages=2, kept_bytes=3 * len(BODY))
    for name in ("1", "2", "1", "3", "1", "2"):  # 2 was shown longest ago when 3 came
        await shown.show(PreviewOrder(url=A + name))
    assert [url.removeprefix(A) for url in web.asked] == ["1", "2", "3", "2"]
    small = previews(web, kept_bytes=len(BODY) - 1)
    for _ in range(2):
        await small.show(PreviewOrder(url=A))
    assert web.asked[-2:] == [A, A]


async def test_who_asks_for_the_same_page_gets_the_same_answer() -> None:
    web = Web()
    web.open.clear()
    shown = previews(web)
    waiting = [asyncio.ensure_future(shown.show(PreviewOrder(url=A))) for _ in range(3)]
    await web.busy.wait()
    web.open.set()
    assert {(await each).status for each in waiting} == {200}
    assert len(web.asked) == 1


async def test_only_some_pages_are_looked_at_at_once() -> None:
    web = Web()
    web.open.clear()
    shown = previews(web, at_once=2)
    orders = [PreviewOrder(url=f"{A}{number}") for number in range(6)]
    waiting = [asyncio.ensure_future(shown.show(order)) for order in orders]
    await web.crowded.wait()
    web.open.set()
    await asyncio.gather(*waiting)
    assert (web.most_at_once, len(web.asked)) == (2, 6)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"failure": FailureKind.DNS, "status": 0, "detail": "a.example does not resolve."},
            "does not resolve",
        ),
        ({"failure": FailureKind.PRIVATE_ADDRESS, "status": 0}, "allow_private_networks"),
        ({"failure": FailureKind.TOO_LARGE, "status": 0}, "max_body_bytes"),
        ({"truncated": True}, "neither HTML"),
        ({"headers": (("content-type", "image/png"),)}, "neither HTML"),
    ],
)
async def test_a_page_that_cannot_be_shown_says_why(fields: dict[str, Any], words: str) -> None:
    web = Web(lambda url: page(url, **fields))
    shown = previews(web)
    for _ in range(2):
        found = await shown.show(PreviewOrder(url=A, fields={"x": "h1"}))
        assert words in (found.problem or "")
        assert (found.data, found.outline, found.status) == (None, [], None if "failure" in fields else 200)
    assert len(web.asked) == (2 if "failure" in fields else 1)


async def test_a_page_of_an_error_is_shown_with_its_status_and_not_remembered() -> None:
    web = Web(lambda url: page(url, status=404))
    shown = previews(web)
    for _ in range(2):
        found = await shown.show(PreviewOrder(url=A))
        assert (found.status, found.title, found.problem) == (
            404,
            "A shop",
            f"{A}: the server answered with status 404.",
        )
    assert len(web.asked) == 2


async def test_json_is_read_without_an_outline() -> None:
    headers = (("content-type", "application/json"),)
    web = Web(lambda url: page(url, b'{"items": [1, 2]}', headers=headers))
    shown = await show(web, fields={"first": "jmespath:items[0]"})
    assert (shown.kind, shown.data, shown.outline) == ("json", {"first": 1}, [])


async def test_regular_expressions_work_in_a_process_of_their_own() -> None:
    shown = await show(Web(), fields={"price": r're:"price">(\d)', "heading": "h1", "bad": "re:("})
    assert shown.data == {"price": "7", "heading": "Things"}
    assert list(shown.field_problems) == ["bad"]


async def test_a_regular_expression_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview, "_PATIENCE", 1.5)
    web = Web(lambda url: page(url, BODY + b"a" * 60))
    shown = await show(web, fields={"slow": r"re:(a+)+!", "heading": "h1"})
    assert shown.data == {"heading": "Things"}
    assert "did not end" in shown.field_problems["slow"]
