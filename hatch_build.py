"""The build hook: makes the dashboard before a wheel is put together, or an editable install."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class DashboardBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs `scripts/web_build.py`. CRAWLMESH_WEB=skip leaves the dashboard out."""

    def dependencies(self) -> list[str]:
        """Node.js from PyPI, where this machine has none that fits."""
        root, web_build = Path(self.root), _web_build(self.root)
        with web_build.one_sentence():
            if web_build.is_skipped() or web_build.find_node(root) is not None:
                return []
            return [web_build.node_requirement(root)]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Build it, unless that was done before from the same sources."""
        web_build = _web_build(self.root)
        with web_build.one_sentence():
            if web_build.is_skipped():
                self.app.display_info(web_build.LEFT_OUT)
                return
            web_build.build(Path(self.root), quiet=True)
        build_data["artifacts"] += ["/src/crawlmesh/web/**", "!/src/crawlmesh/web/.*"]


def _web_build(root: str) -> ModuleType:
    path = Path(root) / "scripts" / "web_build.py"
    spec = importlib.util.spec_from_file_location("crawlmesh_web_build", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
