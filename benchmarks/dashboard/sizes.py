"""How large the generated cluster is, and what in it the calls are about."""

from dataclasses import dataclass

import msgspec

DAYS = 5.0  # over which the tasks were created
CHARTED_NODES = 100  # with a history of heartbeats
CRAWLS = 300  # small ones that are worked on, beside the large one
HOSTS = 20_000
HOSTS_OF_CRAWL = 2_000  # of the large one
EVENTS = 200_000
NEEDLE = "needle-4711"  # stands in the parameters of one old task


@dataclass(frozen=True)
class Sizes:
    """Numbers of rows."""

    tasks: int
    nodes: int
    records: int

    @property
    def online(self) -> int:
        """Nodes that work; each has one place and one task on it."""
        return self.nodes * 9 // 10

    @property
    def pending(self) -> int:
        return min(5_000, self.tasks // 20)

    @property
    def stuck(self) -> int:
        """Of the pending ones, those that no node can take."""
        return self.pending // 25

    def check(self) -> None:
        if self.nodes < 100 or self.records < 10_000 or self.tasks < 2 * (self.online + self.pending):
            raise SystemExit(
                f"{self.tasks} tasks, {self.nodes} nodes and {self.records} records do not go together: "
                "take at least 100 nodes, 10000 records, and twice as many tasks as nodes and 5 % more."
            )


class Landmarks(msgspec.Struct):
    """Ids that calls name, kept beside the database."""

    crawl: str = ""  # the task with the large crawl
    pending: list[str] = []  # fifty that wait
    stuck: str = ""
    failed: str = ""
    completed: str = ""
    node: str = ""  # with many executions, and with a history
    tasks: int = 0
    nodes: int = 0
    records: int = 0
