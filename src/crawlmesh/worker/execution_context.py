"""What an executor gets beside its assignment."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

from crawlmesh.model.execution import Allocation

Log = Callable[[str, str], None]


class ExecutionContext:
    """The surroundings of one execution."""

    def __init__(
        self,
        execution_id: str,
        log: Log,
        now: Callable[[], float],
        folder: Path,
        allocation: Allocation | None = None,
    ) -> None:
        self.execution_id = execution_id
        self.log = log  # level (INFO, WARNING …) and message
        self.now = now  # Unix time
        self.allocation = allocation  # what the node gives to this go
        self.stop = asyncio.Event()  # set when the go shall end
        self.retry = True  # an executor sets it to False where another try would fail just the same
        self.completed = False  # an executor sets it where its work is complete although it was told to stop
        self._folder = folder / execution_id

    @property
    def work_folder(self) -> Path:
        """A folder for this execution alone, gone when it ends."""
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder

    def clean_up(self) -> None:
        """Remove the folder, where there is one."""
        if self._folder.exists():
            shutil.rmtree(self._folder, ignore_errors=True)
