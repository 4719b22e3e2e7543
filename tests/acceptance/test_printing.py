import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path

from crawlmesh.testing.command import Command, clean_environment, command_line
from crawlmesh.testing.demo_site import DemoSite
from tests.acceptance.full_crawl import everywhere
from tests.acceptance.page_server import PageServer

CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f\x9b]")


def test_quiet_prints_nothing(server: PageServer, command: Command) -> None:
    server.page("/", '<a href="/missing">x</a>')
    done = command.run("crawl", server.url(), "--allow-private", "--quiet")
    assert (done.out, done.err) == ("", "")


def test_a_pipe_gets_plain_lines(site: DemoSite, command: Command) -> None:
    # Nine delays take longer than the five seconds between two lines.
    slow = [f"http://{site.hosts[3]}/", "--allow-private", "--delay", "0.7", "--max-pages", "10"]
    done = command.run("crawl", *slow, "--state", "a-folder-with-quite-a-long-name/" * 4)
    assert CONTROL.search(done.out + done.err) is None
    assert re.search(
        r"^\d+\.\d s: \d+ pages, \d+ per second, .* to go, 0 dead, about .* left$", done.err, re.MULTILINE
    )
    assert done.out.startswith("Stopped by --max-pages with ")
    assert re.search(r"^Records +10 *$", done.out, re.MULTILINE)
    assert "a-folder-with-quite-a-long-name/" * 3 in done.out


def test_a_summary_for_machines_stands_alone_on_standard_output(server: PageServer, command: Command) -> None:
    server.page("/", "x")
    done = command.run("crawl", server.url(), "--allow-private", "--json", "--quiet")
    assert done.err == ""
    summary = done.summary
    assert (summary["pages"], summary["records"], summary["dead"], summary["bytes"]) == (1, 1, 0, 1)
    assert summary["by_status"] == {"200": 1}
    assert Path(command.folder / summary["output"]).is_file()


def test_a_terminal_gets_a_live_display_and_a_clean_summary(site: DemoSite, tmp_path: Path) -> None:
    arguments = [*everywhere(site), "--delay", "0.3", "--max-pages", "8", "--state", "state"]
    shown = _on_a_terminal(tmp_path, ["crawl", *arguments])
    for word in ("pages/s", "downloaded", "queue", "dead", "skipped", "time", "left", "% of known links"):
        assert word in shown, word
    assert "failing and slowest hosts" in shown
    assert "\x1b[?25h" in shown, "the cursor is shown again"
    end = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown[shown.rindex("\x1b[?25h") :])
    assert "Stopped by --max-pages" in end
    assert re.search(r"Records +8\b", end)
    assert "pages/s" not in end


def _on_a_terminal(folder: Path, arguments: list[str]) -> str:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    environment = {**clean_environment({}), "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(
        [*command_line(), *arguments],
        cwd=folder,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        shown = bytearray()
        try:
            while piece := _read(ours):
                shown += piece
        finally:
            os.close(ours)
            process.kill() if process.poll() is None and not shown else None
        assert process.wait(60) == 0
    return shown.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""
