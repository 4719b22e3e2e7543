"""Options for small sites."""

from crawlmesh.testing.demo_site import DemoSiteOptions

SMALL = DemoSiteOptions(shops=4, categories=2, products=12, page_size=4, slow_seconds=0.05, trap=True)
TINY = DemoSiteOptions(shops=2, products=2, slow_seconds=0.3)
