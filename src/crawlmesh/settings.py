"""Every setting of Crawlmesh: typed, described, with its unit and its default.

A value comes from the command's flags, else from the environment (`CRAWLMESH_` and the name in
capitals), else from a configuration file, else from here.
"""

import json
import os
import tomllib
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from crawlmesh.errors import SettingError
from crawlmesh.version import __version__

ENVIRONMENT_PREFIX = "CRAWLMESH_"
DEFAULT_CONFIG_FILE = Path("crawlmesh.toml")

_NOT_SETTINGS = {"debug"}  # variables with our prefix that are no settings

_PROXY_SCHEMES = ("http://", "https://", "socks4://", "socks4a://", "socks5://", "socks5h://")


def _proxy_address(value: str | None) -> str | None:
    if value is not None and not value.lower().startswith(_PROXY_SCHEMES):
        raise ValueError("must start with " + ", ".join(_PROXY_SCHEMES))
    return value


def _header(value: str) -> str:
    if not value.partition(":")[0].strip() or ":" not in value:
        raise ValueError("must be of the form 'Name: value'")
    return value


def _cookie(value: str) -> str:
    if not value.partition("=")[0].strip() or "=" not in value:
        raise ValueError("must be of the form 'name=value'")
    return value


def _named_agent(value: str) -> str:
    if not value[0].isalnum() or not value.isprintable():
        raise ValueError("must begin with a name, such as mybot/1.0, and be one line")
    return value


class Settings(BaseSettings):
    """All settings. Unknown names are refused, so that a misspelt one does not stay unnoticed."""

    model_config = SettingsConfigDict(
        env_prefix=ENVIRONMENT_PREFIX, extra="forbid", frozen=True, allow_inf_nan=False
    )

    data_dir: Path = Field(
        Path(".crawlmesh"), description="Folder for everything that is kept: one folder for each crawl."
    )
    allow_private_networks: bool = Field(
        False, description="Whether crawls may reach private, loopback and link-local addresses."
    )
    user_agent: Annotated[str, AfterValidator(_named_agent)] = Field(
        f"crawlmesh/{__version__}",
        min_length=1,
        description="User-Agent header. Its first word, up to the slash, is matched against robots.txt.",
    )
    headers: tuple[Annotated[str, AfterValidator(_header)], ...] = Field(
        (), description="Further request headers, each as `Name: value` (a JSON list in the environment)."
    )
    cookies: tuple[Annotated[str, AfterValidator(_cookie)], ...] = Field(
        (),
        description="Cookies sent with every request, each as `name=value` (a JSON list in the environment).",
    )
    proxy: Annotated[str | None, AfterValidator(_proxy_address)] = Field(
        None,
        description="Proxy for all requests, such as `http://user:password@host:port` or `socks5h://host:port`.",
    )
    http2: bool = Field(True, description="Whether HTTP/2 is used with servers that offer it over TLS.")
    verify_tls: bool = Field(True, description="Whether certificates of servers are checked.")
    concurrency: int = Field(
        64, ge=1, le=10_000, description="Requests under way at once in one process, over all hosts."
    )
    per_host: int = Field(
        4, ge=1, le=1_000, description="Requests under way at once to one host, over all processes."
    )
    delay: float = Field(
        0.0,
        ge=0,
        le=3_600,
        description="Seconds between two requests to one host. A longer crawl-delay of the host wins.",
    )
    rate: float | None = Field(
        None,
        gt=0,
        description="Requests per second over all hosts; empty: as many as the other limits allow.",
    )
    processes: int = Field(1, ge=1, le=256, description="Processes that crawl side by side on this machine.")
    connect_timeout: float = Field(10.0, gt=0, description="Seconds until a connection must stand.")
    first_byte_timeout: float = Field(
        30.0, gt=0, description="Seconds from the connection until a server must begin to answer."
    )
    total_timeout: float = Field(120.0, gt=0, description="Seconds until a whole answer must have come.")
    max_body_bytes: int = Field(
        20 * 1024 * 1024,
        ge=1024,
        description="Largest page in bytes after decompression; the download stops there.",
    )
    max_attempts: int = Field(4, ge=1, le=100, description="Tries for one URL before it is given up.")
    retry_base: float = Field(1.0, ge=0, description="Seconds before the first retry; doubles with each.")
    retry_cap: float = Field(60.0, ge=0, description="Longest wait before a retry, in seconds.")
    max_redirects: int = Field(10, ge=0, description="Redirects in a row that are followed.")
    max_crawl_delay: float = Field(
        60.0, ge=0, description="Seconds: a longer crawl-delay in robots.txt is taken as this."
    )
    tracking_parameters: tuple[str, ...] = Field(
        (),
        description=(
            "Query parameters that do not tell pages apart, such as `utm_*` (a JSON list in the environment)."
            " URLs that differ only in them are one page."
        ),
    )
    max_path_length: int = Field(
        2_000, ge=1, description="Spider traps: longest path and query of a URL, in characters."
    )
    max_repeated_segments: int = Field(
        3, ge=1, description="Spider traps: how often one path segment may stand in a URL."
    )
    max_pages_per_template: int = Field(
        50_000, ge=1, description="Spider traps: pages whose URLs differ only in numbers and query values."
    )
    lease_duration: float = Field(
        60.0, ge=1, description="Seconds after which the work of a process that went silent goes to another."
    )
    settle_after: float = Field(
        2.0,
        gt=0,
        description="Seconds after which finished pages are stored at the latest: what a kill may repeat.",
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags, then the environment; `load_settings` puts the file below both."""
        return init_settings, env_settings

    @property
    def robots_agent(self) -> str:
        """The product token that robots.txt files are searched for."""
        return self.user_agent.split("/")[0].split()[0]


def load_settings(flags: dict[str, Any], config_file: Path | None = None) -> Settings:
    """Bring all sources together. Raises SettingError naming the setting, its value and what is allowed."""
    given = {name: value for name, value in flags.items() if value is not None}
    path = config_file or (DEFAULT_CONFIG_FILE if DEFAULT_CONFIG_FILE.is_file() else None)
    from_file = _read_file(path) if path else {}
    environment = _read_environment()
    try:
        from_environment = Settings(**given).model_dump(exclude_unset=True)
        return Settings(**{**from_file, **from_environment, **given})
    except ValidationError as error:
        raise _setting_error(error, given, environment) from error


def _read_environment() -> set[str]:
    """The names of the settings that the environment holds."""
    names = set()
    for variable, value in os.environ.items():
        if not variable.upper().startswith(ENVIRONMENT_PREFIX):
            continue
        name = variable[len(ENVIRONMENT_PREFIX) :].lower()
        field = Settings.model_fields.get(name)
        if name in _NOT_SETTINGS:
            continue
        if field is None:
            raise _unknown(name, f" (environment {variable})")
        if isinstance(field.default, tuple) and not _is_json(value):
            raise SettingError(
                f"The setting {name} (environment {variable}) has the value {value!r}: "
                'it must be a JSON list, such as ["one", "two"].'
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


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingError(f"The configuration file {path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingError(f"The configuration file {path} is not valid TOML: {error}.") from error


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
    return SettingError(f"The setting {name} ({source}) has the value {first['input']!r}: it {problem}.")


def settings_reference() -> str:
    """The reference page of all settings, as Markdown."""
    lines = [
        "# Settings",
        "",
        "Each setting can be given as a flag of the command (where the command has it), in the environment",
        f"as `{ENVIRONMENT_PREFIX}` and its name in capitals, or in a configuration file (`--config FILE`,",
        f"else `{DEFAULT_CONFIG_FILE}` in the current folder). Flags win over the environment, the",
        "environment over the file, the file over the default. This page is made from",
        "`src/crawlmesh/settings.py` by `make docs`; a test sees to it that they agree.",
        "",
        "| setting | environment | default | meaning |",
        "|---|---|---|---|",
    ]
    for name, field in Settings.model_fields.items():
        default = "" if field.default is None or field.default == () else f"`{_shown(field.default)}`"
        lines.append(f"| `{name}` | `{ENVIRONMENT_PREFIX}{name.upper()}` | {default} | {field.description} |")
    return "\n".join(lines) + "\n"


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
