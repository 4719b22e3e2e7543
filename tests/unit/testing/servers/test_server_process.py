import signal
import subprocess
import sys
from pathlib import Path

import pytest

from crawlmesh.testing.servers.server_process import ServerProcess, command_as

_SERVER = "import signal, sys; print('ready', file=sys.stderr, flush=True); signal.pause()"
_STARTER = """
import signal, subprocess, sys
signal.signal(signal.SIGQUIT, signal.SIG_IGN)  # as a shell does for its background jobs
subprocess.Popen(sys.argv[1:])
signal.pause()
"""


@pytest.mark.parametrize("death", [signal.SIGKILL, signal.SIGQUIT, signal.SIGTERM])
def test_a_program_runs_with_any_signal_to_die_of(death: signal.Signals) -> None:
    done = subprocess.run(
        command_as("", ["/bin/echo", "it runs"], death), capture_output=True, text=True, check=True
    )

    assert done.stdout == "it runs\n"


@pytest.mark.parametrize("death", [signal.SIGKILL, signal.SIGQUIT])
def test_a_server_dies_with_its_starter_even_one_that_ignores_the_signal(
    death: signal.Signals, tmp_path: Path
) -> None:
    server = command_as("", [sys.executable, "-c", _SERVER], death)
    starter = ServerProcess([sys.executable, "-c", _STARTER, *server], tmp_path, ready="ready")
    assert starter.wait_ready(60), list(starter.log)

    starter.send(signal.SIGKILL)

    assert starter.wait_ended(60), "the server outlived the one that started it"
