"""`crawlmesh reference`: the pages of the reference that are made from the code."""

from collections.abc import Iterator

import click

from crawlmesh.cli.lazy_group import LazyGroup
from crawlmesh.settings import settings_reference

_WIDTH = 100  # characters; fixed, so that the page does not depend on the terminal


@click.command(hidden=True)
@click.argument("page", type=click.Choice(["settings", "commands", "api", "events", "metrics", "openapi"]))
@click.pass_context
def reference(context: click.Context, page: str) -> None:
    """Print a page of docs/reference as Markdown, `openapi` as JSON; `make docs` puts it in its place."""
    click.echo(_text(page, context.find_root().command), nl=False)


def _text(page: str, group: click.Command) -> str:
    if page == "settings":
        return settings_reference()
    if page == "commands":
        assert isinstance(group, click.Group)
        return commands_reference(group)
    from crawlmesh.wiring.description import describe  # noqa: PLC0415 - the server is slow to import

    return describe(page)


def commands_reference(group: click.Group) -> str:
    """The reference page of all commands that are not hidden, as Markdown."""
    lines = [
        "# Commands",
        "",
        "What `--help` says, for every command. This page is made from the commands by `make docs`; a test",
        "sees to it that they agree. What the exit codes mean stands in [output.md](output.md#exit-codes).",
    ]
    for path, command in all_commands(group):
        lines += ["", f"## {path}", "", "```text", _help(path, command), "```"]
    return "\n".join(lines) + "\n"


def all_commands(group: click.Group) -> Iterator[tuple[str, click.Command]]:
    """The group and all commands below it that are not hidden, each with its path."""
    return _below(group.name or "", group)


def _below(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    for name, each in command.all_commands().items() if isinstance(command, LazyGroup) else ():
        if not each.hidden:
            yield from _below(f"{path} {name}", each)


def _help(path: str, command: click.Command) -> str:
    context = click.Context(
        command,
        info_name=path,
        terminal_width=_WIDTH,
        max_content_width=_WIDTH,
        help_option_names=["-h", "--help"],
    )
    return command.get_help(context)
