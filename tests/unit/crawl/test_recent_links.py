from crawlmesh.crawl.recent_links import RecentLinks


def test_a_key_is_new_once() -> None:
    recent = RecentLinks()
    assert recent.remember("a")
    assert not recent.remember("a")


def test_a_key_may_be_forgotten() -> None:
    recent = RecentLinks()
    recent.remember("a")
    recent.forget("a")
    recent.forget("never seen")
    assert recent.remember("a")


def test_everything_may_be_forgotten() -> None:
    recent = RecentLinks(generation=2)
    for key in "abc":
        recent.remember(key)
    recent.clear()
    assert all(recent.remember(key) for key in "abc")


def test_it_keeps_one_generation_at_least_and_two_at_most() -> None:
    recent = RecentLinks(generation=3)
    for key in "abcdef":
        assert recent.remember(key)
    assert not any(recent.remember(key) for key in "abcdef")
    recent.remember("g")
    assert not any(recent.remember(key) for key in "defg")
    assert recent.remember("a")


def test_keys_of_the_older_generation_may_be_forgotten() -> None:
    recent = RecentLinks(generation=1)
    recent.remember("a")
    recent.remember("b")
    recent.forget("a")
    assert recent.remember("a")
