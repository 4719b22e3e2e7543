"""Installing packages of Debian for tests that run as root where CI=true, one process at a time."""

import fcntl
import os
import subprocess
import tempfile
from pathlib import Path

_DEADLINE = 600.0  # seconds for an installation


def may_install() -> bool:
    """Whether tests may change this machine."""
    return os.environ.get("CI") == "true" and os.geteuid() == 0


def install(*names: str) -> None:
    """Install packages; whoever asks looks afterwards whether the program is there."""
    with (Path(tempfile.gettempdir()) / "crawlmesh-apt.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # apt refuses to run twice
        for command in (["update"], ["install", "-y", "--no-install-recommends", *names]):
            subprocess.run(
                ["apt-get", "-q", *command],
                capture_output=True,
                check=False,
                timeout=_DEADLINE,
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            )
