"""A host of the demo site: its number, its address and what is special about it."""

import msgspec

from crawlmesh.testing.demo_site.options import DemoSiteOptions

PORTAL = 0
OUT_OF_SCOPE_ADDRESS = "127.0.0.99"  # nothing listens there
_DELAYED_SHOP = 2
_SHOP_WITHOUT_ROBOTS = 3
_DELAYED_SHOP_DIVISOR = 10  # keeps a full crawl short in spite of the delay


def loopback_address(number: int) -> str:
    """The IP address of host `number`; 0 is the portal."""
    return f"127.0.0.{number + 1}"


class Shop(msgspec.Struct, frozen=True):
    """Host `number` of a site. The portal is a shop that sells nothing."""

    options: DemoSiteOptions
    port: int
    number: int

    @property
    def host(self) -> str:
        """Address and port, as in a URL."""
        return f"{loopback_address(self.number)}:{self.port}"

    @property
    def name(self) -> str:
        """What the pages call it."""
        return f"Shop {self.number}" if self.number else "Portal"

    @property
    def product_count(self) -> int:
        """How many products it sells."""
        if self.is_delayed:
            return max(2, self.options.products // _DELAYED_SHOP_DIVISOR)
        return self.options.products if self.number else 0

    @property
    def is_delayed(self) -> bool:
        """Whether its robots.txt asks for a crawl delay."""
        return self.number == _DELAYED_SHOP and self.options.crawl_delay > 0

    @property
    def has_robots(self) -> bool:
        """Whether it has a robots.txt."""
        return self.number != _SHOP_WITHOUT_ROBOTS

    @property
    def is_rate_limited(self) -> bool:
        """Whether its first page request is answered with 429."""
        return self.options.rate_limit_once and self.number == self.options.shops

    @property
    def neighbour(self) -> "Shop":
        """The next shop, round the circle."""
        return Shop(self.options, self.port, self.number % self.options.shops + 1)

    def url(self, target: str) -> str:
        """The absolute URL of a target (path and query) here."""
        return f"http://{self.host}{target}"

    def out_of_scope_url(self, target: str) -> str:
        """A URL on a host that does not belong to the site."""
        return f"http://{OUT_OF_SCOPE_ADDRESS}:{self.port}{target}"


def all_hosts(options: DemoSiteOptions, port: int) -> tuple[Shop, ...]:
    """The portal and the shops, in order."""
    return tuple(Shop(options, port, number) for number in range(options.shops + 1))
