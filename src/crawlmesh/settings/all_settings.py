"""All groups of settings in one."""

from pathlib import Path

from pydantic import BaseModel
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from crawlmesh.settings.connection import ConnectionSettings
from crawlmesh.settings.crawling import CrawlSettings
from crawlmesh.settings.general import GeneralSettings
from crawlmesh.settings.mastering import MasterSettings
from crawlmesh.settings.working import WorkerSettings

ENVIRONMENT_PREFIX = "CRAWLMESH_"
DEFAULT_CONFIG_FILE = Path("crawlmesh.toml")

GROUPS: dict[str, type[BaseModel]] = {
    "General": GeneralSettings,
    "Crawling": CrawlSettings,
    "Connections of a cluster": ConnectionSettings,
    "Masters": MasterSettings,
    "Workers": WorkerSettings,
}


# Pydantic takes the fields of the last base first.
class Settings(
    WorkerSettings, MasterSettings, ConnectionSettings, CrawlSettings, GeneralSettings, BaseSettings
):
    """All settings. Unknown names are refused, so that a misspelt one does not stay unnoticed."""

    model_config = SettingsConfigDict(
        env_prefix=ENVIRONMENT_PREFIX,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
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
