"""Remembers what already happened once, in memory or in a file that outlives the server."""

from pathlib import Path


class FirstTimes:
    """A set of names that only grows. With a file, a restarted server knows them too."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._names = set(path.read_text().splitlines()) if path and path.exists() else set()

    def is_first(self, name: str) -> bool:
        """True for the first call with a name, False for all later ones."""
        if name in self._names:
            return False
        self._names.add(name)
        if self._path:
            with self._path.open("a") as file:
                file.write(name + "\n")
        return True
