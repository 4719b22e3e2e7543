r"""The selector language: CSS, or another language named by a prefix.

h2.title                 text of the element (the same as h2.title::text)
a.more::attr(href)       an attribute          div.body::html      the element as HTML
css:h2.title             CSS, said aloud       xpath://h2/@id      XPath 1.0
re:SKU-(\d+)              on the source text    jmespath:items[*]   on JSON pages (also json:)
"""

from crawlmesh.crawl.extraction.compiled_selector import CompiledSelector
from crawlmesh.crawl.extraction.css_selector import compile_css
from crawlmesh.crawl.extraction.json_selector import compile_json
from crawlmesh.crawl.extraction.regex_selector import compile_regex
from crawlmesh.crawl.extraction.xpath_selector import compile_xpath

__all__ = ["CompiledSelector", "compile_selector"]


def compile_selector(name: str, text: str) -> CompiledSelector:
    """Compile the selector of the field `name`. Raises SelectorError where it cannot be understood."""
    prefix, colon, rest = text.lstrip().partition(":")
    if colon and prefix == "xpath":
        return compile_xpath(name, text, rest.strip())
    if colon and prefix == "re":
        return compile_regex(name, text, rest)
    if colon and prefix in ("jmespath", "json"):
        return compile_json(name, text, rest.strip())
    if colon and prefix == "css":
        return compile_css(name, text, rest)
    return compile_css(name, text, text)
