import pytest

from crawlmesh.errors import SettingError
from crawlmesh.rules.tracking_parameters import DEFAULT_TRACKING_PARAMETERS, ParameterFilter


@pytest.mark.parametrize(
    ("name", "ignored"),
    [("utm_source", True), ("utm_", True), ("utm", False), ("gclid", True), ("gclid2", False), ("", False)],
)
def test_names_and_prefixes(name: str, ignored: bool) -> None:
    assert ParameterFilter(DEFAULT_TRACKING_PARAMETERS).ignores(name) is ignored


def test_an_empty_filter_is_false() -> None:
    assert not ParameterFilter()
    assert ParameterFilter(["a"])
    assert repr(ParameterFilter(["a"])) == "ParameterFilter(('a',))"


@pytest.mark.parametrize("pattern", ["", "a*b", "**", "a=b", "a&b", "a b"])
def test_what_is_no_name_is_rejected(pattern: str) -> None:
    with pytest.raises(SettingError, match="not a parameter name"):
        ParameterFilter([pattern])
