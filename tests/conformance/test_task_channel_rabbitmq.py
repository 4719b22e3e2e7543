import pytest

from crawlmesh.testing.conformance.task_channel import TaskChannelSuite
from crawlmesh.testing.servers.rabbitmq import RabbitServer

pytestmark = pytest.mark.xdist_group("rabbitmq")


class TestRabbitTaskChannel(TaskChannelSuite):
    opener = "crawlmesh.adapters.rabbitmq.task_channel:open_rabbitmq"
    unreachable = "amqp://crawlmesh:s3cret@127.0.0.1:1/"
    ordered = True
    priorities = True
    restartable = True

    @pytest.fixture(autouse=True)
    def use_server(self, rabbitmq_server: RabbitServer) -> None:
        self._server = rabbitmq_server

    def address(self) -> str:
        return self._server.address()

    async def kill_broker(self) -> None:
        await self._server.kill_in_thread()

    async def start_broker(self) -> None:
        await self._server.start_in_thread()
