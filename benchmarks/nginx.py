"""An nginx of our own on loopback: its own configuration, its own logs, a new one for each run."""

import os
import resource
import shutil
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.shop_site import Site, host_address

DESCRIPTOR_LIMIT = 16_384
WORKER_CONNECTIONS = 4_096


class NginxMissingError(RuntimeError):
    """nginx was not found and could not be installed."""


def find_nginx() -> str:
    """Where nginx is; installs it where root and apt-get allow."""
    search_path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
    found = shutil.which("nginx", path=search_path)
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", "-q", "nginx-light"], check=False)
        found = shutil.which("nginx", path=search_path)
    if found is None:
        raise NginxMissingError("nginx is neither on PATH nor in /usr/sbin; install the package nginx-light")
    return found


def free_port(first: int, hosts: int) -> int:
    """The first port from `first` on that nobody listens on at any of the hosts."""
    for port in range(first, first + 200):
        if all(_is_free(host_address(index), port) for index in range(hosts)):
            return port
    raise RuntimeError(f"no free port between {first} and {first + 199}; give another one with --port")


def _is_free(address: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
        return True


class Nginx:
    """Serves a site while its `with` block lasts. `access_log` is complete after the block."""

    def __init__(self, site: Site, folder: Path) -> None:
        self._site = site
        self._folder = folder
        self.access_log = folder / "access.log"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        configuration = self._folder / "nginx.conf"
        configuration.write_text(self._configuration())
        error_log = str(self._folder / "error.log")
        self._process = subprocess.Popen(
            [
                find_nginx(),
                "-c",
                str(configuration),
                "-p",
                str(self._folder),
                "-e",
                error_log,
                "-g",
                "daemon off;",
            ]
        )
        self._await_ready()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=30)

    def _await_ready(self) -> None:
        deadline = time.monotonic() + 15
        port = self._site.parameters.port
        while time.monotonic() < deadline:
            if self._process is None or self._process.poll() is not None:
                break
            try:
                socket.create_connection((host_address(0), port), timeout=1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise RuntimeError(f"nginx did not start on port {port}; see {self._folder / 'error.log'}")

    def _configuration(self) -> str:
        parameters = self._site.parameters
        listen = "\n    ".join(
            f"listen {host_address(index)}:{parameters.port};" for index in range(parameters.hosts)
        )
        return f"""\
{"user root;" if os.geteuid() == 0 else ""}
worker_processes 1;
{_descriptor_line()}
pid {self._folder}/nginx.pid;
events {{ worker_connections {WORKER_CONNECTIONS}; }}
http {{
  types {{ text/html html; }}
  default_type text/html;
  charset utf-8;
  sendfile on;
  tcp_nodelay on;
  keepalive_requests 1000000000;
  keepalive_timeout 60s;
  client_body_temp_path {self._folder}/body;
  proxy_temp_path {self._folder}/proxy;
  fastcgi_temp_path {self._folder}/fastcgi;
  uwsgi_temp_path {self._folder}/uwsgi;
  scgi_temp_path {self._folder}/scgi;
  log_format crawl '$msec $status http://$server_addr:$server_port$request_uri';
  access_log {self.access_log} crawl buffer=256k flush=1s;
  server {{
    {listen}
    root {self._site.root}/$server_addr;
  }}
}}
"""


def _descriptor_line() -> str:
    """Raise the limit of open files only as far as we are allowed to."""
    _, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = DESCRIPTOR_LIMIT if hard_limit == resource.RLIM_INFINITY else min(DESCRIPTOR_LIMIT, hard_limit)
    return f"worker_rlimit_nofile {allowed};" if allowed > WORKER_CONNECTIONS else ""
