"""The `Master` port over HTTP."""

from collections.abc import Mapping
from typing import Any

import msgspec

from crawlmesh.adapters.http.answer_errors import error_of
from crawlmesh.adapters.http.master_addresses import MasterAddresses
from crawlmesh.adapters.http.node_credentials import NodeCredentials
from crawlmesh.errors import MasterUnreachableError, NotFoundError, StaleSessionError, UnauthenticatedError
from crawlmesh.protocol.node_messages import (
    HeartbeatAnswer,
    HeartbeatMessage,
    LogMessage,
    PullAnswer,
    PullMessage,
    Registered,
    Registration,
    ReportAnswer,
    ReportMessage,
)

_TIMEOUT = 30.0  # seconds for an answer
_JSON = {"Content-Type": "application/json"}


class NodeClient:
    """Speaks for one node. See Master for what each call does."""

    def __init__(
        self, masters: MasterAddresses, credentials: NodeCredentials, join_token: str | None = None
    ) -> None:
        self._masters = masters
        self._credentials = credentials
        self._join_token = join_token

    async def register(self, registration: Registration) -> Registered:
        """See Master.register."""
        token = self._join_token or self._credentials.token
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        registered: Registered = await self._post("/api/v1/nodes:register", registration, headers, Registered)
        self._credentials.set(registered.node_id, registered.token, registered.session)
        return registered

    async def heartbeat(self, message: HeartbeatMessage) -> HeartbeatAnswer:
        """See Master.heartbeat."""
        answer: HeartbeatAnswer = await self._say("heartbeat", message, HeartbeatAnswer)
        return answer

    async def pull(self, message: PullMessage) -> PullAnswer:
        """See Master.pull."""
        answer: PullAnswer = await self._say("pull", message, PullAnswer, _TIMEOUT + message.wait)
        return answer

    async def report(self, message: ReportMessage) -> ReportAnswer:
        """See Master.report."""
        answer: ReportAnswer = await self._say("report", message, ReportAnswer)
        return answer

    async def logs(self, message: LogMessage) -> None:
        """See Master.logs."""
        await self._say("logs", message, None)

    async def leave(self, session: int, *, finishing: bool = False) -> None:
        """See Master.leave."""
        await self._say("leave", {"session": session, "finishing": finishing}, None)

    async def refused(self) -> None:
        """See Master.refused."""
        await self._credentials.wait_refused()

    async def aclose(self) -> None:
        """Hang up. Twice is fine."""
        await self._masters.aclose()

    async def _say(
        self, verb: str, message: Any, answer_type: type[msgspec.Struct] | None, seconds: float = _TIMEOUT
    ) -> Any:
        credentials = self._credentials
        version = credentials.version
        path = f"/api/v1/nodes/{credentials.node_id}:{verb}"
        try:
            return await self._post(path, message, credentials.headers(), answer_type, seconds)
        except (StaleSessionError, UnauthenticatedError, NotFoundError):
            credentials.refused(version)
            raise

    async def _post(
        self,
        path: str,
        message: Any,
        headers: Mapping[str, str],
        answer_type: type[msgspec.Struct] | None,
        seconds: float = _TIMEOUT,
    ) -> Any:
        body = msgspec.json.encode(message)
        answer = await self._masters.post(path, body, {**_JSON, **headers}, seconds)
        error = error_of(answer)
        if error is not None:
            raise error
        if answer_type is None:
            return None
        try:
            return msgspec.json.decode(answer.body, type=answer_type)
        except (msgspec.DecodeError, msgspec.ValidationError) as problem:
            raise MasterUnreachableError(
                f"{self._masters.current} answers, but not like a master of this version: {problem}."
            ) from problem
