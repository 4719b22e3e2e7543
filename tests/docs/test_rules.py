import pytest

from crawlmesh.cli.summary import why_nothing
from crawlmesh.model.page import FailureKind
from crawlmesh.rules import rule_names
from crawlmesh.rules.retry_delay import is_retryable
from crawlmesh.rules.rule_names import RULE_SENTENCES
from crawlmesh.rules.spider_traps import DEFAULT_TRAP_LIMITS
from tests.docs.pages import page, table_rows

_RULES = [value for name, value in vars(rule_names).items() if name.isupper() and isinstance(value, str)]


def _rows() -> list[list[str]]:
    return table_rows(page("docs/reference/rules.md"))


def test_there_are_rules() -> None:
    assert set(_RULES) == set(RULE_SENTENCES)


@pytest.mark.parametrize("rule", _RULES)
def test_every_rule_is_documented_with_its_sentence(rule: str) -> None:
    assert [rule, RULE_SENTENCES[rule]] in [row[:2] for row in _rows()]


@pytest.mark.parametrize("kind", FailureKind)
def test_every_failure_is_documented_with_its_sentence(kind: FailureKind) -> None:
    again = "yes" if is_retryable(0, kind) else "no"
    assert [str(kind), why_nothing(kind), again] in _rows()


def test_every_status_that_is_tried_again_is_documented() -> None:
    row = next(row for row in _rows() if row[0] == "http_<status>")
    named = {408, 425, 429, 500, 502, 503, 504, *range(520, 525)}
    assert row[2] == "408, 425, 429, 500, 502, 503, 504 and 520 to 524"
    assert {status for status in range(100, 600) if is_retryable(status, None)} == named


@pytest.mark.parametrize("name", ["path_length", "repeated_segments", "pages_per_template"])
def test_limits_of_spider_traps_are_documented(name: str) -> None:
    rule = "template" if name == "pages_per_template" else name
    assert [rule, f"{getattr(DEFAULT_TRAP_LIMITS, name):,}"] in [[row[0], row[-1]] for row in _rows()]
