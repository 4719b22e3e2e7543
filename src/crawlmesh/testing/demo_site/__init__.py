"""The bundled demo site: a generated shop on several loopback hosts, for `make demo` and for tests.

Imports only `model`, `errors` and uvicorn; imported by tests, the testing kit and the demo command.
Everything follows from `DemoSiteOptions`: what is served, and the `Manifest` to compare a crawl with.
"""

from crawlmesh.testing.demo_site.access_log import AccessLog, LoggedRequest, RequestEnd, RequestStart
from crawlmesh.testing.demo_site.duplicates import TRACKING_PARAMETERS
from crawlmesh.testing.demo_site.manifest import Manifest, ManifestEntry
from crawlmesh.testing.demo_site.options import DemoSiteOptions
from crawlmesh.testing.demo_site.page_kind import PageKind
from crawlmesh.testing.demo_site.resource import ListedProduct
from crawlmesh.testing.demo_site.server import DemoSite

__all__ = [
    "TRACKING_PARAMETERS",
    "AccessLog",
    "DemoSite",
    "DemoSiteOptions",
    "ListedProduct",
    "LoggedRequest",
    "Manifest",
    "ManifestEntry",
    "PageKind",
    "RequestEnd",
    "RequestStart",
]
