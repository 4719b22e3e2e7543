import re
from collections.abc import Mapping
from typing import TypeVar

import pytest

from crawlmesh.adapters.memory import MemoryCrawlStore
from crawlmesh.model.execution import EndedBy, ExecutionStatus
from crawlmesh.model.lease import Settlement
from crawlmesh.model.link import LinkState
from crawlmesh.model.node import NodeStatus
from crawlmesh.model.outcome import LinkOutcome, OutcomeKind
from crawlmesh.model.task import TaskStatus
from crawlmesh.rules import node_lifecycle, task_lifecycle
from crawlmesh.rules.task_moves import ended
from crawlmesh.testing.builders import crawl, fingerprint, lease_request, seed
from crawlmesh.testing.manual_clock import ManualClock
from tests.docs.pages import page, table_rows
from tests.unit.rules.cluster_builders import execution

_Status = TypeVar("_Status", TaskStatus, NodeStatus)

_URL = "https://a.example/"
_ARROW = re.compile(r"^ +(\w+) --> (\w+): \S", re.MULTILINE)


def _rows() -> list[list[str]]:
    return table_rows(page("docs/states.md"))


@pytest.mark.parametrize("state", LinkState)
def test_every_state_is_described_and_drawn(state: LinkState) -> None:
    assert state in {row[0] for row in _rows()}
    assert f" {state}" in page("docs/states.md").split("```")[1]


@pytest.mark.parametrize("kind", OutcomeKind)
def test_every_outcome_is_described_and_drawn(kind: OutcomeKind) -> None:
    assert any(row[0] == kind and row[1] in set(LinkState) for row in _rows())
    assert str(kind) in page("docs/states.md").split("```")[1]


@pytest.mark.parametrize("kind", OutcomeKind)
async def test_outcomes_lead_to_the_states_of_the_table(kind: OutcomeKind) -> None:
    documented = next(row[1] for row in _rows() if row[0] == kind and row[1] in set(LinkState))
    store = MemoryCrawlStore(ManualClock())
    await store.create_crawl(crawl())
    await store.add([seed(_URL)])
    batch = (await store.lease(lease_request())).batches[0]
    assert await store.settle([Settlement(batch.fence, [LinkOutcome(batch.links[0].id, kind)])]) == [True]
    entry = await store.explain("crawl", fingerprint(_URL))
    await store.aclose()
    assert entry is not None
    assert entry.state == documented


def _section(heading: str) -> str:
    return page("docs/states.md").split(f"\n## {heading}\n")[1].split("\n## ")[0]


def _arrows(moves: Mapping[_Status, frozenset[_Status]]) -> list[tuple[str, str]]:
    return sorted((str(before), str(after)) for before, targets in moves.items() for after in targets)


def test_the_drawing_of_a_task_is_the_table_of_its_moves() -> None:
    assert sorted(_ARROW.findall(_section("A task"))) == _arrows(task_lifecycle.MOVES)


def test_the_drawing_of_a_node_is_the_table_of_its_moves() -> None:
    assert sorted(_ARROW.findall(_section("A node"))) == _arrows(node_lifecycle.MOVES)


def test_every_state_of_tasks_and_nodes_and_every_end_of_an_execution_is_described() -> None:
    for heading, states in (("A task", TaskStatus), ("A node", NodeStatus), ("An execution", EndedBy)):
        described = [row[0] for row in table_rows(_section(heading))][2:]
        assert described == [str(state) for state in states]


@pytest.mark.parametrize("by", EndedBy)
def test_executions_end_in_the_status_of_the_table(by: EndedBy) -> None:
    documented = next(row[1] for row in table_rows(_section("An execution")) if row[0] == by)
    assert ended(execution(), by, 1.0).status is ExecutionStatus(documented)
