"""Groups whose commands are imported when they are wanted: `crawlmesh crawl` starts without the rest."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that knows its commands by the place of their function, as in `crawlmesh.cli.crawl:crawl`."""

    def __init__(self, *arguments: Any, places: Mapping[str, str], **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names, in the order in which they were given."""
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """One command; None where there is none with this name."""
        place = self._places.get(cmd_name)
        if place is None:
            return None
        module, _, function = place.partition(":")
        command: click.Command = getattr(import_module(module), function)
        return command

    def all_commands(self) -> dict[str, click.Command]:
        """All commands by name."""
        context = click.Context(self)
        found = {name: self.get_command(context, name) for name in self._places}
        return {name: command for name, command in found.items() if command is not None}
