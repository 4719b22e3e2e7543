"""Scrapy in one process: default, tuned by settings, or durable with a JOBDIR."""

import argparse
from pathlib import Path

from scrapy.crawler import CrawlerProcess  # type: ignore[import-not-found]

from benchmarks.competitors.scrapy_settings import default_settings, tuned_settings
from benchmarks.competitors.scrapy_spider import ShopSpider


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("first_page")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--variant", choices=("default", "tuned", "durable"), default="default")
    given = parser.parse_args()
    choose = tuned_settings if given.variant == "tuned" else default_settings
    settings = choose(given.output, given.connections)
    if given.variant == "durable":
        settings["JOBDIR"] = str(given.output / "job")
    process = CrawlerProcess(settings)
    process.crawl(ShopSpider, first_page=given.first_page)
    process.start()


if __name__ == "__main__":
    main()
