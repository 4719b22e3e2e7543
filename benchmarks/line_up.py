"""Who takes part: the command of each competitor, and the environment it needs."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.shop_site import Site


@dataclass(frozen=True)
class RunContext:
    """What a command is built from. `python` is the one of the competitor's environment."""

    site: Site
    output: Path
    connections: int
    python: str


@dataclass(frozen=True)
class Competitor:
    """A row of the table. `environment` None is Crawlmesh's own; `package` names its version."""

    name: str
    description: str
    command: Callable[[RunContext], list[str]]
    environment: str | None = None
    package: str | None = None
    writes_records: bool = True
    available: Callable[[], bool] = lambda: True


SCRAPY = "scrapy"
BARE_LOOP = "pycurl-parse"
CRAWLMESH_BINARY = Path(sys.executable).parent / "crawlmesh"


def _loop(module: str, *options: str) -> Callable[[RunContext], list[str]]:
    """A bare loop, which is given the list of all URLs."""

    def command(context: RunContext) -> list[str]:
        urls = str(context.site.manifest)
        return _module(context, module, "--urls", urls, *options)

    return command


def _crawler(module: str, *options: str) -> Callable[[RunContext], list[str]]:
    """A crawler, which is given the first page only."""

    def command(context: RunContext) -> list[str]:
        return _module(context, module, context.site.first_page, *options)

    return command


def _module(context: RunContext, module: str, *options: str) -> list[str]:
    common = ["--output", str(context.output), "--connections", str(context.connections)]
    return [context.python, "-m", f"benchmarks.competitors.{module}", *options, *common]


def _crawlmesh(processes: int) -> Callable[[RunContext], list[str]]:
    def command(context: RunContext) -> list[str]:
        connections = str(context.connections)
        return [
            *(str(CRAWLMESH_BINARY), "crawl", context.site.first_page),
            *("--allow-private", "--scope", "any", "--ignore-robots", "--delay", "0"),
            *("--concurrency", connections, "--per-host", connections, "--processes", str(processes)),
            *("--select", "title=title::text", "--select", "products[]=div.product h2.title a::text"),
            *("--select", "prices[]=div.product span.price::text"),
            *("--state", str(context.output / "state"), "--fresh"),
            *("--output", str(context.output / "out.jsonl"), "--quiet", "--json"),
        ]

    return command


def _wget2(context: RunContext) -> list[str]:
    return [
        *("wget2", "--recursive", "--level=inf", "--span-hosts", "--robots=off"),
        *(f"--max-threads={context.connections}", "--quiet", "--delete-after"),
        *(f"--directory-prefix={context.output / 'files'}", context.site.first_page),
    ]


def _has_crawlmesh() -> bool:
    """Whether the command is there and runs; an editable install leaves one behind that does not."""
    if not CRAWLMESH_BINARY.exists():
        return False
    return (
        subprocess.run(
            [str(CRAWLMESH_BINARY), "crawl", "--help"], capture_output=True, check=False
        ).returncode
        == 0
    )


def _has_wget2() -> bool:
    return shutil.which("wget2") is not None


COMPETITORS: tuple[Competitor, ...] = (
    Competitor(
        "crawlmesh",
        "Crawlmesh, 1 process, durable",
        _crawlmesh(1),
        package="crawlmesh",
        available=_has_crawlmesh,
    ),
    Competitor(
        "crawlmesh-2",
        "Crawlmesh, 2 processes, durable",
        _crawlmesh(2),
        package="crawlmesh",
        available=_has_crawlmesh,
    ),
    Competitor("scrapy", "Scrapy, default", _crawler("scrapy_crawl"), "scrapy", "scrapy"),
    Competitor(
        "scrapy-tuned",
        "Scrapy, tuned by settings",
        _crawler("scrapy_crawl", "--variant", "tuned"),
        "scrapy",
        "scrapy",
    ),
    Competitor(
        "scrapy-jobdir",
        "Scrapy with JOBDIR (durable)",
        _crawler("scrapy_crawl", "--variant", "durable"),
        "scrapy",
        "scrapy",
    ),
    Competitor(
        "scrapy-redis",
        "scrapy-redis, 1 process + its Redis",
        _crawler("scrapy_redis_crawl"),
        "scrapy-redis",
        "scrapy-redis",
    ),
    Competitor(
        "crawlee", "Crawlee for Python, Parsel, memory", _crawler("crawlee_crawl"), "crawlee", "crawlee"
    ),
    Competitor(
        "crawlee-files",
        "Crawlee for Python, Parsel, files (durable)",
        _crawler("crawlee_crawl", "--storage", "files"),
        "crawlee",
        "crawlee",
    ),
    Competitor(
        "pycurl-fetch", "bare pycurl, fetch only", _loop("pycurl_loop", "--fetch-only"), None, "pycurl", False
    ),
    Competitor(
        "pycurl-parse", "bare pycurl + selectolax (the bare loop)", _loop("pycurl_loop"), package="pycurl"
    ),
    Competitor(
        "pycurl-parse-2",
        "bare pycurl + selectolax, 2 processes",
        _loop("pycurl_loop", "--processes", "2"),
        package="pycurl",
    ),
    Competitor(
        "raw-asyncio",
        "bare asyncio + httptools + selectolax",
        _loop("raw_asyncio_loop"),
        "asyncio",
        "httptools",
    ),
    Competitor("aiohttp", "bare aiohttp + selectolax", _loop("aiohttp_loop"), "asyncio", "aiohttp"),
    Competitor("wget2", "wget2 (C), no extraction", _wget2, writes_records=False, available=_has_wget2),
)


def choose_competitors(names: list[str] | None) -> list[Competitor]:
    """The competitors of these names, in the order of the table; all where none are named."""
    known = [competitor.name for competitor in COMPETITORS]
    unknown = [name for name in names or [] if name not in known]
    if unknown:
        raise SystemExit(f"unknown competitor: {', '.join(unknown)}; known are {', '.join(known)}")
    return [competitor for competitor in COMPETITORS if names is None or competitor.name in names]
