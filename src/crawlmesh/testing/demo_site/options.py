"""What the demo site is generated from."""

import msgspec

from crawlmesh.errors import SettingError

_MOST_SHOPS = 90  # 127.0.0.2 … 127.0.0.91: the out-of-scope host lies beyond


class DemoSiteOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that decides what the demo site serves. The same options give the same site.

    Shop 2 asks for a crawl delay and is ten times smaller than the others; shop 3 has no robots.txt.
    """

    shops: int = 4  # hosts beside the portal
    categories: int = 5  # per shop
    products: int = 100  # per shop
    page_size: int = 10  # products per list page
    seed: int = 1
    crawl_delay: float = 0.2  # seconds; what robots.txt of shop 2 asks for; 0: nothing
    latency: float = 0.0  # seconds until any page answers; lets the log see requests that run at once
    slow_seconds: float = 0.5  # until the slow pages answer
    curiosities: bool = (
        True  # redirects, failures, charsets and so on; without: plain shops and what robots.txt forbids
    )
    trap: bool = False  # links endless calendars and paths
    rate_limit_once: bool = False  # the last shop answers its first page request with 429
    retry_after: int = 1  # seconds; what that answer asks for
    endless: bool = False  # links pages whose body never ends
    hanging: bool = False  # links pages that never answer

    def __post_init__(self) -> None:
        if not 1 <= self.shops <= _MOST_SHOPS:
            raise SettingError(f"shops is {self.shops}; choose 1 to {_MOST_SHOPS}")
        for name, least in (("categories", 1), ("products", 2), ("page_size", 1)):
            if getattr(self, name) < least:
                raise SettingError(f"{name} is {getattr(self, name)}; choose {least} or more")
        for name in ("crawl_delay", "latency", "slow_seconds", "retry_after"):
            if getattr(self, name) < 0:
                raise SettingError(f"{name} is {getattr(self, name)}; choose 0 or more seconds")
