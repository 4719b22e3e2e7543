"""Becomes another program, as another user if wanted, and dies with whoever started it.

Run as a script: launch.py USER SIGNAL PROGRAM ARGUMENTS…, with "" for USER to stay who one is, and the number
of the signal to die of. A script and not a `preexec_fn`, because that may not run in a process with threads.
"""

import ctypes
import os
import pwd
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(user: str, death: int, program: list[str]) -> None:
    """Take the user's rights and the parent's death signal, in this order: new rights clear the signal."""
    if user:
        account = pwd.getpwnam(user)
        os.setgroups([])
        os.setgid(account.pw_gid)
        os.setuid(account.pw_uid)
        os.environ.update(HOME="/tmp", USER=user, LOGNAME=user)
    if death != signal.SIGKILL:  # which nobody can ignore; background jobs of a shell ignore some others
        signal.signal(death, signal.SIG_DFL)
    starter = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, death)
    if os.getppid() != starter:  # it died before it could be watched
        sys.exit(1)
    os.execv(program[0], program)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
