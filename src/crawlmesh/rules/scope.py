"""Scope: which URLs belong to a crawl."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self

from crawlmesh.errors import UsageError
from crawlmesh.rules.allowed_hosts import AllowedHosts
from crawlmesh.rules.registrable_domain import registrable_domain
from crawlmesh.rules.rule_names import DEPTH, EXCLUDE, INCLUDE, RULE_SENTENCES, SCOPE_DOMAIN, SCOPE_HOST
from crawlmesh.rules.url_identity import CanonicalUrl

__all__ = ["RULE_SENTENCES", "ScopeKind", "ScopeRules"]

_MAX_REMEMBERED_HOSTS = 100_000
_IN_SCOPE = ""


class ScopeKind(StrEnum):
    """How far from its seeds a crawl may go."""

    HOST = "host"  # the hosts of the seeds, each with its port
    DOMAIN = "domain"  # the registrable domains of the seeds, any port
    ANY = "any"  # everywhere


@dataclass(frozen=True, slots=True)
class ScopeRules:
    """The borders of a crawl. Seeds are inside whatever the other rules say, but for the depth."""

    kind: ScopeKind
    seed_urls: frozenset[str]  # canonical
    seed_hosts: frozenset[str]
    seed_domains: frozenset[str]
    allowed_hosts: AllowedHosts
    include: tuple[re.Pattern[str], ...]
    exclude: tuple[re.Pattern[str], ...]
    max_depth: int | None
    _host_rules: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def build(
        cls,
        kind: str,
        seeds: Sequence[CanonicalUrl],
        allow_hosts: Iterable[str] = (),
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        max_depth: int | None = None,
    ) -> Self:
        """Make the rules from what the user gave. Raises UsageError where that cannot be understood."""
        scope_kind = _scope_kind(kind)
        seed_hosts = frozenset(seed.host for seed in seeds)
        by_domain = scope_kind is ScopeKind.DOMAIN
        return cls(
            kind=scope_kind,
            seed_urls=frozenset(seed.url for seed in seeds),
            seed_hosts=seed_hosts,
            seed_domains=frozenset(map(registrable_domain, seed_hosts)) if by_domain else frozenset(),
            allowed_hosts=AllowedHosts(allow_hosts),
            include=_compile("--include", include),
            exclude=_compile("--exclude", exclude),
            max_depth=max_depth,
        )

    def refuse(self, canonical: CanonicalUrl, depth: int, page_url: str | None = None) -> str | None:
        """The name of the rule that keeps a URL out of the crawl, or None where it is in.

        `page_url` is the canonical URL of the page on which it was found. A page that is part of the crawl
        brings its own host (or domain) into the scope of its links: where a seed was redirected to
        another host, the site lives there.
        """
        if self.max_depth is not None and depth > self.max_depth:
            return DEPTH
        rule = self._host_rules.get(canonical.host)
        if rule is None:
            rule = self._remember_host(canonical.host)
        if rule and page_url is not None and self._is_neighbour(canonical.host, page_url):
            rule = _IN_SCOPE
        if not rule and (self.include or self.exclude):
            rule = self._refusing_pattern_rule(canonical.url)
        if not rule or canonical.url in self.seed_urls:
            return None
        return rule

    def _remember_host(self, host: str) -> str:
        if len(self._host_rules) >= _MAX_REMEMBERED_HOSTS:
            self._host_rules.clear()
        rule = self._host_rules[host] = self._refusing_host_rule(host)
        return rule

    def _refusing_host_rule(self, host: str) -> str:
        if self.kind is ScopeKind.ANY or self.allowed_hosts.match(host):
            return _IN_SCOPE
        if self.kind is ScopeKind.HOST:
            return _IN_SCOPE if host in self.seed_hosts else SCOPE_HOST
        return _IN_SCOPE if registrable_domain(host) in self.seed_domains else SCOPE_DOMAIN

    def _is_neighbour(self, host: str, page_url: str) -> bool:
        page_host = page_url.split("/", 3)[2].rpartition("@")[2]
        if self.kind is ScopeKind.HOST:
            return host == page_host
        return registrable_domain(host) == registrable_domain(page_host)

    def _refusing_pattern_rule(self, url: str) -> str:
        if self.include and not any(pattern.search(url) for pattern in self.include):
            return INCLUDE
        if any(pattern.search(url) for pattern in self.exclude):
            return EXCLUDE
        return _IN_SCOPE


def _scope_kind(kind: str) -> ScopeKind:
    try:
        return ScopeKind(kind)
    except ValueError:
        allowed = ", ".join(ScopeKind)
        raise UsageError(f"--scope {kind!r} is not known. Give one of: {allowed}.") from None


def _compile(option: str, patterns: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(_compile_pattern(option, pattern) for pattern in patterns)


def _compile_pattern(option: str, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(
            f"{option} {pattern!r} is not a regular expression: {error}. "
            r"Correct it, or put a backslash before characters that are meant literally, such as '\?'."
        ) from error
