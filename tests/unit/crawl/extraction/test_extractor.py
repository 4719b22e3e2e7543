"""The extractor: defaults, metadata, and that records are always JSON."""

import msgspec
import pytest

from crawlmesh.crawl.extraction import Document, ExtractionSpec, Extractor, parse_selections
from crawlmesh.errors import SelectorError

PAGE = Document(b"<title>T</title><h1>H</h1>", "text/html", "https://example.com/")


def test_without_a_spec_a_record_holds_the_title() -> None:
    assert Extractor().extract(PAGE) == {"title": "T"}
    assert Extractor(parse_selections([])).extract(PAGE) == {"title": "T"}
    assert Extractor().extract(Document(b"", None, "")) == {"title": None}


def test_metadata_stands_under_its_own_key() -> None:
    assert Extractor(None, metadata=True).extract(PAGE)["metadata"]["title"] == "T"
    record = Extractor(parse_selections(["h=h1"]), metadata=True).extract(PAGE)
    assert list(record) == ["h", "metadata"]
    spec = ExtractionSpec.from_json({"selectors": {"h": "h1"}, "metadata": True})
    assert list(Extractor(spec).extract(PAGE)) == ["h", "metadata"]


def test_a_field_may_not_hide_the_metadata() -> None:
    with pytest.raises(SelectorError, match="metadata"):
        Extractor(parse_selections(["metadata=h1"]), metadata=True)
    assert Extractor(parse_selections(["metadata=h1"])).extract(PAGE) == {"metadata": "H"}


def test_records_can_be_written_as_json() -> None:
    spec = parse_selections(["a=h1", "b=xpath:number(//h1)", "c=xpath:1 div 0", "d=json:x", "e[]=re:."])
    for body in (b"<h1>\xff\0&#xD800;</h1>", b'{"x": 123456789012345678901234567890}', b"\xff\xfe\x00\xd8"):
        for content_type in ("text/html", "application/json", "text/xml", None):
            msgspec.json.encode(Extractor(spec).extract(Document(body, content_type, "http://a/")))
