"""Taking fields from a page in a process of its own, within a time: for regular expressions.

Some of them take for ever on some texts, and while one is at work nothing else in its process is. Here it
ends with its process. `python -m crawlmesh.crawl.separate_look` reads one `SeparateLook` and writes one
`PageYield`.
"""

import asyncio
import sys
from typing import Any

import msgspec

from crawlmesh.crawl.extraction import Document
from crawlmesh.crawl.page_look import PageYield, take_from
from crawlmesh.errors import CrawlmeshError

_MODULE = "crawlmesh.crawl.separate_look"
_PREFIX = "re:"


class SeparateLook(msgspec.Struct, frozen=True):
    """A page, and what to take from it."""

    body: bytes
    content_type: str | None
    url: str
    fields: dict[str, Any]
    metadata: bool


class TooSlowError(CrawlmeshError):
    """It took longer than it may."""


def has_expression(field: Any) -> bool:
    """Whether a field, or one inside it, is read with a regular expression."""
    if isinstance(field, str):
        return field.lstrip().startswith(_PREFIX)
    if isinstance(field, dict):
        return any(has_expression(part) for part in field.values())
    return False


async def take_separately(look: SeparateLook, patience: float) -> PageYield:
    """What the fields take from the page. Raises TooSlowError after `patience` seconds."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", _MODULE, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    try:
        answer, _ = await asyncio.wait_for(process.communicate(msgspec.msgpack.encode(look)), patience)
        return msgspec.msgpack.decode(answer, type=PageYield)
    except TimeoutError:
        raise TooSlowError(f"It took longer than {patience:g} seconds.") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


def main() -> None:
    """Answer one look."""
    look = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=SeparateLook)
    document = Document(look.body, look.content_type, look.url)
    taken = take_from(document, look.fields, metadata=look.metadata)
    sys.stdout.buffer.write(msgspec.msgpack.encode(taken))


if __name__ == "__main__":
    main()
