"""Configuration files: TOML, or JSON where the name ends so."""

import json
import tomllib
from pathlib import Path
from typing import Any

from crawlmesh.errors import SettingError


def read_config_file(path: Path) -> dict[str, Any]:
    """The settings in a file."""
    as_json = path.suffix.lower() == ".json"
    try:
        text = path.read_text(encoding="utf-8")
        values = json.loads(text) if as_json else tomllib.loads(text)
    except OSError as error:
        raise SettingError(f"The configuration file {path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        kind = "JSON" if as_json else "TOML"
        raise SettingError(f"The configuration file {path} is not valid {kind}: {error}.") from error
    if not isinstance(values, dict):
        raise SettingError(f"The configuration file {path} must hold an object with settings.")
    return values
