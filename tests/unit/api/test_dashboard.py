import os
import re
from pathlib import Path

import pytest

from tests.unit.api.client import Answer, Client
from tests.unit.api.master import Master

INDEX = '<html><meta name="csp-nonce" content="__CSP_NONCE__"><script src="/assets/app-1.js"></script></html>'
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
PLACES = ("/", "/tasks", "/tasks/task-1", "/nodes/node-1/executions", "/keys?x=1", "/index.html", "/apiary")


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """The folder of a built dashboard, with a secret beside it."""
    folder = tmp_path / "web"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(INDEX)
    (folder / "index.html.gz").write_text("compressed index")
    (folder / "favicon.svg").write_text("<svg/>")
    (folder / ".sources").write_text("hash")
    (folder / "assets" / "app-1.js").write_text("plain")
    (folder / "assets" / "app-1.js.br").write_text("brotli")
    (folder / "assets" / "app-1.js.gz").write_text("gzip")
    (folder / "assets" / "only-1.js").write_text("only")
    (folder / "assets" / "only-1.js.gz").write_text("gzip only")
    (folder / "assets" / "text-1.woff2").write_bytes(b"font")
    (tmp_path / "secret.txt").write_text("secret")
    return folder


@pytest.fixture
async def client(built: Path) -> Client:
    return (await Master.start(dashboard=built)).client(None)


async def opened(client: Client, path: str, method: str = "GET") -> Answer:
    return await client.request(method, path, headers=BROWSER)


@pytest.mark.parametrize("path", PLACES)
async def test_every_address_in_the_dashboard_answers_its_page_without_a_key(
    client: Client, path: str
) -> None:
    answer = await opened(client, path)
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert b"/assets/app-1.js" in answer.body


async def test_the_root_answers_the_page_to_everybody(client: Client) -> None:
    assert (await client.get("/")).body.startswith(b"<html>")


async def test_each_answer_has_a_nonce_of_its_own(client: Client) -> None:
    nonces = set()
    for _ in range(3):
        answer = await opened(client, "/")
        policy = answer.headers["content-security-policy"]
        [nonce] = re.findall(r"'nonce-([A-Za-z0-9_-]{22,})'", policy)
        assert f'content="{nonce}"'.encode() in answer.body
        assert policy == (
            f"default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; "
            "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
            "frame-ancestors 'none'"
        )
        nonces.add(nonce)
    assert len(nonces) == 3


@pytest.mark.parametrize("path", ["/", "/assets/app-1.js", "/favicon.svg"])
async def test_answers_are_fenced_in(client: Client, path: str) -> None:
    headers = (await opened(client, path)).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["content-security-policy"].startswith("default-src 'none'; ")


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/assets/app-1.js", "text/javascript; charset=utf-8"),
        ("/assets/text-1.woff2", "font/woff2"),
        ("/favicon.svg", "image/svg+xml"),
    ],
)
async def test_files_have_their_types(client: Client, path: str, content_type: str) -> None:
    assert (await client.get(path)).headers["content-type"] == content_type


async def test_assets_are_kept_for_ever_and_other_files_for_an_hour(client: Client) -> None:
    asset, other = await client.get("/assets/app-1.js"), await client.get("/favicon.svg")
    assert asset.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert other.headers["cache-control"] == "public, max-age=3600"


@pytest.mark.parametrize(
    ("accepted", "coding", "body"),
    [
        ("", None, b"plain"),
        ("identity", None, b"plain"),
        ("gzip, deflate, br, zstd", "br", b"brotli"),
        ("gzip, deflate", "gzip", b"gzip"),
        ("br;q=0, gzip;q=0.5", "gzip", b"gzip"),
        ("GZIP ; Q=1", "gzip", b"gzip"),
        ("*", "br", b"brotli"),
        ("*;q=0", None, b"plain"),
        ("br;q=nonsense", None, b"plain"),
        (";;,=", None, b"plain"),
    ],
)
async def test_the_best_encoding_that_the_browser_takes(
    client: Client, accepted: str, coding: str | None, body: bytes
) -> None:
    answer = await client.request("GET", "/assets/app-1.js", headers={"Accept-Encoding": accepted})
    assert (answer.headers.get("content-encoding"), answer.body) == (coding, body)
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.headers["content-length"] == str(len(body))
    assert answer.headers["content-type"].startswith("text/javascript")


async def test_an_encoding_that_was_not_built_is_not_chosen(client: Client) -> None:
    headers = {"Accept-Encoding": "br, gzip"}
    assert (await client.request("GET", "/assets/only-1.js", headers=headers)).body == b"gzip only"
    assert "content-encoding" not in (await client.request("GET", "/favicon.svg", headers=headers)).headers


@pytest.mark.parametrize("path", ["/", "/tasks", "/assets/app-1.js"])
async def test_head_answers_without_a_body(client: Client, path: str) -> None:
    got, head = await opened(client, path), await opened(client, path, "HEAD")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-length"] == got.headers["content-length"]
    assert head.headers["content-type"] == got.headers["content-type"]


@pytest.mark.parametrize(
    "path",
    [
        "/api",
        "/api/v1/nothing",
        "/api/v1/../../tasks",
        "/docs/nothing",
        "/health/nothing",
        "/metrics/nothing",
        "/openapi.json/x",
        "/assets",
        "/assets/",
        "/assets/nothing.js",
        "/assets/app-1.js.br",
        "/assets/../../secret.txt",
    ],
)
async def test_other_places_keep_their_errors(client: Client, path: str) -> None:
    answer = await opened(client, path)
    assert answer.status in (401, 404)
    assert answer.error["code"] in ("not_found", "unauthenticated")


async def test_programs_are_told_that_a_path_is_unknown(client: Client) -> None:
    for headers in ({}, {"Accept": "application/json"}):
        answer = await client.request("GET", "/tasks", headers=headers)
        assert (answer.status, answer.error["code"]) == (404, "not_found")
    for method in ("POST", "PUT", "DELETE"):
        assert (await opened(client, "/tasks", method)).error["code"] == "not_found"


async def test_a_method_that_a_path_lacks_is_still_told(client: Client) -> None:
    answer = await opened(client, "/health", "POST")
    assert (answer.status, answer.headers["allow"]) == (405, "GET")


@pytest.mark.parametrize(
    "path",
    ["/../secret.txt", "/..%2fsecret.txt", "//secret.txt", "/./secret.txt", "/.sources", "/assets\\..\\x"],
)
async def test_nothing_but_the_built_files_is_served(client: Client, path: str) -> None:
    answer = await client.get(path)
    assert (answer.status, answer.error["code"]) == (404, "not_found")
    assert b"secret" not in (await opened(client, path)).body.replace(b"secret.txt", b"")


async def test_what_was_built_while_the_master_runs_is_served(client: Client, built: Path) -> None:
    await opened(client, "/")
    (built / "assets" / "app-2.js").write_text("new")
    (built / "index.html").write_text(INDEX.replace("app-1", "app-2"))
    os.utime(built / "index.html", ns=(1, 1))
    assert b"app-2.js" in (await opened(client, "/")).body
    assert (await client.get("/assets/app-2.js")).body == b"new"


async def test_without_a_dashboard_the_page_names_the_remedy(tmp_path: Path) -> None:
    client = (await Master.start(dashboard=tmp_path / "missing")).client(None)
    answer = await opened(client, "/")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"make web" in answer.body
    assert b'href="/docs"' in answer.body
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert (await opened(client, "/tasks")).status == 404
    assert (await client.get("/tasks")).error["code"] == "not_found"


async def test_all_addresses_count_as_one_in_the_metrics(built: Path) -> None:
    master = await Master.start(dashboard=built)
    for path in PLACES:
        await opened(master.client(None), path)
    text = (await master.client().get("/metrics")).body.decode()
    assert '"/{dashboard}"' in text
    assert "node-1" not in text
