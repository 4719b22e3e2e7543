"""Copies of a process. They are made by a process of its own, since this one has threads."""

import subprocess
import sys

SCRIPT = """
import asyncio, os, signal, socket, sys
from crawlmesh.worker.forked_process import fork_processes

def work(node_id, connection, job):
    connection.sendall(f"{node_id} got {len(job)}".encode())
    if job.startswith(b"wait"):
        connection.recv(1)
    sys.exit(5)

async def talk(process, job):
    process.give(job)
    said = process.connection.recv(100).decode()
    assert process.returncode is None or not job.startswith(b"wait")
    if job.startswith(b"wait"):
        process.send_signal(signal.SIGKILL)
    return said, await process.wait(), process.returncode

copies = fork_processes(["a", "b", "c"], work)
print(asyncio.run(talk(copies["a"], b"x" * 300_000)))
print(asyncio.run(talk(copies["b"], b"wait")))
"""

ORPHANS = """
import os, signal
from crawlmesh.worker.forked_process import fork_processes

def work(node_id, connection, job):
    os.write(1, f"{node_id}: {job!r} {connection.recv(1)!r}; ".encode())

copies = fork_processes(["a", "b"], work)
copies["a"].give(b"job")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_copy_gets_its_job_and_is_waited_for() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[:2] == ["('a got 300000', 5, 5)", "('b got 4', -9, -9)"]
    assert done.stderr == ""


def test_copies_notice_that_the_first_process_was_killed() -> None:
    done = subprocess.run([sys.executable, "-c", ORPHANS], capture_output=True, text=True, check=False)
    # The output ends only when every copy has ended.
    assert sorted(done.stdout.split("; ")) == ["", "a: b'job' b''", "b: b'' b''"]
