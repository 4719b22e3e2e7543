"""Facts about the machine that a result is worth nothing without."""

import os
import platform
from pathlib import Path


def machine_facts() -> dict[str, str]:
    """Processor, cores, system and Python."""
    return {
        "processor": _processor_name(),
        "cores": str(os.cpu_count()),
        "load average at start": " ".join(f"{value:.2f}" for value in os.getloadavg()),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def _processor_name() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


class StealMeter:
    """How much of the processor time the hypervisor gave to others, since `start`."""

    def __init__(self) -> None:
        self._before = _processor_times()

    def share(self) -> float:
        """Stolen time as a share of all time, 0 … 1."""
        total, stolen = (now - then for now, then in zip(_processor_times(), self._before, strict=True))
        return stolen / total if total else 0.0


def _processor_times() -> tuple[int, int]:
    """All ticks (without guest time, which user time holds already) and stolen ticks."""
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return sum(fields), fields[7]
