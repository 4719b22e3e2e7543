"""A seed that fails can be run again: the command names it, and the same seed gives the same run."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from crawlmesh.testing.simulation import __main__ as command
from crawlmesh.testing.simulation.world import World

ARGUMENTS = ["--seed", "7", "--nodes", "10", "--tasks", "50", "--faults-for", "10"]


def test_a_seed_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_: World) -> None:
        raise AssertionError("a task ended twice")

    monkeypatch.setattr(World, "run", fail)
    done = CliRunner().invoke(command.main, ARGUMENTS)
    assert isinstance(done.exception, AssertionError)
    assert f"python -m crawlmesh.testing.simulation {' '.join(ARGUMENTS)}" in done.output


def test_the_same_seed_gives_the_same_run() -> None:
    # The order of sets must not matter: the command sees to that itself, whatever it is started with.
    runs = [
        subprocess.run(
            [sys.executable, "-m", "crawlmesh.testing.simulation", *ARGUMENTS],
            capture_output=True,
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert b'"seed":7' in runs[0]
