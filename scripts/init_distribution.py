# ruff: noqa: INP001 - a script, not a package
"""Make the current folder ready for a cluster: tables and configuration files (`--help` says more).

With a Python that lacks Crawlmesh it goes on with the one in `.venv`, which `make setup` makes.
"""

import importlib.util
import os
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_ENVIRONMENT = _ROOT / ".venv"
_PYTHON = _ENVIRONMENT / "bin" / "python"


def main() -> None:
    """Run it with whatever Python can."""
    if all(importlib.util.find_spec(name) is not None for name in ("crawlmesh", "click", "msgspec")):
        from crawlmesh.cli.distribution.initialize import initialize  # noqa: PLC0415 - only where it is installed
        from crawlmesh.cli.main import main as run  # noqa: PLC0415

        run(command=initialize)
    elif _PYTHON.is_file() and Path(sys.prefix) != _ENVIRONMENT:
        os.execv(_PYTHON, [str(_PYTHON), str(Path(__file__).resolve()), *sys.argv[1:]])  # noqa: S606 - no shell
    else:
        sys.exit("crawlmesh: Crawlmesh is not installed for this Python. Run `make setup` first.")


if __name__ == "__main__":
    main()
