"""Where an endpoint answers, and which key goes where."""

import pytest

from simonides.errors import InvalidInput
from simonides.models.http_client import CHAT_KEY, ERROR_CHARS_MAX, Address, address

OWN = "https://api.example.com/v1"


def at(url: str, key: str | None = None) -> Address:
    return address(url, key, own=OWN, keys=(CHAT_KEY, "EXAMPLE_API_KEY"))


@pytest.fixture
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXAMPLE_API_KEY", "own")


@pytest.mark.usefixtures("_keys")
def test_the_providers_own_key_goes_to_its_own_address_only() -> None:
    assert at(OWN).key == "own"
    assert at(OWN + "/").key == "own"
    assert at("https://elsewhere.example.com/v1").key == ""
    assert at("http://api.example.com/v1").key == ""


@pytest.mark.usefixtures("_keys")
def test_a_key_said_comes_before_those_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMONIDES_CHAT_API_KEY", "general")

    assert at(OWN).key == at("http://127.0.0.1:1").key == "general"
    assert at(OWN, " said\n").key == "said"
    assert at(OWN, "").key == ""


def test_an_address_tells_its_host_and_hides_its_key() -> None:
    here = at("http://localhost:8080/v1/", "secret")

    assert here.base_url == "http://localhost:8080/v1"
    assert here.host == "localhost:8080"
    assert here.is_loopback
    assert not at(OWN).is_loopback
    assert "secret" not in repr(here)


def test_an_endpoints_words_are_shown_on_one_line_bounded_without_the_key() -> None:
    here = at(OWN, "secret")

    assert here.redact("a  secret\nthing \ud800") == "a [key] thing ?"
    assert len(here.redact("x" * 999)) == ERROR_CHARS_MAX + 3
    assert at(OWN, "").redact("plain") == "plain"


@pytest.mark.parametrize("url", ["", "host", "ftp://host", "http://", "http://[", "http://a:0"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="must be an http or https address"):
        at(url)


@pytest.mark.parametrize("key", ["ключ", "two\nlines"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(key: str) -> None:
    with pytest.raises(InvalidInput, match="must be printable ASCII") as refused:
        at(OWN, key)

    assert key not in str(refused.value)
