"""Bad input ends in one sentence that names the thing, a non-zero exit code, and never in a traceback."""

import re
from pathlib import Path

import pytest

from crawlmesh.testing.command import Command, FinishedCommand
from tests.acceptance.page_server import PageServer, answer, endless, free_port

ANYWHERE = "http://127.0.0.1:9/"


def check_sentence(done: FinishedCommand, *words: str) -> None:
    """One line on standard error, that names the thing."""
    lines = done.err.splitlines()
    assert len(lines) == 1, done.err
    assert lines[0].startswith("crawlmesh: ")
    for word in words:
        assert word in lines[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--no-such-option"], ["--no-such-option", "crawl --help"]),
        (["--depth", "deep"], ["--depth", "deep"]),
        (["--max-time", "soon"], ["--max-time", "soon"]),
        (["--scope", "world"], ["--scope", "world"]),
        (["--select", "a=div["], ["a", "div["]),
        (["--select", "a=xpath://*["], ["xpath://*["]),
        (["--select", "a=re:("], ["re:("]),
        (["--select", "nothing"], ["nothing"]),
        (["--include", "(unclosed"], ["--include", "(unclosed"]),
        (["--exclude", "*"], ["--exclude", "'*'"]),
        (["--output", "o.docx"], ["o.docx", ".jsonl"]),
        (["--output", "/etc/passwd/o.jsonl"], ["/etc/passwd/o.jsonl"]),
        (["--output", "/"], ["/"]),
        (["--spec", "no-such.yaml"], ["no-such.yaml"]),
        (["--per-host", "0"], ["per_host", "0"]),
        (["--dedup", "maybe"], ["--dedup", "maybe"]),
        (["--dedup-capacity", "0"], ["dedup_capacity", "0"]),
        (["--dedup-error-rate", "0.5"], ["dedup_error_rate", "0.5"]),
        (["--proxy", "gopher://x"], ["proxy", "gopher://x"]),
        (["--header", "nocolon"], ["headers", "nocolon"]),
        (["--cookie", "nothing"], ["cookies", "nothing"]),
        (["--fresh", "--recrawl"], ["--fresh", "--recrawl"]),
        (["--config", "no-such.toml"], ["no-such.toml"]),
        (["--state", "/proc/1/x"], ["/proc/1/x"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_bad_options(command: Command, arguments: list[str], words: list[str]) -> None:
    check_sentence(command.run("crawl", ANYWHERE, *arguments, code=2), *words)
    assert not (command.folder / ".crawlmesh").exists()


@pytest.mark.parametrize("url", ["ftp://example.com/", "http://", "http://exa mple/", "https://[::1/"])
def test_bad_urls(command: Command, url: str) -> None:
    check_sentence(command.run("crawl", url, code=2), url)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("broken.json", "{"),
        ("broken.yaml", "a: [b"),
        ("broken.toml", "= 1"),
        ("binary.json", "\udcff"),
        ("selector.json", '{"price": "span["}'),
        ("list.json", "[1, 2]"),
        ("unknown.txt", "x"),
    ],
)
def test_bad_specs(command: Command, name: str, content: str) -> None:
    (command.folder / name).write_text(content, errors="surrogateescape")
    done = command.run("crawl", ANYWHERE, "--spec", name, code=2)
    check_sentence(done, "span[" if name == "selector.json" else name)


def test_bad_settings(command: Command) -> None:
    check_sentence(
        command.run("crawl", ANYWHERE, code=2, concurrency="many"), "CRAWLMESH_CONCURRENCY", "many"
    )
    (command.folder / "crawlmesh.toml").write_text("concurency = 3\n")
    check_sentence(command.run("crawl", ANYWHERE, code=2), "concurency")


def test_nothing_to_go_on_with(command: Command) -> None:
    check_sentence(command.run("crawl", code=2), ".crawlmesh")
    check_sentence(command.run("crawl", "--retry-failed", "--state", "none", code=2), "none")
    check_sentence(command.run("export", "--output", "o.jsonl", code=2), ".crawlmesh")
    check_sentence(command.run("why", ANYWHERE, code=2), ".crawlmesh")
    assert list(command.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "words"),
    [
        (f"http://127.0.0.1:{free_port()}/", ["no connection could be made"]),
        ("http://no-such-host.invalid/", ["its name does not resolve"]),
    ],
    ids=["refused", "name"],
)
def test_unreachable_hosts(command: Command, url: str, words: list[str]) -> None:
    done = command.run("crawl", url, "--allow-private", "--retries", 0, "--quiet", code=1)
    check_sentence(done, url, *words)


def test_private_addresses_are_refused(server: PageServer, command: Command) -> None:
    server.page("/", "x")
    check_sentence(command.run("crawl", server.url(), "--quiet", code=1), server.url(), "--allow-private")
    assert server.requests == []
    localhost = f"http://localhost:{server.port}/"
    check_sentence(command.run("crawl", localhost, "--quiet", code=1), localhost, "--allow-private")
    assert server.requests == []


def test_a_redirect_to_a_private_address_is_refused_too(server: PageServer, command: Command) -> None:
    server.pages["/"] = answer(b"", status=302, location="http://127.0.0.1/latest/")
    with PageServer() as proxy:
        proxy.pages["http://shop.example/"] = server.pages["/"]
        address = f"http://127.0.0.1:{proxy.port}"
        arguments = ["http://shop.example/", "--proxy", address, "--quiet", "--json"]
        summary = command.run("crawl", *arguments, code=None).summary
        assert summary["by_reason"] == {"private_address": 1}
        assert [target for target, _ in proxy.requests if "127.0.0.1" in target] == []


def test_pages_that_are_none(server: PageServer, command: Command) -> None:
    server.pages["/photo"] = answer(b"\x89PNG\r\n\x1a\n" + bytes(100), "image/png")
    done = command.run("crawl", server.url("/photo"), "--allow-private", "--quiet", code=1)
    check_sentence(done, server.url("/photo"), "neither HTML")
    server.pages["/liar"] = answer(bytes(range(256)) * 50, "text/html; charset=no-such-charset")
    command.run("crawl", server.url("/liar"), "--allow-private", "--select", "h=h1", "--output", "o.jsonl")
    assert (command.folder / "o.jsonl").read_text().endswith('"data":{"h":null}}\n')


def test_an_endless_page_is_cut_off(server: PageServer, command: Command) -> None:
    server.pages["/"] = endless
    arguments = ["--allow-private", "--max-body-bytes", 100_000, "--retries", 0, "--quiet"]
    check_sentence(command.run("crawl", server.url(), *arguments, code=1), server.url(), "--max-body-bytes")
    check_sentence(
        command.run("try", server.url(), "--allow-private", "--max-body-bytes", 100_000, code=1), "bytes"
    )


def test_a_server_that_never_answers(server: PageServer, command: Command) -> None:
    server.pages["/"] = server.never_answer
    arguments = ["crawl", server.url(), "--allow-private", "--retries", 0, "--quiet"]
    done = command.run(*arguments, code=1, first_byte_timeout="0.5")
    check_sentence(done, server.url(), "did not begin to answer in time")


def test_strict_tells_of_dead_links(server: PageServer, command: Command) -> None:
    server.page("/", '<a href="/missing">x</a>')
    arguments = ["crawl", server.url(), "--allow-private", "--quiet"]
    assert command.run(*arguments).code == 0
    assert command.run(*arguments, "--strict", code=1).code == 1
    server.page("/", "x")
    assert command.run(*arguments, "--strict", "--fresh").code == 0


def test_help_and_version(command: Command) -> None:
    shown = command.run("crawl", "--help").out
    for option in (
        *("--depth", "--max-pages", "--max-time", "--scope", "--allow-host", "--include", "--exclude"),
        *("--select", "--spec", "--concurrency", "--per-host", "--delay", "--processes", "--ignore-robots"),
        *("--sitemaps", "--state", "--fresh", "--retry-failed", "--archive", "--output", "--json", "--quiet"),
        *("--strict", "--allow-private"),
    ):
        assert re.search(rf"(?m)^\s+{option}\b", shown), option
    assert command.run("--version").out.startswith("crawlmesh")
    assert Path(command.folder / ".crawlmesh").exists() is False
