import pytest
from rich.console import Console

from crawlmesh.cli import printing
from crawlmesh.cli.printing import print_table

COLUMNS = ("id", "name", "note", "created")
ROWS = [("task-" + "0" * 26, "short", "some words about it", "2026-11-15 13:46:38 UTC")]


def _printed(width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    monkeypatch.setattr(printing, "table_console", lambda: Console(width=width, highlight=False))
    print_table(COLUMNS, ROWS, "none", leave_out=("created", "note"))
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(
    ("width", "columns"), [(120, COLUMNS), (80, COLUMNS[:3]), (60, COLUMNS[:2])], ids=str
)
def test_columns_are_left_out_until_a_table_fits(
    width: int,
    columns: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    head, row = _printed(width, monkeypatch, capsys)
    assert head == " ".join(columns)
    assert row == " ".join(ROWS[0][: len(columns)])


def test_an_id_is_never_broken(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    lines = _printed(38, monkeypatch, capsys)
    assert any(line.startswith(ROWS[0][0]) for line in lines)


def test_without_rows_there_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(COLUMNS, [], "There are none.")
    assert capsys.readouterr().out == "There are none.\n"
