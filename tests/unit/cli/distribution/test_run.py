import asyncio
from pathlib import Path
from typing import Any

import pytest

from crawlmesh.cli.distribution import run
from crawlmesh.cli.distribution.run import join, log_file, wait_for_both
from crawlmesh.errors import CrawlmeshError, UnauthenticatedError
from crawlmesh.settings import load_settings


class Part:
    """A master or a worker, as far as its end goes."""

    def __init__(self) -> None:
        self.end: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def wait(self) -> None:
        await asyncio.shield(self.end)


class Newcomer:
    """A worker that a master refuses, now or for a while."""

    refusal = "Another registers under this name."

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.may_join = asyncio.Event()

    async def start(self) -> None:
        if self.error is not None:
            raise self.error
        await self.may_join.wait()


async def test_a_worker_with_a_wrong_token_is_told_what_to_do() -> None:
    newcomer = Newcomer(UnauthenticatedError("This key is not known."))
    with pytest.raises(UnauthenticatedError, match=r"http://a does not let .*not known\..*--join-token"):
        await join(newcomer, ["http://a"])


async def test_a_refusal_that_may_pass_is_shown_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "_PATIENCE", 0.0)
    newcomer = Newcomer()
    joining = asyncio.ensure_future(join(newcomer, ["http://a"]))
    said = ""
    while not said:
        await asyncio.sleep(0)
        said = capsys.readouterr().err
    newcomer.may_join.set()
    await joining
    assert "does not let the worker in yet: Another registers" in said
    assert capsys.readouterr().err == ""


async def test_a_worker_that_fails_ends_the_process_with_a_sentence() -> None:
    master, worker = Part(), Part()
    worker.end.set_exception(TypeError("cannot do that"))
    with pytest.raises(CrawlmeshError, match=r"ended by a fault \(TypeError: cannot do that\)"):
        await wait_for_both(master, worker)


async def test_the_master_goes_on_without_a_worker_that_was_drained(
    capsys: pytest.CaptureFixture[str],
) -> None:
    master, worker = Part(), Part()
    worker.end.set_result(None)
    waiting = asyncio.ensure_future(wait_for_both(master, worker))
    while "start this process anew" not in capsys.readouterr().err:
        await asyncio.sleep(0)
    assert not waiting.done()
    master.end.set_result(None)
    await waiting


async def test_the_end_of_the_master_is_the_end() -> None:
    master, worker = Part(), Part()
    master.end.set_exception(OSError("gone"))
    with pytest.raises(OSError, match="gone"):
        await wait_for_both(master, worker)


@pytest.mark.parametrize(
    ("flags", "file"),
    [
        ({"mode": "master"}, "logs/distribution.log"),
        ({"mode": "standalone", "device_id": "a"}, "logs/distribution.log"),
        ({"mode": "worker", "device_id": "worker-001"}, "logs/distribution-worker-001.log"),
        ({"mode": "worker"}, "logs/distribution-worker.log"),
        ({"mode": "worker", "device_id": "a", "log_file": "own.log"}, "own.log"),
        ({"mode": "worker", "log_file": "none"}, None),
    ],
)
def test_a_worker_has_a_log_file_of_its_own(flags: dict[str, Any], file: str | None) -> None:
    assert log_file(load_settings(flags)) == (None if file is None else Path(file))
