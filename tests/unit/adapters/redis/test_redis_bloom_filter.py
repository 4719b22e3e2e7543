import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from redis.asyncio import Redis
from redis.asyncio import RedisCluster as AsyncRedisCluster

from crawlmesh.adapters.redis.bloom import RedisBloomFilter, read_status
from crawlmesh.errors import StoreError
from crawlmesh.model.crawl import FilterStatus
from crawlmesh.rules.bloom_sizing import Layer, bit_places, layers_of
from crawlmesh.rules.url_identity import fingerprint_of
from crawlmesh.testing.servers.redis import RedisCluster, RedisServer

RATE = 0.0001


def _fingerprints(kind: str, count: int) -> list[bytes]:
    return [fingerprint_of(f"https://a.example/{kind}/{number}?page={number}") for number in range(count)]


@pytest.fixture(params=["redis_address", "old_redis_address", "valkey_address"])
def address(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))


@pytest_asyncio.fixture
async def client(address: str) -> AsyncIterator[Redis]:
    client = Redis.from_url(address)
    yield client
    await client.aclose()


@pytest_asyncio.fixture
async def known(client: Redis) -> RedisBloomFilter:
    found = RedisBloomFilter(client, "known")
    assert await found.create(1_000, RATE)
    return found


async def test_a_fingerprint_is_new_once(known: RedisBloomFilter) -> None:
    some = _fingerprints("in", 500)
    assert await known.knows(some) == [False] * 500
    assert await known.add_new([*some, *some]) == [True] * 500 + [False] * 500
    assert await known.add_new(some) == [False] * 500
    assert await known.knows(some) == [True] * 500
    assert (await known.status()).count == 500
    assert await known.add_new([]) == []


async def test_a_call_that_comes_again_gets_the_answer_that_was_lost(known: RedisBloomFilter) -> None:
    """The client sends it again by itself where Redis was silent for too long."""
    some = _fingerprints("in", 900)
    assert await known.add_new(some) == [True] * 900
    known._number -= 1
    assert await known.add_new(some) == [True] * 900
    assert (await known.status()).count == 900
    assert await known.add_new(some) == [False] * 900


async def test_of_nodes_that_add_the_same_at_once_one_is_told_that_it_was_new(
    address: str, known: RedisBloomFilter
) -> None:
    some = _fingerprints("in", 2_000)
    clients = [Redis.from_url(address) for _ in range(4)]
    filters = [RedisBloomFilter(client, "known") for client in clients]
    calls = [each.add_new(some[start : start + 100]) for start in range(0, 2_000, 100) for each in filters]
    answers = await asyncio.gather(*calls)
    assert sum(sum(answer) for answer in answers) == (await known.status()).count
    assert 1_998 <= (await known.status()).count <= 2_000
    for client in clients:
        await client.aclose()


async def test_a_filter_grows_by_layers_and_forgets_nothing(known: RedisBloomFilter, client: Redis) -> None:
    some = _fingerprints("in", 8_000)
    new = await known.add_new(some)
    status = await known.status()
    assert (status.layers, status.capacity) == (4, 15_000)
    assert status.count == sum(new) >= 7_998
    assert status.error_rate < RATE
    assert all(await known.knows(some))
    sizes = [await client.strlen(key) - 1 for key in await client.keys("{known}:bits:*")]
    assert sum(sizes) == status.bytes


async def test_new_links_are_taken_for_known_ones_less_often_than_the_rate(client: Redis) -> None:
    for name, capacity in (("one layer", 30_000), ("four layers", 2_000)):
        known = RedisBloomFilter(client, name)
        await known.create(capacity, RATE, "script")
        missed = (await known.add_new(_fingerprints("in", 30_000))).count(False)
        wrong = sum(await known.knows(_fingerprints("out", 30_000)))
        assert missed <= 6
        assert wrong <= 9  # 3 are allowed on average, 1 to 2 are expected
        status = await known.status()
        assert status.fill > 0.99
        assert status.bytes / status.count < 4.0


@pytest.mark.parametrize("capacity", [100, 500_000])
async def test_the_bits_are_those_of_the_rule(client: Redis, capacity: int) -> None:
    """Whoever reads the strings without the scripts finds what the rule says."""
    known = RedisBloomFilter(client, "bits")
    await known.create(capacity, RATE, "script")
    some = _fingerprints("in", 300)
    new = await known.add_new(some)
    layers = layers_of(capacity, RATE)
    added = [fingerprint for fingerprint, was_new in zip(some, new, strict=True) if was_new]
    begun = 0
    for number, layer in enumerate(layers):
        held = added[begun : begun + layer.capacity]
        begun += layer.capacity
        for piece, bits in enumerate(_pieces(layer, held)):
            stored = await client.get(f"{known.key}:bits:{number}:{piece}") or b""
            assert stored[: len(bits)] == bits[: len(stored)]
            assert stored or not any(bits)
        if begun >= len(added):
            return


def _pieces(layer: Layer, fingerprints: list[bytes]) -> list[bytes]:
    pieces = [bytearray(layer.piece_bits // 8) for _ in range(layer.pieces)]
    for fingerprint in fingerprints:
        piece, places = bit_places(fingerprint, layer)
        for place in places:
            pieces[piece][place // 8] |= 128 >> place % 8
    return [bytes(piece) for piece in pieces]


async def test_a_piece_gets_its_memory_at_once_and_no_more(client: Redis) -> None:
    known = RedisBloomFilter(client, "memory")
    await known.create(500_000, RATE, "script")
    await known.add_new(_fingerprints("in", 1_000))
    layer = layers_of(500_000, RATE)[0]
    assert layer.pieces > 1
    for piece in range(layer.pieces):
        used = await client.memory_usage(f"{known.key}:bits:0:{piece}")
        assert used is not None
        assert layer.piece_bits // 8 < used < 1.26 * layer.piece_bits // 8


async def test_a_filter_is_made_once_and_can_be_removed(known: RedisBloomFilter, client: Redis) -> None:
    await known.add_new(_fingerprints("in", 5_000))
    assert not await known.create(5, 0.1)
    assert (await known.status()).capacity == 7_000
    await known.delete()
    assert await client.keys("*") == []
    await known.delete()


async def test_a_killed_server_with_an_append_only_file_forgets_nothing(redis_server: RedisServer) -> None:
    some = _fingerprints("in", 3_000)
    async with Redis.from_url(redis_server.address()) as client:
        known = RedisBloomFilter(client, "known")
        await known.create(1_000, RATE)
        await known.add_new(some)
        before = await known.status()
    redis_server.kill()
    redis_server.start()
    async with Redis.from_url(redis_server.address()) as client:
        known = RedisBloomFilter(client, "known")
        assert all(await known.knows(some))
        assert await known.status() == before


async def test_a_filter_lies_whole_in_one_slot_of_a_cluster(redis_cluster: RedisCluster) -> None:
    some = _fingerprints("in", 3_000)
    async with AsyncRedisCluster(port=redis_cluster.servers[0].port, host="127.0.0.1") as client:
        for name in ("one", "two", "three"):
            known = RedisBloomFilter(client, name)
            await known.create(1_000, RATE)
            new = await known.add_new(some)
            assert sum(new) == (await known.status()).count
            assert all(await known.knows(some))


async def test_without_a_filter_calls_say_so(client: Redis) -> None:
    missing = RedisBloomFilter(client, "missing")
    for call in (
        missing.add_new(_fingerprints("in", 1)),
        missing.knows(_fingerprints("in", 1)),
        missing.status(),
    ):
        with pytest.raises(StoreError, match=r"no Bloom filter '\{missing\}': create it first"):
            await call


async def test_what_is_no_fingerprint_is_refused(known: RedisBloomFilter) -> None:
    with pytest.raises(ValueError, match="has 16 bytes, not 3"):
        await known.add_new([b"abc"])


async def test_errors_of_redis_are_told_in_our_words(client: Redis) -> None:
    await client.set("{text}", "no filter")
    with pytest.raises(StoreError, match=r"'\{text\}' in Redis cannot be used: .*WRONGTYPE"):
        await RedisBloomFilter(client, "text").status()


async def test_the_form_can_be_chosen(client: Redis) -> None:
    """`any` takes the server's own commands where there are some, and the scripts where not."""
    form = b"server"
    try:
        assert await RedisBloomFilter(client, "own").create(form="server")
    except StoreError:
        form = b"script"
    assert await RedisBloomFilter(client, "any").create()
    assert await RedisBloomFilter(client, "script").create(form="script")
    assert await client.hget("{any}", "form") == form
    assert await client.hget("{script}", "form") == b"script"


def test_the_status_of_a_filter_of_the_server_itself() -> None:
    """As RedisBloom tells it, and Valkey, which tells more."""
    told = [b"Capacity", 3_000, b"Size", 9_000, b"Number of filters", 2, b"Number of items inserted", 2_500]
    answer = [b"server", b"0", b"1000", b"0.0001", [*told, b"Expansion rate", 2, b"Error rate", b"0.0001"]]
    status = read_status(answer)
    assert status is not None
    assert status == FilterStatus(3_000, 2_500, 2, 9_000, status.error_rate)
    assert status.error_rate == pytest.approx(0.000075)
    assert read_status([None, None, None, None]) is None
