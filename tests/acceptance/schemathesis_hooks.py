"""What schemathesis cannot make up by itself: texts in formats of ours, and calls to the crawl store."""

import os
import re
from typing import Any

import schemathesis
from hypothesis import strategies as st

from crawlmesh.model.crawl import Crawl
from crawlmesh.model.lease import LeaseRequest, Renewal, Settlement
from crawlmesh.model.link import NewLink, SkippedLink
from crawlmesh.protocol.crawl_calls import ENCODER, CallRequest, make_call

_LABELS = st.from_regex(r"[a-z][a-z0-9]{0,8}", fullmatch=True)
_NAMES = st.builds(lambda label, end: f"{label}.{end}", _LABELS, st.sampled_from(["example", "co.uk", "de"]))
_HOSTS = st.builds(lambda name, port: f"{name}{port}", _NAMES, st.sampled_from(["", ":8080", ":443"]))
_PATHS = st.from_regex(r"(?:/[A-Za-z0-9._~%-]{0,9}){0,3}(?:\?[a-z]=[a-z0-9é]{0,5})?", fullmatch=True)
_STARTS = st.sampled_from(["https://", "http://", "HTTP://", "", " https://"])
_TAGS = st.sampled_from(
    ["h1", "div.product", "a", "#main > p", "ul li:nth-child(2)", "[data-x='1']", "css:td"]
)
_ENDINGS = st.sampled_from(["", "::text", "::html", "::attr(href)"])

schemathesis.openapi.format("crawl-url", st.builds(lambda *parts: "".join(parts), _STARTS, _HOSTS, _PATHS))
schemathesis.openapi.format(
    "crawl-host", st.builds(lambda start, host: f"{start}{host}", st.sampled_from(["", "*.", "."]), _HOSTS)
)
schemathesis.openapi.format(
    "python-regex",
    st.text(st.characters(blacklist_characters="\x00", codec="utf-8"), min_size=1).map(re.escape)
    | st.sampled_from([r"^/shop/\d+$", r"(?P<year>\d{4})", r"(?i)\.pdf$", "a|b", "[^/]+"]),
)
schemathesis.openapi.format("container-selector", _TAGS)
schemathesis.openapi.format(
    "selector",
    st.builds(lambda tag, ending: f"{tag}{ending}", _TAGS, _ENDINGS) | st.just(r"re:SKU-(\d+)"),
)
# No name ends with `[]`: with it beside the same name without, there would be one twice.
schemathesis.openapi.format("field-name", _LABELS.filter(lambda name: name != "selectors"))

_PATHS_OF_CRAWLS = ("/api/v1/tasks", "/api/v1/tasks:batch", "/api/distribution/tasks", "/api/v1/preview")


@schemathesis.hook
def filter_case(context: Any, case: Any) -> bool:
    """Leave out crawls with a text that was drawn without one of these formats: it may fit by chance."""
    if case.meta is None or case.operation.path not in _PATHS_OF_CRAWLS:
        return True
    mutations = getattr(case.meta.phase.data, "mutations", ())
    return not any("format" in mutation.keywords for mutation in mutations)


# -- calls to the crawl store ----------------------------------------------------------------------

_NUMBERS = st.integers(0, 2**62)
_SECONDS = st.floats(0, 1e6)
_CRAWL_IDS = st.sampled_from(["crawl-1", "crawl-2", "unknown"])
_NODE_IDS = st.sampled_from(
    [os.environ.get("CRAWLMESH_TEST_NODE_ID", "node"), "another", "node/1"],
)
_FINGERPRINTS = st.binary(min_size=16, max_size=16)
_URLS = st.builds(lambda host, path: f"https://{host}{path}", _HOSTS, _PATHS)

_CRAWLS = st.builds(
    Crawl,
    id=_CRAWL_IDS,
    definition=st.just(b"{}"),
    created_at=_SECONDS,
    max_pages=st.none() | _NUMBERS,
    default_slots=st.integers(1, 100),
)
_LINKS = st.builds(
    NewLink, crawl_id=_CRAWL_IDS, fingerprint=_FINGERPRINTS, url=_URLS, host=_HOSTS, depth=st.integers(0, 9)
)
_SKIPPED = st.builds(
    SkippedLink, crawl_id=_CRAWL_IDS, fingerprint=_FINGERPRINTS, url=_URLS, rule=st.just("depth")
)
_LEASES = st.builds(
    LeaseRequest,
    node_id=_NODE_IDS,
    crawl_ids=st.lists(_CRAWL_IDS, max_size=3).map(tuple),
    max_links=st.integers(0, 1000),
    duration=_SECONDS,
)
_SETTLEMENTS = st.builds(
    Settlement,
    fence=_NUMBERS,
    outcomes=st.just(()),
    discovered=st.lists(_LINKS, max_size=2),
    skipped=st.lists(_SKIPPED, max_size=2),
)
_RENEWALS = st.builds(Renewal, fence=_NUMBERS, duration=_SECONDS)

_ARGUMENTS = {
    "create_crawl": st.tuples(_CRAWLS),
    "add": st.tuples(st.lists(_LINKS, max_size=3), st.lists(_SKIPPED, max_size=3)),
    "lease": st.tuples(_LEASES),
    "settle": st.tuples(st.lists(_SETTLEMENTS, max_size=2)),
    "renew": st.tuples(st.lists(_RENEWALS, max_size=2)),
    "progress": st.tuples(_CRAWL_IDS),
    "expire": st.tuples(st.none() | _NODE_IDS, st.booleans()),
    "delete_crawl": st.tuples(_CRAWL_IDS),  # which nodes may not
}


@st.composite
def _requests(draw: st.DrawFn) -> bytes:
    """A few calls with numbers that grow, as a worker sends them."""
    methods = draw(st.lists(st.sampled_from(sorted(_ARGUMENTS)), max_size=4))
    calls = [make_call(number, method, draw(_ARGUMENTS[method])) for number, method in enumerate(methods, 1)]
    return ENCODER.encode(CallRequest(draw(_LABELS), draw(st.integers(0, 9)), calls))


schemathesis.openapi.media_type("application/msgpack", _requests())
