"""Ids in paths. They have no colon, so that `/tasks/{task_id}` and `/tasks/{task_id}:cancel` differ."""

from typing import Annotated

from fastapi import Path
from starlette.convertors import Convertor, register_url_convertor


class _IdConvertor(Convertor[str]):
    regex = "[^/:]+"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


class _TaskIdConvertor(_IdConvertor):
    regex = "(?!stats$)[^/:]+"  # `/tasks/stats` is a path of its own


class _HostConvertor(_IdConvertor):
    regex = "[^/]+"  # it may have a port


register_url_convertor("id", _IdConvertor())
register_url_convertor("host", _HostConvertor())
register_url_convertor("task", _TaskIdConvertor())

_ID = r"^[^/:\x00-\x1f]+$"


def _id(description: str, example: str, pattern: str = _ID) -> object:
    return Path(description=description, examples=[example], max_length=200, pattern=pattern)


TaskId = Annotated[str, _id("The id of a task.", "task-01HF3Z8Q4V6N2K7M9P1R3T5W7X")]
ExecutionId = Annotated[str, _id("The id of an execution.", "exec-01HF3Z8Q4V6N2K7M9P1R3T5W7X")]
NodeId = Annotated[str, _id("The id of a node.", "node-1a2b3c4d")]
ClusterId = Annotated[str, _id("The id of a cluster.", "default")]
KeyId = Annotated[str, _id("The id of a key.", "key-01HF3Z8Q4V6N2K7M9P1R3T5W7X")]
DeviceId = Annotated[str, _id("The id of a device, as it was registered.", "worker-001", r"^[^/\x00-\x1f]+$")]
HostName = Annotated[
    str, _id("A host, with its port where that is unusual.", "example.com:8080", r"^[^/\x00-\x1f]+$")
]
