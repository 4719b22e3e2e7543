"""Being alone with both ends of a move."""

from contextlib import ExitStack
from pathlib import Path

from crawlmesh.adapters.files import StateFolder
from crawlmesh.errors import StoreLockedError
from crawlmesh.wiring.crawl import system_clock
from crawlmesh.wiring.moving.ends import file_of
from crawlmesh.wiring.stores import open_control_store, without_password

_REMEDY = (
    "Stop all masters first: Ctrl-C lets them finish, and kill -9 loses nothing either. Workers may stay."
)


def lock_folders(addresses: list[str], closing: ExitStack) -> None:
    """Keep masters away from stores that are files. Raises StoreLockedError where one runs."""
    folders = {file.parent for address in addresses if (file := file_of(address)) is not None}
    for folder in sorted(folders, key=str):
        try:
            closing.enter_context(StateFolder(folder))
        except StoreLockedError as error:
            raise StoreLockedError(
                f"A master runs on the stores in {folder}; nothing was moved. {_REMEDY}"
            ) from error


async def refuse_leaders(addresses: list[str]) -> None:
    """Raise StoreLockedError where a master leads on a database."""
    for address in dict.fromkeys(addresses):
        if address.startswith(("postgresql://", "postgres://")) and await _has_tables(address):
            await _refuse_leader(address)


def existing(addresses: list[str]) -> list[str]:
    """Those that are on servers, and those files whose folder is there."""
    return [address for address in addresses if (file := file_of(address)) is None or _is_folder(file)]


def _is_folder(file: Path) -> bool:
    return file.parent.is_dir()


async def _has_tables(address: str) -> bool:
    from crawlmesh.migrations import current  # noqa: PLC0415 - Alembic is slow to import

    return await current(address) is not None


async def _refuse_leader(address: str) -> None:
    store = await open_control_store(address)
    try:
        leader = await store.leader()
    finally:
        await store.aclose()
    left = 0.0 if leader is None else leader.expires_at - system_clock().now()
    if leader is not None and left > 0:
        raise StoreLockedError(
            f"The master {leader.holder} leads on {without_password(address)}; nothing was moved. {_REMEDY} "
            f"The lead of one that was killed runs out in {left:.0f} seconds."
        )
