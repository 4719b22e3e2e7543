"""The command `crawlmesh` from a checkout: `python main.py distribute --mode standalone` and all the others.

With a Python that lacks Crawlmesh it goes on with the one in `.venv`, which `make setup` makes.
"""

import importlib.util
import os
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parent
_ENVIRONMENT = _ROOT / ".venv"
_PYTHON = _ENVIRONMENT / "bin" / "python"


def main() -> None:
    """Run the command with whatever Python can."""
    if _is_installed():
        from crawlmesh.cli.main import main as run  # noqa: PLC0415 - only where it is installed

        run()
    elif _PYTHON.is_file() and Path(sys.prefix) != _ENVIRONMENT:
        os.execv(_PYTHON, [str(_PYTHON), str(_ROOT / "main.py"), *sys.argv[1:]])  # noqa: S606 - no shell
    else:
        sys.exit("crawlmesh: Crawlmesh is not installed for this Python. Run `make setup` first.")


def _is_installed() -> bool:
    return all(importlib.util.find_spec(name) is not None for name in ("crawlmesh", "click", "msgspec"))


if __name__ == "__main__":
    main()
