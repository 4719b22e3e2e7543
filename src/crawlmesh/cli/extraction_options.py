"""Selectors from the command line or a file, as one extraction spec."""

from pathlib import Path
from typing import Any

from crawlmesh.crawl.extraction import load_spec, parse_selections
from crawlmesh.errors import UsageError


def extraction_from(
    selections: tuple[str, ...], spec_file: Path | None, metadata: bool | None
) -> tuple[dict[str, Any] | None, bool]:
    """The spec, in the form that a crawl's definition keeps, and whether metadata is wanted."""
    if selections and spec_file:
        raise UsageError("--select and --spec exclude each other; put all selectors into the file.")
    if spec_file is not None:
        spec = load_spec(spec_file)
        return spec.to_json(), spec.metadata if metadata is None else metadata
    if selections:
        return parse_selections(selections).to_json(), bool(metadata)
    return None, bool(metadata)
