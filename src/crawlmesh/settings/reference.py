"""The reference page of all settings, made from them."""

from pathlib import Path
from typing import Any

from crawlmesh.settings.all_settings import DEFAULT_CONFIG_FILE, ENVIRONMENT_PREFIX, GROUPS


def settings_reference() -> str:
    """The page, as Markdown."""
    lines = [
        "# Settings",
        "",
        "Each setting can be given as a flag of the command (where the command has it), in the environment",
        f"as `{ENVIRONMENT_PREFIX}` and its name in capitals, or in a file: `--config FILE` (TOML",
        f"or, by its name, JSON), else `{DEFAULT_CONFIG_FILE}` in the current folder; `crawlmesh distribute`",
        "also reads `config/distribution_MODE.json`, which wins over that. Flags win over the environment,",
        "the environment over the files, the files over the default. This page is made from",
        "`src/crawlmesh/settings/` by `make docs`; a test sees to it that they agree.",
    ]
    for title, group in GROUPS.items():
        lines += ["", f"## {title}", "", "| setting | environment | default | meaning |", "|---|---|---|---|"]
        for name, field in group.model_fields.items():
            default = "" if field.default in (None, (), {}, "") else f"`{_shown(field.default)}`"
            variable = ENVIRONMENT_PREFIX + name.upper()
            lines.append(f"| `{name}` | `{variable}` | {default} | {field.description} |")
    return "\n".join(lines) + "\n"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value.as_posix() if isinstance(value, Path) else str(value)
