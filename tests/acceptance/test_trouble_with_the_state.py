"""Trouble with the disk and with others: one sentence, and what was stored stays."""

import os
import resource
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawlmesh.testing.command import Command, clean_environment, command_line
from tests.acceptance.full_crawl import FullCrawl, read_records, urls_of
from tests.acceptance.page_server import PageServer
from tests.acceptance.test_bad_input import check_sentence


def test_a_state_in_use_is_refused_but_can_be_read(server: PageServer, command: Command) -> None:
    server.pages["/"] = server.never_answer
    arguments = ["crawl", server.url(), "--allow-private", "--state", "state", "--ignore-robots"]
    with command.started(*arguments) as first:
        while not server.requests:
            assert first.poll() is None
        check_sentence(command.run(*arguments, code=1), "state", f"process {first.pid}")
        assert "It is being fetched." in command.run("why", server.url(), "--state", "state").out
        command.run("export", "--output", "so-far.jsonl", "--state", "state")
        assert read_records(command.folder / "so-far.jsonl") == []
        assert first.poll() is None
        first.send_signal(signal.SIGKILL)
        first.wait()
    server.page("/", "x")
    command.run(*arguments)


@pytest.mark.parametrize("damage", ["overwritten", "cut", "middle"])
def test_a_damaged_database_is_named_and_left_alone(full: FullCrawl, command: Command, damage: str) -> None:
    state = full.copy_to(command.folder)
    database = state / "crawl.db"
    content = database.read_bytes()
    if damage == "overwritten":
        database.write_bytes(b"This is no database." * 1000)
    elif damage == "cut":
        database.write_bytes(content[: len(content) // 2])
    else:
        third = len(content) // 3
        database.write_bytes(content[:third] + b"\xff" * third + content[2 * third :])
    damaged = database.read_bytes()
    done = command.run("crawl", *full.arguments, "--state", state, "--quiet", code=1)
    check_sentence(done, str(database), "--fresh")
    if damage == "overwritten":
        assert database.read_bytes() == damaged


def test_fresh_starts_over_on_a_damaged_database(server: PageServer, command: Command) -> None:
    server.page("/", "x")
    state = command.folder / "state"
    state.mkdir()
    (state / "crawl.db").write_bytes(b"This is no database." * 1000)
    arguments = ["crawl", server.url(), "--allow-private", "--state", state, "--quiet"]
    check_sentence(command.run(*arguments, code=1), "crawl.db", "--fresh")
    command.run(*arguments, "--fresh")
    assert urls_of(state / "records.jsonl") == {server.url()}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk; the limit on file sizes is tested below")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def _large_site(server: PageServer, pages: int) -> None:
    """Page 0 leads to as many others; each yields about 15 kB."""
    text = "".join(f"<b>{number:09}</b> " for number in range(1500))
    links = "".join(f'<a href="/{number}">next</a>' for number in range(1, pages + 1))
    server.page("/0", f"<h1>{text}</h1>{links}")
    for number in range(1, pages + 1):
        server.page(f"/{number}", f"<h1>{number} {text}</h1>")


def test_a_full_disk_keeps_what_was_stored(small_disk: Path, server: PageServer, command: Command) -> None:
    _large_site(server, 200)
    state = small_disk / "state"
    arguments = ["crawl", server.url("/0"), "--allow-private", "--select", "h=h1", "--quiet", "--json"]
    arguments += ["--state", state, "--output", command.folder / "o.jsonl"]  # type: ignore[list-item]
    done = command.run(*arguments, code=1, settle_after="0.1")
    check_sentence(done, str(state), "full")
    fetched = len(set(server.targets()))
    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    summary = command.run(*arguments).summary
    assert summary["records"] == 201
    assert urls_of(command.folder / "o.jsonl") == {server.url(f"/{number}") for number in range(201)}
    # What was stored before was not fetched again, but for what was under way.
    assert fetched > 10
    assert len(server.targets()) < 201 + fetched


def test_a_full_disk_under_the_output(full: FullCrawl, small_disk: Path, command: Command) -> None:
    (small_disk / "filler").write_bytes(bytes(2040 * 1024))
    output = small_disk / "o.jsonl"
    done = command.run("export", "--state", full.state, "--output", output, code=1)
    check_sentence(done, str(output), "space")
    assert [path.name for path in small_disk.iterdir()] == ["filler"]
    command.run("export", "--state", full.state, "--output", "o.jsonl")
    assert read_records(command.folder / "o.jsonl") == full.records


def test_a_limit_on_file_sizes(server: PageServer, tmp_path: Path) -> None:
    _large_site(server, 40)
    arguments = ["crawl", server.url("/0"), "--allow-private", "--select", "h=h1", "--quiet"]
    arguments += ["--state", "state"]
    limited = subprocess.run(
        [*command_line(), *arguments],
        cwd=tmp_path,
        env=clean_environment({"settle_after": "0.1"}),
        preexec_fn=_limit_file_sizes,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in limited.stderr
    assert limited.returncode == 1, limited.stderr
    assert limited.stderr.count("\n") == 1
    assert "state" in limited.stderr
    Command(tmp_path).run(*arguments)
    assert len(urls_of(tmp_path / "state" / "records.jsonl")) == 41


def _limit_file_sizes() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
