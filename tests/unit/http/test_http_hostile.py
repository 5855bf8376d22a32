"""What strangers try at the gate: bent names, other pages, other protocols, and errors of doors."""

import asyncio
import json
import logging
from typing import Any

import pytest
from starlette.testclient import TestClient

from simonides.errors import InvalidInput
from simonides.http.app import make_app
from simonides.http.limits import Limits
from simonides.http.log import JsonLinesFormatter
from simonides.http.middleware import RequestGuard
from simonides.http.routes import ROUTES
from simonides.http.telemetry import Metrics

Headers = list[tuple[bytes, bytes]]
GUARDED = [one for one in ROUTES if one.refuses_parameters]
GETS = [one for one in ROUTES if one.method == "GET" and one.tag != "openai"]


def passed(
    app: Any, *, headers: Headers | None = None, kind: str = "http", **limits: Any
) -> list[Any]:
    """Return what a gate sends where `app` stands behind it."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    scope = {
        "type": kind, "method": "GET", "path": "/",
        "headers": headers or [(b"host", b"localhost")],
    }  # fmt: skip
    asyncio.run(RequestGuard(app, limits=Limits(**limits), metrics=Metrics())(scope, receive, send))
    return sent


async def _open(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"in"})


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([], 421),
        ([(b"host", b"localhost"), (b"host", b"localhost")], 421),
        ([(b"host", b"localhost"), (b"host", b"evil.example.com")], 421),
        ([(b"host", b"\xff\xfe")], 421),
        ([(b"host", b"localhost"), (b"origin", b"")], 200),
        (
            [(b"host", b"localhost"), (b"origin", b"http://localhost"),
             (b"origin", b"https://evil.example.com")], 403,
        ),
        ([(b"host", b"localhost"), (b"origin", b"http://localhost@evil.example.com")], 403),
        ([(b"host", b"[::1]:8321"), (b"origin", b"http://[::1]:8321")], 200),
        ([(b"host", b"[::1]:8321"), (b"origin", b"http://[::1]:9999")], 403),
        ([(b"host", b"LOCALHOST:8321"), (b"origin", b"HTTP://localhost:8321")], 200),
    ],
)  # fmt: skip
def test_only_one_host_and_one_origin_of_ours_come_through(headers: Headers, status: int) -> None:
    sent = passed(_open, headers=headers or [(b"x", b"y")])

    assert sent[0]["status"] == status


@pytest.mark.parametrize(
    ("from_site", "mode", "status"),
    [
        ("cross-site", "no-cors", 403), ("same-site", "no-cors", 403),
        ("same-origin", "no-cors", 200), ("none", "navigate", 200),
        ("cross-site", "navigate", 200), ("", "", 200),
    ],
)  # fmt: skip
def test_a_page_of_another_site_cannot_have_an_image_or_a_script_fetched(
    site: Any, from_site: str, mode: str, status: int
) -> None:
    headers = {"Sec-Fetch-Site": from_site, "Sec-Fetch-Mode": mode}

    assert site.ask("GET", "/v1/items", headers=headers).status_code == status


def test_a_socket_of_the_web_is_closed_before_it_is_opened() -> None:
    async def never(*_: Any) -> None:
        raise AssertionError("nothing else is spoken here")

    assert passed(never, kind="websocket") == [{"type": "websocket.close", "code": 1008}]


def test_an_error_of_another_door_is_told_as_a_problem_without_its_words(caplog: Any) -> None:
    async def fails(*_: Any) -> None:
        raise ValueError("my secret")

    start, body = passed(fails)

    reported = json.loads(body["body"])
    logged = "\n".join(JsonLinesFormatter().format(one) for one in caplog.records)
    assert (start["status"], reported["code"]) == (500, "unexpected")
    assert dict(start["headers"])[b"x-content-type-options"] == b"nosniff"
    assert "ValueError" in logged
    assert "secret" not in logged + body["body"].decode()


def test_an_answer_that_was_begun_is_broken_off_not_mended() -> None:
    async def half(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        passed(half)


@pytest.mark.parametrize(
    ("name", "message", "written"),
    [
        ("asyncio", "Future exception was never retrieved\nfuture: <secret>", False),
        ("uvicorn.error", "Exception in ASGI application\nsecret", False),
        ("simonides.http", "two\nsecret", True),
    ],
)
def test_of_the_trouble_of_others_the_first_line_is_written(
    name: str, message: str, written: bool
) -> None:
    record = logging.LogRecord(name, logging.ERROR, "", 0, message, None, None)

    line = JsonLinesFormatter().format(record)

    assert ("secret" in line) is written
    assert json.loads(line)["message"] == (message if written else message.splitlines()[0])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("hosts", "memory.example.com:443"), ("hosts", "https://memory.example.com"),
        ("hosts", "*"), ("hosts", "*.example.com"), ("hosts", ""), ("hosts", "a b"),
        ("origins", "*"), ("origins", "null"), ("origins", "app.example.com"),
        ("origins", "https://app.example.com/path"), ("origins", "https://*.example.com"),
        ("origins", "https://me@app.example.com"), ("origins", ""),
    ],
)  # fmt: skip
def test_a_name_that_would_never_match_is_refused_at_once(field: str, value: str) -> None:
    with pytest.raises(InvalidInput, match="matches nothing") as raised:
        Limits(**{field: (value,)})  # type: ignore[arg-type]  # names

    assert raised.value.field == field


@pytest.mark.parametrize(
    "origin",
    ["https://app.example.com", "https://app.example.com/", "http://localhost:3000",
     "chrome-extension://abcdefgh", "http://[::1]:3000", "HTTPS://App.Example.com"],
)  # fmt: skip
def test_a_page_of_any_scheme_may_be_allowed(origin: str) -> None:
    shown = origin.rstrip("/").encode()
    sent = passed(
        _open, headers=[(b"host", b"localhost"), (b"origin", shown)], origins=(origin,)
    )  # fmt: skip

    assert dict(sent[0]["headers"])[b"access-control-allow-origin"] == shown


def test_a_parameter_that_a_route_does_not_know_is_refused(site: Any) -> None:
    for route in GUARDED:
        path = route.path.replace("{id}", "x") + "?if_unmodified=3"
        body = None if route.method in ("GET", "DELETE") else route.example or {}

        refusal = site.problem(route.method, path, body)

        assert (refusal["status"], refusal["errors"][0]["field"]) == (422, "if_unmodified"), path
        assert site.memory.spaces() == (), path


@pytest.mark.parametrize("path", ["/health/live", "/health/ready", "/metrics", "/v1/version"])
def test_probes_may_bring_parameters_of_their_own(site: Any, path: str) -> None:
    assert site.ask("GET", f"{path}?token=1").status_code == 200


def test_a_head_says_what_a_get_would(site: Any) -> None:
    site.add("kept")
    for path in (one.path.replace("{id}", "x") for one in GETS):
        got, head = site.ask("GET", path), site.ask("HEAD", path)

        assert head.status_code == got.status_code, path
        assert head.headers.get("content-type") == got.headers.get("content-type"), path


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get"])
def test_a_method_that_is_none_of_a_route_is_reported(site: Any, method: str) -> None:
    got = site.client.request(method, "/v1/search", headers={})

    assert got.status_code == 405
    assert got.headers["allow"] == "POST"
    assert got.json()["code"] == "method_not_allowed"


def test_methods_that_anybody_makes_up_do_not_fill_the_counts(site: Any) -> None:
    for n in range(20):
        site.client.request(f"MADE{n}", "/v1/search")

    text = site.ask("GET", "/metrics").text
    assert "MADE" not in text
    assert 'method="OTHER"' in text


@pytest.mark.parametrize(
    "path", ["//v1/items", "/v1//items", "/v1/items/", "/V1/items", "/v1/items/../../etc/passwd",
             "/%2e%2e/etc/passwd", "/v1", "/", "/mcp", "/v1/items%00"],
)  # fmt: skip
def test_no_other_path_leads_anywhere(site: Any, path: str) -> None:
    site.key("alice")

    got = site.client.get(path, follow_redirects=False)

    assert got.status_code in (401, 404)
    assert got.headers["content-type"] == "application/problem+json"


def test_the_document_is_given_to_anybody_but_not_as_often_as_they_like(open_site: Any) -> None:
    with open_site(rate_per_s=1.0, rate_burst=2) as site:
        site.server.monotonic_s = lambda: 100.0
        site.key("alice")

        got = [site.ask("GET", "/openapi.json") for _ in range(3)]

        assert [one.status_code for one in got] == [200, 200, 429]
        assert got[0].json()["openapi"] == "3.1.0"
        assert got[2].json()["code"] == "too_many_requests"
        assert 'route="/openapi.json"' in site.server.metrics.text().decode()


@pytest.mark.parametrize(
    ("address", "status"),
    [("127.0.0.1", 200), ("127.9.9.9", 200), ("::1", 200), ("10.0.0.7", 401),
     ("2001:db8::1", 401), ("fe80::1%eth0", 401)],
)  # fmt: skip
def test_who_comes_from_elsewhere_needs_a_key_even_while_there_is_none(
    site: Any, address: str, status: int
) -> None:
    far = TestClient(make_app(site.server), base_url="http://localhost", client=(address, 5000))

    assert far.get("/v1/items").status_code == status
