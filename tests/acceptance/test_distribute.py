"""A cluster as users run it: real processes, the command line, Ctrl-C."""

import base64
import json
import os
import signal
import stat
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from crawlmesh.settings import Mode, load_settings
from crawlmesh.testing.command import Command, clean_environment
from crawlmesh.testing.demo_site import DemoSite
from tests.acceptance.cluster_command import Started, json_lines, quiet_command, started
from tests.acceptance.page_server import PageServer
from tests.acceptance.test_bad_input import check_sentence

ROOT = Path(__file__).parents[2]
SELECT = ("--select", "title=h1", "--depth", 1)


class Standalone:
    """A standalone server, and the commands beside it."""

    def __init__(self, command: Command, server: Started) -> None:
        self.command = command
        self.server = server


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    command = quiet_command(tmp_path_factory.mktemp("standalone"), allow_private_networks="true")
    with started(command, "--mode", "standalone", "--port", 0) as server:
        yield Standalone(command, server)


@pytest.fixture(scope="module")
def crawled(alone: Standalone, site: DemoSite) -> str:
    """The id of a task that was submitted beside the server and has ended."""
    done = alone.command.run("task", "submit", site.portal_url, *SELECT, "--wait", "--json")
    assert done.summary["status"] == "completed"
    return str(done.summary["id"])


def test_a_fresh_start_tells_its_key_once_and_keeps_it_where_only_the_owner_can_read(
    alone: Standalone,
) -> None:
    note = alone.command.folder / ".crawlmesh" / "cluster" / "connection.json"
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    assert json.loads(note.read_text()) == {
        "url": alone.server.url,
        "api_key": alone.server.admin_key,
        "join_token": alone.server.join_token,
    }
    assert f"{alone.server.url}/docs" in alone.server.printed
    assert alone.server.url.startswith("http://127.0.0.1:")


def test_health_is_open(alone: Standalone) -> None:
    with urllib.request.urlopen(alone.server.url + "/health") as answer:
        assert answer.status == 200


@pytest.mark.parametrize("path", ["/api/v1/tasks", "/docs", "/openapi.json", "/docs/assets/swagger-ui.css"])
def test_nothing_else_is_open(alone: Standalone, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(alone.server.url + path)
    assert caught.value.code == 401
    assert "Basic" in str(caught.value.headers.get_all("WWW-Authenticate")), "browsers ask for the key"
    caught.value.close()


def test_the_documentation_opens_with_any_name_and_the_key_as_password(alone: Standalone) -> None:
    assert "sign in with any name and the key as password" in alone.server.printed
    password = base64.b64encode(f"me:{alone.server.admin_key}".encode()).decode()
    request = urllib.request.Request(
        f"{alone.server.url}/docs", headers={"Authorization": f"Basic {password}"}
    )
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 200


def test_a_crawl_can_be_submitted_watched_and_read(alone: Standalone, crawled: str) -> None:
    records = json_lines(alone.command.run("task", "results", crawled).out)
    assert records
    assert all("title" in record["data"] for record in records)
    written = alone.command.run("task", "results", crawled, "--output", "out/records.jsonl")
    assert f"{len(records)} records are in out/records.jsonl" in written.out
    assert "completed" in alone.command.run("task", "watch", crawled).out


def test_commands_show_tasks(alone: Standalone, crawled: str, site: DemoSite) -> None:
    listed = json_lines(alone.command.run("task", "list", "--json", "--search", crawled).out)
    assert [task["id"] for task in listed] == [crawled]
    assert crawled in alone.command.run("task", "list").out
    shown = json.loads(alone.command.run("task", "show", crawled, "--json").out)
    assert shown["task"]["parameters"]["url"] == site.portal_url
    assert len(shown["executions"]) == 1
    assert "Status" in alone.command.run("task", "show", crawled).out
    assert alone.command.run("task", "why", crawled).out
    assert "Given as a start URL" in alone.command.run("task", "why", crawled, site.portal_url).out
    assert "never seen" in alone.command.run("task", "why", crawled, "http://x.example/", code=1).out
    assert "Crawling from" in alone.command.run("task", "logs", crawled, "--follow").out


def test_commands_show_and_steer_nodes(alone: Standalone) -> None:
    (node,) = json_lines(alone.command.run("node", "list", "--json").out)
    assert node["status"] == "online"
    assert node["id"] in alone.command.run("node", "list").out
    assert json.loads(alone.command.run("node", "show", node["id"], "--json").out)["node"]["usage"]
    assert "is maintenance" in alone.command.run("node", "maintenance", node["id"]).out
    assert "is online" in alone.command.run("node", "resume", node["id"]).out


def test_commands_show_and_limit_hosts(alone: Standalone, crawled: str, site: DemoSite) -> None:
    run = alone.command.run
    host = site.manifest.hosts[0]
    assert host in run("host", "list").out
    assert host in [found["host"] for found in json_lines(run("host", "list", "--json").out)]
    assert "Links done" in run("host", "show", host).out
    assert "delay 2.5 s, slots 1" in run("host", "limit", host, "--delay", "2.5", "--slots", "1").out
    assert "is blocked" in run("host", "block", host).out
    limits = json.loads(run("host", "limit", host, "--slots", "3", "--json").out)["limits"]
    assert limits == {"delay": 2.5, "slots": 3, "blocked": True}
    assert "is not blocked" in run("host", "unblock", host).out
    (limited,) = json_lines(run("host", "list", "--limited", "--json").out)
    assert limited["limits"] == {"delay": 2.5, "slots": 3, "blocked": False}
    assert "none" in run("host", "limit", host, "--clear").out
    assert run("host", "list", "--limited").out == "There are no such hosts.\n"
    assert "host.limits_changed" in run("events", "--type", "host.limits_changed", "--no-follow").out


def test_commands_about_hosts_refuse_with_a_sentence(alone: Standalone) -> None:
    check_sentence(alone.command.run("host", "show", "nobody.example", code=1), "nobody.example")
    check_sentence(alone.command.run("host", "block", "1.2.3.999", code=1), "1.2.3.999")
    check_sentence(alone.command.run("host", "limit", "a.example", code=2), "--delay", "--clear")
    check_sentence(alone.command.run("host", "limit", "a.example", "--slots", "0", code=2), "--slots")


def test_commands_manage_clusters_and_keys(alone: Standalone) -> None:
    made = json.loads(alone.command.run("cluster", "create", "east", "--json").out)
    assert (
        "East coast" in alone.command.run("cluster", "update", made["id"], "--description", "East coast").out
    )
    assert "east" in alone.command.run("cluster", "list").out
    assert "removed" in alone.command.run("cluster", "remove", made["id"]).out
    key = json.loads(alone.command.run("key", "create", "reader", "--role", "viewer", "--json").out)
    assert json_lines(alone.command.run("task", "list", "--json", api_key=key["key"]).out) is not None
    refused = alone.command.run("task", "submit", "https://example.com/", code=1, api_key=key["key"])
    check_sentence(refused, "viewer")
    assert "removed" in alone.command.run("key", "remove", key["id"]).out
    check_sentence(alone.command.run("task", "list", code=1, api_key=key["key"]), "not known")


def test_what_happened_can_be_read_without_waiting_for_more(alone: Standalone) -> None:
    events = json_lines(alone.command.run("events", "--no-follow", "--json").out)
    assert events[0]["id"] == 1
    last = events[-1]["id"]
    assert alone.command.run("events", "--no-follow", "--after", last + 1_000_000).out == ""


def test_events_can_be_read_from_the_first_on(alone: Standalone) -> None:
    (event,) = json_lines(alone.command.run("events", "--after", 0, "--count", 1, "--json").out)
    assert event["id"] >= 1


@pytest.mark.parametrize("arguments", [("status",), ("distribute", "--status")])
def test_the_state_of_the_system_can_be_asked_for(alone: Standalone, arguments: tuple[str, ...]) -> None:
    assert alone.server.url in alone.command.run(*arguments).out
    assert json.loads(alone.command.run(*arguments, "--json").out)["nodes"]["online"] == 1


def test_a_task_that_cannot_be_is_refused_with_a_sentence(alone: Standalone) -> None:
    check_sentence(alone.command.run("task", "submit", "ftp://example.com/", code=2), "ftp://example.com/")
    check_sentence(alone.command.run("task", "submit", "--params", "{", code=2), "--params")
    check_sentence(alone.command.run("task", "submit", code=2), "--file")
    check_sentence(alone.command.run("task", "submit", "--file", "none.json", code=2), "none.json")
    check_sentence(alone.command.run("task", "show", "task-none", code=1), "task-none")
    check_sentence(alone.command.run("task", "cancel", "task-none", code=1), "task-none")
    check_sentence(alone.command.run("node", "drain", "node-none", code=1), "node-none")
    check_sentence(alone.command.run("task", "list", code=1, api_key="wrong"), "key")


def test_a_task_can_be_put_forward(alone: Standalone) -> None:
    task = json.loads(
        alone.command.run("task", "submit", "--params", "{}", "--type", "unknown", "--json").out
    )
    assert "has the priority 9 and is pending" in alone.command.run("task", "priority", task["id"], 9).out
    shown = json.loads(alone.command.run("task", "priority", task["id"], 2, "--json").out)
    assert shown["priority"] == 2
    check_sentence(alone.command.run("task", "priority", task["id"], 11, code=2), "PRIORITY", "11")
    check_sentence(alone.command.run("task", "priority", "task-none", 3, code=1), "task-none")
    alone.command.run("task", "cancel", task["id"])
    check_sentence(alone.command.run("task", "priority", task["id"], 3, code=1), "cancelled")


def test_tasks_come_from_a_file(alone: Standalone) -> None:
    tasks = [{"task_type": "noop", "parameters": {"number": number}} for number in range(3)]
    (alone.command.folder / "tasks.json").write_text(json.dumps(tasks))
    submitted = alone.command.run("task", "submit", "--file", "tasks.json", "--wait")
    assert submitted.out.count("is completed") == 3


def test_another_server_on_the_same_data_is_refused(alone: Standalone) -> None:
    check_sentence(alone.command.run("distribute", "--port", 0, code=1), "in use by process")
    check_sentence(
        alone.command.run("distribute", "--mode", "worker", code=1), "Another worker", "--device-id"
    )
    script = [sys.executable, str(ROOT / "scripts" / "init_distribution.py"), "--reset", "--yes"]
    refused = subprocess.run(
        script,
        cwd=alone.command.folder,
        env=clean_environment({}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 1
    assert "nothing was deleted" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert alone.command.run("status").out


def test_a_second_start_keeps_keys_and_tasks_and_an_interrupt_ends_it_in_order(tmp_path: Path) -> None:
    command = quiet_command(tmp_path)
    with started(command, "--port", 0) as first:
        submitted = command.run("task", "submit", "--type", "noop", "--params", "{}", "--wait")
        assert first.interrupt() == 0
    check_sentence(command.run("status", code=1), "No master answers")
    with started(command, "--port", 0) as second:
        assert first.admin_key not in second.printed
        assert submitted.out.split()[0] in command.run("task", "list").out
        (node,) = json_lines(command.run("node", "list", "--json").out)
        assert node["status"] == "online"
        assert second.interrupt() == 0


def test_a_master_and_workers_on_their_own(tmp_path: Path) -> None:
    command = quiet_command(tmp_path)
    with started(command, "--mode", "master", "--port", 0) as master:
        elsewhere = quiet_command(tmp_path / "elsewhere")
        elsewhere.folder.mkdir()
        joining = ("--mode", "worker", "--master-url", master.url)
        check_sentence(elsewhere.run("distribute", *joining, code=2), "--join-token")
        check_sentence(elsewhere.run("distribute", *joining, "--join-token", "wrong", code=1), "key")
        identity = ("--device-id", "worker-001", "--device-name", "Worker Node 1")
        with started(elsewhere, *joining, *identity, "--join-token", master.join_token) as worker:
            assert "worker-001" in worker.printed
            (node,) = json_lines(command.run("node", "list", "--json").out)
            assert (node["id"], node["name"]) == ("worker-001", "Worker Node 1")
            command.run("task", "submit", "--type", "noop", "--params", "{}", "--wait")
            assert worker.interrupt() == 0
        (node,) = json_lines(command.run("node", "list", "--json").out)
        assert node["status"] == "offline"
        with started(command, "--mode", "worker", "--device-id", "beside") as beside:
            command.run("node", "drain", "beside")
            assert beside.process.wait(timeout=60) == 0
        assert master.interrupt() == 0


def test_a_worker_crawls_with_several_processes(tmp_path: Path, site: DemoSite) -> None:
    command = quiet_command(tmp_path, allow_private_networks="true")
    with started(command, "--mode", "standalone", "--port", 0, "--processes", 2) as server:
        done = command.run("task", "submit", site.portal_url, *SELECT, "--wait", "--json")
        assert done.summary["status"] == "completed"
        assert server.interrupt() == 0


def test_without_a_master_the_status_is_one_sentence(tmp_path: Path) -> None:
    command = quiet_command(tmp_path)
    check_sentence(command.run("distribute", "--status", code=1), "No master was started")
    check_sentence(command.run("status", "--url", "http://127.0.0.1:9", code=1), "http://127.0.0.1:9")
    check_sentence(command.run("distribute", "--mode", "worker", code=1), "--master-url")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--mode", "queen"], ["--mode", "queen"]),
        (["--port", "99999"], ["port", "99999"]),
        (["--host", "no.such.host.invalid"], ["host", "no.such.host.invalid"]),
        (["--control-store", "mysql://x"], ["control_store", "mysql://x"]),
        (["--strategy", "best"], ["load_balance_strategy", "best", "round_robin"]),
        (["--config", "none.json"], ["none.json"]),
        (["--config", "bad.json"], ["bad.json", "JSON"]),
        (["--config", "unknown.json"], ["devise_id"]),
        (["--master-url", "master:8000", "--mode", "worker"], ["master_url", "master:8000"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_bad_input(tmp_path: Path, arguments: list[str], words: list[str]) -> None:
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "unknown.json").write_text('{"devise_id": "x"}')
    check_sentence(quiet_command(tmp_path).run("distribute", *arguments, code=2), *words)
    assert not (tmp_path / ".crawlmesh" / "cluster" / "control.db").exists()


def test_the_script_makes_tables_and_files_and_resets_nothing_unasked(tmp_path: Path) -> None:
    def script(*arguments: str, said: str | None = None) -> str:
        done = subprocess.run(
            [sys.executable, ROOT / "scripts" / "init_distribution.py", *arguments],
            cwd=tmp_path,
            env=clean_environment({}),
            input=said,
            capture_output=True,
            text=True,
            check=False,
        )
        return f"{done.returncode} {done.stdout}{done.stderr}"

    first = script()
    assert first.startswith("0 ")
    assert first.count("written") == 3
    config = tmp_path / "config" / "distribution_worker.json"
    config.write_text('{"mode": "worker", "region": "us"}')
    assert "kept" in script()
    assert "us" in config.read_text()
    assert script("--reset", said="n\n").startswith("130 ")
    assert "emptied" in script("--reset", "--yes")


def test_the_files_of_the_checkout_are_those_that_the_script_writes() -> None:
    from crawlmesh.cli.distribution.config_files import config_text

    for mode in Mode:
        file = ROOT / "config" / f"distribution_{mode}.json"
        assert file.read_text() == config_text(mode)
        assert load_settings({}, file).mode is mode


def test_main_py_is_the_same_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "main.py", "distribute", "--status"],
        cwd=tmp_path,
        env=clean_environment({}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "No master was started" in done.stderr


@pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="needs another Python")
def test_main_py_goes_on_with_the_environment_of_the_checkout(tmp_path: Path) -> None:
    if not (ROOT / ".venv" / "bin" / "python").exists():
        pytest.skip("the checkout has no environment")
    environment = {**clean_environment({}), "PATH": os.defpath}
    done = subprocess.run(
        ["/usr/bin/python3", "-S", "-I", ROOT / "main.py", "--version"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("crawlmesh"), done.stderr


def test_a_second_interrupt_stops_at_once_and_loses_nothing(tmp_path: Path, server: PageServer) -> None:
    asked = threading.Event()

    def hold(handler: BaseHTTPRequestHandler) -> None:
        asked.set()
        server.never_answer(handler)

    server.pages["/"] = hold
    command = quiet_command(tmp_path, allow_private_networks="true")
    with started(command, "--port", 0) as first:
        task = json.loads(command.run("task", "submit", server.url(), "--json").out)
        assert asked.wait(60)
        assert first.process.stderr is not None
        first.process.send_signal(signal.SIGINT)
        assert any("Draining" in line for line in first.process.stderr)
        first.process.send_signal(signal.SIGINT)
        assert first.process.wait(timeout=60) == 130
    server.page("/", "<h1>Hello</h1>")
    with started(command, "--port", 0):
        assert "is completed" in command.run("task", "watch", task["id"]).out
        (record,) = json_lines(command.run("task", "results", task["id"]).out)
        assert record["url"] == server.url()


def test_the_demo_goes_through_the_server_and_ends_by_itself(tmp_path: Path) -> None:
    command = quiet_command(tmp_path)
    done = command.run("demo", "--shops", 1, "--products", 4, "--output", "records.jsonl")
    assert "completed" in done.out
    assert "/docs" in done.out
    assert "Sign in with the key in .crawlmesh/demo/cluster/connection.json" in done.out
    assert len(json_lines((tmp_path / "records.jsonl").read_text())) > 4
    assert (tmp_path / ".crawlmesh" / "demo" / "cluster" / "control.db").exists()


def test_the_demo_can_do_without_a_server(tmp_path: Path) -> None:
    command = quiet_command(tmp_path)
    command.run("demo", "--alone", "--shops", 1, "--products", 4, "--output", "records.jsonl")
    assert not (tmp_path / ".crawlmesh" / "demo").exists()
    check_sentence(command.run("demo", "--alone", "--serve", code=2), "--alone", "--serve")
