"""The SQL that leads from one revision to another, as Alembic writes it."""

import io
import threading
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError

from crawlmesh.errors import StoreError
from crawlmesh.migrations.revisions import VERSION_TABLE, Dialect

_one_at_a_time = threading.Lock()  # Alembic keeps the environment that it runs in global variables


class _Statements(io.StringIO):
    """Keeps apart what Alembic writes: one call, one statement."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def write(self, text: str, /) -> int:
        if text.strip():
            self.texts.append(text)
        return len(text)


def statements(dialect: Dialect, current: str | None, revision: str, *, down: bool = False) -> list[str]:
    """The statements that lead from the current revision (None: an empty database) to another one."""
    with _one_at_a_time:
        written = _Statements()
        config = _config()
        config.attributes.update(dialect=dialect, statements=written)
        try:
            target = _resolved(ScriptDirectory.from_config(config), current, revision, dialect)
            if target == current:
                return []
            if down:
                command.downgrade(config, f"{current}:{target or 'base'}", sql=True)
                written.texts += [] if target else [f"DROP TABLE {VERSION_TABLE};"]
            else:
                command.upgrade(config, f"{current}:{target}" if current else str(target), sql=True)
        except CommandError as error:
            raise StoreError(
                f"The database cannot be brought to the revision {revision!r}: {error}."
            ) from error
        return written.texts


def _config() -> Config:
    config = Config(stdout=io.StringIO())
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    return config


def _resolved(script: ScriptDirectory, current: str | None, revision: str, dialect: Dialect) -> str | None:
    known = {step.revision for step in script.walk_revisions()}
    if current is not None and current not in known:
        raise StoreError(
            f"The {dialect} database was written by a newer Crawlmesh (revision {current}). "
            "Use that version, or restore a backup."
        )
    if revision == "base":
        return None
    return script.get_revision(revision).revision
