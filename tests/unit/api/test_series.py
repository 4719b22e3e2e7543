from typing import Any

from crawlmesh.model.sample import CLUSTER_SERIES, Sample, Span, task_series
from crawlmesh.protocol.node_messages import HeartbeatMessage
from tests.unit.api.master import NOW, Master

STEP = 5.0
BEGUN = NOW // STEP * STEP - STEP  # of the step that is over


async def keep(master: Master, *means: dict[str, float | None], series: str = CLUSTER_SERIES) -> None:
    """Samples, the last one of the step that is over."""
    begin = BEGUN - STEP * (len(means) - 1)
    samples = [
        Sample(series=series, step=5, at=begin + STEP * number, seconds=5.0, means=each)
        for number, each in enumerate(means)
    ]
    await master.context.store.keep_samples(samples)


async def test_the_cluster_over_time(master: Master) -> None:
    point: dict[str, float | None] = {
        "pages": 1 / 3,
        "bytes": 1234.5678,
        "errors": 0.0,
        "queued": None,
        "running": 2.0,
        "pending": 1.0,
        "nodes.online": 2.0,
    }
    await keep(master, point, {"pages": 2.0, "nodes.online": 1.0})
    told = (await master.client("viewer").get("/api/v1/system/series")).json
    assert (told["span"], told["step"]) == ("15m", 5)
    assert (told["from"], told["to"]) == ("2023-06-15T10:15:50Z", "2023-06-15T10:30:45Z")
    assert len(told["points"]) == 179
    assert told["points"][0] == {
        "at": "2023-06-15T10:15:50Z",
        **dict.fromkeys(["pages", "bytes", "errors", "queued", "running", "pending", "nodes"]),
    }
    assert told["points"][-2] == {
        "at": "2023-06-15T10:30:35Z",
        "pages": 0.333333,
        "bytes": 1235,
        "errors": 0,
        "queued": None,
        "running": 2,
        "pending": 1,
        "nodes": {"online": 2},
    }
    assert told["points"][-1]["at"] == "2023-06-15T10:30:40Z"


async def test_every_span_has_its_step(master: Master) -> None:
    steps = {span: (await _series(master, span=span))["step"] for span in Span}
    assert steps == {"15m": 5, "6h": 120, "7d": 3600}
    answer = await master.client().get("/api/v1/system/series", span="1y")
    assert (answer.status, answer.error["field"]) == (422, "span")


async def test_a_crawl_over_time(master: Master) -> None:
    task_id = await master.submit()
    await keep(master, {"pages": 3.0, "done": 7.0, "dead": 1.0}, series=task_series(task_id))
    told = (await master.client("viewer").get(f"/api/v1/tasks/{task_id}/series")).json
    assert told["points"][-1] == {
        "at": "2023-06-15T10:30:40Z",
        "pages": 3,
        "bytes": None,
        "errors": None,
        "queued": None,
        "done": 7,
        "dead": 1,
        "records": None,
    }
    assert (await master.client().get("/api/v1/tasks/nobody/series")).status == 404


async def test_a_node_over_time_has_a_gap_only_where_it_was_silent(master: Master) -> None:
    for cpu in (0.2, 0.4, None, 0.6):
        if cpu is not None:
            message = HeartbeatMessage(session=master.node.session, resources={"cpu_usage": cpu})
            assert (await master.node_call("heartbeat", message)).status == 200
        master.clock.advance(30.0 if cpu != 0.4 else 600.0)
    path = f"/api/v1/nodes/{master.node.node_id}/series"
    points = (await master.client("viewer").get(path)).json["points"]
    cpus = [point["cpu"] for point in points]
    known = [cpu for cpu in cpus if cpu is not None]
    assert known == [0.2] + [0.4] * 6 + [0.6]
    assert list(points[-1]) == [
        "at", "cpu", "memory", "load", "received", "sent", "disk", "pages", "active_tasks",
    ]  # fmt: skip
    assert (await master.client().get("/api/v1/nodes/nobody/series")).status == 404


async def test_attention_is_told_with_its_reason(master: Master) -> None:
    task_id = await master.submit(capabilities={"wings": 1})
    master.clock.advance(61.0)
    told = (await master.client("viewer").get("/api/v1/system/attention")).json
    [item] = told["items"]
    assert told["more"] == 0
    assert item["subject"] == {"type": "task", "id": task_id}
    assert (item["kind"], item["severity"]) == ("task_stuck", "error")
    assert item["since"] == "2023-06-15T10:30:45Z"
    assert item["reason"].startswith("It waits for a node: the only node does not fit")


async def test_both_need_a_key(master: Master) -> None:
    for path in ("system/series", "system/attention", "live:stream"):
        assert (await master.client(None).get(f"/api/v1/{path}")).status == 401


async def _series(master: Master, **query: Any) -> Any:
    return (await master.client().get("/api/v1/system/series", **query)).json
