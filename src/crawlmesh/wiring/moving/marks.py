"""The marks of stores, by their addresses; and masters that refuse to work on marked ones."""

from crawlmesh.errors import StoreLockedError
from crawlmesh.ports.move_marks import MoveMark, MoveMarks, MoveRole
from crawlmesh.wiring.moving.ends import CONTROL, CRAWL, file_of
from crawlmesh.wiring.stores import without_password

_POSTGRES = ("postgresql://", "postgres://")


def marks_of(address: str, part: str) -> MoveMarks:
    """The mark of the store that keeps control or crawl data at an address."""
    file = file_of(address)
    if file is not None:
        from crawlmesh.adapters.files.move_marks import FileMoveMarks  # noqa: PLC0415

        return FileMoveMarks(file)
    if address.startswith(_POSTGRES):
        from crawlmesh.adapters.postgres.move_marks import PostgresMoveMarks  # noqa: PLC0415 - slow to import

        return PostgresMoveMarks(address, part)
    from crawlmesh.adapters.redis.move_marks import RedisMoveMarks  # noqa: PLC0415 - so is redis

    return RedisMoveMarks(address)


async def refuse_marked_stores(control: str | None, crawl: str) -> None:
    """Raise StoreLockedError where a store is only half there, or was left for another."""
    for address, part in ((control, CONTROL), (crawl, CRAWL)):
        if address is None:
            continue
        mark = await marks_of(address, part).read()
        if mark is not None:
            raise StoreLockedError(in_words(mark, without_password(address), part))


def in_words(mark: MoveMark, address: str, part: str) -> str:
    """What a mark means for whoever wants to use the store."""
    unmark = f"crawlmesh migrate --unmark {address}"
    if mark.role is MoveRole.LEFT:
        return (
            f"The {part} data at {address} was moved to {mark.other}: use that address. To work on with what "
            f"was left here, take the mark away with: {unmark}"
        )
    if mark.role is MoveRole.LEAVING:
        return (
            f"The {part} data at {address} is being moved to {mark.other}. If that was broken off, run the "
            f"same crawlmesh migrate again; to stay here instead, take the mark away with: {unmark}"
        )
    return (
        f"The {part} data at {address} came from {mark.other} only in part: the move was broken off, or is "
        "under way. Run the same crawlmesh migrate again."
    )
