import base64

import pytest

from crawlmesh.api.credentials import is_from_here, key_given, session_given, token_given
from crawlmesh.errors import ForbiddenError, UnauthenticatedError

HOST = {"host": "127.0.0.1:8000"}


def basic(name_and_password: str) -> dict[str, str]:
    return {"authorization": f"Basic {base64.b64encode(name_and_password.encode()).decode()}"}


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": "Bearer cm_secret"},
        {"authorization": "bearer   cm_secret "},
        basic("anybody:cm_secret"),
        basic(":cm_secret"),
        basic("ä:cm_secret"),
        {"authorization": basic("x:cm_secret")["authorization"].replace("Basic", "BASIC")},
    ],
)
def test_a_key_is_a_bearer_or_the_password_of_any_name(headers: dict[str, str]) -> None:
    assert key_given("GET", headers) == "cm_secret"


@pytest.mark.parametrize(
    "headers",
    [
        {"cookie": "crawlmesh_session=cms_secret"},
        {"cookie": "a=b; crawlmesh_session=cms_secret; c"},
        {"cookie": "crawlmesh_session=cms_secret", "authorization": "Digest a"},
    ],
)
def test_a_session_is_a_cookie(headers: dict[str, str]) -> None:
    assert key_given("GET", headers) == "cms_secret"
    assert session_given(headers) == "cms_secret"


@pytest.mark.parametrize("header", ["Bearer cm_secret", basic("x:cm_secret")["authorization"]])
def test_what_the_header_says_goes_before_the_cookie(header: str) -> None:
    headers = {"authorization": header, "cookie": "crawlmesh_session=cms_secret"}
    assert key_given("GET", headers) == "cm_secret"
    with pytest.raises(UnauthenticatedError):
        key_given("GET", {**headers, "authorization": header.partition(" ")[0]})


@pytest.mark.parametrize("cookie", ["", "crawlmesh_session=", "other=cms_secret", "crawlmesh_session"])
def test_a_cookie_without_a_session_is_none(cookie: str) -> None:
    with pytest.raises(UnauthenticatedError):
        key_given("GET", {"cookie": cookie})


def test_a_password_may_have_colons() -> None:
    assert key_given("GET", basic("x:a:b")) == "a:b"


@pytest.mark.parametrize(
    "value",
    ["", "Bearer", "Bearer ", "Basic", "Basic ?", "Basic eA==", "Basic eDo=", "Basic /w==", "Digest a"],
)
def test_what_is_no_key_is_none(value: str) -> None:
    with pytest.raises(UnauthenticatedError, match="any name and the key as password"):
        key_given("GET", {"authorization": value})


@pytest.mark.parametrize("headers", [{"authorization": "Bearer ä"}, basic("x:ä")])
def test_keys_are_ascii(headers: dict[str, str]) -> None:
    with pytest.raises(UnauthenticatedError, match="ASCII"):
        key_given("GET", headers)


def test_nodes_sign_in_with_no_password_and_no_session() -> None:
    for headers in (basic("x:cm_secret"), {"cookie": "crawlmesh_session=cms_secret"}):
        with pytest.raises(UnauthenticatedError):
            token_given(headers)


@pytest.mark.parametrize(
    ("headers", "here"),
    [
        ({}, True),  # curl -u
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "none"}, True),
        ({"sec-fetch-site": "same-site"}, False),  # another port of this machine is enough for it
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "cross-site", "origin": "http://127.0.0.1:8000"}, False),
        ({"sec-fetch-site": "same-origin", "origin": "https://crawl.example"}, True),  # a proxy has that name
        ({"origin": "http://127.0.0.1:8000"}, True),
        ({"origin": "https://127.0.0.1:8000"}, True),  # a proxy speaks TLS
        ({"origin": "http://127.0.0.1:8001"}, False),
        ({"origin": "http://127.0.0.1"}, False),
        ({"origin": "http://evil.example:8000"}, False),
        ({"origin": "http://127.0.0.1:8000.evil.example"}, False),
        ({"origin": "null"}, False),
        ({"origin": ""}, False),
        ({"origin": "http://["}, False),
        ({"origin": "https://Crawl.example", "host": "crawl.example:443"}, True),
        ({"origin": "http://crawl.example:80", "host": "crawl.example"}, True),
        ({"origin": "http://[::1]:8000", "host": "[::1]:8000"}, True),
        ({"origin": "http://127.0.0.1:8000", "host": ""}, False),
        ({"origin": "http://127.0.0.1:8000", "host": "127.0.0.1:x"}, False),
    ],
)
def test_other_sites_change_nothing_with_the_sign_in_of_a_browser(
    headers: dict[str, str], here: bool
) -> None:
    for credential in (basic("x:cm_secret"), {"cookie": "crawlmesh_session=cm_secret"}):
        sent = {**HOST, **headers, **credential}
        assert is_from_here(sent) is here
        assert key_given("GET", sent) == "cm_secret"
        for method in ("POST", "PUT", "PATCH", "DELETE", "NONSENSE"):
            if here:
                assert key_given(method, sent) == "cm_secret"
            else:
                with pytest.raises(ForbiddenError, match="another site"):
                    key_given(method, sent)


def test_a_bearer_is_taken_from_everywhere_since_no_browser_sends_it_by_itself() -> None:
    sent = {**HOST, "authorization": "Bearer cm_secret", "sec-fetch-site": "cross-site"}
    assert key_given("POST", sent) == "cm_secret"
