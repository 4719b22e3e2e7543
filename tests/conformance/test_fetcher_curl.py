from crawlmesh.adapters.curl import CurlFetcher, FetchOptions
from crawlmesh.ports.fetcher import Fetcher
from crawlmesh.testing.conformance.fetcher import FetcherConformance


class TestCurlFetcher(FetcherConformance):
    def new_fetcher(self) -> Fetcher:
        return CurlFetcher(FetchOptions(allow_private_networks=True))
