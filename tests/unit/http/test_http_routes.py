"""Every route: what it answers, what it refuses, and that asking alone makes nothing."""

import json
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no types
import pytest

from simonides.http.openapi import document, problems_of
from simonides.http.route import Route
from simonides.http.routes import ROUTES
from simonides.model.access import Permission
from simonides.model.memories import ProposedMemory

OWN = [one for one in ROUTES if one.tag not in ("openai", "mem0")]
WITH_BODY = [one for one in OWN if one.has_body]
READING = [one for one in OWN if one.permission is Permission.READ]
HARMLESS = [one for one in OWN if one.permission in (Permission.READ, None)]
WRITING = [
    one for one in OWN if one.permission not in (Permission.READ, None) and not one.is_upload
]
OF_ONE = [
    one for one in OWN
    if "{id}" in one.path and one.verb not in (
        "preferences.set", "preferences.infer", "sessions.add",  # these make it
        "sessions.messages", "sessions.last",  # a conversation begins empty
    )
]  # fmt: skip
DOCUMENT = document(ROUTES)
FORM = {"file": ("notes.md", b"# Alpha\n\nThe deadline moved to Friday.\n")}


def named(route: Route) -> str:
    return f"{route.method} {route.path}"


@pytest.fixture
def ids(site: Any) -> dict[str, str]:
    """A space with something of everything: the id that each part of the path is asked by."""
    item = site.memory.remember("Alpha is due on Friday", entity="alpha").id
    site.add("Project Alpha goes well", "Project Gamma begins")
    site.memory.sessions.add("s1", "user", "When is Alpha due?")
    site.memory.preferences.set("tone", "short")
    background = site.memory.background.put("Working on Alpha").id
    begun = site.client.post("/v1/imports", files=FORM).json()["id"]
    receipt = site.memory.brief("Alpha", keep_receipt=True).receipt.id
    site.memory.record_usage(item, how="cited")
    long = site.memory.add("The harbor contract is with the lawyers. " * 60, id="long").id
    site.memory.surrogates.build()
    texts = ("Sarah owns Beta.", "Tom sails.")
    proposed = (ProposedMemory(text=text, evidence=(item,)) for text in texts)
    made = site.memory.proposals.propose(*proposed, by="reader")
    pending, accepted = (one.id for one in made.proposed)
    site.memory.proposals.accept(accepted)
    return {
        "items": item, "memories": item, "sessions": "s1", "preferences": "tone",
        "background": background, "imports": begun, "receipt": receipt, "surrogates": long,
        "proposals": pending, "accepted": accepted,
    }  # fmt: skip


def path_of(route: Route, ids: dict[str, str]) -> str:
    if "{id}" not in route.path:
        return route.path
    subject = route.path.split("/")[2]
    if route.verb == "proposals.undo":
        subject = "accepted"
    return route.path.replace("{id}", ids[subject])


def body_of(route: Route, ids: dict[str, str]) -> Any:
    if route.path == "/v1/replay":
        return {"receipt": ids["receipt"]}
    if route.path == "/v1/diff":
        return {"before": ids["receipt"], "after": ids["receipt"]}
    return route.example if route.has_body else None


def sent(site: Any, route: Route, ids: dict[str, str], **more: Any) -> Any:
    """Send the request that a route is made for; keys are looked after with a key."""
    if route.tag == "keys":
        ids = {**ids, "keys": site.memory.keys.create(space="default").id}
        more.setdefault("key", site.key("default", "admin"))
    if route.is_upload:
        key = more.get("key", "")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return site.client.post(route.path, files=FORM, headers=headers)
    return site.ask(route.method, path_of(route, ids), body_of(route, ids), **more)


def answers_as_the_document_says(site: Any, route: Route, ids: dict[str, str]) -> None:
    got = sent(site, route, ids)

    assert got.status_code in route.answers, (named(route), got.text)
    assert got.headers["content-type"].split(";")[0] == route.media, named(route)
    if route.media == "application/json":
        whole = {**route.answers[got.status_code], "components": DOCUMENT["components"]}
        jsonschema.Draft202012Validator(whole).validate(got.json())


def test_what_only_reads_answers_as_the_document_says(site: Any, ids: dict[str, str]) -> None:
    for route in HARMLESS:
        answers_as_the_document_says(site, route, ids)


@pytest.mark.parametrize("route", [one for one in OWN if one not in HARMLESS], ids=named)
def test_a_route_answers_as_the_document_says(
    site: Any, ids: dict[str, str], route: Route
) -> None:  # fmt: skip
    answers_as_the_document_says(site, route, ids)


def test_a_key_that_may_only_read_is_enough_to_read(site: Any, ids: dict[str, str]) -> None:
    key = site.key("default", "read")
    got = {named(route): sent(site, route, ids, key=key) for route in READING}

    assert {name: one.text for name, one in got.items() if not one.is_success} == {}


def test_asking_a_space_that_is_not_there_makes_none(site: Any, ids: dict[str, str]) -> None:
    key = site.key("nowhere", "read")
    for route in READING:
        got = sent(site, route, ids, key=key)

        assert got.status_code in {*route.answers, 404}, named(route)
        assert "nowhere" not in site.memory.spaces(), named(route)


def test_what_a_writer_of_another_space_sends_changes_nothing_here(
    site: Any, ids: dict[str, str]
) -> None:
    site.server.imports.stop()
    assert site.server.imports.wait(left_s=60.0)
    own = site.key("default", "read")
    before = (site.memory.stats().revision, site.ask("GET", "/v1/export", key=own).content)

    for route in WRITING:
        sent(site, route, ids, key=site.key("other", *Permission))

        after = (site.memory.stats().revision, site.ask("GET", "/v1/export", key=own).content)
        assert after == before, named(route)


@pytest.mark.parametrize("half", [rb"\ud83c", rb"x\ud83cx", rb"\udc00"])
def test_half_a_character_is_told_as_such(site: Any, half: bytes) -> None:
    refused = site.problem("POST", "/v1/items", b'{"content": "' + half + b'"}')

    assert refused["status"] == 400
    assert "holds half a character" in refused["detail"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"\xff", b"null"])
def test_what_is_no_object_of_json_is_refused(site: Any, body: bytes) -> None:
    for route in WITH_BODY:
        refusal = site.problem(route.method, route.path.replace("{id}", "x"), body)

        assert refusal["status"] in {400, 422} & set(problems_of(route)), named(route)
    assert site.memory.spaces() == ()


def test_a_field_that_a_route_does_not_know_is_named(site: Any) -> None:
    for route in WITH_BODY:
        body = {**(route.example or {}), "colour": "red"}
        refusal = site.problem(route.method, route.path.replace("{id}", "x"), body)

        assert (refusal["status"], refusal["errors"][0]["field"]) == (422, "colour"), named(route)
    assert site.memory.spaces() == ()


@pytest.mark.parametrize("media", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_what_a_page_could_send_unasked_is_refused(site: Any, media: str) -> None:
    for route in WITH_BODY:
        path, headers = route.path.replace("{id}", "x"), {"Content-Type": media}
        refusal = site.problem(route.method, path, route.example, headers=headers)

        assert (refusal["status"], refusal["code"]) == (415, "unsupported_media_type"), named(route)
    assert site.memory.spaces() == ()


def test_what_is_not_there_is_told_as_that(site: Any, ids: dict[str, str]) -> None:
    for route in OF_ONE:
        path = route.path.replace("{id}", "no-such-id")
        refusal = site.problem(route.method, path, body_of(route, ids))

        assert (refusal["status"], refusal["code"]) == (404, "not_found"), named(route)


# ── shared spaces ────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def team(site: Any) -> str:
    """A key of `alice` that may read `team`, where something is kept."""
    site.add("Alpha is due on Friday", space="team")
    key: str = site.key("alice", *Permission, shared=["team"])
    return key


def test_a_shared_space_is_asked_only_where_it_is_named(site: Any, team: str) -> None:
    alone = site.answer("POST", "/v1/search", {"query": "Alpha"}, key=team)
    named_too = site.answer("POST", "/v1/search", {"query": "Alpha", "spaces": ["team"]}, key=team)

    assert alone["entries"] == []
    assert [one["space"] for one in named_too["entries"]] == ["team"]


def test_nothing_can_be_changed_in_a_shared_space(site: Any, team: str) -> None:
    [item] = site.memory.in_space("team").list().items
    before = site.memory.in_space("team").stats()
    for route in WRITING:
        path = route.path.replace("{id}", item.id)
        for more in ({}, {"space": "team"}, {"spaces": ["team"]}):
            body = {**(route.example or {}), **more} if route.has_body else None
            site.ask(route.method, path, body, key=team)

        assert site.memory.in_space("team").stats() == before, named(route)
    assert site.memory.in_space("team").get(item.id) == item


def test_a_shared_space_cannot_be_listed_exported_or_looked_into(site: Any, team: str) -> None:
    [item] = site.memory.in_space("team").list().items
    response = [
        site.answer("GET", "/v1/items", key=team),
        site.answer("POST", "/v1/brief", {"query": "Alpha"}, key=team)["text"],
        site.answer("POST", "/v1/retrieve", {"query": "Alpha"}, key=team),
        site.answer("GET", "/v1/entities", key=team),
    ]

    assert "Friday" not in json.dumps(response)
    assert site.problem("GET", f"/v1/items/{item.id}", key=team)["status"] == 404
    assert site.problem("GET", "/v1/export", key=team)["status"] == 404


def test_a_key_of_the_shared_space_does_not_see_who_reads_it(site: Any, team: str) -> None:
    site.answer("POST", "/v1/items", {"content": "Alpha is secret"}, key=team)
    other = site.key("team")

    refusal = site.problem("POST", "/v1/search", {"query": "Alpha", "spaces": ["alice"]}, key=other)

    assert refusal["status"] == 403
    assert "alice" not in refusal["detail"]
    assert site.answer("GET", "/v1/spaces", key=other) == {"space": "team", "spaces": ["team"]}


@pytest.mark.parametrize("spaces", [[], ["team"] * 21, "team", [None], [""], ["team", "Team"]])
def test_spaces_that_do_not_fit_are_refused(site: Any, team: str, spaces: Any) -> None:
    refusal = site.problem("POST", "/v1/search", {"query": "Alpha", "spaces": spaces}, key=team)

    assert refusal["status"] in (403, 422)


def test_one_request_adds_and_forgets(site: Any) -> None:
    site.add("the quay is closed", space="team")
    [old] = site.memory.in_space("team").list().items
    key = site.key("team")

    for body in ({"content": "the quay is open", "forget": [old.id]}, {"forget": ["nobody"]}):
        said = site.answer("POST", "/v1/items", body, key=key)

    [new] = site.memory.in_space("team").list().items
    assert (new.content, said["outcomes"]) == ("the quay is open", [])
