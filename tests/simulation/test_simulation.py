"""Twenty seeds: one of the full size, the others small, so that all fit into `make test`.

Each runs in a process of its own, because the order of sets depends on the process's hash seed: so a
seed that fails here fails in the same way with the command that it prints.
"""

import os
import shlex
import subprocess
import sys

import pytest

FULL = (1, 1_000, 100_000, 60)
SMALL = [(seed, 100, 2_000, 120) for seed in range(2, 21)]


@pytest.mark.timeout(1200)  # the full size takes minutes where all cores are busy
@pytest.mark.parametrize(("seed", "nodes", "tasks", "faults_for"), [FULL, *SMALL])
def test_every_task_ends_once_whatever_dies(seed: int, nodes: int, tasks: int, faults_for: int) -> None:
    command = [sys.executable, "-m", "crawlmesh.testing.simulation", "--seed", str(seed)]
    command += ["--nodes", str(nodes), "--tasks", str(tasks), "--faults-for", str(faults_for)]
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | {"PYTHONHASHSEED": "0"}, check=False
    )
    again = shlex.join(["python", *command[1:]])
    assert done.returncode == 0, f"Repeat it with: {again}\n{done.stderr[-4000:]}"
