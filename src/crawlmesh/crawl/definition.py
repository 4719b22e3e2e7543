"""What a crawl is: the part of a user's wishes that decides which pages it has and what they yield."""

from typing import Any, Literal

import msgspec

from crawlmesh.rules.spider_traps import TrapLimits


class CrawlDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """Kept with the crawl, so that whoever goes on with it does the same.

    How fast and how far it goes (rate, concurrency, limits) is not part of it and may differ
    each time.
    """

    seeds: tuple[str, ...]
    scope: Literal["host", "domain", "any"] = "host"
    allow_hosts: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    depth: int | None = None
    extraction: dict[str, Any] | None = None  # ExtractionSpec.to_json
    metadata: bool = False
    ignored_parameters: tuple[str, ...] = ()
    ignore_robots: bool = False
    sitemaps: bool = False
    archive: bool = False
    traps: TrapLimits = TrapLimits()

    def to_json(self) -> bytes:
        """The form in which the store keeps it."""
        return msgspec.json.encode(self)

    @classmethod
    def from_json(cls, text: bytes) -> "CrawlDefinition":
        """Read what `to_json` wrote."""
        return msgspec.json.decode(text, type=cls)

    def differences(self, other: "CrawlDefinition") -> list[str]:
        """The names of the fields in which two definitions differ."""
        return [name for name in self.__struct_fields__ if getattr(self, name) != getattr(other, name)]
