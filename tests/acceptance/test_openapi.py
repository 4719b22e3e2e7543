"""The description and the server agree: schemathesis tries all that it allows, and what it forbids.

What is tried is the same each time, however fast the machine is: the configurations ask for deterministic
generation, and nothing ends the run but its last example.
"""

import json
import os
import subprocess
import sys
import urllib.request
from collections import defaultdict
from pathlib import Path

from tests.acceptance.served_master import ServedMaster, served_master

_HERE = Path(__file__).parent
_OF_NODES = ("send_heartbeat", "pull_work", "report_executions", "send_logs", "leave", "call_crawl_store")
_VERBS_OF_NODES = ("heartbeat", "pull", "report", "logs", "leave", "crawl-store")


def test_a_running_master_does_what_its_description_says(tmp_path: Path) -> None:
    selected = [f"--exclude-operation-id={operation_id}" for operation_id in _OF_NODES]
    with served_master() as master:
        _check(master, tmp_path, "schemathesis.toml", "--max-examples=3", *selected)


def test_it_does_what_its_description_says_to_nodes(tmp_path: Path) -> None:
    selected = [f"--include-operation-id={operation_id}" for operation_id in _OF_NODES]
    with served_master() as master:
        _check(
            master,
            tmp_path,
            "schemathesis_node.toml",
            "--max-examples=5",
            f"--report-har-path={tmp_path / 'calls.har'}",
            *selected,
        )
        node_path = f"{master.url}/api/v1/nodes/{master.node.node_id}"
    statuses = _statuses(tmp_path / "calls.har")
    for verb in _VERBS_OF_NODES:
        assert statuses[f"{node_path}:{verb}"] & {200, 204}, f"no call of {verb} got through"


def _check(master: ServedMaster, folder: Path, config: str, *options: str) -> None:
    command = [sys.executable, "-m", "schemathesis.cli", f"--config-file={_HERE / config}"]
    document = folder / "openapi.json"
    document.write_bytes(_document(master))
    command += ["run", str(document), f"--url={master.url}", "--checks=all", "--no-color", *options]
    done = subprocess.run(
        command,
        cwd=folder,
        env={
            **os.environ,
            "SCHEMATHESIS_HOOKS": str(_HERE / "schemathesis_hooks.py"),
            "CRAWLMESH_TEST_ADMIN_KEY": master.admin_key,
            "CRAWLMESH_TEST_NODE_TOKEN": master.node.token,
            "CRAWLMESH_TEST_NODE_ID": master.node.node_id,
        },
        capture_output=True,
        text=True,
        timeout=600,  # seconds; for a process that hangs, not for a slow one
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _document(master: ServedMaster) -> bytes:
    """The description as everybody with a key gets it; nodes have none."""
    request = urllib.request.Request(
        f"{master.url}/openapi.json", headers={"Authorization": f"Bearer {master.admin_key}"}
    )
    with urllib.request.urlopen(request) as answer:
        found: bytes = answer.read()
    return found


def _statuses(calls: Path) -> dict[str, set[int]]:
    """The statuses of all answers, by address."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    for entry in json.loads(calls.read_text())["log"]["entries"]:
        found[entry["request"]["url"]].add(entry["response"]["status"])
    return found
