"""libcurl handles with the options that never change."""

import ssl
from pathlib import Path

import pycurl

from crawlmesh.adapters.curl.options import FetchOptions

_BUFFER_BYTES = 64 * 1024  # one buffer serves all transfers of a multi handle
_SUPPRESS_CONNECT_HEADERS = 265  # CURLOPT_…, which pycurl passes on but has no name for


def new_handle(options: FetchOptions) -> pycurl.Curl:
    """A handle that lacks only what differs from request to request."""
    handle = pycurl.Curl()
    set_option = handle.setopt
    set_option(pycurl.NOSIGNAL, 1)
    set_option(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
    set_option(pycurl.FOLLOWLOCATION, 0)
    set_option(pycurl.ACCEPT_ENCODING, "")  # all that this libcurl can decompress
    set_option(
        pycurl.COOKIEFILE, ""
    )  # switches cookies on; they live in the jar that the handle is attached to
    set_option(pycurl.BUFFERSIZE, _BUFFER_BYTES)
    set_option(pycurl.CONNECTTIMEOUT_MS, _milliseconds(options.connect_timeout))
    set_option(pycurl.TIMEOUT_MS, _milliseconds(options.total_timeout))
    set_option(pycurl.DNS_CACHE_TIMEOUT, options.dns_cache_seconds)
    set_option(
        pycurl.HTTP_VERSION,
        pycurl.CURL_HTTP_VERSION_2TLS if options.http2 else pycurl.CURL_HTTP_VERSION_1_1,
    )
    _set_proxy(handle, options)
    _set_tls(handle, options)
    return handle


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))  # 0 would mean libcurl's own default


def _set_proxy(handle: pycurl.Curl, options: FetchOptions) -> None:
    # Both are set even when empty, because libcurl would otherwise read them from the environment.
    handle.setopt(pycurl.PROXY, options.proxy)
    handle.setopt(pycurl.NOPROXY, "")
    handle.setopt(_SUPPRESS_CONNECT_HEADERS, 1)


def _set_tls(handle: pycurl.Curl, options: FetchOptions) -> None:
    if not options.verify_tls:
        handle.setopt(pycurl.SSL_VERIFYPEER, 0)
        handle.setopt(pycurl.SSL_VERIFYHOST, 0)
        handle.setopt(pycurl.PROXY_SSL_VERIFYPEER, 0)
        handle.setopt(pycurl.PROXY_SSL_VERIFYHOST, 0)
        return
    # The libcurl inside the wheel was built elsewhere and looks for certificates where they were there.
    ca_file = options.ca_file or ssl.get_default_verify_paths().cafile
    if ca_file and Path(ca_file).is_file():
        handle.setopt(pycurl.CAINFO, ca_file)
        handle.setopt(pycurl.PROXY_CAINFO, ca_file)
