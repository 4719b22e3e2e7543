"""What the shops sell: names, prices and texts, all from the seed."""

import random
from functools import cache

import msgspec

from crawlmesh.testing.demo_site.shop import Shop

_MATERIALS = ("Copper", "Walnut", "Linen", "Steel", "Ceramic", "Bamboo", "Glass", "Wool", "Cork", "Marble")
_THINGS = ("Kettle", "Lamp", "Chair", "Notebook", "Basket", "Clock", "Teapot", "Blanket", "Tray", "Mirror")
_CATEGORIES = ("kitchen", "living", "garden", "office", "bedroom", "travel", "gifts", "outlet")
_PHRASES = (
    "made by hand",
    "in a small workshop",
    "tested for years",
    "with a finish that ages well",
    "light to carry",
    "easy to clean",
    "kind to its surroundings",
    "sent without any plastic",
)


class Product(msgspec.Struct, frozen=True):
    """One thing for sale."""

    number: int  # from 1, within its shop
    title: str
    cents: int
    category: str
    description: str
    reviews: tuple[str, ...]
    modified_at: int  # Unix time, seconds

    @property
    def price(self) -> str:
        """The price as the pages show it."""
        return f"${self.amount}"

    @property
    def amount(self) -> str:
        """The price without its currency."""
        return f"{self.cents // 100}.{self.cents % 100:02}"

    @property
    def target(self) -> str:
        """The path of its page."""
        return f"/products/{self.number}"


def categories(shop: Shop) -> tuple[str, ...]:
    """The category names of a shop, as they stand in its paths."""
    rounds = range(shop.options.categories // len(_CATEGORIES) + 1)
    names = [f"{name}-{turn}" if turn else name for turn in rounds for name in _CATEGORIES]
    return tuple(names[: min(shop.options.categories, shop.product_count)])


@cache
def catalogue(shop: Shop) -> tuple[Product, ...]:
    """Everything that a shop sells, in order."""
    names = categories(shop)
    return tuple(_product(shop, number, names) for number in range(1, shop.product_count + 1))


def _product(shop: Shop, number: int, names: tuple[str, ...]) -> Product:
    source = random.Random(f"{shop.options.seed}/{shop.number}/{number}")
    return Product(
        number=number,
        title=f"{source.choice(_MATERIALS)} {source.choice(_THINGS)} No. {number}",
        cents=source.randint(199, 99_999),
        category=names[(number - 1) % len(names)],
        description=_sentence(source, 20),
        reviews=tuple(_sentence(source, 8) for _ in range(source.randint(1, 4))),
        modified_at=1_700_000_000 + source.randint(0, 10_000_000),
    )


def _sentence(source: random.Random, phrases: int) -> str:
    return ", ".join(source.choice(_PHRASES) for _ in range(phrases)).capitalize() + "."
