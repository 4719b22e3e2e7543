from typing import Any

from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.model.node import Node, NodeStatus
from crawlmesh.rules.cluster_means import cluster_means
from crawlmesh.rules.crawl_means import crawl_means

NOW = 1_700_000_000.0


def node(number: int, status: NodeStatus = NodeStatus.ONLINE, heard: float = NOW, **usage: Any) -> Node:
    name = f"node-{number}"
    return Node(id=name, identity=name, name=name, status=status, last_heartbeat=heard, usage=usage)


def test_the_cluster_is_the_sum_of_what_its_nodes_told() -> None:
    nodes = [
        node(1, pages=10.0, bytes=1000.0, errors=0.5),
        node(2, NodeStatus.DRAINING, pages=2.0, bytes=50.0, errors=0.0),
        node(3, cpu_usage=0.5),  # of the S4 interface: it tells no rates
    ]
    found = cluster_means(nodes, {"node-1": 3, "node-2": 1}, {"pending": 7, "completed": 9}, 12.0, NOW - 90)
    assert found == {
        "pages": 12.0,
        "bytes": 1050.0,
        "errors": 0.5,
        "queued": 12.0,
        "running": 4.0,
        "pending": 7.0,
        "nodes.online": 2.0,
        "nodes.draining": 1.0,
    }


def test_nodes_that_are_away_or_were_not_heard_of_do_nothing() -> None:
    nodes = [
        node(1, NodeStatus.UNRESPONSIVE, pages=10.0),
        node(2, NodeStatus.OFFLINE, pages=10.0),
        node(3, heard=NOW - 91, pages=10.0),
        node(4, pages=-1.0),
    ]
    found = cluster_means(nodes, {}, {}, None, NOW - 90)
    assert (found["pages"], found["queued"], found["nodes.online"]) == (0.0, None, 2.0)


def test_a_crawl_is_as_fast_as_its_counters_grew() -> None:
    before = CrawlProgress(pages=10, bytes=1000, by_outcome={"retry": 1, "fetched": 10})
    after = CrawlProgress(
        pending=7, pages=20, bytes=6000, done=21, dead=2, records=5, by_outcome={"retry": 4, "dead": 2}
    )
    assert crawl_means(before, after, 10.0) == {
        "pages": 1.0,
        "bytes": 500.0,
        "errors": 0.5,
        "queued": 7.0,
        "done": 21.0,
        "dead": 2.0,
        "records": 5.0,
    }


def test_counters_that_began_anew_are_no_rate() -> None:
    means = crawl_means(CrawlProgress(pages=10, bytes=9, by_outcome={"dead": 3}), CrawlProgress(), 5.0)
    assert (means["pages"], means["bytes"], means["errors"]) == (0.0, 0.0, 0.0)
