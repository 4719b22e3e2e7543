"""The parameters of a `web_crawl` task (S2 8.6.2), read and checked."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.crawl.extraction import ExtractionSpec
from crawlmesh.crawl.limits import CrawlLimits
from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.errors import InvalidError, SelectorError, UsageError
from crawlmesh.model.crawl import Dedup
from crawlmesh.protocol import crawl_parameters as bounds
from crawlmesh.protocol.crawl_parameters import KNOWN_PARAMETERS

_REMEMBERED_BYTES = 16_384  # of selectors that are compiled once for all tasks
_HEADER_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_HEADER_LINE = re.compile(rf"[ \t]*{_HEADER_NAME.pattern}[ \t]*:[^\r\n\x00]*")
_USER_AGENT = re.compile(bounds.USER_AGENT)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")

_Number = TypeVar("_Number", int, float)


def crawl_definition_from(
    parameters: Mapping[str, Any], defaults: CrawlLimits | None = None
) -> tuple[CrawlDefinition, CrawlLimits]:
    """What a task wants crawled, and how; what it leaves open comes from `defaults`.

    Raises InvalidError with the field `parameters.<name>` for everything that cannot be.
    """
    for name in parameters:
        if name not in KNOWN_PARAMETERS:
            raise _error(
                name, f"is no parameter of web_crawl; the known ones are {', '.join(KNOWN_PARAMETERS)}"
            )
    definition = _definition(parameters)
    try:
        CrawlPlan("check", replace(definition, extraction=None))  # the selectors have been compiled already
    except UsageError as error:
        raise _error(_field_of(parameters, definition), str(error)) from error
    return definition, _limits(parameters, defaults or CrawlLimits())


def _definition(parameters: Mapping[str, Any]) -> CrawlDefinition:
    if _flag(parameters, "archive"):
        raise _error("archive", "must be false: tasks keep no whole pages")
    extraction = _extraction(parameters.get("selectors"))
    return CrawlDefinition(
        seeds=_seeds(parameters),
        scope=_scope(parameters),
        allow_hosts=_texts(parameters, "allow_hosts"),
        include=_patterns(parameters, "include"),
        exclude=_patterns(parameters, "exclude"),
        depth=_whole(parameters, "depth", 0, bounds.DEEPEST),
        extraction=extraction,
        metadata=_flag(parameters, "metadata") or bool(extraction and extraction["metadata"]),
        ignore_robots=_flag(parameters, "ignore_robots"),
        sitemaps=_flag(parameters, "sitemaps"),
    )


def _limits(parameters: Mapping[str, Any], defaults: CrawlLimits) -> CrawlLimits:
    _whole(parameters, "concurrency", 1, bounds.MOST_CONCURRENT)  # understood, but the worker's own business
    delay = _number(parameters, "delay", 0.0, float(bounds.LONGEST_DELAY), float)
    per_host = _whole(parameters, "per_host", 1, bounds.MOST_PER_HOST)
    return CrawlLimits(
        max_pages=_whole(parameters, "max_pages", 1, bounds.MOST_PAGES),
        delay=defaults.delay if delay is None else delay,
        per_host=defaults.per_host if per_host is None else per_host,
        headers=_headers(parameters.get("headers")),
        user_agent=_user_agent(parameters.get("user_agent")),
        **_dedup(parameters, defaults),
    )


def _dedup(parameters: Mapping[str, Any], defaults: CrawlLimits) -> dict[str, Any]:
    mode = parameters.get("dedup")
    if mode is not None and mode not in bounds.DEDUPS:
        raise _error("dedup", f"must be one of {', '.join(bounds.DEDUPS)}, not {_shown(mode)}")
    capacity = _whole(parameters, "dedup_capacity", 1, bounds.MOST_FILTERED)
    rate = _number(parameters, "dedup_error_rate", bounds.LEAST_ERROR_RATE, bounds.MOST_ERROR_RATE, float)
    return {
        "dedup": defaults.dedup if mode is None else Dedup(mode),
        "dedup_capacity": defaults.dedup_capacity if capacity is None else capacity,
        "dedup_error_rate": defaults.dedup_error_rate if rate is None else rate,
    }


def _seeds(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    if parameters.get("url") is not None and parameters.get("urls") is not None:
        raise _error("urls", "stands beside url; give one of them")
    if parameters.get("url") is not None:
        return (_seed("url", parameters["url"]),)
    urls = parameters.get("urls")
    if urls is None:
        raise _error(
            "url", "is missing: give the address to start from, such as https://example.com/products"
        )
    if not isinstance(urls, list | tuple) or not urls:
        raise _error("urls", "must be a list of addresses with at least one in it")
    if len(urls) > bounds.MOST_URLS:
        raise _error("urls", f"has {len(urls)} addresses; {bounds.MOST_URLS} are allowed")
    return tuple(dict.fromkeys(_seed("urls", url) for url in urls))


def _seed(name: str, url: Any) -> str:
    if not isinstance(url, str) or not url.strip() or len(url) > bounds.LONGEST_URL:
        raise _error(
            name, f"must be an address of at most {bounds.LONGEST_URL} characters, not {_shown(url)}"
        )
    url = str(url).strip()
    scheme = _SCHEME.match(url)
    if "://" not in url and not (scheme and scheme[1].lower() in ("file", "data", "javascript", "about")):
        url = f"https://{url}"  # as people type it
    scheme = _SCHEME.match(url)
    if scheme is None or scheme[1].lower() not in ("http", "https"):
        raise _error(name, f"must be an http or https address, not {_shown(url)}")
    try:
        CrawlPlan("check", CrawlDefinition(seeds=(url,)))
    except UsageError as error:
        raise _error(name, str(error)) from error
    return str(url)


def _scope(parameters: Mapping[str, Any]) -> Any:
    scope = parameters.get("scope")
    if scope is not None and scope not in bounds.SCOPES:
        raise _error("scope", f"must be one of {', '.join(bounds.SCOPES)}, not {_shown(scope)}")
    return scope or "host"


def _extraction(selectors: Any) -> dict[str, Any] | None:
    if selectors is None or selectors == {}:
        return None
    try:
        text = msgspec.json.encode(selectors)
        compiled = _remembered if len(text) <= _REMEMBERED_BYTES else _compiled
        spec: dict[str, Any] = msgspec.json.decode(compiled(text))
    except SelectorError as error:
        raise _error("selectors", str(error)) from error
    return spec


def _compiled(selectors: bytes) -> bytes:
    """The specification of selectors, both as JSON. Raises SelectorError."""
    return msgspec.json.encode(ExtractionSpec.from_json(msgspec.json.decode(selectors)).to_json())


_remembered = lru_cache(maxsize=256)(_compiled)  # the tasks of a batch mostly have the same selectors


def _patterns(parameters: Mapping[str, Any], name: str) -> tuple[str, ...]:
    patterns = _texts(parameters, name)
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise _error(name, f"has {_shown(pattern)}, which is no regular expression: {error}") from error
    return patterns


def _texts(parameters: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = parameters.get(name)
    if value is None:
        return ()
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) and text for text in value):
        raise _error(name, f"must be a list of texts, not {_shown(value)}")
    if len(value) > bounds.MOST_TEXTS:
        raise _error(name, f"has {len(value)} entries; {bounds.MOST_TEXTS} are allowed")
    return tuple(value)


def _flag(parameters: Mapping[str, Any], name: str) -> bool:
    value = parameters.get(name)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise _error(name, f"must be true or false, not {_shown(value)}")


def _whole(parameters: Mapping[str, Any], name: str, least: int, most: int) -> int | None:
    value = parameters.get(name)
    if isinstance(value, float) and not value.is_integer():  # JSON has but one kind of numbers
        raise _error(name, f"must be a whole number, not {_shown(value)}")
    return _number(parameters, name, least, most, int)


def _number(
    parameters: Mapping[str, Any], name: str, least: _Number, most: _Number, kind: Callable[[Any], _Number]
) -> _Number | None:
    value = parameters.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise _error(name, f"must be a number from {least} to {most}, not {_shown(value)}")
    return kind(value)


def _headers(value: Any) -> tuple[tuple[str, str], ...]:
    if value is None:
        return ()
    most = bounds.MOST_HEADERS
    if isinstance(value, list | tuple) and len(value) <= most and all(map(_is_header_line, value)):
        value = {line.partition(":")[0].strip(): line.partition(":")[2].strip() for line in value}
    if not isinstance(value, Mapping) or len(value) > most:
        raise _error("headers", f"must be an object of at most {most} names and texts, not {_shown(value)}")
    for name, text in value.items():
        if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name):
            raise _error("headers", f"has {_shown(name)}, which is no header name")
        if name.lower() in bounds.REFUSED_HEADERS:
            raise _error("headers", f"may not set {name!r}: it belongs to the connection")
        if (
            not isinstance(text, str)
            or any(mark in text for mark in "\r\n\0")
            or len(text) > bounds.LONGEST_HEADER
        ):
            raise _error("headers", f"must have a text of one line for {name!r}, not {_shown(text)}")
    return tuple(value.items())


def _is_header_line(line: Any) -> bool:
    return isinstance(line, str) and len(line) <= bounds.LONGEST_HEADER and bool(_HEADER_LINE.fullmatch(line))


def _user_agent(value: Any) -> str | None:
    if value is None:
        return None
    fits = isinstance(value, str) and len(value) <= bounds.LONGEST_USER_AGENT and _USER_AGENT.fullmatch(value)
    if not fits:
        raise _error(
            "user_agent",
            f"must begin with a name, such as mybot/1.0, and be one line of ASCII, not {_shown(value)}",
        )
    return str(value)


def _field_of(parameters: Mapping[str, Any], definition: CrawlDefinition) -> str:
    """The parameter that a whole definition fails for, once each seed has been found to be good."""
    if definition.allow_hosts:
        return "allow_hosts"
    return "include" if definition.include else "url" if "url" in parameters else "urls"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 100 else text[:100] + "…"


def _error(name: str, problem: str) -> InvalidError:
    problem = problem if problem.endswith(".") else f"{problem}."
    return InvalidError(f"parameters.{name}: {problem}", field=f"parameters.{name}")
