import pytest

from crawlmesh.adapters.rabbitmq.address import parse_address
from crawlmesh.errors import SettingError


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("amqp://me:secret@rabbit:5000/jobs", "amqp://me@rabbit:5000/jobs"),
        ("amqp://rabbit", "amqp://guest@rabbit:5672/"),
        ("amqp://rabbit/", "amqp://guest@rabbit:5672/"),
        ("amqp://rabbit/%2F", "amqp://guest@rabbit:5672/"),
        ("amqps://me:secret@rabbit/a%2Fb?cafile=/ca.pem", "amqps://me@rabbit:5671/a%2Fb"),
        ("amqp://m%40e:s%3Acret@[::1]:5000", "amqp://m%40e@[::1]:5000/"),
    ],
)
def test_an_address_is_shown_whole_but_without_the_password(text: str, shown: str) -> None:
    address = parse_address(text)
    assert address.shown == shown
    assert "cret" not in repr(address)


def test_the_client_gets_the_password_and_the_options() -> None:
    url = parse_address("amqps://me:s%3Acret@rabbit/jobs?cafile=/ca.pem").url
    assert url == "amqps://me:s%3Acret@rabbit:5671/jobs?cafile=%2Fca.pem&heartbeat=20"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("http://me:secret@rabbit", "begins with amqp:// or amqps://"),
        ("rabbit:5672", "begins with amqp:// or amqps://"),
        ("", "begins with amqp:// or amqps://"),
        ("amqp://", "names no host"),
        ("amqp://me:secret@rabbit:70000", "cannot be understood"),
        ("amqp://me:secret@rabbit:port", "cannot be understood"),
        ("amqp://me:secret@rabbit?colour=red", "the option 'colour'; allowed are cafile"),
        ("amqp://me:secret@rabbit?heartbeat=often", "a number of seconds, not 'often'"),
    ],
)
def test_an_address_that_makes_no_sense_is_refused(text: str, says: str) -> None:
    with pytest.raises(SettingError, match=says) as caught:
        parse_address(text)
    assert "secret" not in str(caught.value)
