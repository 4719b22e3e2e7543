"""Fetching one page outside of any crawl."""

from crawlmesh.model.page import FailureKind, FetchRequest, FetchResponse
from crawlmesh.ports.fetcher import Fetcher
from crawlmesh.rules.whatwg_parser import resolve_href

_REDIRECTS = {301, 302, 303, 307, 308}


async def fetch_page(fetcher: Fetcher, url: str, max_redirects: int) -> FetchResponse:
    """The page at a URL, or where its redirects lead. Opens and closes the fetcher."""
    await fetcher.open()
    try:
        for hop in range(max_redirects + 1):
            fetcher.start(FetchRequest(hop, url, crawl_id="single page"))
            response = await _answer(fetcher)
            location = response.header("location")
            target = resolve_href(location, response.url) if location else None
            if response.status not in _REDIRECTS or target is None:
                return response
            url = target
    finally:
        await fetcher.aclose()
    return FetchResponse(
        0, url, failure=FailureKind.PROTOCOL, detail=f"More than {max_redirects} redirects in a row."
    )


async def _answer(fetcher: Fetcher) -> FetchResponse:
    while not (responses := await fetcher.completed(None)):
        pass
    return responses[0]
