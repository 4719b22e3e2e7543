"""The rules that keep a URL out of a crawl, by the names that the ledger knows them under."""

from typing import Final

SCOPE_HOST: Final = "scope_host"
SCOPE_DOMAIN: Final = "scope_domain"
INCLUDE: Final = "include"
EXCLUDE: Final = "exclude"
DEPTH: Final = "depth"
ROBOTS: Final = "robots"
CONTENT_TYPE: Final = "content_type"
PATH_LENGTH: Final = "path_length"
REPEATED_SEGMENTS: Final = "repeated_segments"
TEMPLATE: Final = "template"
SCHEME: Final = "scheme"
NOFOLLOW: Final = "nofollow"
REDIRECT_LIMIT: Final = "redirect_limit"

RULE_SENTENCES: Final[dict[str, str]] = {
    SCOPE_HOST: "Its host and port are not those of a seed, and no allowed host matches them.",
    SCOPE_DOMAIN: "Its registrable domain is not that of a seed, and no allowed host matches it.",
    INCLUDE: "None of the include patterns is found in it.",
    EXCLUDE: "An exclude pattern is found in it.",
    DEPTH: "It lies deeper than the depth limit.",
    ROBOTS: "The host's robots.txt does not allow it, or could not be read.",
    CONTENT_TYPE: "The server answered with a content type that the crawl has no use for.",
    PATH_LENGTH: "Its path and query are longer than the limit, as in an endless URL space.",
    REPEATED_SEGMENTS: "A segment of its path comes back too often, as in an endless URL space.",
    TEMPLATE: "Too many URLs of the same template were taken already, as in an endless URL space.",
    SCHEME: "It is not an http or https URL.",
    NOFOLLOW: "The page asks that this link is not followed.",
    REDIRECT_LIMIT: "Too many redirects in a row led to it.",
}
