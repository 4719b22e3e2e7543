"""How pages are fetched and crawls are made."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from crawlmesh.model.crawl import DEFAULT_FILTER_CAPACITY, DEFAULT_FILTER_ERROR_RATE, Dedup
from crawlmesh.protocol.crawl_parameters import LEAST_ERROR_RATE, MOST_ERROR_RATE, MOST_FILTERED
from crawlmesh.settings.checks import cookie, header, named_agent, proxy_address
from crawlmesh.version import __version__


class CrawlSettings(BaseModel):
    """Crawling: on this machine alone, and on the nodes of a cluster."""

    allow_private_networks: bool = Field(
        False, description="Whether crawls may reach private, loopback and link-local addresses."
    )
    user_agent: Annotated[str, AfterValidator(named_agent)] = Field(
        f"crawlmesh/{__version__}",
        min_length=1,
        description="User-Agent header. Its first word, up to the slash, is matched against robots.txt.",
    )
    headers: tuple[Annotated[str, AfterValidator(header)], ...] = Field(
        (), description="Further request headers, each as `Name: value` (a JSON list in the environment)."
    )
    cookies: tuple[Annotated[str, AfterValidator(cookie)], ...] = Field(
        (),
        description="Cookies sent with every request, each as `name=value` (a JSON list in the environment).",
    )
    proxy: Annotated[str | None, AfterValidator(proxy_address)] = Field(
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
    dedup: Dedup = Field(
        Dedup.EXACT,
        description=(
            "How known links are recognised: `exact`, or by a `bloom` filter, which needs 3 to 4 bytes for"
            " each link and takes a few new links for known ones."
        ),
    )
    dedup_capacity: int = Field(
        DEFAULT_FILTER_CAPACITY,
        ge=1,
        le=MOST_FILTERED,
        description="Links that a Bloom filter is made for at first; it grows by itself.",
    )
    dedup_error_rate: float = Field(
        DEFAULT_FILTER_ERROR_RATE,
        ge=LEAST_ERROR_RATE,
        le=MOST_ERROR_RATE,
        description="Share of new links that a Bloom filter may take for known ones, however large it grows.",
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
        60.0,
        ge=1,
        description=(
            "Seconds after which links that a process holds go to another: it went silent, or the answer that"
            " gave it the links was lost with a master."
        ),
    )
    settle_after: float = Field(
        2.0,
        gt=0,
        description="Seconds after which finished pages are stored at the latest: what a kill may repeat.",
    )

    @property
    def robots_agent(self) -> str:
        """The product token that robots.txt files are searched for."""
        return self.user_agent.split("/")[0].split()[0]
