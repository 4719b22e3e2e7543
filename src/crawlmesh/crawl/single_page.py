"""Fetching one page outside of any crawl."""

from crawlmesh.crawl.page_fetches import PageFetches
from crawlmesh.model.page import FetchResponse
from crawlmesh.ports.fetcher import Fetcher


async def fetch_page(fetcher: Fetcher, url: str, max_redirects: int) -> FetchResponse:
    """The page at a URL, or where its redirects lead. Opens and closes the fetcher."""
    fetches = PageFetches(lambda: fetcher, max_redirects)
    try:
        return await fetches.fetch(url)
    finally:
        await fetches.aclose()
