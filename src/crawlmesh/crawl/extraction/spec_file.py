"""Loads an extraction spec from a JSON, YAML or TOML file."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from crawlmesh.crawl.extraction.spec import ExtractionSpec
from crawlmesh.errors import SelectorError


def load_spec(path: str | Path) -> ExtractionSpec:
    """Load a spec, its format by the file's extension. Raises SelectorError with one sentence."""
    path = Path(path)
    parse = _PARSERS.get(path.suffix.lower())
    if parse is None:
        allowed = ", ".join(_PARSERS)
        raise SelectorError(f"{path}: the extension {path.suffix!r} is unknown; a spec ends in {allowed}.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SelectorError(f"{path}: the spec cannot be read ({error.strerror or error}).") from None
    except UnicodeDecodeError as error:
        raise SelectorError(
            f"{path}: the spec is not UTF-8 (byte {error.start}); save it as UTF-8."
        ) from None
    try:
        document = parse(text)
    except (ValueError, RecursionError) as error:
        raise SelectorError(
            f"{path}: the spec is not valid {_NAMES[path.suffix.lower()]}: {_where(error)}."
        ) from None
    try:
        return ExtractionSpec.from_json(document)
    except SelectorError as error:
        raise SelectorError(f"{path}: {error}") from None


def _parse_json(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_without_repeats)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {repeated!r} is given twice")
    return mapping


def _parse_yaml(text: str) -> Any:
    import yaml  # noqa: PLC0415 - slow to import, and most crawls have no such file

    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        raise ValueError(f"{error.problem}{where}") from None
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None


def _where(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at line {error.lineno}, column {error.colno}"
    return str(error).replace("\n", " ").rstrip(".")


_PARSERS: dict[str, Callable[[str], Any]] = {
    ".json": _parse_json,
    ".yaml": _parse_yaml,
    ".yml": _parse_yaml,
    ".toml": tomllib.loads,
}
_NAMES = {".json": "JSON", ".yaml": "YAML", ".yml": "YAML", ".toml": "TOML"}
