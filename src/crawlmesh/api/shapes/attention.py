"""What needs somebody's attention, in answers."""

from collections.abc import Sequence

import msgspec

from crawlmesh.api.shapes.moments import moment
from crawlmesh.model.attention import AttentionItem, AttentionKind, AttentionList, Severity, SubjectType


class SubjectShape(msgspec.Struct, frozen=True, kw_only=True):
    """What it is about."""

    type: SubjectType
    id: str


class AttentionShape(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that somebody should look at, with a sentence that says why. `since`: null if not known."""

    kind: AttentionKind
    severity: Severity
    subject: SubjectShape
    reason: str
    since: str | None


class AttentionAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The most severe first. `more`: how many others there are, as far as was looked."""

    items: Sequence[AttentionShape]
    more: int


def attention_answer(found: AttentionList) -> AttentionAnswer:
    """What needs attention."""
    return AttentionAnswer(items=[_shape(item) for item in found.items], more=found.more)


def _shape(item: AttentionItem) -> AttentionShape:
    return AttentionShape(
        kind=item.kind,
        severity=item.severity,
        subject=SubjectShape(type=item.subject_type, id=item.subject_id),
        reason=item.reason,
        since=None if item.since is None else moment(item.since),
    )
