"""Masters and workers as real processes on loopback, to be started, hit and started again."""

import os
import secrets
import signal
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from crawlmesh.testing.command import clean_environment, command_line

_LAST_WORDS = 300  # characters
_PATIENCE = 20.0  # seconds for an orderly end


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class ClusterProcesses:
    """Processes of `crawlmesh distribute`, each in a folder of its own; they end with the `with` block.

    A process that is started again under its name finds its folder, its port and its identity again.
    """

    def __init__(self, folder: Path, settings: Mapping[str, object]) -> None:
        self._folder = folder
        self._settings = dict(settings)
        self._arguments: dict[str, list[str]] = {}
        self._own_settings: dict[str, Mapping[str, object]] = {}
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.key = secrets.token_hex(16)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        for process in reversed(self.running.values()):
            process.send_signal(signal.SIGCONT)
            process.send_signal(signal.SIGTERM)
        for process in self.running.values():
            try:
                process.wait(timeout=_PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def start_master(self, name: str, port: int, **settings: object) -> str:
        """Start a master; returns its address."""
        self._start(name, ["--mode", "master", "--port", str(port)], settings)
        return f"http://127.0.0.1:{port}"

    def start_worker(self, name: str, master_url: str, **settings: object) -> None:
        """Start a worker that will be the node `name`."""
        arguments = ["--mode", "worker", "--master-url", master_url, "--device-id", name, "--port", "0"]
        self._start(name, arguments, settings)

    def start_again(self, name: str) -> None:
        """Start a process that has ended, as it was started before."""
        self._start(name, self._arguments[name], self._own_settings[name])

    def kill(self, name: str) -> None:
        """SIGKILL."""
        process = self.running.pop(name)
        process.kill()
        process.wait()

    def pause(self, name: str) -> None:
        """SIGSTOP, for the process and its children."""
        self._signal_group(name, signal.SIGSTOP)

    def go_on(self, name: str) -> None:
        """SIGCONT."""
        self._signal_group(name, signal.SIGCONT)

    def printed(self, name: str) -> str:
        """The end of what a process printed."""
        return (self._folder / name / "printed.txt").read_text(errors="replace")[-4000:]

    def raise_for_ended(self, excused: str | None = None) -> None:
        """Raise where a process ended that nobody killed.

        One that printed `excused` at its end is started again, as those who run it would.
        """
        for name, process in list(self.running.items()):
            if process.poll() is None:
                continue
            if excused is not None and excused in self.printed(name)[-_LAST_WORDS:]:
                self.start_again(name)
            else:
                raise RuntimeError(f"{name} ended with {process.returncode}: {self.printed(name)}")

    def _signal_group(self, name: str, number: signal.Signals) -> None:
        os.killpg(self.running[name].pid, number)

    def _start(self, name: str, arguments: list[str], settings: Mapping[str, object]) -> None:
        self._arguments[name] = arguments
        self._own_settings[name] = settings
        folder = self._folder / name
        folder.mkdir(parents=True, exist_ok=True)
        given = {
            "api_key": self.key,
            "join_token": self.key,
            "data_dir": folder / "data",
            "allow_private_networks": "true",
            **self._settings,
            **settings,
        }
        environment = clean_environment({name: str(value) for name, value in given.items()})
        with (folder / "printed.txt").open("ab") as printed:
            self.running[name] = subprocess.Popen(
                [*command_line(), "distribute", *arguments],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
                start_new_session=True,
            )
