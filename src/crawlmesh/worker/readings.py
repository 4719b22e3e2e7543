"""How busy this machine is (N4)."""

import asyncio
import shutil
from contextlib import suppress

import psutil

from crawlmesh.ports.clock import Clock

_GPU_QUESTION = ("--query-gpu=utilization.gpu,memory.used,memory.total", "--format=csv,noheader,nounits")
_GPU_PATIENCE = 5.0  # seconds
_MEBIBYTE = 1024 * 1024


class Readings:
    """Reads the sensors of the machine; rates are means since the last reading."""

    def __init__(self, clock: Clock, folder: str = "/") -> None:
        self._clock = clock
        self._folder = folder
        self._gpu_tool = shutil.which("nvidia-smi")
        self._last: tuple[float, dict[str, int]] | None = None
        psutil.cpu_percent(interval=None)  # the first answer is of no use
        self._counted()

    def resources(self) -> dict[str, float]:
        """What the machine has."""
        found = {
            "cpu": float(psutil.cpu_count() or 1),
            "memory_mb": float(psutil.virtual_memory().total // _MEBIBYTE),
        }
        speed = max((card.speed for card in psutil.net_if_stats().values() if card.isup), default=0)
        if speed:
            found["network_bandwidth_mbps"] = float(speed)
        return found

    async def gpus(self) -> int:
        """How many graphics processors the machine has."""
        return len(await self._ask_gpus())

    async def usage(self) -> dict[str, float]:
        """How much of it is in use: fractions 0 … 1, and bytes per second."""
        usage = {
            "cpu_usage": psutil.cpu_percent(interval=None) / 100,
            "memory_usage": psutil.virtual_memory().percent / 100,
            **self._counted(),
        }
        with suppress(OSError):  # the folder is gone, or its disk is
            usage["disk_usage"] = psutil.disk_usage(self._folder).percent / 100
        gpus = await self._ask_gpus()
        if gpus:
            usage["gpu_usage"] = sum(busy for busy, _ in gpus) / len(gpus)
            usage["gpu_memory_usage"] = sum(memory for _, memory in gpus) / len(gpus)
        return usage

    def _counted(self) -> dict[str, float]:
        now = self._clock.monotonic()
        counters = _counters()
        last, self._last = self._last, (now, counters)
        if last is None or now <= last[0]:
            return {}
        seconds = now - last[0]
        return {
            name: max(0.0, (value - last[1][name]) / seconds)
            for name, value in counters.items()
            if name in last[1]
        }

    async def _ask_gpus(self) -> list[tuple[float, float]]:
        """Use of the processor and of the memory, for each card."""
        if self._gpu_tool is None:
            return []
        try:
            process = await asyncio.create_subprocess_exec(
                self._gpu_tool,
                *_GPU_QUESTION,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
            output, _ = await asyncio.wait_for(process.communicate(), _GPU_PATIENCE)
        except (OSError, TimeoutError):
            self._gpu_tool = None  # it does not work here, and asking again would cost time
            return []
        return [reading for line in output.decode("utf-8", "replace").splitlines() if (reading := _gpu(line))]


def _counters() -> dict[str, int]:
    counters: dict[str, int] = {}
    network = psutil.net_io_counters()
    if network is not None:
        counters["network_sent"] = network.bytes_sent
        counters["network_received"] = network.bytes_recv
    disk = psutil.disk_io_counters()
    if disk is not None:
        counters["disk_read"] = disk.read_bytes
        counters["disk_written"] = disk.write_bytes
    return counters


def _gpu(line: str) -> tuple[float, float] | None:
    try:
        busy, used, total = (float(part) for part in line.split(","))
    except ValueError:
        return None
    return busy / 100, used / total if total else 0.0
