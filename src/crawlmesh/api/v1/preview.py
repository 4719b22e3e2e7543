"""`/api/v1/preview`: one page, before it is crawled."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api import examples
from crawlmesh.api.auth import OPERATORS
from crawlmesh.api.bodies import BodyReader, answer
from crawlmesh.api.operations import Body, Success, operation
from crawlmesh.api.requests import PreviewRequest
from crawlmesh.api.services import services_of
from crawlmesh.model.preview import PagePreview, PreviewOrder

router = APIRouter(prefix="/api/v1")

_REQUEST = BodyReader(PreviewRequest)


@router.post(
    "/preview",
    **operation(
        "preview_page",
        "Look at a page, and at what selectors take from it",
        tag="tasks",
        roles=OPERATORS,
        description=(
            "The page is remembered for some minutes, so that other selectors do not ask its server again. "
            "robots.txt is not read: this is a person's visit, not a crawl."
        ),
        body=Body(
            PreviewRequest,
            {"url": "https://example.com/products/1", "selectors": {"title": "h1", "price": ".price"}},
        ),
        success=Success(
            PagePreview, examples.PREVIEW, description="The page, or why there is nothing to be seen of it."
        ),
    ),
)
async def preview_page(request: Request) -> Response:
    """One page, fetched by this master under its own settings."""
    wanted = await _REQUEST.read(request)
    fields, metadata = _specified(wanted.extraction)
    order = PreviewOrder(
        url=wanted.url,
        fields={**fields, **wanted.selectors},
        metadata=wanted.metadata or metadata,
        refresh=wanted.refresh,
    )
    return answer(await services_of(request).options.preview(order))


def _specified(extraction: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """The fields of a specification, which may stand under `selectors` with `metadata` beside them."""
    fields = extraction.get("selectors")
    if not isinstance(fields, dict):
        return extraction, False
    others = {name: value for name, value in extraction.items() if name not in ("selectors", "metadata")}
    return {**others, **fields}, extraction.get("metadata") is True
