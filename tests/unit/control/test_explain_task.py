import pytest

from crawlmesh.control.explain_task import explain_task
from crawlmesh.errors import NotFoundError
from crawlmesh.model.host import HostLimits, HostReport, HostState
from crawlmesh.testing.builders import lease_request, settlement
from tests.unit.control.kit import ControlKit


async def test_a_waiting_task_names_the_reasons_of_each_kind_of_node() -> None:
    kit = ControlKit()
    for name in ("a", "b", "c"):
        await kit.join(name)
    for name in ("d", "e"):
        await kit.join(name, slots=1, capabilities={"javascript_rendering": 1})
    await kit.submit(2, capabilities={"javascript_rendering": 1})
    await kit.place()
    [task] = await kit.submit(capabilities={"javascript_rendering": 1})
    for context in (kit.context, kit.another_master()):
        found = await explain_task(context, task.id)
        assert "3 nodes lack capability javascript_rendering ≥ 1" in found.reasons
        assert "2 nodes are full" in found.reasons
        assert (found.nodes, found.fitting, found.free) == (5, 2, 0)
        assert found.placements == ()


async def test_a_placed_task_says_why_it_is_there() -> None:
    kit = ControlKit()
    await kit.join()
    [task] = await kit.submit()
    await kit.place()
    found = await explain_task(kit.context, task.id)
    [placement] = found.placements
    assert (placement.node_id, placement.strategy) == ("a", "least_loaded")
    assert placement.choice in found.summary
    assert placement.allocation is not None


async def test_a_task_that_failed_says_until_when_it_waits() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit()
    await kit.place()
    await kit.report(node, *(await kit.pull(node)).assignments, outcome="failed")
    found = await explain_task(kit.context, task.id)
    assert found.reasons[0].startswith("waits until 2023-11-14T")
    assert found.reasons[0].endswith("after attempt 1")


async def test_an_unknown_type_of_task_is_explained() -> None:
    kit = ControlKit()
    await kit.join(task_types=("web_crawl",))
    [task] = await kit.submit(task_type="brew_coffee")
    assert "no node has an executor for brew_coffee" in (await explain_task(kit.context, task.id)).reasons


async def test_hosts_that_are_asked_slowly_are_named() -> None:
    kit = ControlKit()
    await kit.join()
    [task] = await kit.submit(task_type="web_crawl", parameters={"url": "https://a.example/1", "depth": 0})
    await kit.place()
    await kit.make_crawl(task.id, "1")
    [batch] = (await kit.crawl_store.lease(lease_request(task.id))).batches
    report = HostReport(None, HostState("a.example", delay=4.0))
    await kit.crawl_store.settle([settlement(batch, report=report)])
    found = await explain_task(kit.context, task.id)
    assert "host a.example is rate-limited for 4 s" in found.reasons
    kit.clock.advance(4.0)
    found = await explain_task(kit.context, task.id)
    assert "host a.example is rate-limited: one request every 4 s" in found.reasons


async def test_hosts_that_users_limited_are_named() -> None:
    kit = ControlKit()
    await kit.join()
    [task] = await kit.submit(task_type="web_crawl", parameters={"url": "https://a.example/1", "depth": 0})
    await kit.place()
    await kit.make_crawl(task.id, "1")
    for limits, reason in (
        (HostLimits(blocked=True, delay=3.0), "host a.example is blocked by a user"),
        (HostLimits(delay=2.5), "host a.example is rate-limited by a user: one request every 2.5 s"),
        (HostLimits(slots=2), "host a.example is limited by a user to 2 requests at once"),
    ):
        await kit.crawl_store.limit_host("a.example", limits)
        assert reason in (await explain_task(kit.context, task.id)).reasons
    await kit.crawl_store.limit_host("a.example", HostLimits(slots=9))
    assert not any("a.example" in reason for reason in (await explain_task(kit.context, task.id)).reasons)


async def test_an_ended_task_says_how_it_ended() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit(max_retries=0)
    await kit.place()
    await kit.report(node, *(await kit.pull(node)).assignments, outcome="failed")
    assert "It failed on node a: broken" in (await explain_task(kit.context, task.id)).summary
    with pytest.raises(NotFoundError):
        await explain_task(kit.context, "none")
