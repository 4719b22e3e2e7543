"""The parameters of a `web_crawl` as users write them: their bounds, and what they are in JSON Schema.

What no schema can say has a format of its own: whether a text is an address, a host, a selector or a regular
expression is found out by `crawlmesh.crawl.task_parameters`, which reads them.
"""

from typing import Any, Final

MOST_URLS: Final = 10_000
LONGEST_URL: Final = 8_192  # characters
MOST_TEXTS: Final = 1_000
MOST_HEADERS: Final = 100
LONGEST_HEADER: Final = 8_192  # characters
LONGEST_USER_AGENT: Final = 1_000  # characters
DEEPEST: Final = 1_000_000
LONGEST_DELAY: Final = 3_600  # seconds
MOST_PER_HOST: Final = 1_000
MOST_CONCURRENT: Final = 1_000_000
MOST_PAGES: Final = 10**12
SCOPES: Final = ("host", "domain", "any")
DEDUPS: Final = ("exact", "bloom")
MOST_FILTERED: Final = 10**11  # links
LEAST_ERROR_RATE: Final = 1e-9
MOST_ERROR_RATE: Final = 0.1
VALUE_TYPES: Final = ("string", "number", "integer", "boolean", "url")

# Those that say how a message travels are the client's own business.
REFUSED_HEADERS: Final = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect",
     "keep-alive", "proxy-authorization", "proxy-connection"}
)  # fmt: skip
_TOKEN = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"  # noqa: S105 - of RFC 9110, no secret
_ANY_CASE = "|".join(
    "".join(f"[{letter.upper()}{letter}]" if letter.isalpha() else letter for letter in name)
    for name in sorted(REFUSED_HEADERS)
)
HEADER_NAME: Final = rf"^(?!(?:{_ANY_CASE})$){_TOKEN}$"
HEADER_TEXT: Final = r"^[^\r\n\x00]*$"
HEADER_LINE: Final = rf"^[ \t]*(?!(?:{_ANY_CASE})[ \t]*:){_TOKEN}[ \t]*:[^\r\n\x00]*$"
USER_AGENT: Final = r"^[0-9A-Za-z][ -~]*$"

Schema = dict[str, Any]
_NULL: Schema = {"type": "null"}


def reference(name: str) -> Schema:
    """A schema of the description by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def _or_null(*kinds: Schema, what: str) -> Schema:
    return {"anyOf": [*kinds, _NULL], "description": what}


def _text(kind: str, longest: int | None = None) -> Schema:
    """A text in a format, none of which has the character NUL."""
    return {"type": "string", "format": kind} | ({} if longest is None else {"maxLength": longest})


def _texts(kind: str) -> tuple[Schema, Schema]:
    return _text(kind), {"type": "array", "items": _text(kind), "maxItems": MOST_TEXTS}


def _whole(least: int, most: int, what: str) -> Schema:
    return _or_null({"type": "integer", "minimum": least, "maximum": most}, what=what)


def _flag(what: str) -> Schema:
    return _or_null({"type": "boolean"}, what=what)


_URL = _text("crawl-url", LONGEST_URL)
_URLS: Schema = {"type": "array", "items": _URL, "minItems": 1, "maxItems": MOST_URLS}
_HEADERS: Schema = {
    "type": "object",
    "propertyNames": {"pattern": HEADER_NAME},
    "additionalProperties": {"type": "string", "pattern": HEADER_TEXT, "maxLength": LONGEST_HEADER},
    "maxProperties": MOST_HEADERS,
}
_HEADER_LINES: Schema = {
    "type": "array",
    "items": {"type": "string", "pattern": HEADER_LINE, "maxLength": LONGEST_HEADER},
    "maxItems": MOST_HEADERS,
}
_USER_AGENT: Schema = {"type": "string", "pattern": USER_AGENT, "maxLength": LONGEST_USER_AGENT}

_OPTIONS: Schema = {
    "depth": _whole(0, DEEPEST, "Links away from the start; null: without end."),
    "selectors": _or_null(reference("Selectors"), what="What to take from each page."),
    "scope": _or_null({"enum": list(SCOPES)}, what="Which links are followed."),
    "allow_hosts": _or_null(*_texts("crawl-host"), what="Hosts beside those of the start."),
    "include": _or_null(*_texts("python-regex"), what="Only addresses that one of these finds."),
    "exclude": _or_null(*_texts("python-regex"), what="No addresses that one of these finds."),
    "max_pages": _whole(1, MOST_PAGES, "End after so many pages."),
    "delay": _or_null(
        {"type": "number", "minimum": 0, "maximum": LONGEST_DELAY},
        what="Seconds between two requests to a host.",
    ),
    "per_host": _whole(1, MOST_PER_HOST, "Requests at once to a host."),
    "concurrency": _whole(1, MOST_CONCURRENT, "Understood, and left to the worker."),
    "headers": _or_null(_HEADERS, _HEADER_LINES, what="Sent with each request; `Name: text` in a list."),
    "user_agent": _or_null(_USER_AGENT, what="Begins with a name, such as mybot/1.0."),
    "ignore_robots": _flag("Only where the node's settings allow it."),
    "sitemaps": _flag("Whether to begin with the sitemaps, too."),
    "metadata": _flag("Whether to take the metadata of each page, too."),
    "dedup": _or_null({"enum": list(DEDUPS)}, what="How known links are recognised."),
    "dedup_capacity": _whole(1, MOST_FILTERED, "Links that a Bloom filter is made for at first."),
    "dedup_error_rate": _or_null(
        {"type": "number", "minimum": LEAST_ERROR_RATE, "maximum": MOST_ERROR_RATE},
        what="Share of new links that a Bloom filter may take for known ones.",
    ),
    "archive": {"enum": [False, None], "description": "Tasks keep no whole pages."},
}
KNOWN_PARAMETERS: Final = ("url", "urls", *_OPTIONS)


def _crawl(required: list[str], **seeds: Schema) -> Schema:
    properties = {**seeds, **_OPTIONS}
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _fields(least: int) -> Schema:
    field = {"anyOf": [_text("selector"), reference("SelectedValue"), reference("SelectedObjects")]}
    return {
        "type": "object",
        "propertyNames": _text("field-name"),
        "additionalProperties": field,
        "minProperties": least,
    }


CRAWL_SCHEMAS: dict[str, Schema] = {
    "CrawlParameters": {
        "description": "What a `web_crawl` shall do: from where, how far, and what to take.",
        "anyOf": [_crawl(["url"], url=_URL, urls=_NULL), _crawl(["urls"], url=_NULL, urls=_URLS)],
    },
    "CrawlOptions": {**_crawl([], urls=_NULL), "description": "The same without the start."},
    "Selectors": {
        "description": "Names, and what to take under them: a selector, or an object that says more.",
        "anyOf": [
            _fields(0),
            {
                "type": "object",
                "properties": {"selectors": _fields(1), "metadata": {"type": "boolean"}},
                "required": ["selectors"],
                "additionalProperties": False,
            },
            {
                "type": "object",
                "properties": {
                    "selectors": {"type": "object", "maxProperties": 0},
                    "metadata": {"const": True},
                },
                "required": ["selectors", "metadata"],
                "additionalProperties": False,
            },
        ],
    },
    "SelectedValue": {
        "type": "object",
        "properties": {
            "selector": _text("selector"),
            "all": {"type": "boolean", "description": "All matches, not only the first."},
            "default": reference("Json"),
            "type": _or_null({"enum": list(VALUE_TYPES)}, what="What to make of the text."),
        },
        "required": ["selector"],
        "additionalProperties": False,
    },
    "SelectedObjects": {
        "type": "object",
        "properties": {
            "selector": _text("container-selector"),
            "all": {"type": "boolean", "description": "All matches, as is usual here."},
            "default": reference("Json"),
            "fields": _fields(1),
        },
        "required": ["selector", "fields"],
        "additionalProperties": False,
    },
}
