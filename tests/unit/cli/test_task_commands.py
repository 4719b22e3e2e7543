"""Commands about tasks, against a master that really listens."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crawlmesh.cli.main import main
from tests.acceptance.served_master import ServedMaster, served_master


@pytest.fixture(scope="module")
def master() -> Iterator[ServedMaster]:
    with served_master() as master:
        yield master


def run(master: ServedMaster, folder: Path, *words: str) -> int:
    connection = ("--url", master.url, "--api-key", master.admin_key, "--data-dir", str(folder))
    with pytest.raises(SystemExit) as ended:
        main(["task", *words, *connection])
    return int(ended.value.code or 0)


def test_a_table_is_written_by_the_master(
    master: ServedMaster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "deep" / "records.csv"
    assert run(master, tmp_path, "results", master.task_id, "--output", str(output)) == 0
    assert str(output) in capsys.readouterr().out
    assert output.read_text().startswith("url,final_url,status")
    assert [path.name for path in output.parent.iterdir()] == ["records.csv"]


def test_no_table_is_left_where_there_is_no_such_task(master: ServedMaster, tmp_path: Path) -> None:
    output = tmp_path / "records.parquet"
    assert run(master, tmp_path, "results", "task-0", "--output", str(output)) == 1
    assert not list(tmp_path.glob("records*"))


def test_a_crawl_without_failures_lists_none(
    master: ServedMaster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(master, tmp_path, "failures", master.task_id) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("words", [("--reason", "http_500"), ("--failed-url", "https://a.example/")])
def test_nothing_to_try_again_is_said(
    master: ServedMaster, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert run(master, tmp_path, "retry", master.task_id, *words) == 1
    said = capsys.readouterr().err
    assert "was given up" in said
    assert words[1] in said
