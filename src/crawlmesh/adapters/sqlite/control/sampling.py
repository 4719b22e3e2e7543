"""Samples, and means over heartbeats."""

from collections.abc import Sequence

import msgspec

from crawlmesh.adapters.sqlite.control.leading import check_leader
from crawlmesh.adapters.sqlite.control.rows import SAMPLE, names
from crawlmesh.adapters.sqlite.control.session import Session
from crawlmesh.adapters.sqlite.control.statements import as_object, insert, json_text, listed
from crawlmesh.model.sample import READINGS, Sample

_KEEP = insert(
    "samples",
    names(SAMPLE),
    "ON CONFLICT (series, step, at) DO UPDATE SET seconds = excluded.seconds, means = excluded.means",
)

READ = listed(
    as_object(SAMPLE, "samples"),
    "FROM samples WHERE series = ? AND step = ? AND at >= ? ORDER BY at LIMIT ?",
)

_TOLD = ", ".join(f"avg(usage ->> '$.{reading}') AS {name}" for name, reading in READINGS.items())
_ALL = (*READINGS, "load", "active_tasks")
MEANS = listed(
    f"json_array(begun, {', '.join(_ALL)})",
    f"FROM (SELECT floor(at / :step) * :step AS begun, {_TOLD}, avg(load) AS load,"  # noqa: S608
    " avg(json_array_length(active_tasks)) AS active_tasks"
    " FROM node_heartbeats WHERE node_id = :node AND at >= :since"
    " GROUP BY begun ORDER BY begun LIMIT :limit)",
)

decode_samples = msgspec.json.Decoder(list[Sample]).decode
decode_means = msgspec.json.Decoder(list[list[float | None]]).decode


def keep_samples(session: Session, samples: Sequence[Sample], *, fence: int | None, now: float) -> None:
    """Add or replace samples."""
    check_leader(session, fence, now)
    rows = [
        (sample.series, sample.step, sample.at, sample.seconds, json_text(sample.means)) for sample in samples
    ]
    session.write(_KEEP, rows)
