"""The kinds of pages that the demo site has, and what a crawl must make of each."""

from enum import StrEnum

from crawlmesh.model.outcome import OutcomeKind


class PageKind(StrEnum):
    """What a URL of the demo site is."""

    PAGE = "page"  # 200 with HTML, JSON, XML or text
    SLOW = "slow"  # the same, late
    FAILS_ONCE = "fails_once"  # 503, and from the second request on 200
    FAILS_ALWAYS = "fails_always"  # 500
    MISSING = "missing"  # 404 or 410
    REDIRECT = "redirect"
    DISALLOWED = "disallowed"  # by robots.txt; must never be requested
    OUT_OF_SCOPE = "out_of_scope"  # on a host that is not of the site and not served
    BINARY = "binary"  # 200 with nothing to extract from
    TRAP = "trap"  # one of endlessly many
    ENDLESS = "endless"  # 200 with a body that never ends
    HANGING = "hanging"  # no answer
    ROBOTS = "robots"  # robots.txt
    SITEMAP = "sitemap"  # sitemap files


class Behaviour(StrEnum):
    """How the server delivers an answer."""

    AT_ONCE = "at_once"
    SLOW = "slow"
    FAIL_ONCE = "fail_once"
    CHUNKED = "chunked"
    ENDLESS = "endless"
    HANGING = "hanging"


EXPECTED_OUTCOME: dict[PageKind, OutcomeKind | None] = {
    PageKind.PAGE: OutcomeKind.FETCHED,
    PageKind.SLOW: OutcomeKind.FETCHED,
    PageKind.FAILS_ONCE: OutcomeKind.FETCHED,
    PageKind.FAILS_ALWAYS: OutcomeKind.DEAD,
    PageKind.MISSING: OutcomeKind.DEAD,
    PageKind.REDIRECT: OutcomeKind.REDIRECTED,
    PageKind.DISALLOWED: OutcomeKind.SKIPPED,
    PageKind.OUT_OF_SCOPE: OutcomeKind.SKIPPED,
    PageKind.BINARY: OutcomeKind.SKIPPED,
    PageKind.TRAP: OutcomeKind.FETCHED,
    PageKind.ENDLESS: OutcomeKind.DEAD,
    PageKind.HANGING: OutcomeKind.DEAD,
    PageKind.ROBOTS: None,
    PageKind.SITEMAP: None,
}

RECORD_KINDS = frozenset({PageKind.PAGE, PageKind.SLOW, PageKind.FAILS_ONCE})
