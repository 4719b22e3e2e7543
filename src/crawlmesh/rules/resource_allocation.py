"""How much of a node one execution gets (S4 of the requirements)."""

from typing import Any, Final

from crawlmesh.model.execution import Allocation
from crawlmesh.model.node import Node
from crawlmesh.model.task import Task

BUSY_ABOVE: Final = 0.7  # load
IDLE_BELOW: Final = 0.3  # load

_LEAST_CPU_CORES = 0.5
_LEAST_MEMORY_MB = 512.0
_USUAL_CPU_CORES = 1.0
_USUAL_MEMORY_MB = 1024.0
_MOST_RENDERING_MEMORY_MB = 8192.0
_MOST_PROXY_CPU_CORES = 4.0


def allocate(task: Task, node: Node) -> Allocation:
    """What the task asks for, less on a busy node, more on an idle one, and more for what needs more.

    Never more than the node has, as far as that is known, and never less than half a core and 512 MB.
    """
    cpu_limit = node.resources.get("cpu", float("inf"))
    memory_limit = node.resources.get("memory_mb", float("inf"))
    cpu = max(min(task.min_resources.get("cpu_cores", _USUAL_CPU_CORES), cpu_limit), _LEAST_CPU_CORES)
    memory = max(min(task.min_resources.get("memory_mb", _USUAL_MEMORY_MB), memory_limit), _LEAST_MEMORY_MB)
    if node.load > BUSY_ABOVE:
        cpu, memory = cpu * 0.8, memory * 0.9
    elif node.load < IDLE_BELOW:
        cpu, memory = cpu * 1.2, memory * 1.1
    if _wants(task, "javascript_rendering"):
        memory = _raised(memory, 1.5, _MOST_RENDERING_MEMORY_MB)
    if _wants(task, "proxy_rotation"):
        cpu = _raised(cpu, 1.3, _MOST_PROXY_CPU_CORES)
    return Allocation(
        cpu_cores=max(min(cpu, cpu_limit), _LEAST_CPU_CORES),
        memory_mb=max(min(memory, memory_limit), _LEAST_MEMORY_MB),
        gpu=min(task.min_resources.get("gpu", 0.0), node.resources.get("gpu", 0.0)),
    )


def _wants(task: Task, capability: str) -> bool:
    value: Any = task.capabilities.get(capability, 0)
    return value > 0 if isinstance(value, int | float) else bool(value)


def _raised(amount: float, factor: float, most: float) -> float:
    """More, up to a bound; what is above the bound already stays as it is."""
    return max(amount, min(amount * factor, most))
