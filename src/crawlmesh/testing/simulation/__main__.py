"""Run one simulation: `python -m crawlmesh.testing.simulation --seed 7`."""

import asyncio
import atexit
import gc
import os
import sys

import click
import msgspec

from crawlmesh.testing.simulation.plan import Plan
from crawlmesh.testing.simulation.world import World


@click.command()
@click.option("--seed", default=1, show_default=True, help="Everything follows from it.")
@click.option("--nodes", default=100, show_default=True, help="How many nodes.")
@click.option("--tasks", default=2000, show_default=True, help="How many tasks.")
@click.option("--faults-for", default=120, show_default=True, help="Ticks in which things go wrong.")
def main(seed: int, nodes: int, tasks: int, faults_for: int) -> None:
    """Run a simulated cluster until every task has ended, and check the invariants all the while."""
    plan = Plan(seed=seed, nodes=nodes, tasks=tasks, faults_for=faults_for)
    try:
        summary = asyncio.run(World(plan).run())
    except BaseException:
        click.echo(
            f"Seed {seed} fails. Repeat it with: python -m crawlmesh.testing.simulation "
            f"--seed {seed} --nodes {nodes} --tasks {tasks} --faults-for {faults_for}",
            err=True,
        )
        raise
    click.echo(msgspec.json.encode(summary))


def _run_repeatably() -> None:
    """The order of sets depends on the hash seed of the process, and must not differ between two runs."""
    if os.environ.get("PYTHONHASHSEED") != "0":
        arguments = [sys.executable, "-m", "crawlmesh.testing.simulation", *sys.argv[1:]]
        os.execve(sys.executable, arguments, os.environ | {"PYTHONHASHSEED": "0"})
    gc.disable()  # nearly all that is made here stays, and would be looked through again and again
    atexit.register(gc.freeze)  # nor is it worth taking apart when the process ends
    main()


if __name__ == "__main__":
    _run_repeatably()
