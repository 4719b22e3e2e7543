"""`crawlmesh reference`: the pages of the reference that are made from the code."""

from collections.abc import Iterator

import click

from crawlmesh.settings import settings_reference

_WIDTH = 100  # characters; fixed, so that the page does not depend on the terminal


@click.command(hidden=True)
@click.argument("page", type=click.Choice(["settings", "commands"]))
@click.pass_context
def reference(context: click.Context, page: str) -> None:
    """Print a page of docs/reference as Markdown; `make docs` puts it in its place."""
    group = context.find_root().command
    assert isinstance(group, click.Group)
    click.echo(settings_reference() if page == "settings" else commands_reference(group), nl=False)


def commands_reference(group: click.Group) -> str:
    """The reference page of all commands that are not hidden, as Markdown."""
    lines = [
        "# Commands",
        "",
        "What `--help` says, for every command. This page is made from the commands by `make docs`; a test",
        "sees to it that they agree. What the exit codes mean stands in [output.md](output.md#exit-codes).",
    ]
    for path, command in _commands(group):
        lines += ["", f"## {path}", "", "```text", _help(path, command), "```"]
    return "\n".join(lines) + "\n"


def _commands(group: click.Group) -> Iterator[tuple[str, click.Command]]:
    name = group.name or ""
    yield name, group
    for command in group.commands.values():
        if not command.hidden:
            yield f"{name} {command.name}", command


def _help(path: str, command: click.Command) -> str:
    context = click.Context(
        command,
        info_name=path,
        terminal_width=_WIDTH,
        max_content_width=_WIDTH,
        help_option_names=["-h", "--help"],
    )
    return command.get_help(context)
