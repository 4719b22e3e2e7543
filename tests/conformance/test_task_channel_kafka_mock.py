from collections.abc import Iterator

import pytest

from crawlmesh.testing.conformance.task_channel import TaskChannelSuite
from crawlmesh.testing.servers.kafka_mock import MockKafka


@pytest.fixture(scope="module")
def cluster() -> Iterator[MockKafka]:
    mock = MockKafka()
    yield mock
    mock.close()


class TestKafkaTaskChannelOnTheMockCluster(TaskChannelSuite):
    opener = "crawlmesh.adapters.kafka.task_channel:open_kafka_channel"
    unreachable = "kafka://user:s3cret@127.0.0.1:1/?publish_timeout=1"
    ordered = True
    independent_groups = True

    @pytest.fixture(autouse=True)
    def _cluster(self, cluster: MockKafka) -> None:
        self._address = cluster.address()

    def address(self) -> str:
        return self._address
