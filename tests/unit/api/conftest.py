from typing import Any

import pytest

from crawlmesh.api.app import make_app
from crawlmesh.testing.manual_clock import ManualClock
from tests.unit.api.master import Master, new_context


@pytest.fixture
async def master() -> Master:
    return await Master.start()


@pytest.fixture(scope="session")
def document() -> dict[str, Any]:
    """The OpenAPI document."""
    return make_app(new_context(ManualClock())).openapi()
