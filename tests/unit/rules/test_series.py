import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlmesh.model.sample import CLUSTER_SERIES, KEEP, STEPS, Sample, Span
from crawlmesh.rules.series import joined, points, rolled_up, step_before, step_of

BEGIN = 1_700_002_800.0  # of an hour


def sample(at: float, seconds: float = 5.0, step: int = 5, **means: float | None) -> Sample:
    return Sample(series=CLUSTER_SERIES, step=step, at=BEGIN + at, seconds=seconds, means=means)


@given(st.floats(1e9, 2e9), st.sampled_from(STEPS))
def test_a_moment_lies_in_its_step_and_after_the_one_that_is_over(moment: float, step: int) -> None:
    begun = step_of(moment, step)
    assert begun <= moment < begun + step
    assert begun % step == 0
    assert step_before(moment, step) == begun - step


def test_every_span_has_points_for_all_its_time_and_they_are_kept_for_longer() -> None:
    lengths = {Span.MINUTES: 900, Span.HOURS: 6 * 3600, Span.DAYS: 7 * 86_400}
    for span, length in lengths.items():
        assert span.step * span.points == length < KEEP[span.step]


def test_a_sample_belongs_to_each_coarser_step() -> None:
    found = rolled_up(sample(245, 4.9, pages=3.0))
    assert [(each.step, each.at - BEGIN, each.seconds) for each in found] == [(120, 240, 4.9), (3600, 0, 4.9)]
    assert [each.means for each in found] == [{"pages": 3.0}] * 2


def test_parts_of_a_step_count_by_the_time_that_they_looked_at() -> None:
    both = joined(sample(0, 15.0, pages=2.0, queued=None), sample(0, 5.0, pages=6.0, queued=4.0, dead=1.0))
    assert both.seconds == 20.0
    assert both.means == {"pages": 3.0, "queued": 4.0, "dead": 1.0}
    assert joined(sample(0, 0.0, pages=1.0), sample(0, 0.0, pages=2.0)).means == {"pages": 2.0}


@given(st.lists(st.tuples(st.floats(0.1, 60), st.floats(0, 1e6)), min_size=1, max_size=20))
def test_a_mean_of_means_is_within_them(parts: list[tuple[float, float]]) -> None:
    whole = sample(0, parts[0][0], pages=parts[0][1])
    for seconds, pages in parts[1:]:
        whole = joined(whole, sample(0, seconds, pages=pages))
    rates = [pages for _, pages in parts]
    mean = sum(seconds * pages for seconds, pages in parts) / sum(seconds for seconds, _ in parts)
    assert whole.means["pages"] == pytest.approx(mean)
    assert min(rates) * (1 - 1e-9) <= (whole.means["pages"] or 0.0) <= max(rates) * (1 + 1e-9)


def test_points_have_no_holes_and_nothing_where_nothing_is_known() -> None:
    found = points([sample(10, pages=1.0), sample(25, pages=2.0)], 5, BEGIN, BEGIN + 30)
    assert [(each.at - BEGIN, each.means) for each in found] == [
        (0, {}),
        (5, {}),
        (10, {"pages": 1.0}),
        (15, {}),
        (20, {}),
        (25, {"pages": 2.0}),
    ]


def test_a_look_over_several_steps_stands_for_each_of_them() -> None:
    found = points([sample(0, pages=1.0), sample(15, 15.1, pages=2.0)], 5, BEGIN, BEGIN + 15)
    assert [each.means.get("pages") for each in found] == [1.0, 2.0, 2.0, 2.0]


def test_the_points_that_may_still_come_are_left_out_and_no_others() -> None:
    assert [each.at - BEGIN for each in points([sample(0, pages=1.0)], 5, BEGIN, BEGIN + 10)] == [0]
    assert [each.at - BEGIN for each in points([sample(0, pages=1.0)], 5, BEGIN, BEGIN + 20)] == [0, 5, 10]
    assert points([], 5, BEGIN, BEGIN + 5) == []
    told = [sample(0, cpu=1.0)]
    assert [each.at - BEGIN for each in points(told, 5, BEGIN, BEGIN + 60, 50.0)] == [0]
    assert [each.at - BEGIN for each in points(told, 5, BEGIN, BEGIN + 65, 50.0)] == [0, 5]
