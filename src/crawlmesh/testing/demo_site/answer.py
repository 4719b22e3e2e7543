"""Decides what a request is answered with."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

import msgspec

from crawlmesh.testing.demo_site.first_times import FirstTimes
from crawlmesh.testing.demo_site.page_kind import Behaviour, PageKind
from crawlmesh.testing.demo_site.resource import Resource
from crawlmesh.testing.demo_site.shop import Shop

_UNLIMITED = frozenset({PageKind.ROBOTS, PageKind.SITEMAP})


class Answer(msgspec.Struct, frozen=True):
    """An HTTP answer and the way to deliver it."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""
    behaviour: Behaviour = Behaviour.AT_ONCE


def decide_answer(
    shop: Shop, resource: Resource, headers: Mapping[bytes, bytes], first_times: FirstTimes
) -> Answer:
    """The answer to a request for a resource; `headers` are the request's, names in lower case."""
    limited = shop.is_rate_limited and resource.kind not in _UNLIMITED
    if limited and first_times.is_first(f"429 {shop.number}"):
        return _failure(429, retry_after=shop.options.retry_after)
    failing = resource.behaviour is Behaviour.FAIL_ONCE
    if failing and first_times.is_first(f"503 {resource.url}"):
        return _failure(503)
    if _is_unchanged(resource, headers):
        return Answer(304, _validators(resource))
    fields = (("content-type", resource.content_type), *_validators(resource), *resource.headers)
    return Answer(resource.status, fields, resource.body, resource.behaviour)


def _failure(status: int, retry_after: int | None = None) -> Answer:
    headers = [("content-type", "text/plain; charset=utf-8")]
    if retry_after is not None:
        headers.append(("retry-after", str(retry_after)))
    return Answer(status, tuple(headers), b"Not now.\n")


def _validators(resource: Resource) -> tuple[tuple[str, str], ...]:
    fields = (("etag", resource.etag), ("last-modified", resource.last_modified))
    return tuple((name, value) for name, value in fields if value is not None)


def _is_unchanged(resource: Resource, headers: Mapping[bytes, bytes]) -> bool:
    if resource.etag is None or resource.last_modified is None:
        return False
    if (known := headers.get(b"if-none-match")) is not None:  # goes before If-Modified-Since (RFC 9110)
        tags = {tag.strip().removeprefix("W/") for tag in known.decode("latin-1").split(",")}
        return bool(tags & {resource.etag, "*"})
    since = headers.get(b"if-modified-since")
    return since is not None and _is_not_newer(resource.last_modified, since.decode("latin-1"))


def _is_not_newer(last_modified: str, since: str) -> bool:
    try:
        return parsedate_to_datetime(last_modified) <= parsedate_to_datetime(since)
    except (TypeError, ValueError):  # a date that is none, or one without a zone, is to be ignored
        return False
