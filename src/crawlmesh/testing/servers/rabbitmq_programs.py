"""Where RabbitMQ is on this machine, and how a test run without it gets it."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import msgspec
import pytest

_SCRIPT = "usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmq-server"
_ERLANG = "usr/lib/erlang"
_DEADLINE = 600.0  # seconds for a download
_REASON = "RabbitMQ is not installed: apt install rabbitmq-server (it need not be running)"
_ERL = """#!/bin/sh
export EMU=beam PROGNAME=erl ROOTDIR={erlang} BINDIR={binaries}
exec "$BINDIR/erlexec" "$@"
"""


class RabbitPrograms(msgspec.Struct, frozen=True):
    """What is needed to start a server."""

    server: Path  # the script of the release, not Debian's wrapper, which wants to be root
    epmd: Path
    path: str  # PATH under which it finds `erl`


def find_rabbitmq() -> RabbitPrograms | None:
    """That of the system, or else the one that `require_rabbitmq` unpacked earlier."""
    system = _system()
    if system is not None:
        return system
    unpacked = _unpacked()
    return _programs_below(unpacked) if unpacked.is_dir() and _is_own(unpacked) else None


def require_rabbitmq() -> RabbitPrograms:
    """Skips the test without RabbitMQ. Where CI=true, unpacks Debian's, and fails the test if that fails."""
    found = find_rabbitmq()
    if found is None and os.environ.get("CI") == "true":
        found = _unpack_once()
    if found is None:
        pytest.skip(_REASON)
    return found


def _system() -> RabbitPrograms | None:
    return _programs_below(Path("/"))


def _is_own(folder: Path) -> bool:
    """Everybody may make folders in /tmp."""
    return folder.stat().st_uid == os.geteuid()


def _programs_below(root: Path) -> RabbitPrograms | None:
    servers = sorted(root.glob(_SCRIPT))
    epmds = sorted((root / _ERLANG).glob("erts-*/bin/epmd"))
    if not servers or not epmds:
        return None
    path = "/usr/local/bin:/usr/bin:/bin"
    return RabbitPrograms(servers[-1], epmds[-1], path if root == Path("/") else f"{root / 'bin'}:{path}")


def _unpacked() -> Path:
    return Path(tempfile.gettempdir()) / f"crawlmesh-rabbitmq-{os.geteuid()}"


def _unpack_once() -> RabbitPrograms:
    """Debian's packages, laid into a folder: needs no root, and starts no service."""
    root = _unpacked()
    root.mkdir(mode=0o700, exist_ok=True)
    if not _is_own(root):
        pytest.fail(f"{root} belongs to somebody else: remove it")
    with (root / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another test process may be at it
        found = _programs_below(root)
        if found is None:
            try:
                unpack_rabbitmq(root)
            except (OSError, subprocess.SubprocessError) as error:
                pytest.fail(f"{_REASON}; to unpack it failed: {error}")
            found = _programs_below(root)
    if found is None:
        pytest.fail(f"{_REASON}; Debian's packages do not hold what was expected")
    return found


def unpack_rabbitmq(root: Path) -> None:
    """Download Debian's packages of RabbitMQ and Erlang and unpack them below a folder."""
    downloads = Path(tempfile.mkdtemp(prefix="downloads-", dir=root))
    tree = downloads / "tree"
    try:
        for folder in ("lists/partial", "cache/archives/partial"):
            (downloads / folder).mkdir(parents=True)
        options = [
            "-o",
            f"Dir::State::Lists={downloads / 'lists'}",
            "-o",
            f"Dir::Cache={downloads / 'cache'}",
        ]
        _run(["apt-get", *options, "-o", "APT::Sandbox::User=", "update"], downloads)
        query = ["--recurse", "--no-recommends", "--no-suggests", "--no-conflicts", "--no-breaks"]
        query += ["--no-replaces", "--no-enhances", "rabbitmq-server"]
        depends = _run(["apt-cache", *options, "depends", *query], downloads)
        names = sorted({line for line in depends.split("\n") if line.startswith(("erlang-", "rabbitmq-"))})
        _run(["apt-get", *options, "-o", "APT::Sandbox::User=", "download", *names], downloads)
        for package in sorted(downloads.glob("*.deb")):
            _run(["dpkg-deb", "-x", str(package), str(tree)], downloads)
        (tree / "usr").rename(root / "usr")  # whole or not at all
        _write_erl(root)
    finally:
        shutil.rmtree(downloads, ignore_errors=True)


def _write_erl(root: Path) -> None:
    """Debian's `erl` knows only the folder that it is installed in."""
    binaries = next((root / _ERLANG).glob("erts-*/bin"))
    (root / "bin").mkdir(exist_ok=True)
    script = root / "bin" / "erl"
    script.write_text(_ERL.format(erlang=root / _ERLANG, binaries=binaries))
    script.chmod(0o755)


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=_DEADLINE,
        env=_environment(),
    )
    if done.returncode != 0:
        raise OSError(f"{' '.join(command[:1])} said: {done.stderr.strip()[-500:]}")
    return done.stdout


def _environment() -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
