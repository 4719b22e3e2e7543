"""A server process whose log is followed: so one can wait for what it says, and for its end."""

import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil

_LAUNCHER = Path(__file__).with_name("launch.py")


def command_as(user: str, program: Sequence[str], death: signal.Signals = signal.SIGQUIT) -> list[str]:
    """The command that runs a program as a user ("" for the own one), for no longer than its starter.

    `death` is the signal that it gets when its starter is gone.
    """
    return [sys.executable, "-I", "-S", str(_LAUNCHER), user, str(int(death)), *program]


class ServerProcess:
    """Runs from its making on. It dies with this process, however that ends."""

    def __init__(self, command: Sequence[str], folder: Path, ready: str) -> None:
        """`ready` is what a line of its log says once it takes connections."""
        self.log: deque[str] = deque(maxlen=50)
        self._ready = ready
        self._is_ready = False
        self._spoke = threading.Event()  # it is ready, or it ended
        self._started = threading.Event()
        self._process: subprocess.Popen[str] | None = None
        # The kernel ends the server with the thread that started it; this one lives as long as the server.
        self._thread = threading.Thread(target=self._follow, args=(command, folder), daemon=True)
        self._thread.start()
        self._started.wait()

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self._process is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it, or a child of it, still runs."""
        return self._thread.is_alive()

    def wait_ready(self, timeout: float) -> bool:
        """Wait until it takes connections; False where it ended or the seconds passed before."""
        self._spoke.wait(timeout)
        return self._is_ready and self.alive

    def wait_ended(self, timeout: float) -> bool:
        """Wait until it and all its children are gone; False where the seconds passed before."""
        self._thread.join(timeout)
        return not self.alive

    def send(self, number: signal.Signals) -> None:
        """Send it a signal; nothing happens where it has ended."""
        if self._process is not None:
            self._process.send_signal(number)

    def signal_all(self, number: signal.Signals) -> None:
        """Send a signal to it and to all its children."""
        try:
            children = psutil.Process(self.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            children = []
        self.send(number)
        for child in children:
            with suppress(psutil.NoSuchProcess):
                child.send_signal(number)

    def kill(self) -> None:
        """End it and all its children with SIGKILL, as a power cut would."""
        self.signal_all(signal.SIGKILL)

    def _follow(self, command: Sequence[str], folder: Path) -> None:
        try:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        finally:
            self._started.set()
        try:
            self._read(self._process)
        finally:
            self._spoke.set()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        with process.stderr:
            for line in process.stderr:  # ends when the last child is gone: each has a copy of this pipe
                self.log.append(line.rstrip())
                if self._ready in line:
                    self._is_ready = True
                    self._spoke.set()
        process.wait()
