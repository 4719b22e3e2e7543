from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from crawlmesh.cli.extraction_options import extraction_from
from crawlmesh.cli.options import (
    config_options,
    request_options,
    selector_options,
    setting_flags,
    state_option,
)
from crawlmesh.errors import SelectorError, UsageError


def test_flags_that_were_not_given_are_left_out() -> None:
    flags = setting_flags(delay=None, headers=(), concurrency=0, allow_private_networks=None, insecure=False)
    assert flags == {"concurrency": 0}


def test_insecure_is_the_setting_verify_tls() -> None:
    assert setting_flags(insecure=True) == {"verify_tls": False}


def test_shared_options_are_those_of_the_settings() -> None:
    given: dict[str, object] = {}

    @click.command()
    @selector_options()
    @request_options()
    @state_option()
    @config_options()
    def command(**values: object) -> None:
        given.update(values)

    arguments = [
        "--select",
        "a=b",
        "--header",
        "A: 1",
        "--allow-private",
        "--state",
        "s",
        "--config",
        "c.toml",
    ]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0
    assert given["selections"] == ("a=b",)
    assert given["headers"] == ("A: 1",)
    assert given["allow_private_networks"] is True
    assert (given["state"], given["config"], given["metadata"]) == (Path("s"), Path("c.toml"), None)


def test_no_selectors_extract_nothing_of_their_own() -> None:
    assert extraction_from((), None, None) == (None, False)
    assert extraction_from((), None, True) == (None, True)


def test_selections_become_a_spec() -> None:
    spec, metadata = extraction_from(("title=h1::text",), None, None)
    assert spec is not None
    assert not metadata


def test_a_spec_file_may_ask_for_metadata_and_the_flag_wins(tmp_path: Path) -> None:
    path = tmp_path / "spec.json"
    path.write_text('{"metadata": true, "selectors": {"title": "h1::text"}}')
    assert extraction_from((), path, None)[1] is True
    assert extraction_from((), path, False)[1] is False


def test_selections_and_a_file_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="--select and --spec exclude each other"):
        extraction_from(("a=b",), Path("spec.json"), None)


def test_a_selector_that_cannot_be_understood_is_named() -> None:
    with pytest.raises(SelectorError, match=r"h1\["):
        extraction_from(("title=h1[",), None, None)
