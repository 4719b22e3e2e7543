"""librdkafka's own imitation of a Kafka cluster: in this process, in milliseconds, in memory.

It cannot make or remove topics: they come into being when somebody asks for them, with four partitions. The
Python package has no names for it beyond a setting, so it is called by those of the C library.
"""

import ctypes
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

import confluent_kafka

_PRODUCER = 0
_BROKER = 1  # the first one's id
_ROOM = 512  # bytes for what goes wrong
_POINTER, _NUMBER, _TEXT = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
_FUNCTIONS: dict[str, tuple[type | None, list[type]]] = {  # by name: what it returns and takes
    "rd_kafka_conf_new": (_POINTER, []),
    "rd_kafka_conf_set": (_NUMBER, [_POINTER, _TEXT, _TEXT, _TEXT, ctypes.c_size_t]),
    "rd_kafka_new": (_POINTER, [_NUMBER, _POINTER, _TEXT, ctypes.c_size_t]),
    "rd_kafka_destroy": (None, [_POINTER]),
    "rd_kafka_mock_cluster_new": (_POINTER, [_POINTER, _NUMBER]),
    "rd_kafka_mock_cluster_destroy": (None, [_POINTER]),
    "rd_kafka_mock_cluster_bootstraps": (_TEXT, [_POINTER]),
    "rd_kafka_mock_group_initial_rebalance_delay_ms": (None, [_POINTER, ctypes.c_int32]),
    "rd_kafka_mock_broker_set_down": (_NUMBER, [_POINTER, ctypes.c_int32]),
    "rd_kafka_mock_broker_set_up": (_NUMBER, [_POINTER, ctypes.c_int32]),
}


class MockKafka:
    """A cluster of one broker. It runs from its making until `close`."""

    def __init__(self) -> None:
        self._library = library = _library()
        problem = ctypes.create_string_buffer(_ROOM)
        settings = library.rd_kafka_conf_new()
        library.rd_kafka_conf_set(settings, b"log_level", b"0", problem, _ROOM)
        self._owner = library.rd_kafka_new(_PRODUCER, settings, problem, _ROOM)
        if not self._owner:
            raise RuntimeError(f"librdkafka refuses to work: {problem.value.decode()}")
        self._cluster = library.rd_kafka_mock_cluster_new(self._owner, 1)
        library.rd_kafka_mock_group_initial_rebalance_delay_ms(self._cluster, 0)
        self.servers: str = library.rd_kafka_mock_cluster_bootstraps(self._cluster).decode()

    def address(self, query: str = "") -> str:
        """The address for the setting `task_channel`."""
        return f"kafka://{self.servers}?create_topics=false" + (f"&{query}" if query else "")

    def stop(self) -> None:
        """Cut off all clients and take no new ones; what was published is kept."""
        self._library.rd_kafka_mock_broker_set_down(self._cluster, _BROKER)

    def start(self) -> None:
        """Take clients again."""
        self._library.rd_kafka_mock_broker_set_up(self._cluster, _BROKER)

    def close(self) -> None:
        """End it. Twice is fine."""
        if self._owner:
            self._library.rd_kafka_mock_cluster_destroy(self._cluster)
            self._library.rd_kafka_destroy(self._owner)
            self._owner = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@cache
def _library() -> ctypes.CDLL:
    """The library that the Python package has loaded, wherever it has it from."""
    assert confluent_kafka.libversion()
    lines = Path("/proc/self/maps").read_text().splitlines()
    path = next(line.split(maxsplit=5)[5] for line in lines if "librdkafka" in line)
    library = ctypes.CDLL(path)
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
