import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlmesh.rules.robots import MAX_ROBOTS_LENGTH, RobotsRules

AGENT = "crawlmesh/1.0 (+https://crawlmesh.example)"
TEXT = """\
User-agent: *
Disallow: /private
Allow: /private/open
Disallow: /*.pdf$
Crawl-delay: 2.5

User-agent: otherbot
Disallow: /

Sitemap: https://h/sitemap.xml
Sitemap: /more.xml
"""

robots_lines = st.sampled_from(
    [
        "User-agent: *",
        "User-agent",
        "Disallow: /",
        "Disallow: %",
        "Allow: /*$*",
        "Crawl-delay: nan",
        "Host: x",
        "\x00",
    ]
)


def test_rules_of_a_file() -> None:
    rules = RobotsRules(200, TEXT, AGENT)

    assert rules.allows("https://h/")
    assert not rules.allows("https://h/private/x")
    assert rules.allows("https://h/private/open/x")
    assert not rules.allows("https://h/a.pdf")
    assert rules.allows("https://h/a.pdf?x")
    assert rules.allows("https://h/robots.txt")
    assert rules.crawl_delay() == 2.5
    assert rules.sitemaps() == ("https://h/sitemap.xml", "/more.xml")
    assert not rules.unavailable


def test_the_group_of_the_user_agent_counts() -> None:
    assert not RobotsRules(200, TEXT, "OtherBot/2.0").allows("https://h/")
    assert RobotsRules(200, "User-agent: crawlmesh\nDisallow: /", "x").allows("https://h/")
    assert not RobotsRules(200, "\ufeffUser-agent: crawlmesh\nDisallow: /", AGENT).allows("https://h/")


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 410, 429])
def test_no_file_allows_everything(status: int) -> None:
    rules = RobotsRules(status, "User-agent: *\nDisallow: /", AGENT)

    assert rules.allows("https://h/")
    assert not rules.unavailable
    assert rules.crawl_delay() is None
    assert rules.sitemaps() == ()


@pytest.mark.parametrize("status", [None, 0, 500, 503, 599])
def test_a_failing_server_disallows_everything_for_now(status: int | None) -> None:
    rules = RobotsRules(status, None, AGENT)

    assert not rules.allows("https://h/")
    assert rules.unavailable


@pytest.mark.parametrize(
    "text", [None, "", "<html><body>Not found</body></html>", "User-agent: *\nDisallow:"]
)
def test_a_file_without_rules_allows_everything(text: str | None) -> None:
    assert RobotsRules(200, text, AGENT).allows("https://h/x")


def test_a_long_file_is_cut_between_lines() -> None:
    filler = "User-agent: *\n" + "# filler\n" * (MAX_ROBOTS_LENGTH // 9 - 3)
    text = filler + "x" * (MAX_ROBOTS_LENGTH - len(filler) - 12) + "\nDisallow: /private\nDisallow: /late\n"

    rules = RobotsRules(200, text, AGENT)

    assert text[:MAX_ROBOTS_LENGTH].endswith("\nDisallow: /")
    assert rules.allows("https://h/anything")
    assert rules.allows("https://h/late")


def test_a_file_that_cannot_be_encoded_has_no_rules() -> None:
    assert RobotsRules(200, "User-agent: *\nDisallow: /\ud800", AGENT).allows("https://h/x")


@given(st.text(max_size=200) | st.lists(robots_lines | st.text(max_size=20), max_size=12).map("\n".join))
def test_garbage_never_raises(text: str) -> None:
    rules = RobotsRules(200, text, AGENT)

    assert rules.allows("https://h/path?query") in (True, False)
    delay = rules.crawl_delay()
    assert delay is None or delay >= 0
    assert all(isinstance(sitemap, str) for sitemap in rules.sitemaps())
