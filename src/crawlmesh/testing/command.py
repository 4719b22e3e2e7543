"""The command `crawlmesh` as users run it: a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PATIENCE = 240.0  # seconds; what takes longer hangs
_SCRIPT = Path(sys.executable).with_name("crawlmesh")


@dataclass(frozen=True)
class FinishedCommand:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def summary(self) -> dict[str, Any]:
        """What `--json` printed."""
        found: dict[str, Any] = json.loads(self.out)
        return found


class Command:
    """Runs `crawlmesh` in a folder, with no other settings in its environment than those given here."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self._settings = settings

    def run(self, *arguments: object, code: int | None = 0, **settings: str) -> FinishedCommand:
        """Run to the end. `code` is the exit code that must come of it; None: any."""
        with self.started(*arguments, **settings) as process:
            out, err = process.communicate(timeout=_PATIENCE)
        assert "Traceback" not in out + err, err
        if code is not None:
            assert process.returncode == code, f"exit code {process.returncode}:\n{out}\n{err}"
        return FinishedCommand(process.returncode, out, err)

    @contextmanager
    def started(self, *arguments: object, **settings: str) -> Iterator[subprocess.Popen[str]]:
        """Start it, in a process group of its own; it is killed if it still runs when the block ends."""
        process = subprocess.Popen(
            [*command_line(), *map(str, arguments)],
            cwd=self.folder,
            env=clean_environment({**self._settings, **settings}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        with process:
            try:
                yield process
            finally:
                process.kill()


def command_line() -> list[str]:
    """The installed script, else the module behind it."""
    return [str(_SCRIPT)] if _SCRIPT.exists() else [sys.executable, "-m", "crawlmesh.cli.main"]


def clean_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """The environment of this process, with these settings and no others, and without proxies."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("CRAWLMESH_") and not name.lower().endswith("_proxy")
    }
    return kept | {f"CRAWLMESH_{name.upper()}": value for name, value in settings.items()}
