"""How the processes of a cluster find and trust each other."""

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from crawlmesh.settings.checks import broker_address, master_addresses, secret
from crawlmesh.settings.mode import Mode


class ConnectionSettings(BaseModel):
    """Masters, workers and the commands that talk to them."""

    mode: Mode = Field(
        Mode.STANDALONE,
        description="What `crawlmesh distribute` starts: `standalone` (both in one), `master` or `worker`.",
    )
    host: str = Field(
        "127.0.0.1",
        min_length=1,
        description=(
            "Address that a master, or a worker for health checks, listens on;"
            " `0.0.0.0` is every address of the machine."
        ),
    )
    port: int = Field(
        8000,
        ge=0,
        le=65_535,
        description="Port for the same; 0: any free one, as for a worker that is told nothing.",
    )
    master_url: Annotated[str | None, AfterValidator(master_addresses)] = Field(
        None,
        description=(
            "Where workers and commands find the master, such as `http://master:8000`; several with commas."
            " Empty: the master that runs with the same data folder, else one that answers in the network."
        ),
    )
    api_key: Annotated[str | None, AfterValidator(secret)] = Field(
        None,
        description="The admin key, for masters and commands. Empty: generated at a master's first start.",
    )
    join_token: Annotated[str | None, AfterValidator(secret)] = Field(
        None, description="The key workers register with. Empty: generated at the first start of a master."
    )
    task_channel: Annotated[str | None, AfterValidator(broker_address)] = Field(
        None,
        description=(
            "The message broker that tasks come from and over which work goes to the workers:"
            " `amqp://user:password@host/vhost` (`amqps://` with TLS), or `kafka://host:9092` (`kafka+ssl://`)."
            " Give it to masters and workers. Empty: none; workers ask their masters for work."
        ),
    )
    event_bus: Annotated[str | None, AfterValidator(broker_address)] = Field(
        None,
        description=(
            "The message broker to which masters publish events and results; an address as for"
            " `task_channel`, also the same one. Empty: none."
        ),
    )
    discovery: bool = Field(
        True,
        description="Whether masters announce themselves by mDNS, and workers without `master_url` listen.",
    )
    discovery_timeout: float = Field(
        10.0, gt=0, le=600, description="Seconds a worker listens for a master before it gives up."
    )
    tls_certificate: Path | None = Field(
        None, description="File with the certificate of a master (PEM); with it, it serves HTTPS."
    )
    tls_key: Path | None = Field(None, description="File with the private key of the certificate (PEM).")
    tls_authority: Path | None = Field(
        None,
        description="File with the authorities (PEM) that workers and commands trust beside the system's.",
    )

    @property
    def worker_port(self) -> int:
        """Where a worker of its own answers health checks."""
        return self.port if "port" in self.model_fields_set and self.mode is Mode.WORKER else 0

    @property
    def master_urls(self) -> list[str]:
        """The addresses of masters, each without a slash at its end."""
        return [part.strip().rstrip("/") for part in (self.master_url or "").split(",") if part.strip()]
