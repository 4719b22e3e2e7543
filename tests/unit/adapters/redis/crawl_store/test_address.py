from collections import Counter

import pytest

from crawlmesh.adapters.redis.crawl_store.address import Address, parse_address
from crawlmesh.adapters.redis.crawl_store.partitions import partition_keys, partition_of_host
from crawlmesh.adapters.redis.crawl_store.scripts import script
from crawlmesh.errors import SettingError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("redis://a", Address("a", 6379)),
        ("redis://:s@a:1/2", Address("a", 1, 2, password="s")),
        ("rediss://u:s@a:1", Address("a", 1, user="u", password="s", tls=True)),
        ("redis+unix:///run/r.sock?db=3", Address("localhost", 6379, 3, socket="/run/r.sock")),
        ("redis+cluster://a:1?partitions=8", Address("a", 1, cluster=True, partitions=8)),
    ],
)
def test_addresses(text: str, expected: Address) -> None:
    assert parse_address(text) == expected


@pytest.mark.parametrize(
    "text", ["http://a", "redis://a:b", "redis://a/x", "redis://a?partitions=0", "redis://a?color=red"]
)
def test_what_is_no_address_is_refused_with_the_right_form(text: str) -> None:
    with pytest.raises(SettingError, match=r"crawl_store.*redis://"):
        parse_address(text)


def test_an_address_is_shown_without_its_password() -> None:
    assert str(parse_address("redis://user:sesame@a:1/2")) == "a:1/2"


def test_partitions_lie_evenly_over_the_slots_and_hosts_over_partitions() -> None:
    assert len(set(partition_keys(16))) == 16
    assert partition_keys(16)[:4] != partition_keys(4)
    spread = Counter(partition_of_host(f"h{number}.example", 4) for number in range(4_000))
    assert min(spread.values()) > 800


def test_a_script_is_put_together_with_its_constants_in_place() -> None:
    text = script("settle").text.decode()
    assert "local RANK" not in text
    assert "17592186044416" in text
