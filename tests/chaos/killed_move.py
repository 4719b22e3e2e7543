"""`crawlmesh migrate` that kills itself by SIGKILL when it comes to a stage: `killed_move STAGE OPTIONS…`."""

import os
import signal
import sys

from crawlmesh.cli import migrate
from crawlmesh.cli.main import main


class _Killer:
    def __call__(self, name: str, rows: int) -> None:
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGKILL)

    def end(self) -> None:
        raise AssertionError("it was not killed")


if __name__ == "__main__":
    migrate._Progress = _Killer  # type: ignore[assignment,misc]  # stands in for it
    main(["migrate", *sys.argv[2:]])
