"""The tasks that talk to the master under one registration: why they ended, and how to end them."""

import asyncio
from typing import Any

from crawlmesh.errors import CrawlmeshError, NotFoundError, StaleSessionError, UnauthenticatedError

_MUST_REGISTER = (StaleSessionError, UnauthenticatedError, NotFoundError)


def wants_registration(ended: "set[asyncio.Task[Any]]") -> bool:
    """Whether one of the loops ended because the node must register again. Raises other errors."""
    for task in ended:
        if task.cancelled():
            continue
        error = task.exception()
        if error is None or isinstance(error, _MUST_REGISTER):
            return True  # `refused` returns without one
        if isinstance(error, CrawlmeshError):
            return True  # the master does not understand us; a new start may help
        raise error
    return False


def first_error(ended: "set[asyncio.Task[Any]]") -> BaseException | None:
    """What one of the loops ended with, where it was an error."""
    return next((task.exception() for task in ended if not task.cancelled() and task.exception()), None)


async def cancel_all(*tasks: "asyncio.Future[Any]") -> None:
    """Cancel them, and wait until they are gone."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
