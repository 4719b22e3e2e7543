"""Kinds and encodings of pages, and that no page breaks the reading."""

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from crawlmesh.crawl.extraction import (
    Document,
    DocumentKind,
    Extractor,
    page_links,
    page_metadata,
    parse_selections,
)
from crawlmesh.crawl.extraction import document as document_module

CHINESE = (
    "<html><head><title>中文网页标题</title></head>"
    "<body><p>欢迎光临我们的网站、这里有很多商品。</p></body></html>"
)
RUSSIAN = "<p>Съешь же ещё этих мягких французских булок, да выпей чаю. Привет, мир!</p>" * 5


def title(body: bytes, content_type: str | None = "text/html") -> Any:
    return Extractor().extract(Document(body, content_type, "http://a/"))["title"]


@pytest.mark.parametrize(
    ("content_type", "body", "kind"),
    [
        ("text/html", b"", "html"),
        ("TEXT/HTML ; charset=x", b"{}", "html"),
        ("application/xhtml+xml", b"", "html"),
        ("application/xml", b"", "xml"),
        ("application/atom+xml; charset=utf-8", b"", "xml"),
        ("application/json", b"", "json"),
        ("application/ld+json", b"", "json"),
        ("text/plain", b"<html>", "text"),
        ("text/css", b"", "text"),
        ("image/png", b"<html>", "other"),
        ("application/pdf", b"", "other"),
        (None, b"", "text"),
        ("", b"<!DOCTYPE html>", "html"),
        (None, b"\xef\xbb\xbf  <html>", "html"),
        (None, b"\xff\xfe<\0h\0t\0m\0l\0>\0", "html"),
        (None, b"<?xml version='1.0'?><rss/>", "xml"),
        (None, b"<?xml version='1.0'?><!DOCTYPE html><html/>", "html"),
        ("application/octet-stream", b' {"a": 1}', "json"),
        ("nonsense", b"[1]", "json"),
        (None, b"hello", "text"),
        (None, b"\x89PNG\r\n\x1a\n\0\0", "other"),
        (None, b"\x1f\x8b\x08", "other"),
        (None, b"%PDF-1.7", "other"),
    ],
)
def test_kinds(content_type: str | None, body: bytes, kind: str) -> None:
    assert Document(body, content_type, "http://a/").kind == DocumentKind(kind)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (CHINESE.encode(), "text/html; charset=utf-8"),
        (CHINESE.encode(), "text/html"),
        (CHINESE.encode("gbk"), "text/html; charset=GBK"),
        (CHINESE.encode("gbk"), "text/html; charset=gb2312"),
        (CHINESE.encode("gbk"), 'text/html; charset="gb18030"'),
        (CHINESE.encode("utf-8-sig"), "text/html; charset=gbk"),
        (CHINESE.encode("utf-16"), "text/html"),
        (b"\xfe\xff" + CHINESE.encode("utf-16-be"), "text/html"),
        (CHINESE.encode("utf-16-le"), "text/html; charset=utf-16"),
        (CHINESE.replace("<head>", "<head><meta charset=gbk>").encode("gbk"), "text/html"),
        (CHINESE.replace("<head>", "<head><META CHARSET = 'GB2312'>").encode("gbk"), "text/html"),
        (
            CHINESE.replace(
                "<head>", '<head><meta http-equiv="Content-Type" content="text/html; charset=gb2312">'
            ).encode("gbk"),
            "text/html; charset=unheard-of",
        ),
        (CHINESE.replace("<head>", "<head><!-- <meta charset=latin1> -->").encode(), "text/html"),
        (CHINESE.replace("<head>", "<head><meta charset=utf-16>").encode(), "text/html"),
        (CHINESE.encode(), None),
    ],
)
def test_chinese_pages_read_alike_in_every_encoding(body: bytes, content_type: str | None) -> None:
    assert title(body, content_type) == "中文网页标题"
    assert "欢迎光临" in Document(body, content_type, "http://a/").text


@pytest.mark.parametrize(
    ("encoding", "label", "text"),
    [
        ("cp932", "Shift_JIS", "日本語のページ①"),
        ("euc_jp", "euc-jp", "日本語のページ"),
        ("iso2022_jp", "iso-2022-jp", "日本語のページ"),
        ("cp949", "euc-kr", "한국어 페이지"),
        ("big5", "big5", "繁體中文"),
        ("koi8_r", "koi8-r", "Привет"),
        ("cp1251", "windows-1251", "Привет"),
        ("cp1252", "iso-8859-1", "“quoted” €"),
        ("cp1252", "us-ascii", "café"),
        ("cp1254", "iso-8859-9", "ığüş"),
        ("iso8859_15", "iso-8859-15", "€ œ"),
    ],
)
def test_declared_encodings(encoding: str, label: str, text: str) -> None:
    body = f"<title>{text}</title>".encode(encoding)
    assert title(body, f"text/html; charset={label}") == text


def test_undeclared_russian_is_guessed() -> None:
    text = Document(f"<title>x</title>{RUSSIAN}".encode("cp1251"), "text/html", "http://a/").text
    assert "Привет, мир" in text


def test_undeclared_gbk_is_guessed() -> None:
    body = (
        CHINESE + "<p>我们提供各种各样的产品和服务、欢迎新老客户前来咨询。今天的天气非常好。</p>" * 10
    ).encode("gbk")
    assert title(body) == "中文网页标题"


@pytest.mark.parametrize(
    "label", ["utf-8", "ascii", "shift_jis", "utf-16", "utf-7", "base64", "rot13", "idna", "x y"]
)
def test_a_wrong_charset_never_raises(label: str) -> None:
    document = Document(CHINESE.encode("gbk"), f"text/html; charset={label}", "http://a/")
    assert isinstance(document.text, str)
    Extractor(parse_selections(["p=p", "x=xpath://p", "r=re:.+"])).extract(document)


def test_undecodable_bytes_become_replacement_characters() -> None:
    assert title(b"<title>caf\xe9!</title>", "text/html; charset=utf-8") == "caf\ufffd!"


def test_utf_8_that_was_cut_off_is_still_utf_8() -> None:
    body = "<title>Füße</title><p>Grüße aus Köln ü".encode()[:-1]
    assert title(body) == "Füße"


def test_xml_declares_its_encoding() -> None:
    body = "<?xml version='1.0' encoding='windows-1251'?><a><b>Привет</b></a>".encode("cp1251")
    document = Document(body, "text/xml", "http://a/")
    assert Extractor(parse_selections(["b=xpath://b"])).extract(document) == {"b": "Привет"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\0",
        b"<",
        b"<!--",
        b"<p",
        b"<a href='",
        b"\xff" * 100,
        b"</html>",
        b"<title>\0a\0</title>",
        b"&#0;&#xD800;",
    ],
)
@pytest.mark.parametrize(
    "content_type", ["text/html", "text/xml", "application/json", "text/plain", "image/gif", None]
)
def test_broken_pages_never_raise(body: bytes, content_type: str | None) -> None:
    read_everything(Document(body, content_type, "http://a/"))


@given(st.binary(max_size=200), st.sampled_from(["text/html", "text/xml", "application/json", "text/plain"]))
@settings(max_examples=150, deadline=None)
def test_no_bytes_make_it_raise(body: bytes, content_type: str) -> None:
    read_everything(Document(body, f"{content_type}; charset=utf-8", "http://a/"))


def read_everything(document: Document) -> None:
    spec = parse_selections(
        ["p=p", "link=a::attr(href)", "x=xpath://*", "r=re:.", "j=json:@", "h=body::html"]
    )
    Extractor(spec, metadata=True).extract(document)
    page_links(document)
    page_metadata(document)
    document.text.encode()


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "tags", [b"<div>" * 200_000, b"<div>" * 100_000 + b"</div>" * 100_000, b"<b><p>" * 50_000]
)
def test_huge_nesting_is_cut_off(tags: bytes) -> None:
    start = time.perf_counter()
    document = Document(b"<title>deep</title>" + tags, "text/html; charset=utf-8", "http://a/")
    assert Extractor().extract(document) == {"title": "deep"}
    read_everything(document)
    assert time.perf_counter() - start < 30


@pytest.mark.timeout(20)
def test_endless_tags_are_cut_off() -> None:
    attributes = b" ".join(b"a%d=1" % number for number in range(100_000))
    body = b"<title>long</title>" + b"x" * 9000 + b"<p " + attributes + b">y"
    assert Document(body, "text/html", "http://a/").tree is not None
    assert title(body) == "long"


def test_long_tags_and_scripts_are_not_cut_off() -> None:
    image = b"<img src='data:" + b"A" * 200_000 + b"'>"
    script = b"<script>" + b"a b c " * 30_000 + b"</script>"
    document = Document(image + script + b"<h1>end</h1>", "text/html", "http://a/")
    assert Extractor(parse_selections(["end=h1"])).extract(document) == {"end": "end"}


def test_wide_pages_are_not_cut_off() -> None:
    rows = b"<tr><td>x<br><img src=a><td>y" * 5000 + b"<p>q<li>r" * 5000
    paths = b"<svg>" + b'<path d="M0"/>' * 20_000 + b"</svg>"
    document = Document(b"<table>" + rows + b"</table>" + paths + b"<h1>end</h1>", "text/html", "http://a/")
    assert Extractor(parse_selections(["end=h1"])).extract(document) == {"end": "end"}


def test_a_page_that_the_parser_refuses_reads_as_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    parse = LexborHTMLParser

    def refuse(source: bytes, **options: Any) -> Any:
        if source:
            raise ValueError("too large")
        return parse(source, **options)

    monkeypatch.setattr(document_module, "LexborHTMLParser", refuse)
    assert title(b"<title>x</title>") is None


def test_json_pages() -> None:
    def value(body: bytes) -> Any:
        return Document(body, "application/json", "http://a/").json

    assert value(b'\xef\xbb\xbf{"a": [1]}') == {"a": [1]}
    assert value('{"a": "é"}'.encode("utf-16")) == {"a": "é"}
    assert value(b'["cut \\ud83d"]') == ["cut ?"]
    assert value(b"{broken") is None
    assert value(b"[" * 100_000) is None
    assert value(b"") is None
    assert Document(b"{}", "text/html", "http://a/").json is None


def test_references_resolve() -> None:
    document = Document(b"<base href='/b/'>", "text/html", "http://a/x/y")
    assert document.resolve(" c ") == "http://a/b/c"
    assert Document(b"", "text/html", "http://a/x/y").resolve("c?d#e") == "http://a/x/c?d#e"
    assert Document(b"", "text/html", "not a url").resolve("c") is None
