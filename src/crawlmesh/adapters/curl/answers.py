"""Answers for the engine from what libcurl reports."""

import pycurl

from crawlmesh.adapters.curl import failures
from crawlmesh.adapters.curl.failures import Failure, FailureContext
from crawlmesh.adapters.curl.options import FetchOptions
from crawlmesh.adapters.curl.transfer import Stop, Transfer
from crawlmesh.adapters.curl.urls import shown_host
from crawlmesh.model.page import FetchRequest, FetchResponse


class AnswerBuilder:
    """Turns ended transfers into responses."""

    def __init__(self, options: FetchOptions) -> None:
        self._options = options

    def success(self, transfer: Transfer, now: float) -> FetchResponse:
        """The response of a transfer that came to its end, or was stopped at its header."""
        if not transfer.status:
            return self.error(transfer, now, pycurl.E_GOT_NOTHING, "the answer has no header")
        request = transfer.request
        truncated = transfer.stop is Stop.USELESS_TYPE
        # By position, in the order of the struct's fields: by keyword costs twice as much.
        return FetchResponse(
            request.token,
            request.url,
            transfer.status,
            transfer.headers,
            b"" if truncated else transfer.take_body(),
            None,
            "",
            now - transfer.started_at,
            truncated,
            transfer.http_version,
            transfer.handle.getinfo(pycurl.PRIMARY_IP),
            _sent_after(transfer, now),
        )

    def error(self, transfer: Transfer, now: float, code: int, message: str) -> FetchResponse:
        """The answer for a transfer that libcurl ended with an error, be it one that we caused."""
        if transfer.stop is Stop.USELESS_TYPE:
            return self.success(transfer, now)
        return self._failure(transfer, now, self._explain(transfer, code, message))

    def silence(self, transfer: Transfer, now: float) -> FetchResponse:
        """The answer for a server that did not begin to answer in time."""
        host = shown_host(transfer.request.url)
        return self._failure(
            transfer, now, failures.first_byte_timeout(host, self._options.first_byte_timeout)
        )

    @staticmethod
    def refusal(request: FetchRequest, failure: Failure) -> FetchResponse:
        """The answer to a request that is not sent."""
        kind, detail = failure
        return FetchResponse(token=request.token, url=request.url, failure=kind, detail=detail)

    def _explain(self, transfer: Transfer, code: int, message: str) -> Failure:
        options = self._options
        host = shown_host(transfer.request.url)
        if transfer.stop is Stop.TOO_LARGE:
            return failures.too_large(host, options.max_body_bytes)
        if transfer.refused_address is not None and code == pycurl.E_COULDNT_CONNECT:
            return failures.private_address(host, transfer.refused_address)
        context = FailureContext(
            host=host,
            proxied=bool(options.proxy),
            connect_timeout=options.connect_timeout,
            total_timeout=options.total_timeout,
        )
        return failures.failure_of(code, message, context)

    @staticmethod
    def _failure(transfer: Transfer, now: float, failure: Failure) -> FetchResponse:
        transfer.drop_body()
        request = transfer.request
        kind, detail = failure
        return FetchResponse(
            token=request.token,
            url=request.url,
            failure=kind,
            detail=detail,
            elapsed=now - transfer.started_at,
            address=transfer.handle.getinfo(pycurl.PRIMARY_IP) or "",
            sent_after=_sent_after(transfer, now),
        )


def _sent_after(transfer: Transfer, now: float) -> float:
    """Counted back from the end: a process that has to wait for the processor starts late, too."""
    connected_after: float = transfer.handle.getinfo(pycurl.PRETRANSFER_TIME)
    if connected_after <= 0:
        return 0.0  # there was no connection
    took: float = max(transfer.handle.getinfo(pycurl.TOTAL_TIME) - connected_after, 0.0)
    return max(now - transfer.started_at - took, connected_after)
