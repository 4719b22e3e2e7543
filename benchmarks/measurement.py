"""Runs one command and measures the whole tree of its processes."""

import os
import resource
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.machine import StealMeter

SAMPLE_EVERY = 0.2  # seconds
PAGE_BYTES = resource.getpagesize()


@dataclass(frozen=True)
class Usage:
    """What a command took, from its start to its exit."""

    exit_code: int
    wall_seconds: float
    cpu_seconds: float  # user + system, with all descendants that were waited for
    peak_rss_bytes: int  # the highest sum over the tree that was sampled
    steal_share: float


class MemorySampler:
    """Samples the resident memory of a process and its descendants in a thread."""

    def __init__(self, process_id: int) -> None:
        self._process_id = process_id
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.peak_bytes = 0

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(SAMPLE_EVERY):
            self.peak_bytes = max(self.peak_bytes, self._tree_bytes())

    def _tree_bytes(self) -> int:
        try:
            root = psutil.Process(self._process_id)
            members = [self._process_id, *(child.pid for child in root.children(recursive=True))]
        except psutil.Error:
            return 0
        return sum(_resident_bytes(member) for member in members)


def _resident_bytes(process_id: int) -> int:
    try:
        return int(Path(f"/proc/{process_id}/statm").read_text().split()[1]) * PAGE_BYTES
    except (OSError, IndexError):
        return 0


def run_measured(command: list[str], *, folder: Path, output: Path, timeout: float) -> Usage:
    """Run a command to its end; its output goes to a file. A run over `timeout` seconds is killed."""
    steal = StealMeter()
    with output.open("wb") as sink:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, start_new_session=True
        )
        sampler = MemorySampler(process.pid)
        sampler.start()
        killer = threading.Timer(timeout, _kill_group, (process.pid,))
        killer.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall_seconds = time.perf_counter() - started
        killer.cancel()
        sampler.stop()
    process.returncode = os.waitstatus_to_exitcode(status)
    return Usage(
        exit_code=process.returncode,
        wall_seconds=wall_seconds,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        peak_rss_bytes=max(sampler.peak_bytes, usage.ru_maxrss * 1024),
        steal_share=steal.share(),
    )


def _kill_group(process_id: int) -> None:
    """The group is the command's own: it was started in a session of its own."""
    os.killpg(process_id, 9)
