"""Where the state of a crawl lies."""

import hashlib
import re
from pathlib import Path

from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.errors import UsageError
from crawlmesh.settings import Settings

_CRAWLS = "crawls"
DATABASE = "crawl.db"
ARCHIVE = "archive"


def state_path(settings: Settings, definition: CrawlDefinition) -> Path:
    """The folder of a crawl: the same definition has the same folder, so the same command resumes."""
    digest = hashlib.blake2b(definition.to_json(), digest_size=4).hexdigest()
    site = re.sub(r"^\w+://", "", definition.seeds[0]).partition("/")[0]
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", site)[:60].strip("-.") or "crawl"
    return settings.data_dir / _CRAWLS / f"{name}-{digest}"


def known_states(settings: Settings) -> list[Path]:
    """The folders of all crawls, the latest first."""
    folder = settings.data_dir / _CRAWLS
    databases = folder.glob(f"*/{DATABASE}") if folder.is_dir() else ()
    return [path.parent for path in sorted(databases, key=_age, reverse=True)]


def _age(database: Path) -> float:
    journal = database.with_name(database.name + "-wal")
    return max(path.stat().st_mtime for path in (database, journal) if path.exists())


def existing_state(settings: Settings, state: Path | None) -> Path:
    """The folder that a command about an earlier crawl means: the named one, else the latest."""
    if state is None:
        states = known_states(settings)
        if not states:
            raise UsageError(
                f"There is no crawl in {settings.data_dir}. "
                "Crawl something first, or name a folder with --state."
            )
        return states[0]
    if not (state / DATABASE).is_file():
        raise UsageError(f"There is no crawl in the folder {state}. Name the folder of an earlier crawl.")
    return state
