"""A whole move: alone with both ends, marks before and after, data in between, and a comparison."""

from contextlib import AsyncExitStack, ExitStack

import msgspec

from crawlmesh.control.move_control import common_columns, move_control, tally_control
from crawlmesh.control.move_crawls import Tell, move_crawls, tally_crawls
from crawlmesh.errors import StoreError, StoreLockedError, UsageError
from crawlmesh.ports.move_marks import MoveMark, MoveRole
from crawlmesh.rules.copy_checksums import Tally
from crawlmesh.wiring.crawl import system_clock
from crawlmesh.wiring.moving.ends import CONTROL, CRAWL, Ends
from crawlmesh.wiring.moving.marks import in_words, marks_of
from crawlmesh.wiring.moving.masters import existing, lock_folders, refuse_leaders
from crawlmesh.wiring.moving.transfers import open_control_transfer, open_crawl_transfer
from crawlmesh.wiring.stores import is_server, without_password


class PartMoved(msgspec.Struct, frozen=True):
    """What became of the control or the crawl data."""

    part: str
    source: str  # address without a password
    target: str
    counts: dict[str, int]  # at the source
    checksums: dict[str, str]
    counts_there: dict[str, int]  # at the target; nothing where it was only counted
    checksums_there: dict[str, str]

    @property
    def differences(self) -> list[str]:
        """Kinds of rows that are not the same at both ends."""
        kinds = {*self.counts, *self.counts_there, *self.checksums, *self.checksums_there}
        return sorted(
            kind
            for kind in kinds
            if self.counts.get(kind, 0) != self.counts_there.get(kind, 0)
            or self.checksums.get(kind) != self.checksums_there.get(kind)
        )


class Move:
    """A move of some parts from one end to another."""

    def __init__(self, source: Ends, target: Ends, parts: list[str], others: list[str], tell: Tell) -> None:
        """`others`: further control stores whose masters may work on the crawl data."""
        self._source = source
        self._target = target
        self._parts = parts
        self._others = others
        self._tell = tell

    async def count(self) -> list[PartMoved]:
        """What there is to move; nothing is changed."""
        with ExitStack() as locks:
            lock_folders([_known(self._source.of(part)) for part in self._parts], locks)
            return [self._moved(part, *await self._tallies(part, only_count=True)) for part in self._parts]

    async def run(self, *, keep_source: bool) -> list[PartMoved]:
        """Move everything and compare. Raises StoreError or UsageError before anything was changed."""
        with ExitStack() as locks:
            await self._be_alone(locks)
            for part in self._parts:
                await self._check_marks(part)
            await self._check_targets()
            await self._check_workers()
            try:
                await self._mark(MoveRole.LEAVING, MoveRole.ARRIVING)
                moved = [self._moved(part, *await self._tallies(part)) for part in self._parts]
            except BaseException:
                await self._unmark_sources()
                raise
            if any(part.differences for part in moved):
                await self._unmark_sources()
            else:
                await self._finish(keep_source=keep_source)
            return moved

    async def _be_alone(self, locks: ExitStack) -> None:
        ends = [ends.of(part) for part in self._parts for ends in (self._source, self._target)]
        addresses = [address for address in ends if address is not None]
        controls = [address for address in (self._source.control, self._target.control) if address]
        lock_folders([*addresses, *existing([*controls, *self._others])], locks)
        await refuse_leaders([*addresses, *controls, *self._others])

    async def _check_marks(self, part: str) -> None:
        source, target = _known(self._source.of(part)), _known(self._target.of(part))
        leaving, arriving = await marks_of(source, part).read(), await marks_of(target, part).read()
        ours, theirs = without_password(source), without_password(target)
        goes_on = arriving is not None and arriving.role is MoveRole.ARRIVING and arriving.other == ours
        if arriving is not None and not goes_on:
            raise StoreError(f"Nothing can be moved to {theirs}. {in_words(arriving, theirs, part)}")
        if leaving is None or leaving.role is MoveRole.LEAVING:
            return
        if leaving.role is MoveRole.ARRIVING or leaving.other != theirs or not goes_on:
            raise StoreError(in_words(leaving, ours, part))

    async def _check_targets(self) -> None:
        """A target that is not empty holds what a move of ours left there, or something that must stay."""
        async with AsyncExitStack() as closing:
            for part in self._parts:
                address = _known(self._target.of(part))
                if await marks_of(address, part).read() is not None:
                    continue
                opener = open_control_transfer if part == CONTROL else open_crawl_transfer
                if not await (await opener(address, closing, is_source=False)).is_empty():
                    raise UsageError(
                        f"There is {part} data at {without_password(address)} already, and two deployments "
                        "are never mixed. Name an empty database or folder."
                    )

    async def _check_workers(self) -> None:
        """Workers that use a database themselves renew their leases, also where no master runs."""
        address = self._source.crawl if CRAWL in self._parts else None
        if address is None or not is_server(address):
            return
        async with AsyncExitStack() as closing:
            left = await (await open_crawl_transfer(address, closing, is_source=True)).leased_for()
        if left > 0:
            raise StoreLockedError(
                f"Hosts are leased at {without_password(address)}; nothing was moved. Stop workers that have "
                "it as their crawl_store. Leases of others, and of those that were killed, run out in "
                f"{left:.0f} seconds: try again then."
            )

    async def _tallies(self, part: str, *, only_count: bool = False) -> tuple[Tally, Tally]:
        async with AsyncExitStack() as closing:
            source, target = _known(self._source.of(part)), _known(self._target.of(part))
            if part == CONTROL:
                giving = await open_control_transfer(source, closing, is_source=True)
                if only_count:
                    return await tally_control(giving, await giving.tables(), self._tell), Tally()
                taking = await open_control_transfer(target, closing, is_source=False)
                columns = await common_columns(giving, taking)
                moved = await move_control(giving, taking, columns, self._tell)
                return moved, await tally_control(taking, columns, self._tell)
            crawls = await open_crawl_transfer(source, closing, is_source=True)
            if only_count:
                return await tally_crawls(crawls, self._tell), Tally()
            into = await open_crawl_transfer(target, closing, is_source=False)
            return await move_crawls(crawls, into, self._tell), await tally_crawls(into, self._tell)

    def _moved(self, part: str, here: Tally, there: Tally) -> PartMoved:
        return PartMoved(
            part,
            without_password(_known(self._source.of(part))),
            without_password(_known(self._target.of(part))),
            dict(here.counts),
            here.checksums(),
            dict(there.counts),
            there.checksums(),
        )

    async def _mark(self, source_role: MoveRole | None, target_role: MoveRole | None) -> None:
        now = system_clock().now()
        for part in self._parts:
            source, target = _known(self._source.of(part)), _known(self._target.of(part))
            for address, role, other in ((source, source_role, target), (target, target_role, source)):
                marks = marks_of(address, part)
                if role is None:
                    await marks.clear()
                else:
                    await marks.write(MoveMark(role, without_password(other), now))

    async def _finish(self, *, keep_source: bool) -> None:
        """First the source is closed, then the target is opened: nobody can work on both."""
        await self._mark(None if keep_source else MoveRole.LEFT, MoveRole.ARRIVING)
        for part in self._parts:
            await marks_of(_known(self._target.of(part)), part).clear()

    async def _unmark_sources(self) -> None:
        for part in self._parts:
            await marks_of(_known(self._source.of(part)), part).clear()


def _known(address: str | None) -> str:
    assert address is not None, "only parts are moved that both ends have a place for"
    return address
