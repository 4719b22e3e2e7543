"""The only place that chooses adapters.

Imported by the commands and `crawl_process`; imports everything below. `crawl` is for crawls of this machine
alone and is offered here; what a cluster needs is in the other files and imported when it is wanted.
"""

from crawlmesh.adapters.curl import FetchOptions
from crawlmesh.adapters.files import StateFolder, check_output_path
from crawlmesh.crawl.engine import EngineOptions
from crawlmesh.wiring.crawl import (
    connect_crawl_store,
    engine_options,
    fetch_options,
    make_engine,
    make_fetcher,
    open_archive,
    open_crawl_store,
    open_writer,
    read_crawl_store,
    serve_crawl_store,
    system_clock,
)

__all__ = [
    "EngineOptions",
    "FetchOptions",
    "StateFolder",
    "check_output_path",
    "connect_crawl_store",
    "engine_options",
    "fetch_options",
    "make_engine",
    "make_fetcher",
    "open_archive",
    "open_crawl_store",
    "open_writer",
    "read_crawl_store",
    "serve_crawl_store",
    "system_clock",
]
