"""The whole error tree of Crawlmesh.

    CrawlmeshError
    ├── UsageError              the user asked for something that cannot be (exit code 2)
    │   ├── SettingError        a setting has a value that is not allowed
    │   ├── SelectorError       a selector or an extraction spec cannot be understood
    │   ├── UrlError            a URL cannot be understood
    │   └── StateMismatchError  the state folder belongs to a different crawl
    ├── StoreError              a store cannot do what was asked
    │   ├── StoreLockedError    another process owns the store
    │   ├── StoreUnavailableError   the store does not answer, and may again
    │   ├── StoreFullError      the disk or the quota behind the store is full
    │   ├── StoreCorruptError   the store's content is not what it must be
    │   ├── UnknownCrawlError   no crawl has this id
    │   └── NotLeaderError      another master leads by now
    ├── RequestError            what was asked of the cluster cannot be
    │   ├── InvalidError        a field has a value that is not allowed
    │   ├── NotFoundError       no task, node, cluster … has this id
    │   ├── ConflictError       it contradicts what is there, such as a status that allows no such move
    │   │   └── IdempotencyError    the key was used before, with another request
    │   ├── UnauthenticatedError    no key, or one that is not known
    │   ├── ForbiddenError      the key's role does not allow it
    │   └── StaleSessionError   a node speaks that was replaced or declared dead
    ├── MasterUnreachableError  no master answers
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


class StoreUnavailableError(StoreError):
    """The server behind the store does not answer; what was asked may be asked again."""


class StoreFullError(StoreError):
    """The disk or the quota behind the store is full."""


class StoreCorruptError(StoreError):
    """The store's content is not what it must be."""


class UnknownCrawlError(StoreError):
    """No crawl has this id."""


class NotLeaderError(StoreError):
    """Another master leads by now; nothing was changed."""


class RequestError(CrawlmeshError):
    """What was asked of the cluster cannot be. `field` names the part of the request that is at fault."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class InvalidError(RequestError, UsageError):
    """A field has a value that is not allowed."""


class NotFoundError(RequestError):
    """No task, node, cluster or key has this id."""


class ConflictError(RequestError):
    """It contradicts what is there."""


class IdempotencyError(ConflictError):
    """The idempotency key was used before, with another request."""


class UnauthenticatedError(RequestError):
    """There is no key with the request, or one that nobody knows."""


class ForbiddenError(RequestError):
    """The role of the key does not allow this."""


class StaleSessionError(RequestError):
    """The node was registered anew or removed; this process of it must register again."""


class MasterUnreachableError(CrawlmeshError):
    """No master answers at the given addresses."""


class OutputError(CrawlmeshError):
    """Records or pages cannot be written or read."""


class ChannelError(CrawlmeshError):
    """The message broker cannot be reached, or refuses what it is asked for."""


class LockTakenError(CrawlmeshError):
    """A distributed lock is held by others."""


class LockLostError(CrawlmeshError):
    """A distributed lock ran out while the work under it was not done."""
