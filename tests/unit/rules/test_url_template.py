import pytest
from hypothesis import given

from crawlmesh.rules.url_identity import canonicalize, template_key, url_template
from tests.unit.rules.url_strategies import pages, references


@pytest.mark.parametrize(
    ("url", "template"),
    [
        ("https://h/", "h/"),
        ("https://h:8080/a/b", "h:8080/a/b"),
        ("https://h1.example/item/42/page7", "h1.example/item/{n}/page{n}"),
        ("https://h/2024/01/31/title", "h/{n}/{n}/{n}/title"),
        ("https://h/x/123e4567-e89b-12d3-a456-426614174000.html", "h/x/{h}.html"),
        ("https://h/x/9e107d9d372bb6826bd81d3542a419d6", "h/x/{h}"),
        ("https://h/x/123456789012345", "h/x/{n}"),
        ("https://h/facade-decade-abbc1", "h/facade-decade-abbc{n}"),
        ("https://h/caf%C3%A9/7", "h/caf%C3%A9/{n}"),
        ("https://h/list?page=2&sort=up&page=3", "h/list?page={v}&sort={v}"),
        ("https://h/list?flag", "h/list?flag={v}"),
    ],
)
def test_templates(url: str, template: str) -> None:
    assert url_template(url) == template


def test_pages_of_one_kind_share_a_key() -> None:
    assert template_key("https://h/item/1?s=a") == template_key("https://h/item/99?s=b")
    assert template_key("https://h/item/1") != template_key("https://h/item/one")


@given(references, pages)
def test_keys_fit_a_signed_column_and_are_never_zero(reference: str, page: str) -> None:
    identity = canonicalize(reference, page)

    if identity is not None:
        assert 0 < template_key(identity.url) < 2**63
