"""A plain HTTP client for these tests: one request, no redirects, nothing decoded."""

import http.client
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Fetched:
    status: int
    headers: Mapping[str, str]
    body: bytes


def fetch(url: str, headers: Mapping[str, str] | None = None, *, method: str = "GET") -> Fetched:
    parts = urlsplit(url)
    assert parts.hostname is not None
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
    try:
        connection.request(method, target, headers=dict(headers or {}))
        response = connection.getresponse()
        fields = {name.lower(): value for name, value in response.getheaders()}
        return Fetched(response.status, fields, response.read())
    finally:
        connection.close()
