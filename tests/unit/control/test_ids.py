from random import Random

from crawlmesh.control.ids import IdMaker


def test_ids_grow_also_where_the_clock_goes_back() -> None:
    moments = iter([10.0, 10.0, 9.0, 11.0, 11.0])
    maker = IdMaker(lambda: next(moments), Random(1))
    ids = [maker.make("task") for _ in range(5)]
    assert ids == sorted(set(ids))


def test_an_id_is_made_of_crockfords_alphabet() -> None:
    made = IdMaker(lambda: 1_700_000_000.0, Random(1)).make("task").removeprefix("task-")
    assert len(made) == 26
    assert set(made) <= set("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
