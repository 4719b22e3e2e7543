"""What goes wrong with the server, in our words."""

from redis import exceptions

from crawlmesh.errors import SettingError, StoreError, StoreFullError, StoreUnavailableError

FAILURES = (OSError, TimeoutError, exceptions.RedisError)

_AWAY = (
    OSError,
    TimeoutError,
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.BusyLoadingError,
    exceptions.ReadOnlyError,
    exceptions.ClusterDownError,
    exceptions.ClusterError,
    exceptions.TryAgainError,
    exceptions.AskError,
    exceptions.MovedError,
)
_AWAY_WORDS = (
    "LOADING",
    "READONLY",
    "MASTERDOWN",
    "NOREPLICAS",
    "BUSY",
    "CLUSTERDOWN",
    "TRYAGAIN",
    "UNBLOCKED",
)
_LOCKED_OUT_WORDS = (
    "NOAUTH",
    "WRONGPASS",
    "NOPERM",
    "ERR AUTH",
    "ERR INVALID PASSWORD",
    "INVALID USERNAME-PASSWORD",
)
_FULL_WORDS = ("OOM", "MISCONF")


def translated(error: BaseException, address: str) -> Exception:
    """The error that tells the user what to do."""
    said = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    word = said.upper()
    if isinstance(error, exceptions.AuthenticationError | exceptions.NoPermissionError) or word.startswith(
        _LOCKED_OUT_WORDS
    ):
        return SettingError(
            f"The setting crawl_store names the Redis server at {address}, which refuses its user or "
            f"password ({said}). Give them as in redis://USER:PASSWORD@HOST:PORT/0."
        )
    if isinstance(error, exceptions.OutOfMemoryError) or _FULL_WORDS[0] in word.split()[:1]:
        return StoreFullError(
            f"The Redis server at {address} has used up its maxmemory. What was stored is safe; raise it, or "
            "delete crawls."
        )
    if _FULL_WORDS[1] in word.split()[:1]:
        return StoreFullError(
            f"The Redis server at {address} cannot write its files and takes no more ({said}). What was "
            "stored is safe; make room on its disk."
        )
    if isinstance(error, _AWAY) or word.startswith(_AWAY_WORDS):
        return StoreUnavailableError(
            f"The Redis server at {address} does not answer ({said}). What was stored is safe as far as it "
            "persists it; the store works again as soon as the server does."
        )
    return StoreError(f"The Redis server at {address} cannot be used: {said}.")
