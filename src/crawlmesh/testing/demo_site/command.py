"""`python -m crawlmesh.testing.demo_site`: the demo site as a process of its own."""

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from crawlmesh.errors import SettingError
from crawlmesh.testing.demo_site.options import DemoSiteOptions
from crawlmesh.testing.demo_site.server import DemoSite

_EXIT_BAD_USAGE = 2
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serves until SIGTERM or SIGINT. The first line of output is the portal's URL."""
    chosen = vars(_parser().parse_args(arguments))
    names = [field.name for field in msgspec.structs.fields(DemoSiteOptions)]
    try:
        site = DemoSite(
            DemoSiteOptions(**{name: chosen[name] for name in names}),
            port=chosen["port"],
            access_log=chosen["access_log"],
            first_times=chosen["first_times"],
        )
        _serve(site, chosen["manifest"], chosen["ready_file"])
    except (SettingError, OSError) as error:
        sys.stderr.write(f"demo site: {error}\n")
        return _EXIT_BAD_USAGE
    return 0


def _serve(site: DemoSite, manifest: Path | None, ready_file: Path | None) -> None:
    # Blocked before the server's thread starts, which inherits it: only `sigwait` takes them.
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
    with site:
        if manifest:
            site.manifest.write(manifest)
        if ready_file:
            _write_at_once(ready_file, site.portal_url + "\n")
        sys.stdout.write(site.portal_url + "\n")
        sys.stdout.flush()
        signal.sigwait(_STOP_SIGNALS)


def _write_at_once(path: Path, text: str) -> None:
    # Whoever waits for the file must never see it half written.
    unfinished = path.with_name(path.name + ".tmp")
    unfinished.write_text(text)
    unfinished.replace(path)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m crawlmesh.testing.demo_site", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: one that is free")
    parser.add_argument("--access-log", type=Path, help="append every request to this file")
    parser.add_argument("--manifest", type=Path, help="write what the site holds to this file")
    parser.add_argument("--ready-file", type=Path, help="write the portal's URL here when it is served")
    parser.add_argument("--first-times", type=Path, help="remember here which pages already failed once")
    for field in msgspec.structs.fields(DemoSiteOptions):
        flag = "--" + field.name.replace("_", "-")
        if field.type is bool:
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, default=field.default)
        else:
            parser.add_argument(flag, type=field.type, default=field.default)
    return parser
