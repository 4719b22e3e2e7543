"""The HTTP client: `CurlFetcher` implements the Fetcher port on libcurl's multi interface (pycurl).

Chosen by `crawlmesh.wiring`; imports only `crawlmesh.ports`, `crawlmesh.model` and errors.
"""

from crawlmesh.adapters.curl.fetcher import CurlFetcher
from crawlmesh.adapters.curl.options import FetchOptions

__all__ = ["CurlFetcher", "FetchOptions"]
