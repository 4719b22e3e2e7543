import pytest

from crawlmesh.adapters.memory.task_channel import MemoryBroker, MemoryTaskChannel
from crawlmesh.ports.task_channel import TaskChannel
from crawlmesh.testing.conformance.task_channel import TaskChannelSuite


class TestMemoryTaskChannel(TaskChannelSuite):
    ordered = True
    priorities = True

    @pytest.fixture(autouse=True)
    def broker(self) -> None:
        self._broker = MemoryBroker()

    async def open_channel(self) -> TaskChannel:
        return MemoryTaskChannel(self._broker)
