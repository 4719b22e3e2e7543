"""From the bytes of a page to its record and its links.

Imported by the crawl engine and the command line; imports only `crawlmesh.errors` and parsers.
Pure: no input or output but `load_spec`, no clock, nothing kept between pages.
"""

from crawlmesh.crawl.extraction.content_kind import DocumentKind
from crawlmesh.crawl.extraction.document import Document
from crawlmesh.crawl.extraction.extractor import Extractor
from crawlmesh.crawl.extraction.links import PageLinks, page_links
from crawlmesh.crawl.extraction.metadata import page_metadata
from crawlmesh.crawl.extraction.selector import compile_selector
from crawlmesh.crawl.extraction.sitemap_links import SitemapLinks, sitemap_links
from crawlmesh.crawl.extraction.spec import ExtractionSpec, parse_selections
from crawlmesh.crawl.extraction.spec_file import load_spec

__all__ = [
    "Document",
    "DocumentKind",
    "ExtractionSpec",
    "Extractor",
    "PageLinks",
    "SitemapLinks",
    "compile_selector",
    "load_spec",
    "page_links",
    "page_metadata",
    "parse_selections",
    "sitemap_links",
]
