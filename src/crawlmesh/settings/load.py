"""Bringing the sources of settings together."""

import json
import os
import re
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from crawlmesh.errors import SettingError
from crawlmesh.settings.all_settings import DEFAULT_CONFIG_FILE, ENVIRONMENT_PREFIX, Settings
from crawlmesh.settings.config_file import read_config_file

_NOT_SETTINGS = {"debug"}  # variables with our prefix that are no settings
_PASSWORD = re.compile(r"(//[^:/@]*):.*@")  # in an address
_EXAMPLES: dict[type[Any], str] = {tuple: 'list, such as ["one", "two"]', dict: 'object, such as {"name": 1}'}


def load_settings(
    flags: dict[str, Any], config_file: Path | None = None, *, default_file: Path | None = None
) -> Settings:
    """Bring all sources together. Raises SettingError naming the setting, its value and what is allowed.

    Without a named file, `crawlmesh.toml` is read where it is there, and over it `default_file`.
    """
    given = {name: value for name, value in flags.items() if value is not None}
    from_file = _from_files(config_file, default_file)
    environment = _read_environment()
    try:
        from_environment = Settings(**given).model_dump(exclude_unset=True)
        return Settings(**{**from_file, **from_environment, **given})
    except ValidationError as error:
        raise _setting_error(error, given, environment) from error


def _from_files(named: Path | None, default_file: Path | None) -> dict[str, Any]:
    if named is not None:
        return _filled(read_config_file(named))
    values: dict[str, Any] = {}
    for path in (DEFAULT_CONFIG_FILE, default_file):
        if path is not None and path.is_file():
            values |= _filled(read_config_file(path))
    return values


def _filled(values: dict[str, Any]) -> dict[str, Any]:
    """Without the empty values of settings that may be empty: they say that nothing was chosen."""
    return {
        name: value for name, value in values.items() if not (value in ("", None) and _may_be_empty(name))
    }


def _may_be_empty(name: str) -> bool:
    field = Settings.model_fields.get(name)
    return field is not None and field.default in (None, "")


def _read_environment() -> set[str]:
    """The names of the settings that the environment holds."""
    names = set()
    for variable, value in os.environ.items():
        if not variable.upper().startswith(ENVIRONMENT_PREFIX):
            continue
        name = variable[len(ENVIRONMENT_PREFIX) :].lower()
        if name in _NOT_SETTINGS:
            continue
        field = Settings.model_fields.get(name)
        if field is None:
            raise _unknown(name, f" (environment {variable})")
        if value and type(field.default) in _EXAMPLES and not _is_json(value):
            raise SettingError(
                f"The setting {name} (environment {variable}) has the value {value!r}: "
                f"it must be a JSON {_EXAMPLES[type(field.default)]}."
            )
        names.add(name)
    return names


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _unknown(name: str, source: str = "") -> SettingError:
    return SettingError(
        f"There is no setting {name!r}{source}. The settings are: {', '.join(Settings.model_fields)}."
    )


def _setting_error(error: ValidationError, given: dict[str, Any], environment: set[str]) -> SettingError:
    first = error.errors()[0]
    name = str(first["loc"][0])
    if first["type"] == "extra_forbidden":
        return _unknown(name)
    source = "file"
    if name in given:
        source = "flag"
    elif name in environment:
        source = f"environment {ENVIRONMENT_PREFIX}{name.upper()}"
    problem = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
    shown = "…" if name in {"api_key", "join_token"} else _PASSWORD.sub(r"\1:…@", repr(first["input"]))
    return SettingError(f"The setting {name} ({source}) has the value {shown}: it {problem}.")
