"""What every bare loop does with a page: title, product titles, prices and links, with selectolax."""

import msgspec
from selectolax.lexbor import LexborHTMLParser

_encoder = msgspec.json.Encoder()


def parse_page(url: str, body: bytes) -> bytes:
    """One line of JSONL. The links are extracted and counted; the loops know their URLs beforehand."""
    tree = LexborHTMLParser(body)
    title = tree.css_first("title")
    links = [anchor.attributes.get("href") for anchor in tree.css("a[href]")]
    record = {
        "url": url,
        "title": title.text() if title else None,
        "products": [name.text() for name in tree.css("div.product h2.title")],
        "prices": [price.text() for price in tree.css("div.product span.price")],
        "links": len(links),
    }
    return _encoder.encode(record) + b"\n"
