import json
from typing import Any

from crawlmesh.adapters.memory.task_channel import MemoryBroker, MemoryTaskChannel
from crawlmesh.api.shapes.bus import event_body, record_body
from crawlmesh.control.bus_bodies import BusBodies
from crawlmesh.control.loops.publish_events import PublishEvents
from crawlmesh.control.loops.publish_records import PublishRecords
from crawlmesh.errors import ChannelError
from crawlmesh.ports.task_channel import ChannelMessage
from tests.unit.control.kit import ControlKit


class Bus:
    """A master with an event bus, and somebody who listens."""

    def __init__(self) -> None:
        self.kit = ControlKit()
        self.broker = MemoryBroker()
        self.channel = MemoryTaskChannel(self.broker)

    def loop(self) -> PublishEvents:
        return PublishEvents(self.kit.context, self.kit.lead, self.channel, BusBodies())

    def told(self, place: str) -> list[ChannelMessage]:
        found = []
        while waiting := self.broker.take(place):
            found.append(waiting[2])
        return found


async def _finish_one(kit: ControlKit, **fields: Any) -> str:
    node = await kit.join()
    [task] = await kit.submit(**fields)
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    await kit.report(node, assignment)
    return task.id


async def test_every_event_is_told_once_and_the_next_leader_goes_on_there() -> None:
    bus = Bus()
    await bus.kit.leads()
    await _finish_one(bus.kit)
    loop = bus.loop()
    while await loop.run_once(0.0):
        pass
    last = await bus.kit.store.last_event_id()
    assert [message.id for message in bus.told("events")] == [str(number) for number in range(1, last + 1)]
    await bus.kit.submit()
    another = bus.loop()
    assert await another.run_once(0.0) == 1
    (message,) = bus.told("events")
    assert json.loads(message.body)["type"] == "task.created"


async def test_the_result_of_a_task_is_told_when_it_ends() -> None:
    bus = Bus()
    await bus.kit.leads()
    task_id = await _finish_one(bus.kit, workflow_id="w", parameters={"value": 1})
    waiting = await bus.kit.submit()
    await bus.loop().run_once(0.0)
    (message,) = bus.told("results")
    result = json.loads(message.body)
    assert (result["task_id"], result["status"], result["workflow_id"]) == (task_id, "completed", "w")
    assert result["records"] == f"/api/v1/tasks/{task_id}/records"
    assert result["ended_at"].endswith("Z")
    assert waiting[0].id != task_id


async def test_while_the_broker_is_away_nothing_is_skipped() -> None:
    bus = Bus()
    await bus.kit.leads()
    await bus.kit.submit()

    class Away(MemoryTaskChannel):
        async def publish(self, *_: Any) -> None:
            raise ChannelError("away")

    loop = PublishEvents(bus.kit.context, bus.kit.lead, Away(), BusBodies())
    assert await loop.run_once(0.0) == 0
    assert await bus.kit.store.position("event_bus") == 0
    assert await bus.loop().run_once(0.0) == 1


async def test_records_of_a_crawl_are_told_when_it_has_ended_and_again_from_where_a_kill_came() -> None:
    bus = Bus()
    await bus.kit.leads()
    node = await bus.kit.join(task_types=("web_crawl",))
    [task] = await bus.kit.submit(
        task_type="web_crawl", parameters={"url": "https://a.example/"}, max_nodes=1
    )
    await bus.kit.make_crawl(task.id, *"abc")
    await bus.kit.place()
    [assignment] = (await bus.kit.pull(node)).assignments
    await bus.kit.crawl_all(task.id)
    loop = PublishRecords(bus.kit.context, bus.kit.lead, bus.channel, BusBodies(event_body, record_body))
    await loop.run_once(0.0)
    assert bus.told("records") == []
    await bus.kit.report(node, assignment)
    assert await loop.run_once(0.0) > 0
    told = bus.told("records")
    assert [json.loads(message.body)["url"] for message in told] == [
        f"https://a.example/{path}" for path in "abc"
    ]
    assert {json.loads(message.body)["task_id"] for message in told} == {task.id}
    assert len({message.id for message in told}) == 3
    assert await loop.run_once(0.0) == 0
    await bus.kit.store.keep_position("event_bus_records", 0)
    await bus.kit.store.keep_position("event_bus_records_link", int(told[1].id.rpartition(":")[2]))
    await loop.run_once(0.0)
    assert [message.id for message in bus.told("records")] == [told[2].id]
