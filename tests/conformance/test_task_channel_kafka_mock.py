import pytest

from crawlmesh.ports.task_channel import TaskChannel
from crawlmesh.testing.conformance.task_channel import TaskChannelSuite
from crawlmesh.testing.servers.kafka_mock import MockKafka
from tests.conformance.task_channel_on_kafka import DeliveriesOutliveTheBroker


class TestKafkaTaskChannelOnTheMockCluster(DeliveriesOutliveTheBroker, TaskChannelSuite):
    opener = "crawlmesh.adapters.kafka.task_channel:open_kafka_channel"
    unreachable = "kafka://user:s3cret@127.0.0.1:1/?publish_timeout=1"
    ordered = True
    independent_groups = True
    restartable = True

    @pytest.fixture(autouse=True)
    def use_cluster(self, mock_kafka: MockKafka) -> None:
        self._mock = mock_kafka

    def address(self) -> str:
        return self._mock.address("publish_timeout=2&session_timeout=2")

    async def kill_broker(self) -> None:
        self._mock.stop()

    async def start_broker(self) -> None:
        self._mock.start()

    @pytest.mark.skip(reason="the mock cluster cannot remove topics")
    async def test_what_was_there_is_gone(self, channel: TaskChannel, place: str) -> None: ...

    @pytest.mark.skip(reason="the mock cluster cannot remove topics")
    async def test_one_that_published_there_before_can_again(
        self, channel: TaskChannel, other: TaskChannel, place: str
    ) -> None: ...
