"""The browser that tests drive: Debian's Chromium, or another one that is installed."""

import os
import shutil
from pathlib import Path

import pytest

from crawlmesh.testing.servers.debian_packages import install, may_install

# A browser that asks nobody but the server under test, also in containers and as root.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_REASON = "Chromium is not installed: apt install chromium"


def find_chromium() -> Path | None:
    """The browser of the PATH."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    return None if found is None else Path(found)


def require_chromium() -> Path:
    """The browser. Skips the test without one; where CI=true, root installs it or the test fails."""
    found = find_chromium()
    if found is None and may_install():
        install("chromium")
        found = find_chromium()
    if found is not None:
        return found
    if os.environ.get("CI") == "true":
        pytest.fail(_REASON)
    pytest.skip(_REASON)
