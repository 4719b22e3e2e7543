"""Specs in files."""

from pathlib import Path

import pytest

from crawlmesh.crawl.extraction import ExtractionSpec, load_spec
from crawlmesh.errors import SelectorError

SPEC = ExtractionSpec.from_json({"title": "h1", "items": {"selector": "li", "fields": {"name": "b"}}})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '\ufeff{"title": "h1", "items": {"selector": "li", "fields": {"name": "b"}}}'),
        ("a.yaml", "title: h1\nitems:\n  selector: li\n  fields: {name: b}\n"),
        ("a.YML", "selectors:\n  title: h1\n  items:\n    selector: li\n    fields: {name: b}\n"),
        ("a.toml", 'title = "h1"\n[items]\nselector = "li"\nfields = {name = "b"}\n'),
    ],
)
def test_every_format_gives_the_same_spec(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert load_spec(path) == SPEC
    assert load_spec(str(path)) == SPEC


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "", ".json, .yaml, .yml, .toml"),
        ("a", "", ".json"),
        ("a.json", '{"a":\n  oops}', "line 2"),
        ("a.json", '{"a": "b", "a": "c"}', "twice"),
        ("a.json", "", "JSON"),
        ("a.json", "[" * 100_000, "JSON"),
        ("a.yaml", "a: b\nc: [", "line"),
        ("a.yaml", "", "mapping"),
        ("a.yaml", "a: !!python/object:os.system x", "YAML"),
        ("a.toml", "a = 1\nb = \nc = 2", "line 2"),
        ("a.toml", "a = 1979-05-27", "a"),
        ("a.json", '{"a": "b["}', "b["),
        ("a.yaml", "1: h1", "quotes"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(SelectorError) as caught:
        load_spec(path)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(SelectorError, match="No such file"):
        load_spec(tmp_path / "missing.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(SelectorError, match="directory"):
        load_spec(tmp_path / "folder.json")
    (tmp_path / "latin.json").write_bytes(b'{"a": "\xe9"}')
    with pytest.raises(SelectorError, match="UTF-8"):
        load_spec(tmp_path / "latin.json")
