"""Which server programs there are, and what a test does without them."""

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

_DEBIAN = Path("/usr/lib/postgresql")


def find_postgres() -> Path | None:
    """The folder of PostgreSQL's programs: Debian's newest, the PATH's, or that of the wheel `pgserver`."""
    return next((folder for folder in _candidates() if (folder / "postgres").is_file()), None)


def require_postgres() -> Path:
    """The folder of PostgreSQL's programs. Skips the test without them, and fails it where CI=true."""
    folder = find_postgres()
    if folder is not None:
        return folder
    reason = "PostgreSQL is not installed: apt install postgresql, or pip install pgserver"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def _candidates() -> list[Path]:
    debian = [folder / "bin" for folder in _DEBIAN.glob("*") if folder.name.isdigit()]
    debian.sort(key=lambda folder: int(folder.parent.name), reverse=True)
    on_path = shutil.which("postgres")
    wheel = importlib.util.find_spec("pgserver")
    return [
        *debian,
        *([Path(on_path).resolve().parent] if on_path else []),
        *([Path(wheel.origin).parent / "pginstall" / "bin"] if wheel and wheel.origin else []),
    ]
