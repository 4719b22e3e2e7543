from typing import Any

from crawlmesh.adapters.memory.task_channel import MemoryTaskChannel
from crawlmesh.control.attention import attention
from crawlmesh.control.broker import Broker
from crawlmesh.control.limit_host import limit_host
from crawlmesh.errors import StoreError
from crawlmesh.model.attention import AttentionItem, AttentionKind, Severity
from crawlmesh.model.host import HostLimits
from crawlmesh.model.node import HealthStatus, NodeHealth
from crawlmesh.testing.builders import dead, lease_request, settlement
from tests.unit.control.kit import ControlKit

URL = {"url": "https://a.example/"}


async def _found(kit: ControlKit, **options: Any) -> list[AttentionItem]:
    kit.clock.advance(60.0)  # an older answer is not good any more
    return list((await attention(kit.context, **options)).items)


async def _working(kit: ControlKit, links: int = 30) -> str:
    """A crawl that a node works on."""
    node = await kit.join()
    [task] = await kit.submit(task_type="web_crawl", parameters=URL)
    await kit.place()
    ids = tuple(each.execution.id for each in (await kit.pull(node)).assignments)
    await kit.pull(node, known=ids, started=ids)
    await kit.make_crawl(task.id, *map(str, range(links)))
    return task.id


async def test_a_cluster_that_is_well_needs_nobody() -> None:
    kit = ControlKit()
    await _working(kit)
    found = await attention(kit.context)
    assert (found.items, found.more) == ((), 0)


async def test_nodes_that_are_not_well() -> None:
    kit = ControlKit()
    node = await kit.join()
    unwell = NodeHealth(HealthStatus.UNHEALTHY, {"reason": "High resource usage"}, kit.now)
    await kit.store.record_health([(node.node_id, unwell)])
    [item] = await _found(kit)
    assert (item.kind, item.subject_id) == (AttentionKind.NODE_UNHEALTHY, node.node_id)


async def test_tasks_that_no_node_can_take_are_one_thing_for_each_kind_of_them() -> None:
    kit = ControlKit()
    await kit.join()
    wings = await kit.submit(3, capabilities={"wings": 1})
    await kit.submit(500, capabilities={})
    [item] = await _found(kit)
    assert (item.kind, item.severity) == (AttentionKind.TASK_STUCK, Severity.ERROR)
    assert item.subject_id == wings[0].id
    assert "the only node does not fit" in item.reason
    assert "wings" in item.reason
    assert item.reason.endswith("So do 2 others like it.")


async def test_tasks_wait_for_nodes_that_are_full_and_that_is_no_trouble() -> None:
    kit = ControlKit()
    await kit.join(slots=1)
    await kit.submit(5)
    await kit.place()
    assert await _found(kit) == []


async def test_tasks_that_failed_lately() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit(max_retries=0)
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    await kit.report(node, assignment, outcome="failed")
    [item] = await _found(kit)
    assert (item.kind, item.subject_id, item.reason) == (AttentionKind.TASK_FAILED, task.id, "broken")
    kit.clock.advance(86_400.0)
    assert [each.kind for each in await _found(kit)] == []


async def test_a_crawl_that_fails_and_the_host_that_is_blocked() -> None:
    kit = ControlKit()
    task_id = await _working(kit)
    [batch] = (await kit.crawl_store.lease(lease_request(task_id, node_id="a/1"))).batches
    outcomes = [dead(link) for link in batch.links[:25]]
    await kit.crawl_store.settle([settlement(batch, *outcomes)])
    await limit_host(kit.context, "a.example", HostLimits(blocked=True))
    failing, blocked = await _found(kit)
    assert (failing.kind, failing.subject_id) == (AttentionKind.TASK_FAILING, task_id)
    assert failing.reason == "25 of 25 URLs were given up, mostly for http_404."
    assert (blocked.kind, blocked.subject_id) == (AttentionKind.HOST_BLOCKED, "a.example")


async def test_servers_that_do_not_answer() -> None:
    kit = ControlKit()
    channel = MemoryTaskChannel()
    await channel.aclose()
    object.__setattr__(kit.context, "event_bus", Broker("amqp://broker", channel))

    async def away(*_: object) -> object:
        raise StoreError("It does not answer.")

    kit.crawl_store.explain = away  # type: ignore[assignment,method-assign]
    broker, store = await _found(kit)
    assert (broker.kind, broker.subject_id) == (AttentionKind.BROKER_AWAY, "event_bus")
    assert (store.kind, store.severity) == (AttentionKind.CRAWL_STORE_AWAY, Severity.ERROR)
    assert [each.kind for each in await _found(kit, leads=False)] == [AttentionKind.CRAWL_STORE_AWAY]


async def test_an_answer_is_good_for_some_seconds() -> None:
    kit = ControlKit()
    await attention(kit.context)
    kit.store.calls.clear()
    await attention(kit.context)
    assert kit.store.calls == []
    kit.clock.advance(5.0)
    await attention(kit.context)
    assert kit.store.calls
