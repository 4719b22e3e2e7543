import pytest

from crawlmesh.adapters.kafka.address import parse_address
from crawlmesh.errors import SettingError


def test_hosts_and_options() -> None:
    address = parse_address(
        "kafka://one:1,two:2/?partitions=3&replication=2&publish_timeout=1.5&session_timeout=6"
    )
    assert address.servers == "one:1,two:2"
    assert (address.partitions, address.replication) == (3, 2)
    assert (address.publish_timeout, address.session_timeout) == (1.5, 6)
    assert address.create_topics
    assert address.security == {"security.protocol": "PLAINTEXT"}


def test_what_is_left_out() -> None:
    address = parse_address("kafka://host")
    assert (address.servers, address.partitions, address.replication) == ("host:9092", 8, -1)
    assert not parse_address("kafka://host?create_topics=false").create_topics


def test_ipv6() -> None:
    assert parse_address("kafka://[::1]:9093,[::2]").servers == "[::1]:9093,[::2]:9092"


def test_a_user_comes_in_with_a_password() -> None:
    address = parse_address("kafka+ssl://me:p%40ss%3Aword@host:9093?ca=/etc/ca.pem&sasl=plain")
    assert address.security == {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "PLAIN",
        "sasl.username": "me",
        "sasl.password": "p@ss:word",
        "ssl.ca.location": "/etc/ca.pem",
    }
    assert "word" not in repr(address)
    assert parse_address("kafka://me:secret@host").security["sasl.mechanism"] == "SCRAM-SHA-256"
    assert parse_address("kafka+ssl://host").security == {"security.protocol": "SSL"}


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("http://host", "'http'"),
        ("kafka://", "host:port"),
        ("kafka://host:port", "'host:port'"),
        ("kafka://host:70000", "'host:70000'"),
        ("kafka://one:1,,two:2", "''"),
        ("kafka://host/topic", "'/topic'"),
        ("kafka://host?partitons=8", "'partitons'"),
        ("kafka://host?partitions=0", "partitions=0"),
        ("kafka://host?partitions=many", "partitions=many"),
        ("kafka://host?replication=-1", "replication=-1"),
        ("kafka://host?publish_timeout=0", "publish_timeout=0"),
        ("kafka://host?session_timeout=soon", "session_timeout=soon"),
        ("kafka://host?create_topics=yes", "create_topics=yes"),
        ("kafka://host?ca=/ca.pem", "kafka+ssl://"),
        ("kafka://host?sasl=PLAIN", "no user"),
        ("kafka://me:s3cret@host?sasl=KERBEROS", "KERBEROS"),
        ("kafka://me:s3cret@host?what=1", "'what'"),
    ],
)
def test_what_cannot_be_understood_is_named(address: str, problem: str) -> None:
    with pytest.raises(SettingError) as caught:
        parse_address(address)
    assert problem in str(caught.value)
    assert "s3cret" not in str(caught.value)
