"""`crawlmesh task submit`: give a cluster something to do."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.exit_codes import ExitCode
from crawlmesh.cli.options import selector_options
from crawlmesh.cli.printing import print_json_line
from crawlmesh.cli.task.ending import end_code, print_end
from crawlmesh.cli.task.new_tasks import new_tasks
from crawlmesh.cli.task.watching import watch_task

if TYPE_CHECKING:
    from crawlmesh.client import Client
    from crawlmesh.client.answers import SubmittedTask
    from crawlmesh.protocol.task_messages import NewTask


@click.command()
@click.argument("urls", nargs=-1, metavar="[URL]...")
@click.option(
    "--file",
    "task_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Take the task, or a list of tasks, from a JSON file.",
)
@click.option("--each", is_flag=True, help="Make a task of each URL. [default: one crawl from all of them]")
@click.option("--type", "task_type", metavar="TYPE", help="Kind of the task. [default: web_crawl]")
@click.option("--params", metavar="JSON", help="Parameters of the task, as a JSON object.")
@selector_options()
@click.option("--depth", type=click.IntRange(0), metavar="N", help="Clicks away from the start at most.")
@click.option("--max-pages", type=click.IntRange(1), metavar="N", help="Pages at most.")
@click.option("--scope", type=click.Choice(["host", "domain", "any"]), help="Which links are followed.")
@click.option("--allow-host", "allow_hosts", multiple=True, metavar="HOST", help="Also follow. Repeatable.")
@click.option("--include", multiple=True, metavar="REGEX", help="Follow only URLs that match. Repeatable.")
@click.option("--exclude", multiple=True, metavar="REGEX", help="Never follow URLs that match. Repeatable.")
@click.option("--per-host", type=click.IntRange(1), metavar="N", help="Requests at once to one host.")
@click.option("--delay", type=float, metavar="SECONDS", help="Between two requests to one host.")
@click.option("--ignore-robots", is_flag=True, help="Do not read robots.txt.")
@click.option("--sitemaps", is_flag=True, help="Also start from the sites' sitemaps.")
@click.option("--priority", type=click.IntRange(1, 10), metavar="N", help="1 to 10, 10 first. [default: 5]")
@click.option("--strategy", "schedule_strategy", metavar="NAME", help="How its node is chosen.")
@click.option("--region", "target_region", metavar="TEXT", help="Where it should be done.")
@click.option("--node-type", metavar="TEXT", help="Kind of the nodes that may do it.")
@click.option("--capabilities", metavar="JSON", help="What its nodes must be able to do.")
@click.option("--project", "project_id", metavar="ID", help="Project it belongs to.")
@click.option("--category", "categories", multiple=True, metavar="TEXT", help="To find it by. Repeatable.")
@click.option("--max-retries", type=click.IntRange(0), metavar="N", help="Further goes if it fails.")
@click.option("--max-nodes", type=click.IntRange(1), metavar="N", help="Nodes that work on it at once.")
@click.option("--timeout", type=float, metavar="SECONDS", help="For one go.")
@click.option("--deduplicate", is_flag=True, help="If it was submitted before, answer with that task.")
@click.option("--wait", is_flag=True, help="Show it until it has ended; exit with 1 unless it was completed.")
@json_option()
@connection_options()
def submit(as_json: bool, wait: bool, **options: Any) -> int:
    """Submit a crawl that starts from the URLs, or a task of another type.

    Prints the id of the task; with --json what the master answered, or with --wait how the task ended.
    """
    tasks = new_tasks(options)

    async def run(client: "Client") -> int:
        submitted = await _submit(client, tasks)
        if not (wait and as_json):
            _print(submitted, as_json=as_json)
        return await _wait(client, submitted, as_json=as_json) if wait else ExitCode.DONE

    return with_client(options, run)


async def _submit(client: "Client", tasks: "list[NewTask]") -> "list[SubmittedTask]":
    if len(tasks) == 1:
        return [await client.tasks.submit(tasks[0])]
    return await client.tasks.submit_many(tasks)


def _print(submitted: "list[SubmittedTask]", *, as_json: bool) -> None:
    for each in submitted:
        if as_json:
            print_json_line(each)
        else:
            click.echo(each.id + (" (submitted before)" if each.duplicate else ""))


async def _wait(client: "Client", submitted: "list[SubmittedTask]", *, as_json: bool) -> int:
    codes = []
    for each in submitted:
        task = await watch_task(client, each.id, quiet=as_json)
        if as_json:
            print_json_line(task)
        else:
            print_end(task)
        codes.append(end_code(task))
    return max(codes, default=ExitCode.DONE)
