"""Single pages that a master shows before they are crawled."""

from contextlib import AsyncExitStack

from crawlmesh.crawl.page_fetches import PageFetches
from crawlmesh.crawl.preview import PagePreviews
from crawlmesh.settings import Settings
from crawlmesh.wiring.crawl import fetch_options, make_fetcher, system_clock


def make_previews(settings: Settings, closing: AsyncExitStack) -> PagePreviews:
    """Fetches as the crawls of this machine would; the fetcher is made with the first page."""
    options = fetch_options(settings)
    fetches = PageFetches(lambda: make_fetcher(options), settings.max_redirects)
    closing.push_async_callback(fetches.aclose)
    return PagePreviews(fetches.fetch, system_clock())
