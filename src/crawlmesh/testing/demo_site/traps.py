"""Spider traps: a calendar without end and a path that grows. Their pages are made on demand."""

import re

from crawlmesh.testing.demo_site.page_builder import PageBuilder
from crawlmesh.testing.demo_site.page_kind import PageKind
from crawlmesh.testing.demo_site.resource import Corner, Resource
from crawlmesh.testing.demo_site.shop import PORTAL, Shop

_CALENDAR = re.compile(r"/calendar\?month=([0-9]{1,9})")
_PATH = re.compile(r"/trap(?:/[ab])+")
_ENTRANCES = ("/calendar?month=1", "/trap/a/b")


def traps(shop: Shop) -> Corner:
    """The first pages of the traps of a shop."""
    pages = [page for target in _ENTRANCES if (page := trap_page(shop, target)) is not None]
    return Corner(tuple(pages), _ENTRANCES if pages else ())


def trap_page(shop: Shop, target: str) -> Resource | None:
    """The trap page of a target, if it is one and the shop has traps."""
    if not shop.options.trap or shop.number == PORTAL:
        return None
    page = PageBuilder(shop, target, f"{target} | {shop.name}")
    if calendar := _CALENDAR.fullmatch(target):
        following = int(calendar[1]) + 1
        page.link(f"/calendar?month={following}", "Next month", written=f"?month={following}")
    elif _PATH.fullmatch(target):
        deeper = f"{target}/{'b' if target.endswith('a') else 'a'}"
        page.link(deeper, "Deeper")
    else:
        return None
    return page.link("/", "Home").build(kind=PageKind.TRAP)


def is_trap_target(target: str) -> bool:
    """Whether a target belongs to a trap."""
    return bool(_CALENDAR.fullmatch(target) or _PATH.fullmatch(target))
