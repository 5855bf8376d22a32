"""What every request passes: host, origin, request id, headers, bounds, log."""

import contextlib
import json
import logging
from typing import Any

import pytest

from simonides.http.log import JsonLinesFormatter
from simonides.http.middleware import HEADERS, is_known_host

KNOWN = {"localhost", "memory.example.com"}


@pytest.mark.parametrize(
    ("host", "is_known"),
    [
        ("localhost", True), ("localhost:8321", True), ("127.0.0.1:8321", True), ("[::1]:80", True),
        ("10.1.2.3", True), ("memory.example.com", True), ("evil.example.com", False),
        ("localhost.evil.com", False), ("evil.com:8321@localhost", False), ("", False),
        ("[::1", False), ("localhost evil", False), ("localhost/evil", False), ("[::1]", True),
        ("localhost?x", False), ("localhost:abc", False), ("localhost:", False), ("::1", False),
        ("[::1]:8321x", False), ("[localhost]", False), ("2130706433", False), ("0x7f.1", False),
        ("localhost.", False), ("memory.example.com:443", True), ("127.0.0.1.evil.com", False),
    ],
)  # fmt: skip
def test_only_names_of_ours_and_addresses_are_answered_to(host: str, is_known: bool) -> None:
    assert is_known_host(host, KNOWN) is is_known


@pytest.mark.parametrize("path", ["/v1/items", "/health/live", "/openapi.json", "/nope"])
def test_a_name_bent_to_this_machine_is_refused(site: Any, path: str) -> None:
    refusal = site.problem("GET", path, headers={"Host": "evil.example.com"})

    assert (refusal["status"], refusal["code"]) == (421, "wrong_host")


def test_a_name_that_is_allowed_is_answered_to(open_site: Any) -> None:
    with open_site(hosts=("memory.example.com",)) as site:
        assert site.ask("GET", "/health/live", headers={"Host": "Memory.Example.com"}).is_success


@pytest.mark.parametrize("origin", ["https://evil.example.com", "null", "http://localhost"])
def test_pages_of_other_sites_may_not_ask(site: Any, origin: str) -> None:
    refusal = site.problem("POST", "/v1/search", {"query": "x"}, headers={"Origin": origin})

    assert (refusal["status"], refusal["code"]) == (403, "origin")


def test_our_own_page_may_ask(site: Any) -> None:
    got = site.ask(
        "POST", "/v1/search", {"query": "x"}, headers={"Origin": "http://localhost:8321"}
    )

    assert got.status_code == 200
    assert "access-control-allow-origin" not in got.headers


def test_a_page_that_is_allowed_may_ask_and_ask_before(open_site: Any) -> None:
    origin = "https://app.example.com"
    with open_site(origins=(origin,)) as site:
        before = site.ask(
            "OPTIONS", "/v1/search",
            headers={"Origin": origin, "Access-Control-Request-Method": "POST"},
        )  # fmt: skip
        got = site.ask("POST", "/v1/search", {"query": "x"}, headers={"Origin": origin})

        assert before.status_code == 204
        assert before.headers["access-control-allow-origin"] == origin
        assert got.headers["access-control-allow-origin"] == origin
        shown = got.headers["access-control-expose-headers"].split(", ")
        assert {"ETag", "Retry-After"} <= set(shown)
        assert "Origin" in got.headers["vary"]


@pytest.mark.parametrize(
    ("asked", "allowed"),
    [
        (
            "authorization, x-stainless-os,X-Session-Id",
            "authorization, x-stainless-os,X-Session-Id",
        ),
        ("", "authorization, content-type"),
        ("a, b\u00e9", "authorization, content-type"),
        ("*, a;b", "authorization, content-type"),
    ],
)
def test_an_allowed_page_may_send_the_headers_of_its_client(
    open_site: Any, asked: str, allowed: str
) -> None:
    origin = "https://app.example.com"
    sent = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    with open_site(origins=(origin,)) as site:
        asking = {**sent, "Access-Control-Request-Headers": asked.encode()}
        response = site.ask("OPTIONS", "/v1/search", headers=asking)

    assert response.headers["access-control-allow-headers"] == allowed


@pytest.mark.parametrize(
    ("given", "is_taken"), [("abc-1.2_Z", True), ("a b", False), ("x" * 129, False), ("", False)]
)
def test_a_request_id_is_taken_if_it_is_one_and_else_made(
    site: Any, given: str, is_taken: bool
) -> None:
    got = site.ask("GET", "/health/live", headers={"X-Request-Id": given})

    assert (got.headers["x-request-id"] == given) is is_taken
    assert got.headers["x-request-id"]


@pytest.mark.parametrize("path", ["/health/live", "/v1/items", "/nope", "/openapi.json"])
def test_every_answer_says_that_it_is_not_to_be_kept_framed_or_guessed(
    site: Any, path: str
) -> None:
    headers = site.ask("GET", path).headers

    assert {name: headers[name] for name in HEADERS} == HEADERS


def test_what_is_not_there_or_not_so_is_told_as_a_problem(site: Any) -> None:
    nowhere = site.problem("GET", "/v2/search")
    other = site.ask("PUT", "/v1/search", {})

    assert nowhere["code"] == "not_found"
    assert (other.status_code, other.json()["code"]) == (405, "method_not_allowed")
    assert other.headers["allow"] == "POST"


def test_a_path_says_all_its_methods(site: Any) -> None:
    allowed = site.ask("POST", "/v1/items/x", {}).headers["allow"]

    assert set(allowed.replace(" ", "").split(",")) == {"GET", "HEAD", "PATCH", "DELETE"}


def test_a_body_that_is_too_long_is_refused(open_site: Any) -> None:
    with open_site(body_bytes_max=100) as site:
        refusal = site.problem("POST", "/v1/items", {"content": "x" * 200})
        in_parts = site.ask(
            "POST", "/v1/items", headers={"Content-Type": "application/json"},
            content=iter([b'{"content": "', b"x" * 200, b'"}']),
        )  # fmt: skip

        assert (refusal["status"], refusal["code"]) == (413, "too_large")
        assert in_parts.status_code == 413


def test_the_log_says_what_was_asked_by_its_route_alone(site: Any, caplog: Any) -> None:
    key = site.key("alice")
    with caplog.at_level(logging.INFO, "simonides.http"):
        site.ask("GET", "/v1/items/my-secret-id?as_of=1", key=key, headers={"X-Request-Id": "r1"})

    [reported] = [json.loads(JsonLinesFormatter().format(one)) for one in caplog.records]
    assert (reported["method"], reported["route"], reported["status"]) == (
        "GET",
        "/v1/items/{id}",
        404,
    )
    assert (reported["request_id"], reported["key"]) == ("r1", key.rpartition("_")[0])
    assert reported["ms"] > 0
    assert "secret" not in json.dumps(reported)
    assert key not in json.dumps(reported)


def test_a_mistake_of_ours_is_reported_without_a_word_of_what_was_asked(
    site: Any, monkeypatch: Any, caplog: Any
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("my secret question")

    monkeypatch.setattr("simonides.api.memory.Memory.search", fails)
    refusal = site.problem("POST", "/v1/search", {"query": "my secret question"})

    logged = "\n".join(JsonLinesFormatter().format(one) for one in caplog.records)
    assert (refusal["status"], refusal["code"]) == (500, "unexpected")
    assert "ZeroDivisionError" in logged
    assert "test_http_gate.py" in logged
    assert "secret" not in logged + json.dumps(refusal)


@pytest.mark.parametrize(
    ("sent", "kept"), [(["one", "two"], "one"), (["no good", "two"], None), (["", "two"], None)]
)
def test_of_several_request_ids_the_first_counts(
    site: Any, sent: list[str], kept: str | None
) -> None:
    got = site.client.get("/health/live", headers=[("X-Request-Id", one) for one in sent])

    reported = got.headers.get_list("x-request-id")
    assert len(reported) == 1
    assert reported[0] == kept or (kept is None and reported[0] not in sent)


def test_two_hosts_are_none(site: Any) -> None:
    got = site.client.get("/health/live", headers=[("Host", "localhost"), ("Host", "localhost")])

    assert got.status_code == 421


def test_every_answer_says_once_that_it_is_not_to_be_kept_or_framed(site: Any) -> None:
    for path in ("/health/live", "/v1/items", "/openapi.json", "/nope"):
        headers = site.client.get(path).headers
        for name, value in HEADERS.items():
            assert headers.get_list(name) == [value]


def test_counts_are_told_apart_by_method_route_and_status(site: Any) -> None:
    for _ in range(2):
        site.ask("GET", "/v1/items")
        site.ask("GET", "/v1/items/nope")
        site.ask("HEAD", "/v1/items")

    reported = site.server.metrics.text().decode()
    for labels in (
        'method="GET",route="/v1/items",status="200"',
        'method="HEAD",route="/v1/items",status="200"',
        'method="GET",route="/v1/items/{id}",status="404"',
    ):  # fmt: skip
        assert f"simonides_http_requests_total{{{labels}}} 2.0" in reported
    assert 'simonides_http_request_seconds_count{method="GET",route="/v1/items"} 2.0' in reported


def test_a_span_is_reported_its_route_and_nothing_of_the_path(site: Any, monkeypatch: Any) -> None:
    from opentelemetry import trace

    from simonides.http import telemetry as tracing

    made: list[Any] = []

    class Span(trace.NonRecordingSpan):
        def is_recording(self) -> bool:
            return True

        def update_name(self, name: str) -> None:
            made.append(name)

        def set_attribute(self, key: str, value: Any) -> None:
            made.append((key, value))

    class Tracer(trace.NoOpTracer):
        @contextlib.contextmanager
        def start_as_current_span(self, name: str, **more: Any) -> Any:  # type: ignore[override]  # seen through
            made.append((name, more.get("attributes")))
            yield Span(trace.INVALID_SPAN_CONTEXT)

        def start_span(self, name: str, *_: Any, **more: Any) -> Any:
            made.append((name, more.get("attributes")))
            return Span(trace.INVALID_SPAN_CONTEXT)

    class Provider(trace.TracerProvider):
        def get_tracer(self, *_: Any, **__: Any) -> trace.Tracer:
            return Tracer()

    tracing._tracer.cache_clear()
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", Provider())
    site.ask("GET", "/v1/items/secret-id")
    tracing._tracer.cache_clear()

    assert made == [
        ("GET", None), "GET /v1/items/{id}", ("http.request.method", "GET"),
        ("http.route", "/v1/items/{id}"), ("http.response.status_code", 404),
    ]  # fmt: skip


def test_spans_are_made_where_opentelemetry_is_there(site: Any) -> None:
    from simonides.http import telemetry as tracing

    class Made:
        attributes: dict[str, Any] = {}  # noqa: RUF012  one test, one span

        def is_recording(self) -> bool:
            return True

        def update_name(self, name: str) -> None:
            self.attributes["name"] = name

        def set_attribute(self, name: str, value: Any) -> None:
            self.attributes[name] = value

    made = Made()
    tracing.describe(made, method="GET", route="/v1/items/{id}", status=200)
    tracing.describe(None, method="GET", route="/v1/items/{id}", status=200)

    assert made.attributes == {
        "name": "GET /v1/items/{id}", "http.request.method": "GET",
        "http.route": "/v1/items/{id}", "http.response.status_code": 200,
    }  # fmt: skip
    assert site.ask("GET", "/health/live").status_code == 200
