"""What a worker offers."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field

from crawlmesh.settings.checks import identifier


class WorkerSettings(BaseModel):
    """Workers."""

    device_id: Annotated[str | None, AfterValidator(identifier)] = Field(
        None,
        description=(
            "Who this worker is; the same id is the same node again."
            " Empty: made once and kept in the data folder."
        ),
    )
    device_name: str | None = Field(
        None, max_length=255, description="Name of this worker for people. Empty: that of the machine."
    )
    concurrent_tasks: int = Field(32, ge=1, le=10_000, description="Tasks that this worker works on at once.")
    node_type: str = Field(
        "standard", min_length=1, max_length=50, description="Kind of this node; tasks may ask for one."
    )
    region: str = Field("", max_length=100, description="Where this node is, such as `us` or `cn-north`.")
    cluster: Annotated[str | None, AfterValidator(identifier)] = Field(
        None, description="Id of the cluster this node belongs to. Empty: the default one."
    )
    capabilities: dict[str, Any] = Field(
        {},
        description=(
            'What this node can do beyond the usual, such as `{"javascript_rendering": 1}`'
            " (a JSON object in the environment)."
        ),
    )
    allow_ignoring_robots: bool = Field(
        False, description="Whether tasks may have this worker crawl without regard to robots.txt."
    )
    drain_timeout: float = Field(
        30.0,
        ge=0,
        le=86_400,
        description=(
            "Seconds that tasks other than crawls have to come to their end when the worker is stopped with"
            " Ctrl-C; then they are given back. Crawls are given back at once."
        ),
    )
    weight: float = Field(
        1.0,
        gt=0,
        le=1_000_000,
        description="Share of the work that this node gets under the strategy `weighted`.",
    )
