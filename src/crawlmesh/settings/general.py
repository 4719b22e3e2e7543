"""Where things are kept, and what is said about them."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field

from crawlmesh.settings.checks import none_or_path

LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]


class GeneralSettings(BaseModel):
    """For every command."""

    data_dir: Path = Field(
        Path(".crawlmesh"),
        description="Folder for all that is kept: crawls in `crawls`, what a cluster keeps in `cluster`.",
    )
    log_file: Annotated[Path | None, BeforeValidator(none_or_path)] = Field(
        Path("logs/distribution.log"),
        description=(
            "File for the log; `none` writes no file. A worker's, where nothing is said, is"
            " `logs/distribution-ID.log` with its `device_id` (`worker` where it has none)."
        ),
    )
    log_level: LogLevel = Field(
        "INFO",
        description="Least important lines that are logged: DEBUG, INFO, WARNING, ERROR or CRITICAL.",
    )
