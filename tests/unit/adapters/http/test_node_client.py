import msgspec
import pytest
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.adapters.http import MasterAddresses, NodeClient, NodeCredentials
from crawlmesh.errors import (
    ConflictError,
    CrawlmeshError,
    ForbiddenError,
    InvalidError,
    MasterUnreachableError,
    NotFoundError,
    SettingError,
    StaleSessionError,
    UnauthenticatedError,
)
from crawlmesh.protocol.node_messages import (
    HeartbeatMessage,
    LogMessage,
    PullAnswer,
    PullMessage,
    Registered,
    Registration,
    ReportAnswer,
    ReportMessage,
)
from tests.unit.adapters.http.master_server import master_server

REGISTERED = Registered(
    node_id="node-1",
    registration_time=1.0,
    initial_status="online",
    token="secret",
    session=3,
    cluster_id="default",
    heartbeat_interval=30.0,
)
ANSWERS = {
    "register": REGISTERED,
    "heartbeat": {"node_id": "node-1", "timestamp": 1.0, "status": "online"},
    "pull": PullAnswer(),
    "report": ReportAnswer(taken=(True,)),
}


class Recorder:
    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []
        self.answer_with: Response | None = None

    async def answer(self, request: Request) -> Response:
        path = request.url.path
        self.seen.append((path, request.headers.get("authorization", "")))
        if self.answer_with is not None:
            return self.answer_with
        found = ANSWERS.get(path.rpartition(":")[2])
        return Response(
            b"" if found is None else msgspec.json.encode(found), status_code=200 if found else 204
        )


async def test_a_node_says_everything_with_its_token() -> None:
    recorder = Recorder()
    async with master_server(recorder.answer) as port:
        client = NodeClient(MasterAddresses([f"http://127.0.0.1:{port}/"]), NodeCredentials(), "join")
        assert await client.register(Registration(name="n")) == REGISTERED
        assert (await client.heartbeat(HeartbeatMessage(session=3))).status == "online"
        assert await client.pull(PullMessage(session=3, wait=0.0)) == PullAnswer()
        assert (await client.report(ReportMessage(session=3, reports=()))).taken == (True,)
        await client.logs(LogMessage(session=3, lines=()))
        await client.leave(3)
        await client.aclose()
        await client.aclose()
    assert recorder.seen[0] == ("/api/v1/nodes:register", "Bearer join")
    assert recorder.seen[1:] == [
        (f"/api/v1/nodes/node-1:{verb}", "Bearer secret")
        for verb in ("heartbeat", "pull", "report", "logs", "leave")
    ]


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (409, "stale_session", StaleSessionError),
        (409, "conflict", ConflictError),
        (401, "unauthenticated", UnauthenticatedError),
        (403, "forbidden", ForbiddenError),
        (404, "not_found", NotFoundError),
        (422, "invalid", InvalidError),
        (413, "too_large", InvalidError),
        (503, "unavailable", MasterUnreachableError),
        (500, "", MasterUnreachableError),
        (401, "", UnauthenticatedError),
        (302, "", MasterUnreachableError),
        (200, "", MasterUnreachableError),  # something else answers there
    ],
)
async def test_errors_become_ours(status: int, code: str, kind: type[CrawlmeshError]) -> None:
    recorder = Recorder()
    credentials = NodeCredentials()
    credentials.set("node-1", "secret", 3)
    body = msgspec.json.encode({"error": {"code": code, "message": "why"}}) if code else b"<html>"
    recorder.answer_with = Response(body, status_code=status)
    async with master_server(recorder.answer) as port:
        client = NodeClient(MasterAddresses([f"http://127.0.0.1:{port}"]), credentials)
        with pytest.raises(kind):
            await client.heartbeat(HeartbeatMessage(session=3))
        await client.aclose()
    if kind in (StaleSessionError, UnauthenticatedError, NotFoundError):
        await credentials.wait_refused()


async def test_nobody_answers() -> None:
    client = NodeClient(MasterAddresses(["http://127.0.0.1:9"]), NodeCredentials())
    with pytest.raises(MasterUnreachableError, match=r"No master answers at http://127\.0\.0\.1:9"):
        await client.register(Registration(name="n"))
    await client.aclose()


@pytest.mark.parametrize("address", ["ftp://x", "http://", ""])
def test_addresses_that_make_no_sense_are_refused(address: str) -> None:
    with pytest.raises(SettingError, match="master_url"):
        MasterAddresses([address])


def test_at_least_one_address_is_needed() -> None:
    with pytest.raises(SettingError, match="master_url is empty"):
        MasterAddresses([])
