import gc
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from crawlmesh.adapters.curl import CurlFetcher, FetchOptions
from crawlmesh.testing.conformance.fetcher import Answer, ScriptedServer
from tests.unit.adapters.curl.kit import OpenFetcher, Serve


@pytest.fixture
async def resources() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack
    gc.collect()  # what was left unclosed warns now, and warnings are errors


@pytest.fixture
def open_fetcher(resources: AsyncExitStack) -> OpenFetcher:
    async def open_one(**settings: Any) -> CurlFetcher:
        fetcher = CurlFetcher(FetchOptions(**{"allow_private_networks": True, **settings}))
        await fetcher.open()
        resources.push_async_callback(fetcher.aclose)
        return fetcher

    return open_one


@pytest.fixture
def serve(resources: AsyncExitStack) -> Serve:
    async def serve_one(answer: Answer) -> ScriptedServer:
        return await resources.enter_async_context(ScriptedServer(answer))

    return serve_one
