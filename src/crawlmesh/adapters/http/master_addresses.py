"""Several masters behind one client: whichever answers is asked."""

import io
import ssl
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

import aiohttp
import msgspec

from crawlmesh.errors import MasterUnreachableError, SettingError

_CONNECT_TIMEOUT = 5.0  # seconds
_SMALL = 512 * 1024  # bytes
_AWAY = frozenset({502, 503, 504})  # statuses of a master, or of a proxy before it, that is not at work


class HttpAnswer(msgspec.Struct, frozen=True):
    """Status and body."""

    status: int
    body: bytes


class MasterAddresses:
    """The masters of a cluster. A request goes to the one that answered last, else to the next.

    All of them share their stores, so that any may be asked anything.
    """

    def __init__(self, addresses: Sequence[str], verify_tls: bool | ssl.SSLContext = True) -> None:
        self._addresses = [_checked(address) for address in addresses]
        if not self._addresses:
            raise SettingError("The setting master_url is empty: give the address of a master.")
        self._verify_tls = verify_tls
        self._current = 0
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    @property
    def current(self) -> str:
        """The master that is asked next."""
        return self._addresses[self._current]

    async def post(self, path: str, body: bytes, headers: Mapping[str, str], seconds: float) -> HttpAnswer:
        """Send a request, to each master once at most. Raises MasterUnreachableError."""
        problem = ""
        for _ in self._addresses:
            asked = self._current
            try:
                answer = await self._post(self._addresses[asked] + path, body, headers, seconds)
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                problem = str(error) or type(error).__name__
            else:
                if answer.status not in _AWAY:
                    return answer
                problem = f"status {answer.status}"
            if self._current == asked:  # another request may have moved on already
                self._current = (asked + 1) % len(self._addresses)
        raise MasterUnreachableError(
            f"No master answers at {', '.join(self._addresses)} ({problem}). "
            "Check that one is running and that master_url is right."
        )

    async def _post(self, url: str, body: bytes, headers: Mapping[str, str], seconds: float) -> HttpAnswer:
        limits = aiohttp.ClientTimeout(total=seconds, connect=_CONNECT_TIMEOUT)
        payload = body if len(body) < _SMALL else io.BytesIO(body)  # which goes out piece by piece
        async with self._open().post(
            url, data=payload, headers=headers, timeout=limits, allow_redirects=False
        ) as response:
            return HttpAnswer(response.status, await response.read())

    def _open(self) -> aiohttp.ClientSession:
        if self._closed:
            raise MasterUnreachableError("The connection to the masters was closed.")
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=0, ssl=self._verify_tls)
            self._session = aiohttp.ClientSession(connector=connector, auto_decompress=True)
        return self._session

    async def aclose(self) -> None:
        """Hang up. Twice is fine."""
        self._closed = True
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()


def _checked(address: str) -> str:
    address = address.strip()
    if "://" not in address:
        address = f"http://{address}"
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingError(
            f"The setting master_url has the value {address!r}: it must be an address such as http://host:8000."
        )
    return address.rstrip("/")
