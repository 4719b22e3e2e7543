"""How samples become charts: which step a moment belongs to, means of means, points without holes."""

from collections.abc import Sequence

from crawlmesh.model.sample import STEPS, Sample

_MAY_COME = 2  # last points that may be on their way: the one of now, and the one before


def step_before(now: float, step: int) -> float:
    """When the last step that is over began."""
    return step_of(now, step) - step


def step_of(moment: float, step: int) -> float:
    """When the step of a moment began."""
    return float(moment // step * step)


def rolled_up(finest: Sample) -> list[Sample]:
    """The same in each coarser step, which it is a part of."""
    return [
        Sample(
            series=finest.series,
            step=step,
            at=step_of(finest.at, step),
            seconds=finest.seconds,
            means=finest.means,
        )
        for step in STEPS
        if step > finest.step
    ]


def joined(one: Sample, other: Sample) -> Sample:
    """Two parts of the same step: means by the time that was looked at. What one does not know, it leaves."""
    seconds = one.seconds + other.seconds
    names = [*one.means, *(name for name in other.means if name not in one.means)]
    return Sample(
        series=other.series,
        step=other.step,
        at=other.at,
        seconds=seconds,
        means={name: _mean(one, other, name) for name in names},
    )


def _mean(one: Sample, other: Sample, name: str) -> float | None:
    first, second = one.means.get(name), other.means.get(name)
    if first is None or second is None:
        return second if first is None else first
    seconds = one.seconds + other.seconds
    return (first * one.seconds + second * other.seconds) / seconds if seconds else second


def points(samples: Sequence[Sample], step: int, begin: float, end: float, rest: float = 0.0) -> list[Sample]:
    """One point for each step from `begin` to `end`; without means where nothing is known.

    A sample that looked back over several steps stands for each of them. The last points are left out
    while they may still come: `rest` is how many seconds there may be between two samples.
    """
    found: list[Sample] = []
    coming = iter(samples)
    sample = next(coming, None)
    for number in range(int(begin // step), int(end // step) + 1):
        at = float(number * step)
        while sample is not None and sample.at < at:
            sample = next(coming, None)
        known = sample is not None and sample.at - max(sample.seconds - step, 0.0) <= at
        series = sample.series if sample is not None else ""
        means = sample.means if sample is not None and known else {}
        found.append(Sample(series=series, step=step, at=at, seconds=float(step), means=means))
    for _ in range(_MAY_COME + int(rest // step)):
        if found and not found[-1].means:
            found.pop()
    return found
