"""A whole master on memory stores, with a key for each role and one node."""

from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI

from crawlmesh.adapters.memory import MemoryControlStore, MemoryCrawlStore
from crawlmesh.api.app import make_app
from crawlmesh.api.options import ApiOptions
from crawlmesh.control.context import ControlContext, ControlOptions
from crawlmesh.control.keys import create_key
from crawlmesh.control.register_node import register_node
from crawlmesh.errors import InvalidError
from crawlmesh.model.access import Role
from crawlmesh.protocol.node_messages import Registered, Registration
from crawlmesh.rules.placement.least_loaded import LeastLoaded
from crawlmesh.testing.manual_clock import ManualClock
from tests.unit.api.client import Answer, Client

NOW = 1_686_825_045.0  # 2023-06-15T10:30:45Z, as in S2


def check_parameters(task_type: str, parameters: dict[str, Any]) -> None:
    """As the wiring's: a crawl needs a URL."""
    if task_type == "web_crawl" and not isinstance(parameters.get("url"), str):
        raise InvalidError("parameters.url is missing; give the address of a page.", "parameters.url")


def new_context(clock: ManualClock) -> ControlContext:
    return ControlContext(
        store=MemoryControlStore(),
        crawl_store=MemoryCrawlStore(clock),
        clock=clock,
        options=ControlOptions(),
        strategies={"least_loaded": LeastLoaded()},
        check_parameters=check_parameters,
    )


@dataclass(frozen=True)
class Master:
    app: FastAPI
    context: ControlContext
    options: ApiOptions
    clock: ManualClock
    keys: dict[str, str]
    node: Registered

    @classmethod
    async def start(cls, **options: Any) -> "Master":
        clock = ManualClock(NOW)
        context = new_context(clock)
        keys = {role.value: (await create_key(context, role.value, role)).secret for role in Role}
        node = await register_node(context, Registration(name="worker", device_id="worker-001", slots=4))
        api_options = ApiOptions(**options)
        return cls(make_app(context, api_options), context, api_options, clock, keys, node)

    def client(self, role: str | None = "admin") -> Client:
        return Client(self.app, None if role is None else self.keys[role])

    @property
    def node_client(self) -> Client:
        return Client(self.app, self.node.token)

    async def submit(self, **fields: Any) -> str:
        answer = await self.client().post(
            "/api/v1/tasks", {"parameters": {"url": "https://example.com/"}, **fields}
        )
        assert answer.status == 201, answer
        return str(answer.json["id"])

    async def assigned(self, **fields: Any) -> str:
        """The id of a task that the node got."""
        task_id = await self.submit(**{"task_type": "noop", "parameters": {}, **fields})
        path = f"/api/distribution/tasks/{task_id}/assign"
        answer = await self.client().request("PUT", path, json={"device_id": "worker-001"})
        assert answer.status == 200, answer
        return task_id

    async def node_call(self, verb: str, message: Any) -> Answer:
        return await self.node_client.post(f"/api/v1/nodes/{self.node.node_id}:{verb}", message)
