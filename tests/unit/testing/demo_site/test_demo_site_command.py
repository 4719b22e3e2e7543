import signal
import subprocess
import sys
from pathlib import Path

import pytest

from crawlmesh.testing.demo_site import AccessLog, DemoSiteOptions, Manifest
from crawlmesh.testing.demo_site.command import main
from tests.unit.testing.demo_site.fetching import fetch

COMMAND = [sys.executable, "-m", "crawlmesh.testing.demo_site"]


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_serves_until_it_is_told_to_stop(tmp_path: Path, stop: signal.Signals) -> None:
    log, manifest, ready = tmp_path / "log", tmp_path / "manifest", tmp_path / "ready"
    files = ["--access-log", str(log), "--manifest", str(manifest), "--ready-file", str(ready)]
    options = ["--port", "0", "--shops", "1", "--products", "3", "--crawl-delay", "0", "--trap"]
    with subprocess.Popen(
        [*COMMAND, *options, *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        portal_url = process.stdout.readline().strip()
        assert ready.read_text().strip() == portal_url
        assert fetch(portal_url).status == 200
        process.send_signal(stop)
        output, errors = process.communicate(timeout=30)
    assert (process.returncode, output, errors) == (0, "", "")
    assert AccessLog.read(log).paths() == ["/"]
    wanted = DemoSiteOptions(shops=1, products=3, crawl_delay=0, trap=True)
    read = Manifest.read(manifest)
    assert (read.portal_url, read) == (portal_url, Manifest.build(wanted, read.port))


def test_bad_options_end_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--shops", "0"]) == 2
    assert capsys.readouterr().err == "demo site: shops is 0; choose 1 to 90\n"
