"""One page, looked at before it is crawled."""

from typing import Any

import msgspec


class OutlineNode(msgspec.Struct, frozen=True):
    """An element of a page, or several siblings that look alike.

    `selector` is CSS that finds these elements, also on other pages of the same make.
    """

    selector: str
    tag: str
    id: str | None
    classes: list[str]
    text: str  # at most 120 characters
    attributes: dict[str, str]  # href, src, content …
    count: int  # siblings that it stands for, itself included
    children: list["OutlineNode"]


class PagePreview(msgspec.Struct, frozen=True, kw_only=True):
    """What is at a URL, and what would be taken from it.

    `status` is null where no answer came. `problem` says why there is nothing to see, or why it may not be
    what was wanted. `field_problems` has a sentence for each field that cannot be understood; `data` has the
    others. `truncated`: the outline leaves parts of the page out.
    """

    url: str
    final_url: str
    status: int | None
    content_type: str | None
    kind: str | None  # html, xml, json, text or other
    bytes: int
    title: str | None
    elapsed: float  # seconds
    data: dict[str, Any] | None
    links: int
    outline: list[OutlineNode]
    truncated: bool
    problem: str | None
    field_problems: dict[str, str]


class PreviewOrder(msgspec.Struct, frozen=True, kw_only=True):
    """Which page to look at, and what to take from it."""

    url: str
    fields: dict[str, Any] = {}  # as in an extraction spec
    metadata: bool = False
    refresh: bool = False  # fetch it, also where it is remembered
