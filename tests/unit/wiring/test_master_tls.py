import shutil
import subprocess
from pathlib import Path

import pytest

from crawlmesh import Client
from crawlmesh.cli.cluster_connection import trust
from crawlmesh.cli.distribution.run import start_master, start_own_worker
from crawlmesh.errors import MasterUnreachableError, SettingError
from crawlmesh.settings import load_settings

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout {key}"
    options = ["-out", str(certificate), "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command.split(), *options], check=True, capture_output=True)
    return certificate, key


async def test_a_master_with_a_certificate_is_reached_by_those_who_trust_it(
    tmp_path: Path, pair: tuple[Path, Path]
) -> None:
    tls = {"tls_certificate": pair[0], "tls_key": pair[1], "tls_authority": pair[0]}
    settings = load_settings({"data_dir": tmp_path, "port": 0, "discovery": False, **tls})
    master, keys = await start_master(settings)
    try:
        worker = await start_own_worker(settings, master, keys)
        async with Client(master.url, api_key=keys.api_key, ssl_context=trust(settings)) as client:
            assert client.url.startswith("https://127.0.0.1:")
            assert (await client.overview()).nodes["online"] == 1
        async with Client(master.url, api_key=keys.api_key) as stranger:
            with pytest.raises(MasterUnreachableError, match="certificate"):
                await stranger.overview()
        await worker.stop()
    finally:
        await master.stop()


async def test_a_certificate_that_cannot_be_read_is_refused_at_the_start(tmp_path: Path) -> None:
    settings = load_settings(
        {"data_dir": tmp_path, "port": 0, "discovery": False, "tls_certificate": tmp_path / "none.pem"}
    )
    with pytest.raises(SettingError, match="tls_certificate"):
        await start_master(settings)
