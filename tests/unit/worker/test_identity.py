from pathlib import Path

import msgspec
import pytest

from crawlmesh.errors import SettingError
from crawlmesh.worker.identity import IdentityFile


def test_an_identity_is_kept(tmp_path: Path) -> None:
    file = IdentityFile(tmp_path / "data")
    made_up = file.load()
    assert made_up.node_id is None
    file.save(msgspec.structs.replace(made_up, node_id="node-1", token="secret"))
    kept = IdentityFile(tmp_path / "data").load()
    assert (kept.device_id, kept.node_id, kept.token) == (made_up.device_id, "node-1", "secret")
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["node.json"]


def test_another_device_id_is_another_node(tmp_path: Path) -> None:
    file = IdentityFile(tmp_path)
    file.save(msgspec.structs.replace(file.load("one"), node_id="node-1"))
    assert file.load("one").node_id == "node-1"
    assert file.load().device_id == "one"
    assert file.load("two").node_id is None


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "node.json").write_text("{")
    with pytest.raises(SettingError, match=r"node\.json cannot be read"):
        IdentityFile(tmp_path).load()
