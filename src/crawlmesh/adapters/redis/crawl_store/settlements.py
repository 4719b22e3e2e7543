"""Settlements, renewals and grants on their way to the server and from it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from crawlmesh.adapters.redis.crawl_store.links import leased_link, load_of, packed, unpacked
from crawlmesh.model.host import HostLimits, HostReport, HostState
from crawlmesh.model.lease import HostBatch, LeaseRequest, Renewal, Settlement
from crawlmesh.model.outcome import LinkOutcome, OutcomeKind

KINDS = (
    OutcomeKind.FETCHED,
    OutcomeKind.NOT_MODIFIED,
    OutcomeKind.REDIRECTED,
    OutcomeKind.SKIPPED,
    OutcomeKind.RETURNED,
    OutcomeKind.RETRY,
    OutcomeKind.DEAD,
)
MICROSECONDS = 1_000_000

_KIND_CODES = {kind: code for code, kind in enumerate(KINDS)}
_LARGEST = 2**53  # the numbers of scripts are doubles
_FIRST = 4  # the argument that comes after those of every script, and their number

_encode_state = msgspec.msgpack.Encoder().encode
_decode_state = msgspec.msgpack.Decoder(HostState).decode


def settling_arguments(settlements: Sequence[Settlement]) -> list[bytes]:
    """The arguments of the script that ends batches; the first says where those of each lie."""
    arguments: list[bytes] = [b""]
    heads = []
    for settlement in settlements:
        state = _take_state(settlement.report, arguments)
        outcomes = [_take_outcome(outcome, arguments) for outcome in settlement.outcomes]
        rest = settlement.report.rest
        fence = possible_fence(settlement.fence)
        load_at = _FIRST + len(arguments)
        arguments += load_of(settlement.discovered, settlement.skipped)
        heads.append(
            (fence, False if rest is None else rest, state, outcomes, list(settlement.unfinished), load_at)
        )
    arguments[0] = packed(heads)
    return arguments


def renewing_arguments(renewals: Sequence[Renewal]) -> list[bytes]:
    """The arguments of the script that gives leases more time."""
    arguments: list[bytes] = [b""]
    heads = []
    for renewal in renewals:
        report = renewal.report or HostReport()
        state = _take_state(report, arguments)
        rest = False if report.rest is None else report.rest
        heads.append(
            (possible_fence(renewal.fence), renewal.duration, renewal.report is not None, rest, state)
        )
    arguments[0] = packed(heads)
    return arguments


def leasing_argument(request: LeaseRequest) -> bytes:
    """The argument of the script that grants leases."""
    return packed(
        (
            request.node_id,
            list(request.crawl_ids),
            request.max_links,
            request.max_batches,
            request.batch_links,
            request.batch_slots,
            request.duration,
        )
    )


class Granted(NamedTuple):
    """What a partition granted."""

    batches: tuple[HostBatch, ...]
    retry_in: float | None
    unfinished: list[int]  # numbers of crawls whose links are not all queued yet
    dry: list[int]  # places in the request of crawls that have less of their budget than is asked for


def grant_from(request: LeaseRequest, answer: Sequence[bytes]) -> Granted:
    """What a partition granted."""
    retry_in, expires_at, rounds, unfinished, dry, batches = unpacked(answer[0])
    round_of = dict(zip(rounds[::2], rounds[1::2], strict=True))
    granted = []
    at = 1
    for fence, slots, delay, host_slots, *places in batches:
        host, state, limits = answer[at : at + 3]
        entries = answer[at + 3 : at + 3 + len(places)]
        at += 3 + len(places)
        links = tuple(
            leased_link(entry, request.crawl_ids[place], round_of[place])
            for place, entry in zip(places, entries, strict=True)
        )
        known = state_from(host, state, delay, host_slots)
        granted.append(HostBatch(fence, known, slots, float(expires_at), links, limits_from(limits)))
    return Granted(tuple(granted), None if retry_in < 0 else float(retry_in), unfinished, dry)


def state_from(host: bytes, state: bytes, delay: float, slots: int) -> HostState:
    """What is known of a host; before anybody reported on it that is what its first crawl says."""
    if state:
        return _decode_state(state)
    return HostState(host.decode("utf-8", "replace"), delay=float(delay), slots=int(slots))


def limits_from(blob: bytes) -> HostLimits:
    """The limits that a user laid down."""
    if not blob:
        return HostLimits()
    delay, slots, blocked = unpacked(blob)
    return HostLimits(None if delay is False else delay, None if slots is False else slots, blocked)


def limits_blob(limits: HostLimits) -> bytes:
    """The same, as they are stored; nothing for those that limit nothing."""
    if limits == HostLimits():
        return b""
    delay, slots = limits.delay, limits.slots
    return packed((False if delay is None else delay, False if slots is None else slots, limits.blocked))


def possible_fence(fence: int) -> int:
    """0, which nobody has, for what is no number in the scripts."""
    return fence if 0 < fence < _LARGEST else 0


def _take_state(report: HostReport, arguments: list[bytes]) -> Any:
    state = report.state
    if state is None:
        return False
    arguments.append(state_blob(state))
    return (state.delay, state.slots, state.exclusive, _FIRST + len(arguments) - 1)


def state_blob(state: HostState) -> bytes:
    """What is known of a host, as it is stored."""
    try:
        return _encode_state(state)
    except UnicodeEncodeError:
        return _encode_state(msgspec.convert(_without_surrogates(msgspec.to_builtins(state)), HostState))


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _take_outcome(outcome: LinkOutcome, arguments: list[bytes]) -> tuple[Any, ...]:
    kind = _KIND_CODES[outcome.kind]
    is_fetched = outcome.kind is OutcomeKind.FETCHED
    arguments.append(
        packed(
            (
                kind,
                outcome.attempt,
                outcome.http_status,
                outcome.reason,
                outcome.final_url,
                outcome.fetched_at,
                round(outcome.elapsed * MICROSECONDS),
                outcome.size,
                *((outcome.etag, outcome.last_modified) if is_fetched else (None, None)),
            )
        )
    )
    at = _FIRST + len(arguments) - 1
    has_record = is_fetched and outcome.record is not None
    if has_record:
        arguments.append(packed((outcome.archive, outcome.record)))
    return (
        outcome.link_id,
        kind,
        False if outcome.http_status is None else outcome.http_status,
        outcome.reason or False,
        outcome.elapsed,
        outcome.size,
        outcome.retry_in,
        at,
        has_record,
    )
