"""What users add by entry points."""

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from crawlmesh.errors import SettingError

STRATEGIES = "crawlmesh.strategies"


def own_plugins(group: str) -> dict[str, Any]:
    """What the installed packages offer in a group, by name: an object, or the answer of a class."""
    return {entry.name: _load(entry) for entry in entry_points(group=group)}


def _load(entry: EntryPoint) -> Any:
    try:
        found = entry.load()
        return found() if isinstance(found, type) else found
    except Exception as error:
        raise SettingError(
            f"The entry point {entry.name} = {entry.value} of the group {entry.group} cannot be used: "
            f"{type(error).__name__}: {error}. Mend or uninstall the package that brings it."
        ) from error
