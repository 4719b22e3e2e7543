"""One URL of the demo site: what the server answers, and what the manifest says about it."""

import msgspec

from crawlmesh.testing.demo_site.page_kind import Behaviour, PageKind

HTML = "text/html; charset=utf-8"


class ListedProduct(msgspec.Struct, frozen=True):
    """A product as a list page shows it (`div.product`, `h2.title`, `span.price`)."""

    title: str
    price: str
    url: str  # canonical, of the product's own page


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """One URL with its rendered answer. `url` and `links` are canonical."""

    url: str
    kind: PageKind = PageKind.PAGE
    behaviour: Behaviour = Behaviour.AT_ONCE
    status: int = 200
    content_type: str = HTML
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    etag: str | None = None
    last_modified: str | None = None
    title: str | None = None
    products: tuple[ListedProduct, ...] = ()
    links: tuple[str, ...] = ()
    redirect_to: str | None = None
    alias_of: str | None = None  # the URL that this one is, once tracking parameters are ignored
    sitemap_only: bool = False  # linked from nowhere else


class Corner(msgspec.Struct, frozen=True):
    """A few resources of one theme. `entrances` are the targets that something must link to."""

    resources: tuple[Resource, ...]
    entrances: tuple[str, ...] = ()
