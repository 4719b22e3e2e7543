"""The scripts that run inside the server, each with those parts that it is made of."""

import hashlib
import re
from functools import cache
from importlib.resources import files

import msgspec

from crawlmesh.adapters.redis.bloom import BLOOM_LUA

_FOLDER = files(__package__) / "lua"

_HOSTS = ("base", "hosts")
_LINKS = (*_HOSTS, "links")
_PARTS: dict[str, tuple[str, ...]] = {
    "create": ("bloom", "base"),
    "progress": ("bloom", "base"),
    "clean": ("base",),
    "grant": ("base",),
    "alive": ("base",),
    "budget": ("base",),
    "limit_host": _HOSTS,
    "hosts": _HOSTS,
    "rows": _HOSTS,
    "renew": (*_HOSTS, "leases"),
    "expire": (*_HOSTS, "leases"),
    "delete": ("bloom", *_HOSTS, "leases"),
    "link": ("base", "links"),
    "records": ("base", "links"),
    "recrawl": _LINKS,
    "requeue": _LINKS,
    "dead_links": ("base", "links", "dead"),
    "retry_dead": (*_LINKS, "known", "dead"),
    "lease": (*_LINKS, "leases"),
    "explain": (*_LINKS, "known"),
    "add": ("bloom", *_HOSTS, "known", "filters", "adding"),
    "settle": ("bloom", *_LINKS, "known", "filters", "adding", "leases"),
    "load_links": (*_LINKS, "known"),
    "load_skips": ("base", "known"),
    "load_hosts": _HOSTS,
    "load_shares": _HOSTS,
    "dump_links": _LINKS,
    "dump_prints": ("base", "known"),
    "dump_hosts": _HOSTS,
}


_CONSTANTS = re.compile(r"^local ([A-Z_]{2,}(?:, [A-Z_]{2,})*) =\s+([^\n{]+?)(?: --.*)?$", re.MULTILINE)

# The filter's functions are made when they are first needed: most crawls have none.
_BLOOM = """
local bloom
local function Bloom()
  if not bloom then
    bloom = (function()
{}
      return {{ open = bloom_open, create = bloom_create, delete = bloom_delete, status = bloom_status,
        knows = bloom_knows, add_if_new = bloom_add_if_new, close = bloom_close }}
    end)()
  end
  return bloom
end
"""


class Script(msgspec.Struct, frozen=True):
    """A script, and the name that the server knows it by."""

    name: str
    text: bytes
    digest: str


@cache
def script(name: str) -> Script:
    """The script of an operation, with the parts that it needs before it."""
    parts = [*_PARTS[name], f"op_{name}"]
    text = _with_constants("\n".join(_part(part) for part in parts)).encode()
    return Script(name, text, hashlib.sha1(text, usedforsecurity=False).hexdigest())


def _part(name: str) -> str:
    return _BLOOM.format(BLOOM_LUA) if name == "bloom" else (_FOLDER / f"{name}.lua").read_text("utf-8")


def _with_constants(text: str) -> str:
    """The script with its constants in their places.

    A script makes its functions each time that it runs, and Lua looks for every variable that one of them
    uses among all variables that any of them uses: names of constants would cost more than the work itself.
    """
    constants: dict[str, str] = {}
    for names, values in _CONSTANTS.findall(text):
        constants.update(zip(names.split(", "), values.split(", "), strict=True))
    known = re.compile(r"\b(" + "|".join(constants) + r")\b")
    return known.sub(lambda found: constants[found[0]], _CONSTANTS.sub("", text)) if constants else text
