import msgspec
import pytest

from crawlmesh.cli.summary import why_nothing
from crawlmesh.cli.why import ledger_lines
from crawlmesh.model.link import FoundBy, LinkState
from crawlmesh.model.page import FailureKind
from crawlmesh.model.record import Attempt, LedgerEntry
from crawlmesh.rules.rule_names import RULE_SENTENCES

URL = "https://a.example/x"
DONE = LedgerEntry(
    URL, 2, FoundBy.LINK, "https://a.example/", LinkState.DONE, outcome="fetched", has_record=True
)


def _lines(**fields: object) -> list[str]:
    return ledger_lines(URL, msgspec.structs.replace(DONE, **fields))


def test_a_url_that_was_never_seen() -> None:
    assert ledger_lines(URL, None) == [f"{URL} was never seen: no page that was fetched links to it."]


def test_a_page_with_its_attempts() -> None:
    attempts = (Attempt(1, 0.0, "retry", 503, "http_503", 0.25), Attempt(2, 60.0, "fetched", 200, None, 1.0))
    assert _lines(attempts=attempts) == [
        URL,
        "Found by a link on https://a.example/, depth 2.",
        "Attempt 1, 1970-01-01 00:00:00 UTC: status 503, retry (http_503) after 250 ms.",
        "Attempt 2, 1970-01-01 00:01:00 UTC: status 200, fetched after 1000 ms.",
        "Done, with a record.",
    ]


@pytest.mark.parametrize(
    ("found_by", "parent", "line"),
    [
        (FoundBy.SEED, None, "Given as a start URL, depth 2."),
        (FoundBy.SITEMAP, "https://a.example/s", "Found in a sitemap on https://a.example/s, depth 2."),
        (FoundBy.REDIRECT, "https://a.example/o", "Found by a redirect on https://a.example/o, depth 2."),
    ],
)
def test_how_it_was_found(found_by: FoundBy, parent: str | None, line: str) -> None:
    assert _lines(found_by=found_by, parent_url=parent)[1] == line


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"state": LinkState.PENDING}, "It waits to be fetched."),
        ({"state": LinkState.LEASED}, "It is being fetched."),
        ({"state": LinkState.DEAD, "reason": "http_404"}, "Dead: the server answered with status 404."),
        ({"has_record": False}, "Done, without a record."),
        (
            {"outcome": "redirected", "final_url": "https://b.example/"},
            "Done: it redirects to https://b.example/.",
        ),
        (
            {"outcome": "redirected", "final_url": "https://b.example/", "reason": "scope_host"},
            "Done: it redirects to https://b.example/. That was not followed: "
            + RULE_SENTENCES["scope_host"],
        ),
        (
            {"outcome": "skipped", "reason": "robots"},
            "Skipped by the rule robots: its robots.txt forbids it; --ignore-robots goes on nevertheless.",
        ),
    ],
)
def test_how_it_stands(fields: dict[str, object], line: str) -> None:
    assert _lines(**fields)[-1] == line


def test_a_url_that_a_rule_kept_out() -> None:
    lines = _lines(state=None, rule="depth", found_by=None)
    assert lines[-1] == "Skipped by the rule depth: It lies deeper than the depth limit."


def test_the_hops_that_led_there() -> None:
    assert "Redirected from https://a.example/old" in _lines(redirected_from=("https://a.example/old",))


@pytest.mark.parametrize(
    "reason",
    [
        *FailureKind,
        "robots",
        "content_type",
        "redirect_limit",
        "bad_redirect",
        "no_sitemap",
        "http_500",
        *RULE_SENTENCES,
    ],
)
def test_every_reason_has_a_sentence(reason: str) -> None:
    sentence = why_nothing(reason)
    assert " " in sentence
    assert sentence.endswith(".")
