"""Partitions: over which slots of a cluster the hosts are spread."""

from itertools import count
from zlib import crc32

from redis.crc import key_slot

_SLOTS = 16_384


def partition_keys(partitions: int) -> tuple[str, ...]:
    """The key of each partition. Its tag is chosen so that the partitions lie evenly over the slots."""
    return tuple(_key(number, partitions) for number in range(partitions))


def partition_of_host(host: str, partitions: int) -> int:
    """The partition that a host and all its links belong to, for ever."""
    return 0 if partitions == 1 else crc32(host.encode("utf-8", "replace")) % partitions


def _key(number: int, partitions: int) -> str:
    if partitions == 1:
        return "{cm:0}"
    tags = (f"{{cm:{number}.{attempt}}}" for attempt in count())
    return next(tag for tag in tags if key_slot(tag.encode()) * partitions // _SLOTS == number)
