"""Ids that grow with time, so that sorting by id is sorting by age."""

import random
import re
from collections.abc import Callable

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32
_PAIRS = tuple(first + second for first in _ALPHABET for second in _ALPHABET)
_LENGTH = 26  # characters: 48 bits of milliseconds, then 80 that make it unique
_MOMENT_LENGTH = 10  # characters of it for the milliseconds
_MOMENT = re.compile(f"[{_ALPHABET}]+")
_UNIQUE_BITS = 80
_STEP_BITS = 32  # between two ids of one millisecond, so that they cannot be guessed from each other
_LOW_BITS = 40


def moment_of(made_id: str) -> float:
    """When an id was made, in Unix seconds; 0 where no IdMaker made it."""
    written = made_id.rpartition("-")[2]
    if len(written) != _LENGTH or not _MOMENT.fullmatch(written[:_MOMENT_LENGTH]):
        return 0.0
    milliseconds = 0
    for character in written[:_MOMENT_LENGTH]:
        milliseconds = milliseconds * len(_ALPHABET) + _ALPHABET.index(character)
    return milliseconds / 1000


class IdMaker:
    """Makes ids of 26 characters. Those of one maker only grow, also where the clock goes back."""

    def __init__(self, now: Callable[[], float], source: random.Random) -> None:
        self._now = now
        self._source = source
        self._last = 0
        self._high = -1  # the part that rarely changes, and how it is written
        self._high_text = ""

    def make(self, prefix: str) -> str:
        """A new id, such as `task-01HF…`."""
        number = int(self._now() * 1000) << _UNIQUE_BITS
        if number >> _UNIQUE_BITS > self._last >> _UNIQUE_BITS:
            number |= self._source.getrandbits(_UNIQUE_BITS - 1)  # the highest bit is room to grow
        else:
            number = self._last + 1 + self._source.getrandbits(_STEP_BITS)
        self._last = number
        high = number >> _LOW_BITS
        if high != self._high:
            self._high, self._high_text = high, _written(high, _LENGTH - _LOW_BITS // 5)
        return f"{prefix}-{self._high_text}{_written(number, _LOW_BITS // 5)}"


def _written(number: int, length: int) -> str:
    return "".join([_PAIRS[number >> shift & 1023] for shift in range(length * 5 - 10, -1, -10)])
