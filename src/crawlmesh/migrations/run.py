"""Bringing a database to a revision, whatever kind it is."""

import asyncio
from pathlib import Path

from crawlmesh.errors import SettingError
from crawlmesh.migrations.file import current_of_file, migrate_file

_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgres://")


async def upgrade(url: str, revision: str = "head") -> None:
    """Bring a database up to a revision. It is fine where it is there already, and to do it twice at once."""
    await _migrate(url, revision, down=False)


async def downgrade(url: str, revision: str) -> None:
    """Bring a database back to an earlier revision; `base` is an empty one."""
    await _migrate(url, revision, down=True)


async def current(url: str) -> str | None:
    """The revision of a database; None where it has no tables of ours."""
    if _is_file(url):
        return await asyncio.to_thread(current_of_file, _path(url))
    from crawlmesh.migrations.server import current_of_server  # noqa: PLC0415 - asyncpg is slow to import

    return await current_of_server(url)


async def _migrate(url: str, revision: str, *, down: bool) -> None:
    if _is_file(url):
        await asyncio.to_thread(migrate_file, _path(url), revision, down=down)
        return
    from crawlmesh.migrations.server import migrate_server  # noqa: PLC0415 - asyncpg is slow to import

    await migrate_server(url, revision, down=down)


def _is_file(url: str) -> bool:
    if not url.startswith((_SQLITE, *_POSTGRES)):
        raise SettingError(
            f"{url.partition(':')[0]!r} is no kind of control store: give sqlite:///PATH or "
            "postgresql://HOST/DATABASE."
        )
    return url.startswith(_SQLITE)


def _path(url: str) -> Path:
    return Path(url.removeprefix(_SQLITE))
