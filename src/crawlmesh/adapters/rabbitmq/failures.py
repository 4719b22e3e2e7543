"""What goes wrong with a broker, as errors of the port."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from aiormq.exceptions import (
    AuthenticationError,
    ChannelAccessRefused,
    ChannelPreconditionFailed,
    ConnectionNotAllowed,
    ProbableAuthenticationError,
)

from crawlmesh.errors import ChannelError, CrawlmeshError

CLIENT_FAILURES = Exception  # the client raises a bare one where a connection ended for no reason


@contextmanager
def channel_errors(shown: str) -> Iterator[None]:
    """Turn failures of the client into ChannelErrors that name the address."""
    try:
        yield
    except asyncio.CancelledError:
        # The client cancels what waits for a lost connection; what the caller cancelled goes through.
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise ChannelError(f"The connection to RabbitMQ at {shown} was lost; publish again") from None
    except CrawlmeshError:
        raise
    except CLIENT_FAILURES as error:
        raise ChannelError(_sentence(shown, error)) from error


def _sentence(shown: str, error: Exception) -> str:
    if isinstance(error, AuthenticationError | ProbableAuthenticationError):
        return f"RabbitMQ at {shown} refuses the user or the password; check both in the address"
    if isinstance(error, ConnectionNotAllowed) or "Connection.OpenOk" in str(error):
        return f"RabbitMQ at {shown} refuses the virtual host; add it, or give the user rights to it"
    if isinstance(error, ChannelAccessRefused):
        return (
            f"RabbitMQ at {shown}: {_reason(error)}; the user needs all rights to what begins with crawlmesh"
        )
    if isinstance(error, ChannelPreconditionFailed):
        return f"RabbitMQ at {shown}: {_reason(error)}; remove what has this name, it was made otherwise"
    if isinstance(error, TimeoutError):
        return f"RabbitMQ at {shown} does not answer; is it overloaded, or out of memory or disk?"
    if isinstance(error, OSError):
        return f"RabbitMQ at {shown} cannot be reached: {_reason(error)}; does it run, is the address right?"
    if type(error) is Exception:
        return f"The connection to RabbitMQ at {shown} was lost; publish again"
    return f"RabbitMQ at {shown} cannot do this: {_reason(error)}"


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
