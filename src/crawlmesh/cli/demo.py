"""`crawlmesh demo`: crawl the bundled shop, through a cluster of one or without."""

import asyncio
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crawlmesh.cli.options import config_options, setting_flags
from crawlmesh.errors import UsageError

if TYPE_CHECKING:
    from crawlmesh.testing.demo_site import DemoSite

SELECTORS = {"product": "div.product", "title": "h2.title", "price": "span.price", "heading": "h1"}


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
@click.option("--port", type=int, metavar="N", help="Port of the server. [default: 8000, else a free one]")
@click.option("--serve", is_flag=True, help="Keep shop and server running afterwards, until Ctrl-C.")
@click.option("--alone", is_flag=True, help="Crawl with `crawlmesh crawl`, without a server.")
@click.option("--serve-only", is_flag=True, help="Serve the shop until Ctrl-C, to try commands on it.")
@config_options()
@click.pass_context
def demo(
    context: click.Context,
    shops: int,
    products: int,
    output: Path,
    port: int | None,
    serve: bool,
    alone: bool,
    serve_only: bool,
    config: Path | None,
    data_dir: Path | None,
) -> int:
    """Serve a generated shop on loopback addresses of this machine and crawl it.

    The shop has pages that redirect, fail once, fail always, are slow, or are disallowed by robots.txt. The
    crawl goes through the HTTP interface of a standalone server, which is started for it.
    """
    from crawlmesh.testing.demo_site import DemoSite, DemoSiteOptions  # noqa: PLC0415 - slow, rarely wanted

    if alone and serve:
        raise UsageError("--alone and --serve exclude each other: without a server there is nothing to keep.")
    with DemoSite(DemoSiteOptions(shops=shops, products=products)) as site:
        click.echo(
            f"The demo shop runs at {site.portal_url} "
            f"({len(site.manifest.entries):,} URLs on {shops + 1} hosts)."
        )
        if serve_only:
            _wait()
            return 0
        if alone:
            return _crawl_alone(context, site, output)
        from crawlmesh.cli.distribution.demo import DemoOrder, run_demo  # noqa: PLC0415 - the server is slow

        order = DemoOrder(
            url=site.portal_url,
            hosts=site.hosts[1:],
            output=output,
            port=port,
            stay=serve,
            flags=setting_flags(data_dir=data_dir),
            config=config,
        )
        return asyncio.run(run_demo(order))


def _crawl_alone(context: click.Context, site: "DemoSite", output: Path) -> int:
    from crawlmesh.cli.crawl import crawl  # noqa: PLC0415

    arguments = _arguments(site, output)
    click.echo(f"crawlmesh crawl {' '.join(arguments)}\n")
    code: int = context.invoke(crawl, **crawl.make_context("crawl", arguments).params)
    return code


def _arguments(site: "DemoSite", output: Path) -> list[str]:
    arguments = [site.portal_url, "--allow-private", "--fresh"]
    for host in site.hosts[1:]:
        arguments += ["--allow-host", host]
    for name, selector in SELECTORS.items():
        arguments += ["--select", f"{name}={selector}"]
    return [*arguments, "--state", ".crawlmesh/crawls/demo", "--output", str(output)]


def _wait() -> None:
    click.echo("Press Ctrl-C to stop.")
    sys.stdout.flush()
    with suppress(KeyboardInterrupt):
        signal.sigwait({signal.SIGINT, signal.SIGTERM})
