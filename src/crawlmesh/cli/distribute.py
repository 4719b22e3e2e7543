"""`crawlmesh distribute`: start a master, a worker, or both in one."""

from pathlib import Path
from typing import Any

import click

from crawlmesh.cli.cluster_connection import json_option
from crawlmesh.cli.event_loop import run_long
from crawlmesh.cli.options import config_options, setting_flags
from crawlmesh.cli.status import show_status
from crawlmesh.settings import Mode, Settings, load_settings, mode_file

_FLAGS = (
    "mode", "host", "port", "master_url", "device_id", "device_name", "api_key", "join_token",
    "control_store", "crawl_store", "task_channel", "event_bus", "concurrent_tasks", "processes",
    "load_balance_strategy", "node_type", "region", "cluster", "discovery", "allow_private_networks",
    "log_level", "data_dir",
)  # fmt: skip


@click.command()
@click.option(
    "--mode",
    type=click.Choice([mode.value for mode in Mode]),
    help="master: hands out work; worker: does it; standalone: both in one. [default: standalone]",
)
@click.option("--host", metavar="ADDRESS", help="Address to listen on. [default: 127.0.0.1]")
@click.option("--port", type=int, metavar="N", help="Port to listen on; 0: a free one. [default: 8000]")
@click.option("--master-url", metavar="URL", help="Where a worker finds its master; several with commas.")
@click.option("--device-id", metavar="ID", help="Who a worker is; the same id is the same node again.")
@click.option("--device-name", metavar="TEXT", help="Name of a worker for people.")
@click.option("--api-key", metavar="KEY", help="The admin key. [default: generated at the first start]")
@click.option("--join-token", metavar="KEY", help="The key that lets workers in. [default: generated]")
@click.option("--control-store", metavar="URL", help="sqlite:///FILE or postgresql://… for tasks and nodes.")
@click.option("--crawl-store", metavar="URL", help="The same for links and records.")
@click.option("--task-channel", metavar="URL", help="amqp://… or kafka://…, where tasks come from.")
@click.option("--event-bus", metavar="URL", help="The same, where events and results are published.")
@click.option("--concurrent-tasks", type=int, metavar="N", help="Tasks of a worker at once. [default: 32]")
@click.option("--processes", type=int, metavar="N", help="Crawl processes of a worker. [default: 1]")
@click.option("--strategy", "load_balance_strategy", metavar="NAME", help="How nodes are chosen.")
@click.option("--node-type", metavar="TEXT", help="Kind of a worker.")
@click.option("--region", metavar="TEXT", help="Where a worker is.")
@click.option("--cluster", metavar="ID", help="The cluster a worker belongs to.")
@click.option("--discovery/--no-discovery", default=None, help="Whether mDNS is used. [default: yes]")
@click.option(
    "--allow-private",
    "allow_private_networks",
    is_flag=True,
    default=None,
    help="Let crawls reach private, loopback and link-local addresses.",
)
@click.option("--log-level", metavar="LEVEL", help="DEBUG, INFO, WARNING, ERROR or CRITICAL. [default: INFO]")
@click.option("--status", is_flag=True, help="Print the state of the running system instead.")
@json_option()
@config_options()
def distribute(status: bool, as_json: bool, config: Path | None, **options: Any) -> int:
    """Start a part of a cluster and run it until Ctrl-C, which drains it; a second Ctrl-C stops at once.

    A fresh master prints its admin key and a join token for workers once. Without --config, the file
    config/distribution_MODE.json is read where it exists.
    """
    settings = _settings({name: options[name] for name in _FLAGS}, config)
    if status:
        return show_status(settings, as_json=as_json)
    from crawlmesh.cli.distribution.run import run_distribution  # noqa: PLC0415 - the server is slow to import

    return run_long(run_distribution(settings))


def _settings(flags: dict[str, Any], config: Path | None) -> Settings:
    given = setting_flags(**flags)
    mode = load_settings(given, config).mode
    return load_settings(given, config, default_file=mode_file(mode))
