"""Twenty seeds, each with 1,000 nodes and 100,000 tasks.

Each runs in a process of its own, because the order of sets depends on the process's hash seed: so a
seed that fails here fails in the same way with the command that it prints.
"""

import os
import shlex
import subprocess
import sys

import pytest

SIZE = ("--nodes", "1000", "--tasks", "100000", "--faults-for", "60")


@pytest.mark.timeout(1200)  # one takes minutes where all cores are busy
@pytest.mark.parametrize("seed", range(1, 21))
def test_every_task_ends_once_whatever_dies(seed: int) -> None:
    command = [sys.executable, "-m", "crawlmesh.testing.simulation", "--seed", str(seed), *SIZE]
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | {"PYTHONHASHSEED": "0"}, check=False
    )
    again = shlex.join(["python", *command[1:]])
    assert done.returncode == 0, f"Repeat it with: {again}\n{done.stderr[-4000:]}"
