"""The one suite that every control store runs; it uses nothing but the port.

Imported by tests/conformance, where an adapter subclasses `ControlStoreSuite` with its `open_store`;
imports `crawlmesh.testing`, the ports, the model and pytest, never an adapter.
"""

import sys
from pathlib import Path

import pytest

# Only modules that pytest rewrites explain a failed assertion, and it rewrites on import.
_MODULES = [
    f"{__name__}.{path.stem}" for path in Path(__file__).parent.glob("*.py") if path.stem != "__init__"
]
pytest.register_assert_rewrite(*(name for name in _MODULES if name not in sys.modules))

from crawlmesh.testing.conformance.control_store.suite import ControlStoreSuite  # noqa: E402

__all__ = ["ControlStoreSuite"]
