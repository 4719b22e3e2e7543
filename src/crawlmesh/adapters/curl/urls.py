"""The form in which a URL is handed to libcurl."""

import re

import ada_url

from crawlmesh.errors import UrlError

# What libcurl sends as it stands. Backslashes are left out because libcurl and browsers disagree
# about where the host ends.
is_plain = re.compile(r"https?://[!-\[\]-~]+").fullmatch


def sendable_url(url: str) -> str:
    """The URL as it was found where libcurl can send that, else as a browser would send it."""
    if is_plain(url):
        return url
    parsed = _parse(url)
    if parsed.protocol not in ("http:", "https:"):
        raise UrlError(f"The scheme {parsed.protocol!r} is not crawled; only http and https are.")
    return parsed.href


def host_of(url: str) -> str:
    """The host in WHATWG form, so that every spelling of an IPv4 address reads the same."""
    return _parse(url).hostname


def shown_host(url: str) -> str:
    """The host for a message to people."""
    try:
        return host_of(url) or "the host"
    except UrlError:
        return "the host"


def _parse(url: str) -> ada_url.URL:
    try:
        return ada_url.URL(url.encode("utf-8", "replace").decode())
    except ValueError:
        raise UrlError(f"{url[:200]!a} is not a URL; write http://host/path or https://host/path.") from None
