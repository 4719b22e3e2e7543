from aiormq import spec

from crawlmesh.adapters.rabbitmq.publisher import parts


def sizes(*bodies: int) -> list[list[int]]:
    ready = [(spec.Basic.Properties(), b"x" * size) for size in bodies]
    return [[len(body) for _, body in part] for part in parts(ready)]


def test_few_small_messages_are_under_way_together() -> None:
    assert sizes() == []
    assert sizes(1, 2, 3) == [[1, 2, 3]]


def test_no_more_than_five_hundred_are_under_way() -> None:
    assert [len(part) for part in sizes(*[1] * 1_200)] == [500, 500, 200]


def test_no_more_than_eight_megabytes_are_under_way_unless_one_has_more() -> None:
    big = 3_000_000
    assert sizes(big, big, big, 1) == [[big, big], [big, 1]]
    assert sizes(1, 9_000_000, 1) == [[1], [9_000_000], [1]]
