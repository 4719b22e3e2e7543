"""Virtual environments for competitors whose packages Crawlmesh does not have."""

import hashlib
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent


class EnvironmentUnavailableError(RuntimeError):
    """A competitor's packages could not be installed; it is left out of the run."""


def ensure_environment(work_folder: Path, name: str | None) -> str:
    """The Python of the environment `name`, built from its pinned requirements; None is our own."""
    if name is None:
        return sys.executable
    requirements = HERE / f"requirements-{name}.txt"
    folder = work_folder / f"venv-{name}"
    marker = folder / "requirements.sha256"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if not marker.exists() or marker.read_text() != digest:
        shutil.rmtree(folder, ignore_errors=True)
        _build(folder, requirements)
        marker.write_text(digest)
    return str(folder / "bin" / "python")


def _build(folder: Path, requirements: Path) -> None:
    print(f"building {folder.name} from {requirements.name} …", flush=True)
    venv.create(folder, with_pip=True)
    command = [
        str(folder / "bin" / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    result = subprocess.run([*command, "-r", str(requirements)], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        last_line = (result.stderr.strip().splitlines() or ["no message"])[-1]
        raise EnvironmentUnavailableError(f"pip could not install {requirements.name}: {last_line}")
