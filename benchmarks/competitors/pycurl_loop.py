"""The bare loop: pycurl's CurlMulti over a known URL list. No frontier, no dedup, nothing durable."""

import multiprocessing
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pycurl

from benchmarks.competitors.loop_arguments import LoopArguments, read_arguments
from benchmarks.competitors.page_parser import parse_page

MAX_KEPT_CONNECTIONS = 1_024  # below this, curl closes connections that the next request needs
SELECT_SECONDS = 0.05


class Transfer:
    """One curl handle, used for one URL after the other."""

    def __init__(self) -> None:
        self.url = ""
        self.chunks: list[bytes] = []
        self.handle = pycurl.Curl()
        self.handle.setopt(pycurl.WRITEFUNCTION, self._write)
        self.handle.setopt(pycurl.BUFFERSIZE, 65_536)
        self.handle.setopt(pycurl.NOSIGNAL, 1)

    def aim(self, url: str) -> None:
        self.url = url
        self.chunks.clear()
        self.handle.setopt(pycurl.URL, url)

    def _write(self, chunk: bytes) -> None:
        self.chunks.append(chunk)


class Loop:
    """Keeps as many transfers running as there are connections, until the URLs are used up."""

    def __init__(self, urls: list[str], sink: BinaryIO | None, connections: int) -> None:
        self._urls: Iterator[str] = iter(urls)
        self._sink = sink
        self._connections = connections
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, MAX_KEPT_CONNECTIONS)
        self._transfers: dict[pycurl.Curl, Transfer] = {}

    def run(self) -> None:
        for _ in range(self._connections):
            transfer = Transfer()
            self._transfers[transfer.handle] = transfer
            self._start_next(transfer)
        while self._transfers:
            self._multi.perform()
            if not self._collect() and self._transfers:
                self._multi.select(SELECT_SECONDS)

    def _collect(self) -> bool:
        """Handle all finished transfers and start the next ones. False where none had finished."""
        _, finished, failed = self._multi.info_read()
        for handle, code, message in failed:
            raise RuntimeError(f"{self._transfers[handle].url}: curl error {code}, {message}")
        for handle in finished:
            transfer = self._transfers[handle]
            self._multi.remove_handle(handle)
            url, body = transfer.url, b"".join(transfer.chunks)
            self._start_next(transfer)
            if self._sink is not None:
                self._sink.write(parse_page(url, body))
        return bool(finished)

    def _start_next(self, transfer: Transfer) -> None:
        url = next(self._urls, None)
        if url is None:
            self._transfers.pop(transfer.handle).handle.close()
            return
        transfer.aim(url)
        self._multi.add_handle(transfer.handle)


def crawl_share(urls: list[str], output: Path, connections: int, parse: bool) -> None:
    """Fetch one process's share of the URLs."""
    if not parse:
        Loop(urls, None, connections).run()
        return
    with output.open("wb") as sink:
        Loop(urls, sink, connections).run()


def crawl(arguments: LoopArguments) -> None:
    """Split the URLs evenly over the processes."""
    count = arguments.processes
    connections = arguments.connections // count
    shares = [
        (arguments.urls[index::count], arguments.output / f"out-{index}.jsonl", connections, arguments.parse)
        for index in range(count)
    ]
    if count == 1:
        crawl_share(*shares[0])
        return
    processes = [multiprocessing.Process(target=crawl_share, args=share) for share in shares]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise SystemExit(1)


if __name__ == "__main__":
    crawl(read_arguments())
