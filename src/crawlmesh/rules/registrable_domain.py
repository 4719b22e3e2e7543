"""Registrable domains, by the public suffix list."""

from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tldextract import TLDExtract


@lru_cache(maxsize=10_000)
def registrable_domain(host: str) -> str:
    """The domain under which a host was registered; the host itself for addresses and single labels.

    `host` is canonical and may have a port, which does not matter. Public suffixes of private owners
    (`github.io`) count, as in browsers: their users' sites are domains of their own.
    """
    name = host_name(host)
    if "." not in name or is_address(name):
        return name
    extracted = _extractor().extract_str(name)
    if extracted.suffix:
        return extracted.top_domain_under_public_suffix or name
    # The list's own rule for a top-level domain that it does not name.
    return ".".join(name.split(".")[-2:])


def host_name(host: str) -> str:
    """The host without its port."""
    if host.endswith("]"):
        return host
    name, colon, _ = host.rpartition(":")
    return name if colon else host


def is_address(name: str) -> bool:
    """Whether a canonical host name is an IP address."""
    return name.startswith("[") or name.rpartition(".")[2].isdigit()


@cache
def _extractor() -> "TLDExtract":
    # Only domain scope needs it, and the import alone takes a tenth of a second.
    from tldextract import TLDExtract  # noqa: PLC0415

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
