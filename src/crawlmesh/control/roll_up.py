"""Coarser samples from finer ones, as these come in."""

from collections.abc import Iterable

from crawlmesh.model.sample import Sample
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.rules.series import joined, rolled_up


class RollUp:
    """Keeps the coarser steps that are not over. A new leader goes on with those that are in the store."""

    def __init__(self, store: ControlStore) -> None:
        self._store = store
        self._open: dict[tuple[str, int], Sample] = {}  # by series and step

    async def with_coarser(self, samples: Iterable[Sample]) -> list[Sample]:
        """The samples, and what the coarser steps that they belong to are with them."""
        all_samples: list[Sample] = []
        for sample in samples:
            all_samples.append(sample)
            all_samples += [await self._joined(part) for part in rolled_up(sample)]
        return all_samples

    def forget(self, moment: float) -> None:
        """Series of which nothing was told in the whole step before a moment are over."""
        self._open = {
            key: sample for key, sample in self._open.items() if sample.at + 2 * sample.step > moment
        }

    async def _joined(self, part: Sample) -> Sample:
        key = part.series, part.step
        known = self._open.get(key) or await self._kept(part)
        whole = joined(known, part) if known is not None and known.at == part.at else part
        self._open[key] = whole
        return whole

    async def _kept(self, part: Sample) -> Sample | None:
        found = await self._store.samples(part.series, part.step, part.at, 1)
        return found[0] if found else None
