import click
import msgspec
import pytest

from crawlmesh.cli.exit_codes import ExitCode
from crawlmesh.cli.main import crawlmesh
from crawlmesh.cli.reference import all_commands, commands_reference
from crawlmesh.cli.summary import CrawlSummary, StoppedBy
from crawlmesh.settings import ENVIRONMENT_PREFIX, Settings, settings_reference
from tests.docs.pages import page, table_rows

_COMMANDS = {path.partition(" ")[2]: command for path, command in all_commands(crawlmesh)}
_TOP_COMMANDS = [name for name in _COMMANDS if name and " " not in name]


def test_settings_page_is_what_make_docs_writes() -> None:
    assert page("docs/reference/settings.md") == settings_reference(), "run `make docs`"


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_is_documented(name: str) -> None:
    rows = [row for row in table_rows(page("docs/reference/settings.md")) if row[0] == name]
    assert len(rows) == 1
    assert rows[0][1] == ENVIRONMENT_PREFIX + name.upper()
    assert rows[0][3]


def test_commands_page_is_what_make_docs_writes() -> None:
    assert page("docs/reference/commands.md") == commands_reference(crawlmesh), "run `make docs`"


@pytest.mark.parametrize("name", _COMMANDS)
def test_every_option_of_every_command_is_documented(name: str) -> None:
    sections = page("docs/reference/commands.md").split("\n## ")
    heading = f"crawlmesh {name}".rstrip()
    section = next(section for section in sections if section.startswith(f"{heading}\n"))
    for parameter in _COMMANDS[name].params:
        if isinstance(parameter, click.Option):
            for flag in (*parameter.opts, *parameter.secondary_opts):
                assert flag in section


@pytest.mark.parametrize("name", _TOP_COMMANDS)
def test_every_command_is_shown_in_the_readme(name: str) -> None:
    assert f"crawlmesh {name}" in page("README.md")


@pytest.mark.parametrize("field", [field.name for field in msgspec.structs.fields(CrawlSummary)])
def test_every_field_of_the_summary_is_documented(field: str) -> None:
    assert field in {row[0] for row in table_rows(page("docs/reference/output.md"))}


@pytest.mark.parametrize("reason", StoppedBy)
def test_every_reason_to_stop_is_documented(reason: StoppedBy) -> None:
    assert f"`{reason}`" in page("docs/reference/output.md")


@pytest.mark.parametrize("code", ExitCode)
def test_every_exit_code_is_documented(code: ExitCode) -> None:
    assert [str(code.value), code.name] in [row[:2] for row in table_rows(page("docs/reference/output.md"))]
    for readme in ("README.md", "README.zh-CN.md"):
        assert str(code.value) in {row[0] for row in table_rows(page(readme))}
