from crawlmesh.adapters.postgres.control.transaction import _notices


def test_topics_go_in_as_few_notices_as_they_fit_into() -> None:
    topics = {f"node:node-{number:026}" for number in range(1_000)}
    notices = _notices("origin", topics)
    assert len(notices) == 5
    assert all(len(notice.encode()) < 8_000 for notice in notices)
    assert {topic for notice in notices for topic in notice.split("\n")[1:]} == topics
    assert {notice.split("\n")[0] for notice in notices} == {"origin"}


def test_one_topic_that_is_too_long_wakes_everybody() -> None:
    assert _notices("origin", {"events", "logs:" + "x" * 9_000}) == ["origin\n*"]


def test_nothing_told_is_no_notice() -> None:
    assert _notices("origin", set()) == []
