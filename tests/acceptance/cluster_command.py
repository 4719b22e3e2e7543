"""Masters and workers as users start them."""

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from crawlmesh.testing.command import Command

_PATIENCE = 60.0  # seconds; what takes longer hangs
QUIET = {"log_level": "ERROR", "retry_base": "0.01", "discovery": "false", "max_cpu_usage": "1"}


class Started:
    """A running `crawlmesh distribute`, with what it printed until it was ready."""

    def __init__(self, process: subprocess.Popen[str], printed: str) -> None:
        self.process = process
        self.printed = printed

    @property
    def url(self) -> str:
        return self.told(r"ready at (\S+)")

    @property
    def admin_key(self) -> str:
        return self.told(r"Admin key +(\S+)")

    @property
    def join_token(self) -> str:
        return self.told(r"Join token +(\S+)")

    def told(self, pattern: str) -> str:
        found = re.search(pattern, self.printed)
        assert found, self.printed
        return found[1]

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=_PATIENCE)
        assert "Traceback" not in out + err, err
        return self.process.returncode


@contextmanager
def started(command: Command, *arguments: object, **settings: str) -> Iterator[Started]:
    """Start `crawlmesh distribute` and wait until it says that it is ready."""
    with command.started("distribute", *arguments, **settings) as process:
        assert process.stdout is not None
        printed = ""
        for line in process.stdout:
            printed += line
            if line.startswith("Ctrl-C"):
                break
        else:
            _, err = process.communicate(timeout=_PATIENCE)
            raise AssertionError(f"it ended with {process.returncode}: {err}")
        yield Started(process, printed)


def json_lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def quiet_command(folder: Path, **settings: str) -> Command:
    """`crawlmesh` in a folder, with little to say and no look into the network."""
    return Command(folder, **{**QUIET, **settings})
