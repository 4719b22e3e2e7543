"""Groups of tests that share a server must stay in one process."""

import os

import pytest


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="there is one process only")
@pytest.mark.xdist_group("together")
def test_xdist_knows_the_group_of_a_test(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("loadgroup"):
        pytest.skip("nobody asked for groups: each process starts its own servers")
    assert request.node.nodeid.endswith("@together")
