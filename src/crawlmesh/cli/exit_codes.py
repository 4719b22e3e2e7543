"""What the exit code of a command says."""

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes; scripts rely on them."""

    DONE = 0
    FAILED = 1  # could not be done, or finished with dead links under --strict
    USAGE = 2  # the command itself is wrong
    INTERRUPTED = 130  # stopped by Ctrl-C, state kept
