"""`crawlmesh demo`: crawl the bundled shop."""

import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crawlmesh.cli.crawl import crawl

if TYPE_CHECKING:
    from crawlmesh.testing.demo_site import DemoSite


@click.command()
@click.option(
    "--shops", type=click.IntRange(1, 50), default=4, show_default=True, help="Hosts beside the portal."
)
@click.option(
    "--products", type=click.IntRange(2, 100_000), default=100, show_default=True, help="In each shop."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=Path("demo-records.jsonl"),
    show_default=True,
    help="Where the records go.",
)
@click.option("--serve-only", is_flag=True, help="Serve the shop until Ctrl-C, to try commands on it.")
@click.pass_context
def demo(context: click.Context, shops: int, products: int, output: Path, serve_only: bool) -> int:
    """Serve a generated shop on loopback addresses of this machine and crawl it.

    The shop has pages that redirect, fail once, fail always, are slow, or are disallowed by robots.txt.
    """
    from crawlmesh.testing.demo_site import DemoSite, DemoSiteOptions  # noqa: PLC0415 - slow, rarely wanted

    with DemoSite(DemoSiteOptions(shops=shops, products=products)) as site:
        click.echo(
            f"The demo shop runs at {site.portal_url} "
            f"({len(site.manifest.entries):,} URLs on {shops + 1} hosts)."
        )
        if serve_only:
            _wait()
            return 0
        arguments = _arguments(site, output)
        click.echo(f"crawlmesh crawl {' '.join(arguments)}\n")
        code: int = context.invoke(crawl, **crawl.make_context("crawl", arguments).params)
        return code


def _arguments(site: "DemoSite", output: Path) -> list[str]:
    arguments = [site.portal_url, "--allow-private", "--fresh"]
    for host in site.hosts[1:]:
        arguments += ["--allow-host", host]
    for selection in ("product=div.product", "title=h2.title", "price=span.price", "heading=h1"):
        arguments += ["--select", selection]
    return [*arguments, "--state", ".crawlmesh/crawls/demo", "--output", str(output)]


def _wait() -> None:
    click.echo("Press Ctrl-C to stop.")
    with suppress(KeyboardInterrupt):
        signal.sigwait({signal.SIGINT, signal.SIGTERM})
