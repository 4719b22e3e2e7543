"""Which messages of a partition were taken care of, and what of that can be told to the broker.

Kafka keeps one number for a partition: everything before it is done. Messages are taken care of in any
order, so the number is that of the first message that is not done; which of the later ones are done goes
into the note that may be kept beside the number.
"""

from collections import OrderedDict
from typing import NamedTuple

_FORM = "crawlmesh1"
_NOTE_LENGTH = 3_500  # characters; brokers take 4096 bytes unless told otherwise


class Committed(NamedTuple):
    """What the broker is told of a partition."""

    offset: int  # all before it are done
    note: str = ""  # which of the others are


class PartitionOffsets:
    """Of one partition, for as long as it is assigned to this consumer."""

    def __init__(self, committed: Committed | None = None) -> None:
        """`committed` is what the broker knows from the last consumer."""
        self._pending: OrderedDict[int, None] = OrderedDict()  # taken and not accepted, ascending
        self._next: int | None = None  # the offset after the last one that was taken
        self._first, self._end, self._left = _understood(committed)
        self._told = committed

    def is_before(self, offset: int) -> bool:
        """Whether an offset lies behind: then it is not this partition any more, but one of the same name."""
        return self._next is not None and offset < self._next

    def take(self, offset: int) -> bool:
        """A message came, in order of offsets. False where it was accepted before: nobody needs it."""
        self._next = offset + 1
        if self._first <= offset < self._end and offset not in self._left:
            return False
        self._pending[offset] = None
        return True

    def accept(self, offset: int) -> None:
        """A message was taken care of. Unknown ones do nothing."""
        self._pending.pop(offset, None)

    @property
    def untold(self) -> Committed | None:
        """What the broker should be told now; None where it knows."""
        if self._next is None:
            return None
        now = self._committable(self._next)
        return None if now == self._told else now

    def told(self, committed: Committed | None) -> None:
        """The broker was told; None where that went wrong."""
        self._told = committed

    def _committable(self, after: int) -> Committed:
        if not self._pending and after >= self._end:
            return Committed(after)
        first = min(next(iter(self._pending), after), after)
        left = [*self._pending, *sorted(offset for offset in self._left if offset >= after)]
        return Committed(first, _note(first, left, max(after, self._end)))


def _note(first: int, left: list[int], end: int) -> str:
    """Tells that of the messages from `first` to before `end` only those in `left` are not done."""
    words: list[str] = []
    length = 40
    for offset in left:
        word = f"{offset - first:x}"
        length += len(word) + 1
        if length > _NOTE_LENGTH:  # no room: whatever comes from here on counts as not done
            end = offset
            break
        words.append(word)
    return f"{_FORM} {end - first:x} {','.join(words)}"


def _understood(committed: Committed | None) -> tuple[int, int, frozenset[int]]:
    """Of the messages from the first to before the second number, only those in the set are not done."""
    if committed is None:
        return 0, 0, frozenset()
    first, note = committed
    try:
        form, length, words = note.split(" ")
        end = first + int(length, 16)
        left = frozenset(first + int(word, 16) for word in words.split(",") if word)
    except ValueError:  # there is none, or somebody else wrote it
        return first, first, frozenset()
    return (first, end, left) if form == _FORM else (first, first, frozenset())
