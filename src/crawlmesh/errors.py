"""The whole error tree of Crawlmesh.

    CrawlmeshError
    ├── UsageError              the user asked for something that cannot be (exit code 2)
    │   ├── SettingError        a setting has a value that is not allowed
    │   ├── SelectorError       a selector or an extraction spec cannot be understood
    │   ├── UrlError            a URL cannot be understood
    │   └── StateMismatchError  the state folder belongs to a different crawl
    ├── StoreError              a store cannot do what was asked
    │   ├── StoreLockedError    another process owns the store
    │   ├── StoreFullError      the disk or the quota behind the store is full
    │   ├── StoreCorruptError   the store's content is not what it must be
    │   └── UnknownCrawlError   no crawl has this id
    └── OutputError             records or pages cannot be written or read

A message says what happened, to what, and what to do about it. What goes wrong with one
page is not an exception: it is a `FetchFailure` and ends in the ledger.
"""


class CrawlmeshError(Exception):
    """Base of every error that Crawlmesh raises on purpose."""


class UsageError(CrawlmeshError):
    """The request cannot be carried out as it was asked."""


class SettingError(UsageError):
    """A setting has a value that is not allowed."""


class SelectorError(UsageError):
    """A selector or an extraction spec cannot be understood."""


class UrlError(UsageError):
    """A URL cannot be understood."""


class StateMismatchError(UsageError):
    """The state folder belongs to a different crawl."""


class StoreError(CrawlmeshError):
    """A store cannot do what was asked."""


class StoreLockedError(StoreError):
    """Another process owns the store."""


class StoreFullError(StoreError):
    """The disk or the quota behind the store is full."""


class StoreCorruptError(StoreError):
    """The store's content is not what it must be."""


class UnknownCrawlError(StoreError):
    """No crawl has this id."""


class OutputError(CrawlmeshError):
    """Records or pages cannot be written or read."""
