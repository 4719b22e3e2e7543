"""Crawls one generated site with Crawlmesh and its competitors: `python -m benchmarks.crawl --help`."""

import argparse
import subprocess
from pathlib import Path

from benchmarks.environments import EnvironmentUnavailableError, ensure_environment
from benchmarks.line_up import Competitor, choose_competitors
from benchmarks.machine import machine_facts
from benchmarks.nginx import NginxMissingError, find_nginx, free_port
from benchmarks.parallel_gain import parallel_gain
from benchmarks.report import build_rows, markdown_table, write_report
from benchmarks.shop_site import Site, SiteParameters, ensure_site
from benchmarks.trial import Trial, run_trial

WORK_FOLDER = Path(__file__).resolve().parent / ".work"


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crawl", description=__doc__)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3, help="each round runs every competitor once")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--port", type=int, default=18_091, help="the first free port from here on is taken")
    parser.add_argument("--timeout", type=float, default=1_800.0, help="seconds until a run is killed")
    parser.add_argument("--only", type=lambda text: text.split(","), help="names, separated by commas")
    parser.add_argument("--skip", type=lambda text: text.split(","), default=[], help="names to leave out")
    return parser.parse_args()


def prepare(competitors: list[Competitor]) -> tuple[list[tuple[Competitor, str]], dict[str, str]]:
    """The competitors that can run, each with its Python, and the reasons for those that cannot."""
    ready: list[tuple[Competitor, str]] = []
    left_out: dict[str, str] = {}
    for competitor in competitors:
        if not competitor.available():
            left_out[competitor.name] = "not installed"
            continue
        try:
            ready.append((competitor, ensure_environment(WORK_FOLDER, competitor.environment)))
        except EnvironmentUnavailableError as error:
            left_out[competitor.name] = str(error)
    return ready, left_out


def package_versions(ready: list[tuple[Competitor, str]]) -> dict[str, str]:
    """Asks each environment for the version of the package that it is about."""
    return {
        competitor.package: _version_of(python, competitor.package)
        for competitor, python in ready
        if competitor.package is not None
    }


def _version_of(python: str, package: str) -> str:
    script = f"import importlib.metadata as m; print(m.version({package!r}))"
    return subprocess.run([python, "-c", script], capture_output=True, text=True, check=False).stdout.strip()


def run_rounds(ready: list[tuple[Competitor, str]], site: Site, given: argparse.Namespace) -> list[Trial]:
    """All competitors once, then all again: what disturbs the machine disturbs everybody alike."""
    trials: list[Trial] = []
    for number in range(1, given.rounds + 1):
        for competitor, python in ready:
            trial = run_trial(
                competitor,
                site=site,
                python=python,
                connections=given.connections,
                timeout=given.timeout,
                log_folder=WORK_FOLDER / "logs",
            )
            trials.append(trial)
            print(_progress_line(number, trial), flush=True)
    return trials


def _progress_line(number: int, trial: Trial) -> str:
    return (
        f"round {number} {trial.name:16} {trial.pages_per_second:8,.0f} pages/s "
        f"{trial.cpu_milliseconds_per_page:7.2f} CPU ms/page  missing {trial.server.missing} "
        f"duplicates {trial.server.duplicates} steal {trial.usage.steal_share:.0%} "
        f"exit {trial.usage.exit_code}"
    )


def main() -> None:
    given = read_arguments()
    WORK_FOLDER.mkdir(exist_ok=True)
    try:
        find_nginx()
    except NginxMissingError as error:
        raise SystemExit(str(error)) from None
    names = [competitor for competitor in choose_competitors(given.only) if competitor.name not in given.skip]
    ready, left_out = prepare(names)
    site = ensure_site(
        WORK_FOLDER, SiteParameters(given.pages, given.hosts, free_port(given.port, given.hosts))
    )
    facts = (
        machine_facts()
        | package_versions(ready)
        | {f"left out: {name}": why for name, why in left_out.items()}
    )
    trials = run_rounds(ready, site, given)
    facts["two processes that share nothing, over one"] = f"{parallel_gain(site.root):.2f}"
    heading = f"# {given.pages:,} pages, {given.hosts} hosts, {given.connections} connections"
    heading += f", {given.rounds} rounds"
    table = markdown_table(build_rows([competitor for competitor, _ in ready], trials))
    notes = "\n".join(f"- {name}: {value}" for name, value in facts.items())
    text = f"{heading}\n\n{table}\n\n{notes}\n"
    print(f"\n{text}")
    print(f"written to {write_report(WORK_FOLDER, text, facts, trials)}")
    if any(trial.usage.exit_code or trial.server.missing for trial in trials):
        raise SystemExit("some runs failed or left pages out; see benchmarks/.work/logs")


if __name__ == "__main__":
    main()
