import pytest

from crawlmesh.control.free_host import free_host
from crawlmesh.control.limit_host import limit_host
from crawlmesh.control.look_at_hosts import get_host, list_hosts
from crawlmesh.errors import NotFoundError
from crawlmesh.model.event import EventType
from crawlmesh.model.host import HostLimits
from crawlmesh.testing.builders import crawl, new_links
from tests.unit.control.kit import ControlKit


async def test_a_change_of_limits_is_told_once() -> None:
    kit = ControlKit()
    for _ in range(2):
        status = await limit_host(kit.context, "A.example", HostLimits(delay=2.0))
        assert (status.host, status.limits) == ("a.example", HostLimits(delay=2.0))
    await free_host(kit.context, "a.example")
    told = [event.data for event in await kit.told(EventType.HOST_LIMITS_CHANGED)]
    assert told == [
        {"host": "a.example", "delay": 2.0, "slots": None, "blocked": False},
        {"host": "a.example", "delay": None, "slots": None, "blocked": False},
    ]


async def test_a_host_that_nobody_knows_is_not_found() -> None:
    kit = ControlKit()
    for call in (get_host, free_host):
        with pytest.raises(NotFoundError, match="no crawl has met it, and it has no limits"):
            await call(kit.context, "a.example")


async def test_no_limits_for_what_can_be_no_host() -> None:
    kit = ControlKit()
    with pytest.raises(NotFoundError, match=r"There is no host 'a b'\. Name one as links do"):
        await limit_host(kit.context, "a b", HostLimits(blocked=True))
    assert await kit.crawl_store.all_hosts() == []


async def _names(kit: ControlKit, search: str | None, limit: int) -> list[list[str]]:
    pages: list[list[str]] = []
    cursor = None
    while True:
        found, cursor = await list_hosts(kit.context, search=search, cursor=cursor, limit=limit)
        pages.append([status.host for status in found])
        if cursor is None:
            return pages


async def test_pages_of_hosts() -> None:
    kit = ControlKit()
    await kit.crawl_store.create_crawl(crawl())
    for number in range(5):
        await kit.crawl_store.add(new_links(1, f"h{number}.example"))
    assert await _names(kit, None, 2) == [
        ["h0.example", "h1.example"],
        ["h2.example", "h3.example"],
        ["h4.example"],
    ]
    assert await _names(kit, None, 5) == [[f"h{number}.example" for number in range(5)]]


async def test_a_search_finds_a_text_in_any_case_page_by_page() -> None:
    kit = ControlKit()
    for number in range(30):
        await kit.crawl_store.limit_host(
            f"{number:02}.{'shop' if number % 10 == 3 else 'news'}", HostLimits(slots=1)
        )
    assert await _names(kit, "SHOP", 2) == [["03.shop", "13.shop"], ["23.shop"]]
    assert await _names(kit, "nowhere", 10) == [[]]
