"""`crawlmesh task why`: why a task waits, or what became of a URL of its crawl."""

from typing import TYPE_CHECKING, Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.exit_codes import ExitCode
from crawlmesh.cli.printing import print_json
from crawlmesh.cli.why import ledger_lines
from crawlmesh.model.link import FoundBy, LinkState
from crawlmesh.model.record import Attempt, LedgerEntry

if TYPE_CHECKING:
    from crawlmesh.client.answers import UrlStory


@click.command()
@click.argument("task_id")
@click.argument("url", required=False)
@json_option()
@connection_options()
def why(task_id: str, url: str | None, as_json: bool, **connection: Any) -> int:
    """Say why a task waits or where it was placed; with a URL, what became of it in the task's crawl."""
    if url is None:
        return _explain(task_id, connection, as_json=as_json)
    story = with_client(connection, lambda client: client.tasks.why(task_id, url))
    if as_json:
        print_json(story)
    else:
        for line in ledger_lines(url, _entry(story)):
            click.echo(line)
    return ExitCode.DONE if story else ExitCode.FAILED


def _explain(task_id: str, connection: dict[str, Any], *, as_json: bool) -> int:
    explanation = with_client(connection, lambda client: client.tasks.explain(task_id))
    if as_json:
        print_json(explanation)
    else:
        for sentence in explanation.sentences:
            click.echo(sentence)
    return ExitCode.DONE


def _entry(story: "UrlStory | None") -> LedgerEntry | None:
    if story is None:
        return None
    return LedgerEntry(
        url=story.url,
        depth=story.depth,
        found_by=FoundBy(story.found_by) if story.found_by else None,
        parent_url=story.parent_url,
        state=LinkState(story.state) if story.state else None,
        rule=story.rule,
        outcome=story.outcome,
        http_status=story.http_status,
        reason=story.reason,
        final_url=story.final_url,
        attempts=tuple(
            Attempt(each.number, each.at.timestamp(), each.kind, each.http_status, each.reason, each.elapsed)
            for each in story.attempts
        ),
        has_record=story.has_record,
        redirected_from=story.redirected_from,
    )
