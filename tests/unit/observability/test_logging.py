import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from crawlmesh.observability.logging import LogOptions, Tag, log_for, start_logging


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    stops: list[Callable[[], None]] = []

    def start(**options: object) -> Path:
        file = tmp_path / "logs" / "distribution.log"
        stops.append(start_logging(LogOptions(file=file, **options)))  # type: ignore[arg-type]
        return file

    yield start
    for stop in stops:
        stop()


def test_a_line_has_moment_level_tag_message_and_fields(
    started: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    file = started()
    log_for(Tag.SCHEDULER).info("Task placed.", task_id="task-1", choice="it was idle")
    (line,) = file.read_text().splitlines()
    moment, rest = line.split(" ", 1)
    assert moment.endswith("Z")
    assert rest == 'INFO [SCHED] Task placed. task_id=task-1 choice="it was idle"'
    assert capsys.readouterr().err == line + "\n"


@pytest.mark.parametrize(
    ("tag", "name", "shown"),
    [
        (Tag.MASTER, "", "MASTER"),
        (Tag.WORKER, "a1b2", "WORKER-a1b2"),
        (Tag.SCHEDULER, "", "SCHED"),
        (Tag.DEDUP, "", "DEDUP"),
        (Tag.RECOVERY, "", "RECOVER"),
        (Tag.BALANCE, "", "LB"),
    ],
)
def test_tags_are_those_of_the_specification(
    started: Callable[..., Path], tag: Tag, name: str, shown: str
) -> None:
    file = started()
    log_for(tag, name).error("No answer.")
    assert f"ERROR [{shown}] No answer." in file.read_text()


def test_a_logger_of_the_standard_library_gets_its_tag_from_its_name(started: Callable[..., Path]) -> None:
    file = started()
    logging.getLogger("crawlmesh.RECOVER").warning("%d tasks are placed anew", 5)
    assert "WARNING [RECOVER] 5 tasks are placed anew" in file.read_text()


def test_json_lines_have_the_same_as_fields(started: Callable[..., Path]) -> None:
    file = started(form="json")
    try:
        raise ValueError("broken")
    except ValueError as error:
        log_for(Tag.MASTER).exception("It failed.", error, request_id="r1", file=Path("x"))
    entry = json.loads(file.read_text())
    assert [entry[name] for name in ("level", "tag", "message", "request_id", "file")] == [
        *("ERROR", "MASTER", "It failed.", "r1", "x")
    ]
    assert "ValueError: broken" in entry["exception"]


def test_what_is_below_the_level_is_left_out(started: Callable[..., Path]) -> None:
    file = started(level="WARNING")
    log_for(Tag.MASTER).info("Chatter.")
    log_for(Tag.MASTER).critical("The end.")
    assert "Chatter" not in file.read_text()
    assert "CRITICAL [MASTER] The end." in file.read_text()


def test_a_value_cannot_look_like_a_line_of_its_own(started: Callable[..., Path]) -> None:
    file = started()
    log_for(Tag.MASTER).info("one\ntwo", name="a\nb")
    assert len(file.read_text().splitlines()) == 1


def test_the_files_stay_within_their_bound(started: Callable[..., Path]) -> None:
    file = started(file_bytes=1000, old_files=2)
    for number in range(200):
        log_for(Tag.MASTER).info("A sentence of some length that fills the file.", number=number)
    files = list(file.parent.iterdir())
    assert len(files) == 3
    assert sum(path.stat().st_size for path in files) <= 3000


def test_ending_twice_is_fine(tmp_path: Path) -> None:
    stop = start_logging(LogOptions(file=tmp_path / "a.log"))
    stop()
    stop()
    assert not logging.getLogger("crawlmesh").handlers
