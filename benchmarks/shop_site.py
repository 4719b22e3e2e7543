"""The benchmark site: plain HTML files on several loopback hosts, made once and kept."""

import json
import random
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

LINKS_PER_PAGE = 40
PRODUCTS_PER_PAGE = 20
FRAGMENT_SHARE = 0.02  # of links
QUERY_PAGE_EVERY = 50  # every fiftieth page (2 %) has a query; links to it use both orders of its parameters
SEED = 20_240_817
VERSION = 2  # of the generator; a cached site of another one is not used
WORDS = (
    *("amber", "basin", "copper", "delta", "ember", "fabric", "garnet", "harbour", "indigo", "juniper"),
    *("kernel", "lantern", "marble", "nickel", "orchard", "pepper", "quartz", "ribbon", "saffron"),
    *("timber", "umber", "velvet", "walnut", "yarrow", "zinc", "cotton", "canvas", "silver"),
)


@dataclass(frozen=True)
class SiteParameters:
    """What the site looks like. The port is part of it, because links between hosts carry it."""

    pages: int
    hosts: int
    port: int
    page_bytes: int = 20_000

    @property
    def folder_name(self) -> str:
        return f"site-{VERSION}-{self.pages}-{self.hosts}-{self.page_bytes}-{self.port}"

    def host(self, page: int) -> str:
        return host_address(page % self.hosts)

    def path(self, page: int) -> str:
        return f"/c{page // self.hosts % 50}/item-{page}.html"

    def canonical_url(self, page: int) -> str:
        query = "?a=1&b=2" if has_query(page) else ""
        return f"http://{self.host(page)}:{self.port}{self.path(page)}{query}"


@dataclass(frozen=True)
class Site:
    """A generated site: `root` holds one folder for each host, `manifest` one canonical URL for each line."""

    parameters: SiteParameters
    root: Path
    manifest: Path

    @property
    def first_page(self) -> str:
        return self.parameters.canonical_url(0)

    def urls(self) -> list[str]:
        return self.manifest.read_text().split()


def host_address(index: int) -> str:
    """The loopback address of a host, from 127.0.0.2 on."""
    return f"127.0.0.{index + 2}"


def has_query(page: int) -> bool:
    return page % QUERY_PAGE_EVERY == 7


def ensure_site(work_folder: Path, parameters: SiteParameters) -> Site:
    """Generate the site, or take the one that an earlier run left."""
    folder = work_folder / parameters.folder_name
    site = Site(parameters, folder / "hosts", folder / "manifest.txt")
    if not (folder / "complete.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        _generate(site)
        (folder / "complete.json").write_text(json.dumps(asdict(parameters)))
    return site


def _generate(site: Site) -> None:
    parameters = site.parameters
    chooser = random.Random(SEED)
    for page in range(parameters.pages):
        file = site.root / parameters.host(page) / parameters.path(page).lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_page_html(parameters, page, chooser))
    site.manifest.write_text(
        "".join(f"{parameters.canonical_url(page)}\n" for page in range(parameters.pages))
    )


def _page_html(parameters: SiteParameters, page: int, chooser: random.Random) -> str:
    links = [_link(parameters, page, target, chooser) for target in _targets(parameters, page, chooser)]
    products = [_product_html(link, chooser) for link in links[:PRODUCTS_PER_PAGE]]
    navigation = [
        f'<li class="entry"><a href="{link}">{_words(chooser, 3)}</a></li>'
        for link in links[PRODUCTS_PER_PAGE:]
    ]
    head = f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Item {page}</title>'
    head += "</head><body>\n"
    body = '<div class="list">\n' + "\n".join(products) + "\n</div>\n<nav><ul>\n" + "\n".join(navigation)
    tail = "\n</ul></nav>\n</body></html>\n"
    missing_bytes = parameters.page_bytes - len(head) - len(body) - len(tail)
    return head + body + "\n</ul></nav>\n<footer><ul>\n" + _filler_html(missing_bytes, chooser) + tail


def _targets(parameters: SiteParameters, page: int, chooser: random.Random) -> list[int]:
    """Both children in the binary tree (so that all pages are reachable), the rest at random.

    About half of the random ones stay on the page's own host.
    """
    targets = [child for child in (2 * page + 1, 2 * page + 2) if child < parameters.pages]
    own_host = range(page % parameters.hosts, parameters.pages, parameters.hosts)
    while len(targets) < LINKS_PER_PAGE:
        anywhere = chooser.random() < 0.5
        targets.append(chooser.randrange(parameters.pages) if anywhere else chooser.choice(own_host))
    chooser.shuffle(targets)
    return targets


def _link(parameters: SiteParameters, page: int, target: int, chooser: random.Random) -> str:
    """A reference as it stands in the page: rooted on the own host, absolute elsewhere."""
    host = parameters.host(target)
    origin = "" if host == parameters.host(page) else f"http://{host}:{parameters.port}"
    query = chooser.choice(("?a=1&b=2", "?b=2&a=1")) if has_query(target) else ""
    fragment = f"#part-{chooser.randrange(9)}" if chooser.random() < FRAGMENT_SHARE else ""
    return f"{origin}{parameters.path(target)}{query}{fragment}"


def _product_html(link: str, chooser: random.Random) -> str:
    return (
        f'<div class="product"><h2 class="title"><a href="{link}">{_words(chooser, 4)}</a></h2>'
        f'<span class="price">{chooser.randrange(100, 99999) / 100:.2f}</span>'
        f'<p class="text">{_words(chooser, 45)}</p></div>'
    )


def _filler_html(size: int, chooser: random.Random) -> str:
    lines: list[str] = []
    while size > 0:
        line = f'<li class="note"><em>{_words(chooser, 2)}</em> {_words(chooser, 20)}</li>'
        lines.append(line)
        size -= len(line) + 1
    return "\n".join(lines)


def _words(chooser: random.Random, count: int) -> str:
    return " ".join(chooser.choices(WORDS, k=count))
