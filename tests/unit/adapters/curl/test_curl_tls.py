import asyncio
import os
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from crawlmesh.model.page import FailureKind, FetchRequest
from crawlmesh.testing.conformance.fetcher import collect, fetch, plain_answer
from tests.unit.adapters.curl.kit import OpenFetcher, Serve

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a key and a certificate for 127.0.0.1."""
    folder = tmp_path_factory.mktemp("tls")
    key, made = folder / "key.pem", folder / "cert.pem"
    command = (
        f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout {key} -out {made}"
        " -addext subjectAltName=IP:127.0.0.1"
    )
    subprocess.run(command.split(), check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes(key.read_bytes() + made.read_bytes())
    return both


@pytest.fixture
async def tls_port(certificate: Path) -> AsyncIterator[int]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_a_trusted_certificate(open_fetcher: OpenFetcher, tls_port: int, certificate: Path) -> None:
    response = await fetch(await open_fetcher(ca_file=str(certificate)), f"https://127.0.0.1:{tls_port}/")
    assert (response.failure, response.body, response.http_version) == (None, b"ok", "1.1")


async def test_an_untrusted_certificate_unless_unverified(open_fetcher: OpenFetcher, tls_port: int) -> None:
    url = f"https://127.0.0.1:{tls_port}/"
    refused = await fetch(await open_fetcher(), url)
    assert refused.failure is FailureKind.TLS
    assert "certificate of 127.0.0.1" in refused.detail
    assert (await fetch(await open_fetcher(verify_tls=False), url)).body == b"ok"


async def test_a_server_that_does_not_speak_tls(open_fetcher: OpenFetcher, serve: Serve) -> None:
    server = await serve(plain_answer(b"ok"))

    async def speak(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    plain = await asyncio.start_server(speak, "127.0.0.1", 0)
    async with plain:
        port = plain.sockets[0].getsockname()[1]
        response = await fetch(await open_fetcher(), f"https://127.0.0.1:{port}/")
    assert response.failure is FailureKind.TLS
    assert server.requests == []


@pytest.fixture
async def http2_port(certificate: Path, tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[int]:
    if NGINX is None:
        pytest.skip("nginx speaks HTTP/2 for this test")
    (tmp_path / "nginx.conf").write_text(f"""
        daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error.log; worker_processes 1;
        events {{ worker_connections 64; }}
        http {{
            access_log off; default_type text/html; client_body_temp_path {tmp_path}/a;
            proxy_temp_path {tmp_path}/b; fastcgi_temp_path {tmp_path}/c;
            uwsgi_temp_path {tmp_path}/d; scgi_temp_path {tmp_path}/e;
            server {{
                listen 127.0.0.1:{unused_tcp_port} ssl http2;
                ssl_certificate {certificate}; ssl_certificate_key {certificate};
                location / {{ return 200 "<p>two"; }}
            }}
        }}""")
    process = await asyncio.create_subprocess_exec(
        NGINX, "-c", str(tmp_path / "nginx.conf"), "-p", str(tmp_path), stderr=asyncio.subprocess.DEVNULL
    )
    try:
        await _reachable(unused_tcp_port)
        yield unused_tcp_port
    finally:
        process.terminate()
        await process.wait()


async def _reachable(port: int) -> None:
    async with asyncio.timeout(20):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                await writer.wait_closed()
                return


async def test_http_2_is_agreed_on(open_fetcher: OpenFetcher, http2_port: int) -> None:
    url = f"https://127.0.0.1:{http2_port}/"
    fetcher = await open_fetcher(verify_tls=False)
    first = await fetch(fetcher, url)
    assert (first.failure, first.http_version, first.status, first.body) == (None, "2", 200, b"<p>two")
    assert first.header("content-type") == "text/html"
    for token in range(100):
        fetcher.start(FetchRequest(token, url))
    answers = await collect(fetcher, 100)
    assert {(answer.http_version, answer.body) for answer in answers.values()} == {("2", b"<p>two")}
    older = await fetch(await open_fetcher(verify_tls=False, http2=False), url)
    assert (older.http_version, older.body) == ("1.1", b"<p>two")
