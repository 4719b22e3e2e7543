"""What scripts are given to make a filter, and what they answer about one."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import msgspec

from crawlmesh.model.crawl import FilterStatus
from crawlmesh.rules.bloom_sizing import filter_status, layers_of

BLOOM_LUA = files("crawlmesh.adapters.redis.bloom").joinpath("bloom.lua").read_text("utf-8")

_SERVER_TIGHTENING = 0.5  # of the layers of the server's own filter


def new_filter_fields(capacity: int, error_rate: float) -> tuple[bytes, int, str]:
    """The arguments `layers`, `capacity` and `error_rate` of `bloom_create`."""
    return msgspec.msgpack.encode(layers_of(capacity, error_rate)), capacity, f"{error_rate:.12f}"


def read_status(answer: Sequence[Any]) -> FilterStatus | None:
    """What `bloom_status` answered; None where there is no filter."""
    if answer[0] is None:
        return None
    capacity, error_rate = int(answer[2]), float(answer[3])
    if _text(answer[0]) == "script":
        return filter_status(layers_of(capacity, error_rate), int(answer[1]))
    return _server_status(answer[4], error_rate)


def _server_status(info: Sequence[Any], error_rate: float) -> FilterStatus:
    told = {_text(name).lower(): value for name, value in zip(info[::2], info[1::2], strict=True)}
    layers = int(told["number of filters"])
    return FilterStatus(
        capacity=int(told["capacity"]),
        count=int(told["number of items inserted"]),
        layers=layers,
        bytes=int(told["size"]),
        error_rate=error_rate * (1.0 - _SERVER_TIGHTENING**layers),
    )


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value
