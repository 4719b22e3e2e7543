from crawlmesh.rules.placement.history import _FEATURES, _MOST_COUNTED, _NODES, WorkHistory


def test_success_grows_with_every_good_end() -> None:
    history = WorkHistory()
    found = []
    for _ in range(3):
        history.remember("a", {"host": "x"}, True)
        found.append(history.similar({"host": "x"})["a"])
    assert found == [1 / 2, 2 / 3, 3 / 4]


def test_features_that_a_node_never_met_pull_it_down() -> None:
    history = WorkHistory()
    history.remember("a", {"host": "x", "technology": "react"}, True)
    history.remember("b", {"host": "x"}, True)
    assert history.similar({"host": "x", "technology": "react"}) == {"a": 0.5, "b": 0.25}
    assert history.similar({"host": "other"}) == {}
    assert history.similar({}) == {}


def test_the_memory_is_bounded_and_the_past_fades() -> None:
    history = WorkHistory()
    for number in range(_NODES + 5):
        history.remember(f"node-{number}", {"host": "x"}, True)
    assert len(history.similar({"host": "x"})) == _NODES
    assert "node-0" not in history.similar({"host": "x"})
    for number in range(_FEATURES + 1):
        history.remember("a", {"host": str(number)}, True)
    assert history.similar({"host": "0"}) == {}
    for _ in range(_MOST_COUNTED):
        history.remember("b", {"host": "y"}, True)
    for _ in range(_MOST_COUNTED):
        history.remember("b", {"host": "y"}, False)
    assert history.similar({"host": "y"})["b"] < 1 / 2
