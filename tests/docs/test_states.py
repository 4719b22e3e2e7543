import pytest

from crawlmesh.adapters.memory import MemoryCrawlStore
from crawlmesh.model.lease import Settlement
from crawlmesh.model.link import LinkState
from crawlmesh.model.outcome import LinkOutcome, OutcomeKind
from crawlmesh.testing.builders import crawl, fingerprint, lease_request, seed
from crawlmesh.testing.manual_clock import ManualClock
from tests.docs.pages import page, table_rows

_URL = "https://a.example/"


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
