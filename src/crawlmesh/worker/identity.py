"""Who this node is, over restarts."""

import os
import secrets
from pathlib import Path

import msgspec

from crawlmesh.errors import SettingError

_FILE = "node.json"


class NodeIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """What a node must not forget. The master knows a node again by its `device_id`."""

    device_id: str
    node_id: str | None = None
    token: str = ""


class IdentityFile:
    """`node.json` in the data folder. It holds the node's token, so only its owner may read it."""

    def __init__(self, data_folder: Path) -> None:
        self._path = data_folder / _FILE

    def load(self, device_id: str | None = None) -> NodeIdentity:
        """The identity of this folder; a new one where it has none, or was given another device id."""
        try:
            known = msgspec.json.decode(self._path.read_bytes(), type=NodeIdentity)
        except FileNotFoundError:
            return NodeIdentity(device_id=device_id or f"node-{secrets.token_hex(4)}")
        except (msgspec.DecodeError, msgspec.ValidationError, OSError) as error:
            raise SettingError(
                f"The node's identity in {self._path} cannot be read: {error}. "
                "Remove the file to be a new node."
            ) from error
        if device_id is not None and device_id != known.device_id:
            return NodeIdentity(device_id=device_id)
        return known

    def save(self, identity: NodeIdentity) -> None:
        """Write it, whole or not at all."""
        part = self._path.with_suffix(f".{os.getpid()}.part")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            part.unlink(missing_ok=True)
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.encode(identity))
                file.flush()
                os.fsync(file.fileno())
            part.replace(self._path)
        except OSError as error:
            raise SettingError(
                f"The node's identity cannot be kept in {self._path}: {error.strerror}."
            ) from error
