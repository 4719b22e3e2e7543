"""The dice, and a way to tell what they did."""

import os
import random
import sys
from collections.abc import Callable

import pytest

Say = Callable[[str], None]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    """Print past pytest: the numbers are wanted when all is well, too."""

    def write(text: str) -> None:
        with capsys.disabled():
            sys.stdout.write(f"\nchaos: {text}\n")

    return write


@pytest.fixture
def dice(say: Say) -> random.Random:
    seed = int(os.environ.get("CHAOS_SEED") or random.SystemRandom().randrange(1_000_000))
    say(f"CHAOS_SEED={seed}")
    return random.Random(seed)
