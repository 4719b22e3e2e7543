"""The Fetcher port on libcurl."""

import asyncio
from time import monotonic

import pycurl

from crawlmesh.adapters.curl import failures
from crawlmesh.adapters.curl.addresses import is_private_host
from crawlmesh.adapters.curl.answers import AnswerBuilder
from crawlmesh.adapters.curl.content_types import ContentTypes
from crawlmesh.adapters.curl.cookies import CookieJars
from crawlmesh.adapters.curl.failures import RequestRefusedError
from crawlmesh.adapters.curl.handles import new_handle
from crawlmesh.adapters.curl.headers import HeadReader, RequestHeaders
from crawlmesh.adapters.curl.mailbox import Mailbox
from crawlmesh.adapters.curl.multi_driver import MultiDriver
from crawlmesh.adapters.curl.options import FetchOptions
from crawlmesh.adapters.curl.silence import SilenceWatch
from crawlmesh.adapters.curl.transfer import Transfer
from crawlmesh.adapters.curl.urls import host_of, sendable_url
from crawlmesh.errors import SettingError, UrlError
from crawlmesh.model.page import FailureKind, FetchRequest, FetchResponse


class CurlFetcher:
    """Sends requests with libcurl. See the port for the contract."""

    def __init__(self, options: FetchOptions) -> None:
        self._options = options
        self._answers = AnswerBuilder(options)
        self._content_types = ContentTypes(options.accepted_types)
        self._head_reader = HeadReader()
        self._headers = RequestHeaders(options)
        self._initial_cookies = options.initial_cookies()
        self._jars = CookieJars(self._initial_cookies)
        self._checks_literals = bool(options.proxy) and not options.allow_private_networks
        self._running: dict[pycurl.Curl, Transfer] = {}  # in the order of their start
        self._resting: list[Transfer] = []
        self._driver: MultiDriver | None = None

    async def open(self) -> None:
        """Get ready, inside the running event loop."""
        self._loop = asyncio.get_running_loop()
        self._mailbox = Mailbox(self._loop)
        self._driver = driver = MultiDriver(self._loop, self._on_progress)
        self._multi = driver.multi
        self._begin_soon = driver.added
        self._multi.setopt(pycurl.M_MAXCONNECTS, self._options.max_connections)
        self._silence = SilenceWatch(
            self._loop, self._options.first_byte_timeout, self._running, self._on_silent
        )

    def start(self, request: FetchRequest) -> None:
        """Send a request."""
        transfer = self._resting.pop() if self._resting else self._new_transfer()
        try:
            self._prepare(transfer, request)
        except RequestRefusedError as refusal:
            self._resting.append(transfer)
            self._mailbox.put([self._answers.refusal(request, refusal.failure)])
            return
        handle = transfer.handle
        self._running[handle] = transfer
        self._multi.add_handle(handle)
        self._begin_soon()
        self._silence.expect()

    async def completed(self, patience: float | None) -> list[FetchResponse]:
        """All answers that have come since the last call; waits for the first one."""
        return await self._mailbox.take(patience)

    def wake(self) -> None:
        """Make a waiting `completed` return at once; where none waits, the next one does."""
        self._mailbox.wake()

    async def aclose(self) -> None:
        """Break off what is under way and let go of everything. Twice is fine."""
        if self._driver is None:
            return
        driver, self._driver = self._driver, None
        self._silence.close()
        for handle in self._running:
            driver.multi.remove_handle(handle)
        driver.close()  # before the handles: connections call back into the handles that opened them
        for transfer in (*self._running.values(), *self._resting):
            transfer.handle.close()
        self._running.clear()
        self._resting.clear()
        self._jars.close()
        self._mailbox.close()

    def _new_transfer(self) -> Transfer:
        options = self._options
        transfer = Transfer(
            new_handle(options), self._head_reader, self._content_types, options.max_body_bytes
        )
        transfer.handle.setopt(pycurl.HTTPHEADER, self._headers.base_lines)
        # Through a proxy libcurl connects to the proxy alone, which may well be a private address.
        if not options.allow_private_networks and not options.proxy:
            transfer.refuse_private_addresses()
        return transfer

    def _prepare(self, transfer: Transfer, request: FetchRequest) -> None:
        try:
            url = sendable_url(request.url)
            if self._checks_literals:
                self._check_literal(url)
            transfer.handle.setopt(pycurl.URL, url)
            if request.headers or transfer.has_own_headers:
                self._set_headers(transfer, request)
            if transfer.crawl_id != request.crawl_id:
                self._jars.attach(transfer.handle, request.crawl_id)
                transfer.crawl_id = request.crawl_id
            if self._initial_cookies:
                self._jars.fill(transfer.handle, request.crawl_id, url)
        except (UrlError, SettingError, ValueError, pycurl.error) as error:
            raise RequestRefusedError((FailureKind.BAD_URL, str(error))) from None
        transfer.begin(request)

    def _check_literal(self, url: str) -> None:
        host = host_of(url)
        if is_private_host(host):
            raise RequestRefusedError(failures.private_address(host, host))

    def _set_headers(self, transfer: Transfer, request: FetchRequest) -> None:
        own = request.headers
        lines = self._headers.lines_with(own) if own else self._headers.base_lines
        transfer.handle.setopt(pycurl.HTTPHEADER, lines)
        transfer.has_own_headers = bool(own)

    def _on_progress(self, running: int) -> None:
        if running >= len(self._running):
            return
        multi, transfers, rest = self._multi, self._running, self._resting.append
        now = monotonic()
        answers = []
        _, succeeded, failed = multi.info_read()
        for handle in succeeded:
            multi.remove_handle(handle)
            transfer = transfers.pop(handle)
            answers.append(self._answers.success(transfer, now))
            rest(transfer)
        for handle, code, message in failed:
            # The handle is asked for details while it still has its connection.
            answers.append(self._answers.error(transfers[handle], now, code, message))
            multi.remove_handle(handle)
            rest(transfers.pop(handle))
        if answers:
            self._mailbox.put(answers)

    def _on_silent(self, silent: list[Transfer]) -> None:
        now = monotonic()
        answers = []
        for transfer in silent:
            answers.append(self._answers.silence(transfer, now))
            self._multi.remove_handle(transfer.handle)
            del self._running[transfer.handle]
            self._resting.append(transfer)
        self._mailbox.put(answers)
