import re
from typing import Any

import pytest

from crawlmesh.control.begin_execution import begin_execution
from crawlmesh.model.crawl import Dedup
from crawlmesh.observability.metrics import METRICS, Metric
from crawlmesh.testing.builders import crawl, new_links
from crawlmesh.version import __version__
from tests.unit.api.master import Master


async def test_health_tells_whether_this_master_leads() -> None:
    for leads in (True, False):
        master = await Master.start(leads=lambda leads=leads: leads)
        answer = await master.client(None).get("/health")
        assert answer.json == {
            "status": "ok",
            "version": __version__,
            "leader": leads,
            "crawl_store": "connected",
        }


@pytest.mark.parametrize("path", ["/api/v1/system/overview", "/api/distribution/system/overview"])
async def test_the_overview_counts_everything(master: Master, path: str) -> None:
    await master.assigned()
    told = (await master.client("viewer").get(path)).json
    assert (told["tasks"]["assigned"], told["nodes"]["online"], told["running"]) == (1, 1, 1)
    assert told["at"] == "2023-06-15T10:30:45Z"


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
async def test_every_metric_is_served(master: Master, metric: Metric) -> None:
    answer = await master.client("viewer").get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert f"# TYPE {metric.name} {metric.kind}" in answer.body.decode()


async def test_metrics_show_how_things_stand(master: Master) -> None:
    await master.submit()
    await master.client(None).get("/nothing/here")
    await master.client().get("/metrics")
    text = (await master.client().get("/metrics")).body.decode()
    for line in (
        'crawlmesh_tasks{status="pending"} 1.0',
        'crawlmesh_nodes{status="online"} 1.0',
        "crawlmesh_queue_depth 1.0",
        "crawlmesh_leader 0.0",
        "crawlmesh_tasks_created_total 1.0",
        'crawlmesh_api_requests_total{method="POST",route="/api/v1/tasks",status="201"} 1.0',
        'crawlmesh_api_requests_total{method="unknown",route="unknown",status="404"} 1.0',
    ):
        assert line in text.splitlines()


async def test_filters_are_measured_and_stand_in_the_overview(master: Master) -> None:
    task_id = await master.assigned(task_type="web_crawl", parameters={"url": "https://a.example/"})
    (execution,) = await master.context.store.running_executions([task_id])
    await begin_execution(master.context, execution)
    store = master.context.crawl_store
    await store.create_crawl(crawl(task_id, dedup=Dedup.BLOOM, filter_capacity=100))
    await store.add(new_links(95, crawl_id=task_id))
    text = (await master.client().get("/metrics")).body.decode()
    for line in ("crawlmesh_filters 1.0", "crawlmesh_filter_fill 0.95", "crawlmesh_filter_links 95.0"):
        assert line in text.splitlines()
    (shown,) = (await master.client("viewer").get("/api/v1/system/overview")).json["filters"]
    assert (shown["task_id"], shown["filter"]["nearly_full"]) == (task_id, True)


async def test_the_documentation_asks_no_other_server(master: Master) -> None:
    client = master.client("viewer")
    page = await client.get("/docs")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert not re.search(rb"https?://", page.body)
    for source in re.findall(rb'(?:src|href)="(docs/[^"]+)"', page.body):
        part = await client.get(f"/{source.decode()}")
        assert (part.status, len(part.body) > 100) == (200, True)
    assert (await client.get("/docs/assets/../../secret")).status == 404


def test_the_description_is_complete(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for reference in re.findall(r"'\$ref': '#/components/schemas/([^']+)'", str(document)):
        assert reference in schemas
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], (method, path)
            assert operation["tags"]
            good = [status for status in operation["responses"] if status.startswith("2")]
            assert good, (method, path)
            for response in operation["responses"].values():
                assert response["description"]


def test_nothing_internal_is_left_in_the_description(document: dict[str, Any]) -> None:
    assert "x-schemas" not in str(document)
    assert "HTTPValidationError" not in str(document)
