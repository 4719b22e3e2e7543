"""Scrapy's settings: its defaults, but for what makes the work the same as everybody's."""

from pathlib import Path
from typing import Any


def default_settings(output: Path, connections: int) -> dict[str, Any]:
    """Defaults with 64 connections, no delay, no robots.txt, quiet, and JSONL output.

    The log level spares Scrapy one line for each page and item (its default is DEBUG).
    """
    return {
        "CONCURRENT_REQUESTS": connections,
        "CONCURRENT_REQUESTS_PER_DOMAIN": connections,
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": False,
        "DEPTH_LIMIT": 0,
        "LOG_LEVEL": "INFO",
        "TELNETCONSOLE_ENABLED": False,  # its port may be taken; costs nothing either way
        "FEEDS": {str(output / "out.jsonl"): {"format": "jsonlines"}},
    }


def tuned_settings(output: Path, connections: int) -> dict[str, Any]:
    """All that settings can switch off without changing the result."""
    return default_settings(output, connections) | {
        "LOG_LEVEL": "WARNING",
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "REDIRECT_ENABLED": False,
        "REFERER_ENABLED": False,
        "COMPRESSION_ENABLED": False,
        "HTTPPROXY_ENABLED": False,
        "METAREFRESH_ENABLED": False,
        "DOWNLOADER_STATS": False,
        "DNSCACHE_ENABLED": True,
        "REACTOR_THREADPOOL_MAXSIZE": 20,
        "EXTENSIONS": {
            "scrapy.extensions.logstats.LogStats": None,
            "scrapy.extensions.corestats.CoreStats": None,
            "scrapy.extensions.memusage.MemoryUsage": None,
        },
        "SPIDER_MIDDLEWARES": {
            "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": None,
            "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,
            "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
        },
    }
