from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlmesh.errors import UsageError
from crawlmesh.rules import rule_names
from crawlmesh.rules import scope as scope_module
from crawlmesh.rules.scope import RULE_SENTENCES, ScopeKind, ScopeRules
from crawlmesh.rules.url_identity import CanonicalUrl, canonicalize
from tests.unit.rules.url_strategies import pages, references

SEED = "https://www.example.co.uk:8443/start"


def url_of(text: str) -> CanonicalUrl:
    identity = canonicalize(text)
    assert identity is not None
    return identity


def build(
    kind: str,
    *,
    allow_hosts: Sequence[str] = (),
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    max_depth: int | None = None,
) -> ScopeRules:
    return ScopeRules.build(kind, [url_of(SEED)], allow_hosts, include, exclude, max_depth)


@pytest.mark.parametrize(
    ("kind", "url", "rule"),
    [
        ("host", "https://www.example.co.uk:8443/other", None),
        ("host", "http://www.example.co.uk:8443/other", None),
        ("host", "https://www.example.co.uk/other", "scope_host"),
        ("host", "https://example.co.uk:8443/other", "scope_host"),
        ("domain", "https://example.co.uk/", None),
        ("domain", "http://a.b.example.co.uk:81/", None),
        ("domain", "https://other.co.uk/", "scope_domain"),
        ("domain", "http://127.0.0.1/", "scope_domain"),
        ("any", "http://127.0.0.1/", None),
    ],
)
def test_kinds_of_scope(kind: str, url: str, rule: str | None) -> None:
    rules = build(kind)

    assert rules.refuse(url_of(url), 1) == rule
    assert rules.refuse(url_of(url), 1) == rule


def test_allowed_hosts_widen_the_scope() -> None:
    rules = build("host", allow_hosts=["*.cdn.example", "other.example"])

    assert rules.refuse(url_of("http://a.cdn.example/"), 1) is None
    assert rules.refuse(url_of("http://other.example:81/"), 1) is None
    assert rules.refuse(url_of("http://cdn.example/"), 1) == "scope_host"


def test_a_page_of_the_crawl_brings_its_own_host_into_scope() -> None:
    page = "https://user@moved.example:81/home"
    by_host, by_domain = build("host", exclude=["secret"]), build("domain")

    assert by_host.refuse(url_of("https://moved.example:81/x"), 1) == "scope_host"
    assert by_host.refuse(url_of("https://moved.example:81/x"), 1, page) is None
    assert by_host.refuse(url_of("https://moved.example:81/secret"), 1, page) == "exclude"
    assert by_host.refuse(url_of("https://moved.example/x"), 1, page) == "scope_host"
    assert by_domain.refuse(url_of("https://www.moved.example/x"), 1, page) is None
    assert by_domain.refuse(url_of("https://other.test/x"), 1, page) == "scope_domain"


def test_include_and_exclude_are_searched_in_the_canonical_url() -> None:
    rules = build("any", include=["/docs/", "b=2$"], exclude=[r"\.pdf$"])

    assert rules.refuse(url_of("http://h/docs/a"), 1) is None
    assert rules.refuse(url_of("http://h/?b=2&a=1"), 1) is None
    assert rules.refuse(url_of("http://h/blog"), 1) == "include"
    assert rules.refuse(url_of("http://h/docs/a.pdf"), 1) == "exclude"


def test_seeds_are_inside_but_for_the_depth() -> None:
    rules = build("host", include=["/docs/"], exclude=["start"], max_depth=2)

    assert rules.refuse(url_of(SEED), 2) is None
    assert rules.refuse(url_of(SEED), 3) == "depth"


def test_depth_comes_first_and_zero_means_the_seeds_only() -> None:
    rules = build("host", max_depth=0)

    assert rules.refuse(url_of("http://elsewhere/"), 1) == "depth"
    assert rules.refuse(url_of("https://www.example.co.uk:8443/x"), 0) is None


def test_the_memory_of_hosts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope_module, "_MAX_REMEMBERED_HOSTS", 3)
    rules = build("host")

    for number in range(10):
        assert rules.refuse(url_of(f"http://host{number}/"), 1) == "scope_host"

    assert len(rules._host_rules) <= 3


@pytest.mark.parametrize("option", ["include", "exclude"])
def test_a_bad_pattern_is_named_with_its_option_and_error(option: str) -> None:
    with pytest.raises(UsageError) as caught:
        ScopeRules.build("host", [], **{option: ["fine", "(open"]})  # type: ignore[arg-type]

    message = str(caught.value)
    assert f"--{option} '(open'" in message
    assert "missing )" in message


def test_a_bad_kind_is_named_with_the_allowed_ones() -> None:
    with pytest.raises(UsageError, match=r"'galaxy'.*host, domain, any"):
        build("galaxy")


def test_every_rule_has_one_sentence() -> None:
    names = {value for name, value in vars(rule_names).items() if name.isupper() and isinstance(value, str)}

    assert set(RULE_SENTENCES) == names
    assert all(sentence.endswith(".") and sentence.count(".") <= 2 for sentence in RULE_SENTENCES.values())


@given(references, pages, st.sampled_from(list(ScopeKind)), st.integers(0, 4))
def test_every_refusal_is_a_known_rule(reference: str, page: str, kind: ScopeKind, depth: int) -> None:
    identity = canonicalize(reference, page)
    if identity is None:
        return

    rule = build(kind, max_depth=3).refuse(identity, depth)

    assert rule is None or rule in RULE_SENTENCES
    assert (rule == "depth") == (depth > 3)
