"""Which revisions there are, and the way between them. Alembic is loaded only where there is a way to go."""

from pathlib import Path
from typing import Literal

Dialect = Literal["sqlite", "postgresql"]

VERSION_TABLE = "crawlmesh_version"  # not Alembic's usual name: the database may have other users
READ_VERSION = f"SELECT version_num FROM {VERSION_TABLE}"  # noqa: S608

_VERSIONS = Path(__file__).parent / "versions"


def newest_revision() -> str:
    """The revision that this version of Crawlmesh works with. Files are named after their revisions."""
    return max(path.stem.partition("_")[0] for path in _VERSIONS.glob("[0-9]*_*.py"))


def statements_between(dialect: Dialect, current: str | None, revision: str, *, down: bool) -> list[str]:
    """The statements that lead from the current revision to another one; none where it is there already."""
    if revision == "head" and current == newest_revision():
        return []
    from crawlmesh.migrations.statements import statements  # noqa: PLC0415 - Alembic is slow to import

    return statements(dialect, current, revision, down=down)
