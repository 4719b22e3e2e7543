"""The one suite that every task channel runs; it uses nothing but the port.

Imported by tests/conformance, where an adapter subclasses `TaskChannelSuite` with its `opener` and `address`;
imports the port and pytest, never an adapter.
"""

import sys
from pathlib import Path

import pytest

# Only modules that pytest rewrites explain a failed assertion, and it rewrites on import.
_MODULES = [
    f"{__name__}.{path.stem}"
    for path in Path(__file__).parent.glob("*.py")
    if path.stem not in ("__init__", "consumer_process")
]
pytest.register_assert_rewrite(*(name for name in _MODULES if name not in sys.modules))

from crawlmesh.testing.conformance.task_channel.suite import TaskChannelSuite  # noqa: E402

__all__ = ["TaskChannelSuite"]
