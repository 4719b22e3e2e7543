"""The worked example of docs/howto/own-strategy-and-executor.md is installed and run on a real cluster."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crawlmesh.testing.command import Command
from tests.acceptance.cluster_command import quiet_command, started

_EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "own-extension"


def _install(folder: Path) -> str:
    """Into a folder of its own, so that the environment of the tests stays as it is."""
    source = shutil.copytree(_EXAMPLE, folder / "source")
    target = folder / "installed"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    options = ["--no-index", "--disable-pip-version-check", "--target", str(target)]
    subprocess.run([*command, *options, str(source)], check=True, timeout=120)
    return os.pathsep.join([str(target), *filter(None, [os.environ.get("PYTHONPATH")])])


def _submit(command: Command, task_type: str) -> dict[str, object]:
    text = '{"text": "to be or not to be"}'
    options = ["--type", task_type, "--params", text, "--strategy", "night_shift", "--wait", "--json"]
    summary = command.run("task", "submit", *options).summary
    result = summary["result"]
    assert result["success"]
    data: dict[str, object] = result["data"]
    return data


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", _install(tmp_path))
    command = quiet_command(tmp_path, capabilities='{"night_shift": true}')
    with started(command, "--mode", "standalone", "--port", "0") as cluster:
        for task_type in ("word_count", "plain_word_count"):
            assert _submit(command, task_type)["words"] == {"to": 2, "be": 2, "or": 1, "not": 1}
        assert cluster.interrupt() == 0
