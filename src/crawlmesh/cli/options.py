"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def together(*decorators: Decorator) -> Decorator:
    """Several options as one."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def config_options() -> Decorator:
    """Where settings come from."""
    return together(
        click.option(
            "--config",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Configuration file (TOML or JSON).",
        ),
        click.option(
            "--data-dir", type=click.Path(path_type=Path), metavar="DIR", help="Folder for everything kept."
        ),
    )


def state_option() -> Decorator:
    """Which crawl is meant."""
    return click.option(
        "--state",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Folder of the crawl [default: the latest in the data folder].",
    )


def selector_options() -> Decorator:
    """What to extract."""
    return together(
        click.option(
            "--select",
            "selections",
            multiple=True,
            metavar="NAME=SELECTOR",
            help="A field to extract: CSS with ::text, ::attr(x) or ::html, or a selector after 'xpath:', "
            "'re:' or 'jmespath:'. NAME[] takes all matches. Repeatable.",
        ),
        click.option(
            "--spec",
            "spec_file",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Nested selectors from a .json, .yaml or .toml file.",
        ),
        click.option(
            "--metadata/--no-metadata",
            default=None,
            help="Also take title, description, canonical address, Open Graph and JSON-LD.",
        ),
    )


def request_options() -> Decorator:
    """How requests are sent."""
    return together(
        click.option("--user-agent", metavar="TEXT", help="User-Agent header."),
        click.option("--header", "headers", multiple=True, metavar="'NAME: VALUE'", help="Repeatable."),
        click.option("--cookie", "cookies", multiple=True, metavar="NAME=VALUE", help="Repeatable."),
        click.option("--proxy", metavar="URL", help="http://, https:// or socks5h:// address."),
        click.option(
            "--allow-private",
            "allow_private_networks",
            is_flag=True,
            default=None,
            help="Let the crawl reach private, loopback and link-local addresses.",
        ),
        click.option("--insecure", is_flag=True, help="Do not check certificates of servers."),
        click.option("--timeout", "total_timeout", type=float, metavar="SECONDS", help="For a whole answer."),
        click.option(
            "--max-body-bytes", type=int, metavar="N", help="Largest page; the download stops there."
        ),
    )


def setting_flags(**flags: Any) -> dict[str, Any]:
    """Flags as settings: those not given are left to the environment and the file."""
    if flags.pop("insecure", False):
        flags["verify_tls"] = False
    return {name: value for name, value in flags.items() if value is not None and value != ()}
