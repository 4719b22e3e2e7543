import asyncio

from crawlmesh.adapters.topics import Topics


async def test_topics_that_nobody_waits_for_do_not_pile_up() -> None:
    topics = Topics(most_topics=10)
    topics.tell(f"logs:{number}" for number in range(1_000))
    assert len(topics) == 10
    for number in range(100):
        await topics.wait(f"node:{number}", topics.mark(f"node:{number}"), 0.0)
    assert len(topics) == 10


async def test_a_forgotten_topic_is_never_below_what_was_seen_of_it() -> None:
    topics = Topics(most_topics=3)
    seen = topics.mark("a")
    topics.tell(["a"])
    told = topics.mark("a")
    topics.tell(["b", "c", "d", "e"])
    assert topics.mark("a") >= told > seen
    assert await topics.wait("a", seen, 60.0) > seen


async def test_who_waits_for_a_forgotten_topic_is_woken_when_it_is_told() -> None:
    topics = Topics(most_topics=1)
    topics.tell(["a", "b"])
    seen = topics.mark("a")
    waiting = asyncio.create_task(topics.wait("a", seen, 60.0))
    await asyncio.sleep(0)
    topics.tell(["c", "a"])
    assert await waiting > seen


async def test_a_wait_that_was_cancelled_leaves_nothing_behind() -> None:
    topics = Topics()
    waiting = asyncio.create_task(topics.wait("a", 0, 60.0))
    await asyncio.sleep(0)
    assert len(topics) == 1
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert len(topics) == 0
