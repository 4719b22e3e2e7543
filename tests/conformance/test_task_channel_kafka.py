import asyncio

import pytest

from crawlmesh.testing.conformance.task_channel import TaskChannelSuite
from crawlmesh.testing.servers.kafka import KafkaServer
from tests.conformance.task_channel_on_kafka import DeliveriesOutliveTheBroker

pytestmark = pytest.mark.xdist_group("kafka")


class TestKafkaTaskChannel(DeliveriesOutliveTheBroker, TaskChannelSuite):
    opener = "crawlmesh.adapters.kafka.task_channel:open_kafka_channel"
    unreachable = "kafka://user:s3cret@127.0.0.1:1/?publish_timeout=1"
    ordered = True
    independent_groups = True
    restartable = True

    @pytest.fixture(autouse=True)
    def use_server(self, kafka_server: KafkaServer) -> None:
        self._server = kafka_server

    def address(self) -> str:
        return self._server.address("publish_timeout=5&session_timeout=6")

    async def kill_broker(self) -> None:
        await asyncio.to_thread(self._server.kill)

    async def start_broker(self) -> None:
        await asyncio.to_thread(self._server.start)
