"""One cookie jar per crawl."""

from collections import OrderedDict

import pycurl

from crawlmesh.adapters.curl.options import InitialCookie
from crawlmesh.adapters.curl.urls import host_of

_JARS_KEPT = 4096  # crawls; beyond that the jar of the crawl that has rested longest is emptied


class CookieJar:
    """What libcurl shares between the handles of one crawl."""

    __slots__ = ("hosts", "share")

    def __init__(self) -> None:
        self.share = pycurl.CurlShare()
        self.share.setopt(pycurl.SH_SHARE, pycurl.LOCK_DATA_COOKIE)
        self.hosts: set[str] = set()  # those that have got their initial cookies


class CookieJars:
    """The jars of all crawls.

    Initial cookies are put into a crawl's jar for each host when it is first asked, so that a
    server which sets a cookie of the same name replaces it, and so that they are never sent twice.
    """

    def __init__(self, initial: tuple[InitialCookie, ...]) -> None:
        self._initial = initial
        self._limit = _JARS_KEPT
        self._jars: OrderedDict[str, CookieJar] = OrderedDict()

    def attach(self, handle: pycurl.Curl, crawl_id: str) -> None:
        """Let a handle that is not under way use this crawl's jar from now on."""
        jar = self._jars.get(crawl_id)
        if jar is None:
            jar = self._jars[crawl_id] = CookieJar()
            if len(self._jars) > self._limit:
                # Handles that still use it keep it alive; libcurl frees it with the last of them.
                self._jars.popitem(last=False)
        else:
            self._jars.move_to_end(crawl_id)
        handle.unsetopt(pycurl.SHARE)  # pycurl refuses to replace one jar by another
        handle.setopt(pycurl.SHARE, jar.share)

    def fill(self, handle: pycurl.Curl, crawl_id: str, url: str) -> None:
        """Put the initial cookies for the URL's host into the jar that the handle is attached to."""
        jar = self._jars.get(crawl_id)
        host = host_of(url).strip("[]")
        if jar is None or host in jar.hosts:
            return
        jar.hosts.add(host)
        for cookie in self._initial:
            if not cookie.host or host == cookie.host or host.endswith("." + cookie.host):
                # Netscape format: host, with subdomains, path, TLS only, expiry (0: session), name, value
                fields = (host, "FALSE", "/", "FALSE", "0", cookie.name, cookie.value)
                handle.setopt(pycurl.COOKIELIST, "\t".join(fields).encode())

    def close(self) -> None:
        """Let go of all jars. The handles must have been closed."""
        self._jars.clear()
