"""The spider that every Scrapy competitor runs: title, product titles, prices, all links."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import scrapy  # type: ignore[import-not-found]


class ShopSpider(scrapy.Spider):  # type: ignore[misc]
    """Follows every link of every page and yields one item for each page."""

    name = "shop"

    def __init__(self, first_page: str, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._first_page = first_page

    async def start(self) -> AsyncIterator[Any]:
        yield scrapy.Request(self._first_page)

    def parse(self, response: Any, **_arguments: Any) -> Iterator[Any]:
        yield {
            "url": response.url,
            "title": response.css("title::text").get(),
            "products": response.css("div.product h2.title a::text").getall(),
            "prices": response.css("div.product span.price::text").getall(),
        }
        for reference in response.css("a::attr(href)").getall():
            yield scrapy.Request(response.urljoin(reference))  # cheaper than `response.follow`
