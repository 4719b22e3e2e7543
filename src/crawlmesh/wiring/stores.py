"""The stores of a cluster, by their addresses."""

import re
from pathlib import Path

from crawlmesh.errors import SettingError
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.settings import Settings
from crawlmesh.wiring.crawl import system_clock

_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgres://")
_REDIS = ("redis://", "rediss://", "redis+unix://", "redis+cluster://", "rediss+cluster://")
_FOLDER = "cluster"


def control_store_url(settings: Settings) -> str:
    """Where tasks and nodes are kept."""
    return settings.control_store or f"{_SQLITE}{settings.data_dir / _FOLDER / 'control.db'}"


def crawl_store_url(settings: Settings) -> str:
    """Where links and records of the cluster's crawls are kept: beside the control store by default."""
    if settings.crawl_store is not None:
        return settings.crawl_store
    if is_server(control_store_url(settings)):
        return control_store_url(settings)
    return f"{_SQLITE}{settings.data_dir / _FOLDER / 'crawls.db'}"


def is_server(url: str) -> bool:
    """Whether it is a database that several machines can use."""
    return url.startswith((*_POSTGRES, *_REDIS))


async def open_control_store(url: str) -> ControlStore:
    """The control store at an address, with its tables up to date."""
    from crawlmesh.migrations import upgrade  # noqa: PLC0415 - Alembic is slow to import

    if url.startswith(_REDIS):
        raise SettingError(
            "The setting control_store cannot be Redis, which keeps crawls only: give sqlite:///PATH or "
            "postgresql://HOST/DATABASE, and Redis as crawl_store."
        )
    if is_server(url):
        from crawlmesh.adapters.postgres.control import PostgresControlStore  # noqa: PLC0415 - so is asyncpg

        return await PostgresControlStore.open(url)
    from crawlmesh.adapters.sqlite.control_store import SqliteControlStore  # noqa: PLC0415

    make_folder(url)
    await upgrade(url)
    return await SqliteControlStore.open(_file(url))


async def open_cluster_crawl_store(url: str) -> CrawlStore:
    """The crawl store at an address, with its tables."""
    if url.startswith(_REDIS):
        return await _open_redis(url)
    if is_server(url):
        from crawlmesh.adapters.postgres.crawl_store import PostgresCrawlStore  # noqa: PLC0415

        return await PostgresCrawlStore.open(url)
    from crawlmesh.adapters.sqlite import SqliteCrawlStore  # noqa: PLC0415

    make_folder(url)
    return await SqliteCrawlStore.open(_file(url), system_clock())


async def _open_redis(url: str) -> CrawlStore:
    try:
        from crawlmesh.adapters.redis.crawl_store import RedisCrawlStore  # noqa: PLC0415 - so is redis
    except ImportError as error:
        raise SettingError(
            "The setting crawl_store names Redis, but the library for it is missing: install it with "
            "pip install 'crawlmesh[redis]'."
        ) from error
    return await RedisCrawlStore.open(url)


def _file(url: str) -> Path:
    if not url.startswith(_SQLITE):
        raise SettingError(
            f"{url.partition(':')[0]!r} is no kind of store: give sqlite:///PATH, postgresql://HOST/DATABASE "
            "or redis://HOST:PORT/0."
        )
    return Path(url.removeprefix(_SQLITE))


def make_folder(url: str) -> None:
    """Make the folder of a store that is a file."""
    if not is_server(url):
        _file(url).parent.mkdir(parents=True, exist_ok=True)


def folders_of(*urls: str) -> list[Path]:
    """The folders of those stores that are files, each once."""
    return list(dict.fromkeys(_file(url).parent for url in urls if not is_server(url)))


def without_password(url: str) -> str:
    """An address that may be shown."""
    return re.sub(r"(://[^:/@]*):[^@]*@", r"\1@", url)
