import pytest

from crawlmesh.control.crawl_looks import CrawlLooks
from crawlmesh.control.heartbeat import heartbeat
from crawlmesh.control.loops.retention import Retention
from crawlmesh.control.loops.take_samples import TakeSamples
from crawlmesh.errors import NotLeaderError, StoreError
from crawlmesh.model.sample import CLUSTER_SERIES, STEPS, Sample, task_series
from crawlmesh.model.task import Task
from crawlmesh.protocol.node_messages import HeartbeatMessage, Registered
from tests.unit.control.kit import ControlKit

URL = {"url": "https://a.example/"}


class SampleKit(ControlKit):
    """A leader that samples."""

    loop: TakeSamples

    async def leads(self) -> None:
        await super().leads()
        self.loop = TakeSamples(self.context, self.lead, self.view)
        self.clock.advance(5.0 - self.now % 5.0)

    async def step(self, seconds: float = 5.0) -> int:
        self.clock.advance(seconds)
        return await self.loop.run_once(self.now)

    async def read(self, series: str = CLUSTER_SERIES, step: int = 5) -> list[Sample]:
        return await self.store.samples(series, step, 0.0, 1000)

    async def running_crawls(self, node: Registered, count: int = 1) -> list[Task]:
        tasks = await self.submit(count, task_type="web_crawl", parameters=URL)
        await self.place()
        pulled = await self.pull(node)
        ids = tuple(each.execution.id for each in pulled.assignments)
        for task in tasks:
            await self.make_crawl(task.id, *(f"{task.id}/{number}" for number in range(10)))
        await self.pull(node, known=ids, started=ids)
        return tasks

    async def beat(self, node: Registered, **resources: float) -> None:
        message = HeartbeatMessage(session=node.session, resources=resources)
        await heartbeat(self.context, node.node_id, message)


@pytest.fixture
async def kit() -> SampleKit:
    kit = SampleKit()
    await kit.leads()
    return kit


async def test_each_step_of_the_clock_gets_one_sample(kit: SampleKit) -> None:
    await kit.step(5.02)
    assert await kit.loop.run_once(kit.now) == 0
    assert kit.loop.interval() == pytest.approx(5.03)
    await kit.step(5.03)
    await kit.step(4.97)
    ats = [each.at for each in await kit.read()]
    assert ats == [ats[0], ats[0] + 5, ats[0] + 10]
    assert ats[-1] + 5 <= kit.now < ats[-1] + 10


async def test_the_cluster_is_what_nodes_told_last(kit: SampleKit) -> None:
    one, other = await kit.join("a"), await kit.join("b")
    await kit.submit(3, capabilities={"wings": 1})
    await kit.beat(one, pages=10.0, bytes=2000.0, errors=0.5, cpu_usage=0.3)
    await kit.beat(other, cpu_usage=0.3)
    await kit.step()
    await kit.beat(one, pages=0.0, bytes=0.0, errors=0.0)
    await kit.step()
    first, second = await kit.read()
    assert first.means == {
        "pages": 10.0,
        "bytes": 2000.0,
        "errors": 0.5,
        "queued": 0.0,
        "running": 0.0,
        "pending": 3.0,
        "nodes.online": 2.0,
    }
    assert (second.means["pages"], second.seconds) == (0.0, 5.0)


async def test_coarser_steps_are_means_and_a_new_leader_goes_on_with_them(kit: SampleKit) -> None:
    node = await kit.join()
    kit.clock.advance(120.0 - kit.now % 120.0)
    for pages in (10.0, 20.0):
        await kit.beat(node, pages=pages)
        await kit.step()
    await kit.store.resign("test")
    await kit.leads()
    await kit.beat(node, pages=60.0)
    await kit.step(5.0 - kit.now % 5.0 or 5.0)
    for step in STEPS[1:]:
        [coarse] = await kit.read(step=step)
        assert coarse.at % step == 0
        assert coarse.means["pages"] == pytest.approx(30.0)
    kit.clock.advance(120.0 - kit.now % 120.0)
    await kit.beat(node, pages=7.0)
    await kit.step(5.0)
    assert [each.means["pages"] for each in await kit.read(step=120)] == pytest.approx([30.0, 7.0])


async def test_a_crawl_is_sampled_from_its_first_execution_on(kit: SampleKit) -> None:
    node = await kit.join()
    [task] = await kit.running_crawls(node)
    await kit.crawl_all(task.id)
    await kit.step()
    [sample] = await kit.read(task_series(task.id))
    assert sample.means["pages"] == pytest.approx(10 / 5)
    assert (sample.means["queued"], sample.means["done"], sample.means["records"]) == (0.0, 10.0, 10.0)
    [cluster] = await kit.read()
    assert (cluster.means["queued"], cluster.means["running"]) == (0.0, 1.0)


async def test_a_new_leader_takes_nothing_of_what_was_before_for_its_own(kit: SampleKit) -> None:
    node = await kit.join()
    [task] = await kit.running_crawls(node)
    await kit.step()
    await kit.crawl_all(task.id)
    await kit.store.resign("test")
    kit.clock.advance(60.0)
    await kit.leads()
    await kit.step()
    assert len(await kit.read(task_series(task.id))) == 1
    await kit.step()
    [before, after] = await kit.read(task_series(task.id))
    assert (before.means["pages"], after.means["pages"]) == (0.0, 0.0)
    assert after.means["done"] == 10.0


async def test_a_crawl_that_ended_is_looked_at_once_more(kit: SampleKit) -> None:
    node = await kit.join()
    [task] = await kit.running_crawls(node)
    await kit.step()
    await kit.crawl_all(task.id)
    [assignment] = await kit.store.node_assignments(node.node_id)
    await kit.report(node, assignment)
    await kit.step()
    assert [each.means["pages"] for each in await kit.read(task_series(task.id))] == [0.0, 2.0]
    kit.crawl_store.progress = None  # type: ignore[assignment,method-assign]
    for _ in range(3):
        await kit.step()
    assert len(await kit.read(task_series(task.id))) == 2
    assert len(await kit.read()) == 5


async def test_many_crawls_are_looked_at_in_turn(kit: SampleKit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawlmesh.control.crawl_looks._MOST_CRAWLS", 2)
    node = await kit.join(slots=8)
    tasks = await kit.running_crawls(node, 5)
    looks: list[str] = []
    progress = kit.crawl_store.progress

    async def counted(crawl_id: str) -> object:
        looks.append(crawl_id)
        return await progress(crawl_id)

    kit.crawl_store.progress = counted  # type: ignore[assignment,method-assign]
    for _ in range(3):
        before = len(looks)
        await kit.step()
        assert len(looks) - before <= 2
    assert sorted(looks) == sorted(task.id for task in tasks)
    queued = [each.means["queued"] for each in await kit.read()]
    assert queued == [None, None, 50.0]
    for _ in range(3):
        await kit.step()
    assert [len(await kit.read(task_series(task.id))) for task in tasks] == [2] * 5


async def test_a_crawl_store_that_is_away_costs_the_crawls_their_samples_and_nothing_else(
    kit: SampleKit,
) -> None:
    node = await kit.join()
    [task] = await kit.running_crawls(node)
    progress = kit.crawl_store.progress

    async def away(_: str) -> object:
        raise StoreError("It does not answer.")

    kit.crawl_store.progress = away  # type: ignore[assignment,method-assign]
    await kit.step()
    kit.crawl_store.progress = progress  # type: ignore[method-assign]
    await kit.crawl_all(task.id)
    await kit.step()
    assert len(await kit.read()) == 2
    [sample] = await kit.read(task_series(task.id))
    assert (sample.seconds, sample.means["pages"]) == (10.0, 1.0)


async def test_a_look_that_is_too_long_ago_is_a_gap(kit: SampleKit) -> None:
    node = await kit.join()
    [task] = await kit.running_crawls(node)
    await kit.step()
    await kit.crawl_all(task.id)
    await kit.step(1000.0)
    assert len(await kit.read(task_series(task.id))) == 1
    assert (await kit.read())[-1].seconds == 5.0


async def test_an_idle_cluster_is_asked_little(kit: SampleKit) -> None:
    await kit.step()
    kit.store.calls.clear()
    await kit.step()
    assert "list_tasks" not in kit.store.calls
    assert len(kit.store.calls) <= 8
    assert kit.store.calls.count("keep_samples") == 1


async def test_a_former_leader_keeps_nothing(kit: SampleKit) -> None:
    await kit.store.resign("test")
    with pytest.raises(NotLeaderError):
        await kit.step()
    assert await kit.read() == []


async def test_samples_are_kept_for_a_while_by_their_step(kit: SampleKit) -> None:
    await kit.step()
    retention = Retention(kit.context, kit.lead)
    for age, left in ((1_700.0, [5, 120, 3600]), (1_000.0, [120, 3600]), (43_200.0, [3600]), (1.3e6, [])):
        kit.clock.advance(age)
        await retention.run_once(kit.now)
        assert [step for step in STEPS if await kit.read(step=step)] == left


async def test_nothing_is_known_of_links_before_the_first_turn() -> None:
    kit = ControlKit()
    looks = CrawlLooks(kit.context)
    assert looks.queued is None
    assert await looks.samples(kit.now, running=False) == []
    assert looks.queued == 0
