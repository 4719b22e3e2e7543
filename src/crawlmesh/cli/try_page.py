"""`crawlmesh try`: one page, and what the selectors yield."""

import asyncio
from typing import Any

import click
import msgspec

from crawlmesh.cli.addresses import with_scheme
from crawlmesh.cli.extraction_options import extraction_from
from crawlmesh.cli.options import config_options, request_options, selector_options, setting_flags
from crawlmesh.cli.summary import why_nothing
from crawlmesh.crawl.extraction import Document, ExtractionSpec, Extractor, page_links
from crawlmesh.crawl.single_page import fetch_page
from crawlmesh.errors import CrawlmeshError, UrlError
from crawlmesh.model.page import FetchResponse
from crawlmesh.rules.url_identity import ParameterFilter, canonicalize
from crawlmesh.settings import load_settings
from crawlmesh.wiring import fetch_options, make_fetcher


@click.command("try")
@click.argument("url")
@selector_options()
@request_options()
@click.option("--links", "show_links", is_flag=True, help="Also list the links of the page.")
@click.option("--html", "show_html", is_flag=True, help="Print the page's source instead.")
@config_options()
def try_page(url: str, show_links: bool, show_html: bool, **options: Any) -> None:
    """Fetch one page and show what the selectors yield, as JSON.

    robots.txt is not read: this is a person's visit, not a crawl.
    """
    extraction, metadata = extraction_from(options["selections"], options["spec_file"], options["metadata"])
    extractor = Extractor(None if extraction is None else ExtractionSpec.from_json(extraction), metadata)
    document, response = asyncio.run(_fetch(url, options))
    if show_html:
        click.echo(document.text)
        return
    click.echo(
        f"{response.url}  status {response.status}, {len(response.body):,} bytes, {document.kind}", err=True
    )
    _print_json(extractor.extract(document))
    if show_links and document.kind == "html":
        _print_json(page_links(document).hrefs)


def _print_json(value: object) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


async def _fetch(url: str, options: dict[str, Any]) -> tuple[Document, FetchResponse]:
    names = (
        "data_dir", "user_agent", "headers", "cookies", "proxy", "allow_private_networks", "insecure",
        "total_timeout", "max_body_bytes",
    )  # fmt: skip
    settings = load_settings(setting_flags(**{name: options[name] for name in names}), options["config"])
    address = canonicalize(with_scheme(url), None, ParameterFilter(()))
    if address is None:
        raise UrlError(
            f"{url!r} is not a URL that can be fetched. Give an address such as https://example.com/."
        )
    response = await fetch_page(
        make_fetcher(fetch_options(settings)), address.request_url, settings.max_redirects
    )
    if response.failure is not None:
        raise CrawlmeshError(f"{response.url}: {response.detail or why_nothing(response.failure)}")
    document = Document(response.body, response.header("content-type"), response.url)
    if response.truncated or document.kind == "other":
        raise CrawlmeshError(f"{response.url}: {why_nothing('content_type')}")
    if response.status >= 400:
        click.echo(f"crawlmesh: {response.url}: {why_nothing(f'http_{response.status}')}", err=True)
    return document, response
