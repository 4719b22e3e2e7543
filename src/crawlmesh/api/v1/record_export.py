"""`/api/v1/tasks/{id}/records:export`: all records of a crawl as a file."""

import re
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from crawlmesh.api.auth import VIEWERS
from crawlmesh.api.exported_file import ExportedFile, exported_file, exported_lines
from crawlmesh.api.operations import Success, operation
from crawlmesh.api.paths import TaskId
from crawlmesh.api.services import services_of
from crawlmesh.control.changing import known_task

router = APIRouter(prefix="/api/v1")

_MEDIA_TYPES = {
    "jsonl": "application/x-ndjson",
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
}
_DISPOSITION = {"Content-Disposition": "The name of the file."}
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_HUNG_UP = 499  # for the metrics; nobody is there to get it
_LONGEST_NAME = 100  # characters


@router.get(
    "/tasks/{task_id:task}/records:export",
    **operation(
        "export_task_records",
        "What a crawl extracted, as a file",
        tag="tasks",
        roles=VIEWERS,
        description="The file is what `crawlmesh export` writes; empty where the crawl has no records yet.",
        success=Success(None, None, headers=_DISPOSITION, media_type=_MEDIA_TYPES["jsonl"]),
        also=tuple(
            Success(None, None, headers=_DISPOSITION, media_type=_MEDIA_TYPES[name])
            for name in ("csv", "parquet")
        ),
        errors=(404,),
    ),
)
async def export_task_records(
    request: Request,
    task_id: TaskId,
    file_format: Annotated[
        Literal["jsonl", "csv", "parquet"], Query(alias="format", description="The format of the file.")
    ] = "jsonl",
) -> Response:
    """All records; those that come while it is written may be missing."""
    services = services_of(request)
    await known_task(services.context, task_id)
    headers = {"Content-Disposition": f'attachment; filename="{file_name(task_id, file_format)}"'}
    media_type = _MEDIA_TYPES[file_format]
    if file_format == "jsonl":
        return StreamingResponse(exported_lines(services, task_id), headers=headers, media_type=media_type)
    try:
        file = await exported_file(request, services, task_id, f"records.{file_format}")
    except ClientDisconnect:
        return Response(status_code=_HUNG_UP)
    return ExportedFile(file, headers, media_type)


def file_name(task_id: str, extension: str) -> str:
    """A name that every file system and every browser takes."""
    plain = _UNSAFE.sub("_", task_id)[:_LONGEST_NAME].strip("._")
    return f"{plain or 'task'}-records.{extension}"
