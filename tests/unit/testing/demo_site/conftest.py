from collections.abc import Iterator

import pytest

from crawlmesh.testing.demo_site import DemoSite
from tests.unit.testing.demo_site.sizes import SMALL


@pytest.fixture
def site() -> Iterator[DemoSite]:
    with DemoSite(SMALL) as site:
        yield site
