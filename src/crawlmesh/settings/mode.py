"""What a process of a cluster is."""

from enum import StrEnum
from pathlib import Path

_FOLDER = Path("config")


class Mode(StrEnum):
    """What a process of a cluster is (S4)."""

    STANDALONE = "standalone"  # master and worker in one
    MASTER = "master"
    WORKER = "worker"


def mode_file(mode: Mode) -> Path:
    """The configuration file that is read for a mode where none is named, if it is there."""
    return _FOLDER / f"distribution_{mode}.json"
