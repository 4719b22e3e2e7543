"""Structured logs: one line for each thing that happened, with a level, a moment and a tag (M3)."""

import logging
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, Literal

import msgspec

LOGGER_NAME = "crawlmesh"

Level = Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]


class Tag(StrEnum):
    """Which part of the cluster speaks."""

    MASTER = "MASTER"
    WORKER = "WORKER"
    SCHEDULER = "SCHED"
    DEDUP = "DEDUP"
    RECOVERY = "RECOVER"
    BALANCE = "LB"
    CHANNEL = "CHANNEL"


class LogOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Where logs go and what they look like. At most `file_bytes` x (`old_files` + 1) are kept on disk."""

    level: Level = "INFO"
    form: Literal["text", "json"] = "text"
    file: Path | None = Path("logs/distribution.log")
    file_bytes: int = 10 * 1024 * 1024
    old_files: int = 5


class TaggedLogger:
    """Writes sentences with a tag, and fields beside them: `log.info("Placed.", task_id=…, node_id=…)`."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self._logger = logging.getLogger(f"{LOGGER_NAME}.{tag}")

    def debug(self, message: str, **fields: Any) -> None:
        """What only helps to find a fault."""
        self._write(logging.DEBUG, message, fields)

    def info(self, message: str, **fields: Any) -> None:
        """What happened as it should."""
        self._write(logging.INFO, message, fields)

    def warning(self, message: str, **fields: Any) -> None:
        """What somebody may want to look at."""
        self._write(logging.WARNING, message, fields)

    def error(self, message: str, **fields: Any) -> None:
        """What went wrong."""
        self._write(logging.ERROR, message, fields)

    def critical(self, message: str, **fields: Any) -> None:
        """What ends the process."""
        self._write(logging.CRITICAL, message, fields)

    def exception(self, message: str, error: BaseException, **fields: Any) -> None:
        """What went wrong, with the place in the code."""
        self._write(logging.ERROR, message, fields, error)

    def _write(
        self, level: int, message: str, fields: dict[str, Any], error: BaseException | None = None
    ) -> None:
        if self._logger.isEnabledFor(level):
            self._logger.log(
                level, "%s", message, extra={"tag": self.tag, "fields": fields}, exc_info=error, stacklevel=3
            )


def log_for(tag: Tag, name: str = "") -> TaggedLogger:
    """The logger of a part; a worker's has its name in the tag, as in `WORKER-a1b2`."""
    return TaggedLogger(f"{tag.value}-{name}" if name else tag.value)


def start_logging(options: LogOptions) -> Callable[[], None]:
    """Send logs to standard error and to a file that is replaced when it is full. The answer ends that."""
    formatter = JsonFormatter() if options.form == "json" else TextFormatter()
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    if options.file is not None:
        options.file.parent.mkdir(parents=True, exist_ok=True)
        handlers.append(
            RotatingFileHandler(
                options.file, maxBytes=options.file_bytes, backupCount=options.old_files, encoding="utf-8"
            )
        )
    logger = logging.getLogger(LOGGER_NAME)
    logger.setLevel(options.level)
    logger.propagate = False
    for handler in handlers:
        handler.setFormatter(formatter)
        logger.addHandler(handler)

    def stop() -> None:
        for handler in handlers:
            logger.removeHandler(handler)
            handler.close()
        logger.propagate = True

    return stop


class TextFormatter(logging.Formatter):
    """`2026-11-15T12:00:00.123Z INFO [SCHED] Placed. task_id=task-1 node_id=node-2`."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and a traceback below it where there is one."""
        fields = "".join(f" {name}={_plain(value)}" for name, value in _fields(record).items())
        message = _one_line(record.getMessage())
        line = f"{_moment(record)} {record.levelname} [{_tag(record)}] {message}{fields}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


class JsonFormatter(logging.Formatter):
    """One JSON object for each line: time, level, tag, message, then the fields, and `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        entry = {
            "time": _moment(record),
            "level": record.levelname,
            "tag": _tag(record),
            "message": record.getMessage(),
            **_fields(record),
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode(entry, enc_hook=str).decode()


def _moment(record: logging.LogRecord) -> str:
    moment = datetime.fromtimestamp(record.created, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _tag(record: logging.LogRecord) -> str:
    return str(getattr(record, "tag", record.name.removeprefix(f"{LOGGER_NAME}.")))


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    fields: dict[str, Any] = getattr(record, "fields", {})
    return fields


def _plain(value: Any) -> str:
    text = _one_line(value if isinstance(value, str) else str(value))
    return f'"{text}"' if " " in text or not text else text


def _one_line(text: str) -> str:
    # A value from outside must not be able to look like a line of its own.
    return (
        text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
        if "\n" in text or "\r" in text
        else text
    )
