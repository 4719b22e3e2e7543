"""The built files of the dashboard, held in memory: what is not among them cannot be asked for."""

import mimetypes
from pathlib import Path

import msgspec

_INDEX = "index.html"
_ASSETS = "assets"
_ENCODINGS = {".br": "br", ".gz": "gzip"}  # the smaller first
_NONCE_PLACE = b"__CSP_NONCE__"
# What the tables of the operating system may lack or name otherwise.
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


class DashboardFile(msgspec.Struct, frozen=True):
    """One file. `encoded` has it compressed, by content coding, the best first."""

    content: bytes
    content_type: str
    encoded: dict[str, bytes] = {}

    def best(self, accept_encoding: str) -> tuple[str, bytes]:
        """The coding to answer in, empty for none, and the bytes."""
        wanted = _weights(accept_encoding)
        for coding, content in self.encoded.items():
            if wanted.get(coding, wanted.get("*", 0.0)) > 0.0:
                return coding, content
        return "", self.content


class Dashboard(msgspec.Struct, frozen=True):
    """All files by their path in the URL, and the page itself in pieces, between which the nonce goes."""

    files: dict[str, DashboardFile]
    page_pieces: tuple[bytes, ...]

    def page(self, nonce: str) -> bytes:
        """The page for one answer."""
        return nonce.encode().join(self.page_pieces)


class DashboardFolder:
    """Reads the folder that the build makes, again after each build."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stamp: tuple[int, ...] | None = None
        self._dashboard: Dashboard | None = None

    def look(self) -> Dashboard | None:
        """What is there now; None where it was not built. Costs microseconds unless it was built anew."""
        stamp = self._built_at()
        if stamp != self._stamp:
            self._dashboard = None if stamp is None else _read(self._folder)
            self._stamp = stamp
        return self._dashboard

    def _built_at(self) -> tuple[int, ...] | None:
        """Changes with each file that a build writes, so that a half-built folder is read again."""
        places = (self._folder, self._folder / _INDEX, self._folder / _ASSETS)
        try:
            return tuple(place.stat().st_mtime_ns for place in places)
        except OSError:
            return None


def _read(folder: Path) -> Dashboard | None:
    try:
        contents = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.name.startswith(".")
        }
        page = contents.pop(_INDEX)
    except (KeyError, OSError):  # it is being built at this moment
        return None
    files = {
        f"/{name}": _file(name, contents)
        for name in contents
        if not (Path(name).suffix in _ENCODINGS and name.rpartition(".")[0] in {*contents, _INDEX})
    }
    return Dashboard(files, tuple(page.split(_NONCE_PLACE)))


def _file(name: str, contents: dict[str, bytes]) -> DashboardFile:
    encoded = {
        coding: contents[name + suffix] for suffix, coding in _ENCODINGS.items() if name + suffix in contents
    }
    suffix = Path(name).suffix
    guessed = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return DashboardFile(contents[name], _TYPES.get(suffix, guessed), encoded)


def _weights(accept_encoding: str) -> dict[str, float]:
    """The weight of each content coding that a client names."""
    weights: dict[str, float] = {}
    for part in accept_encoding.lower().split(","):
        coding, _, parameter = part.partition(";")
        weights[coding.strip()] = _weight(parameter)
    return weights


def _weight(parameter: str) -> float:
    name, _, value = parameter.partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0
