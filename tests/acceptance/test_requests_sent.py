from pathlib import Path

from crawlmesh.testing.command import Command
from crawlmesh.version import __version__
from tests.acceptance.page_server import PageServer, answer


def test_headers_cookies_and_user_agent(server: PageServer, command: Command) -> None:
    server.page("/", "x")
    arguments = ["--header", "X-One: 1", "--header", "X-Two: two words", "--cookie", "a=1", "--cookie", "b=2"]
    command.run("crawl", server.url(), "--allow-private", *arguments, "--user-agent", "Kiwi/3 (test)")
    assert [target for target, _ in server.requests] == ["/robots.txt", "/"]
    headers = server.requests[-1][1]
    assert (headers["x-one"], headers["x-two"]) == ("1", "two words")
    assert set(headers["cookie"].split("; ")) == {"a=1", "b=2"}
    assert headers["user-agent"] == "Kiwi/3 (test)"
    assert "gzip" in headers["accept-encoding"]
    assert headers["host"] == f"127.0.0.1:{server.port}"


def test_the_user_agent_decides_which_rules_of_robots_count(server: PageServer, command: Command) -> None:
    server.pages["/robots.txt"] = answer(b"User-agent: kiwi\nDisallow: /\n", "text/plain")
    server.page("/", "x")
    done = command.run("crawl", server.url(), "--allow-private", "--user-agent", "Kiwi/3", code=1)
    assert "robots.txt forbids it" in done.err
    command.run("crawl", server.url(), "--allow-private", "--fresh")
    assert server.requests[-1][1]["user-agent"] == f"crawlmesh/{__version__}"


def test_cookies_of_the_site_come_back(server: PageServer, command: Command) -> None:
    server.pages["/"] = answer(b'<a href="/next">next</a>', set_cookie="visit=7; Path=/")
    server.page("/next", "x")
    command.run("crawl", server.url(), "--allow-private")
    assert server.requests[-1][0] == "/next"
    assert server.requests[-1][1]["cookie"] == "visit=7"


def test_a_proxy_gets_everything(command: Command) -> None:
    with PageServer() as proxy:
        site = "http://shop.example"
        proxy.pages[f"{site}/"] = answer(b"<h1>By proxy</h1>")
        address = f"http://127.0.0.1:{proxy.port}"
        arguments = ["--proxy", address, "--select", "h=h1", "--output", "o.jsonl", "--allow-private"]
        command.run("crawl", f"{site}/", *arguments)
        assert [target for target, _ in proxy.requests] == [f"{site}/robots.txt", f"{site}/"]
    assert '"By proxy"' in (command.folder / "o.jsonl").read_text()


def test_flags_win_over_the_environment_and_that_over_the_file(server: PageServer, command: Command) -> None:
    server.page("/", "x")
    config = Path(command.folder / "crawlmesh.toml")
    config.write_text('user_agent = "file/1"\nallow_private_networks = true\ndata_dir = "kept"\n')
    agents = []
    speaking = Command(command.folder, user_agent="environment/1")
    for run, flags in ((command, []), (speaking, []), (speaking, ["--user-agent", "flag/1"])):
        run.run("crawl", server.url(), "--fresh", *flags)
        agents.append(server.requests[-1][1]["user-agent"])
    assert agents == ["file/1", "environment/1", "flag/1"]
    assert (command.folder / "kept" / "crawls").is_dir()
    other = command.folder / "other.toml"
    other.write_text('user_agent = "other/1"\nallow_private_networks = true\n')
    command.run("crawl", server.url(), "--fresh", "--config", other)
    assert server.requests[-1][1]["user-agent"] == "other/1"
