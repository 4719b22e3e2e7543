"""What to say of a status that does not exist."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, get_args

from crawlmesh.errors import InvalidError


@contextmanager
def naming_statuses(allowed: Any) -> Iterator[None]:
    """Where `status` is not one of a Literal, the error names those that are."""
    try:
        yield
    except InvalidError as error:
        if error.field != "status":
            raise
        told = str(error).partition(":")[0]
        names = ", ".join(get_args(allowed))
        raise InvalidError(f"{told.rstrip('.')}; it must be one of {names}.", "status") from error
