"""The OpenAPI document is whole: references lead somewhere, examples fit, nothing is untold."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no types
import pytest

from simonides.codec.schema import schema_of
from simonides.codec.write import to_line
from simonides.errors import NotFound
from simonides.http.errors import problem_fields, refusal
from simonides.http.openapi import document, examples
from simonides.http.routes import ROUTES
from simonides.model.answer import Diagnostics
from simonides.model.chat import ChatEvent, ChatEventKind, ChatReply

DOCUMENT = document(ROUTES)
PAGE = Path(__file__).parents[3] / "docs/reference/http.md"
WITHOUT = {"GET /v1/export", "GET /v1/backup", "GET /metrics"}
"""Routes whose answer is no JSON."""


def references(tree: Any) -> Iterator[str]:
    """Yield every reference in a document."""
    if isinstance(tree, dict):
        if isinstance(tree.get("$ref"), str):
            yield tree["$ref"]
        for one in tree.values():
            yield from references(one)
    elif isinstance(tree, list):
        for one in tree:
            yield from references(one)


def at(pointer: str) -> Any:
    found: Any = DOCUMENT
    for step in pointer.removeprefix("#/").split("/"):
        found = found[step]
    return found


def fits(value: Any, schema: Any) -> None:
    whole = {**schema, "components": DOCUMENT["components"]}
    jsonschema.Draft202012Validator(whole).validate(value)


def test_every_reference_leads_somewhere() -> None:
    found = set(references(DOCUMENT))

    assert len(found) > 50
    assert all(isinstance(at(one), dict) for one in found)


def test_the_document_is_json() -> None:
    assert json.loads(json.dumps(DOCUMENT)) == DOCUMENT
    assert DOCUMENT["openapi"] == "3.1.0"


def test_no_operation_is_called_like_another() -> None:
    names = [one["operationId"] for path in DOCUMENT["paths"].values() for one in path.values()]

    assert len(names) == len(set(names)) == len(ROUTES)
    assert [one for one in names if not one.isidentifier()] == []


@pytest.mark.parametrize("operation", sorted(examples()))
def test_the_example_of_an_answer_fits_its_schema(operation: str) -> None:
    method, path = operation.split()
    answers = DOCUMENT["paths"][path][method.lower()]["responses"]
    [status] = [
        one for one in answers if one in ("200", "201", "202") and "content" in answers[one]
    ][:1]

    fits(examples()[operation], answers[status]["content"]["application/json"]["schema"])


@pytest.mark.parametrize(
    "route", [one for one in ROUTES if one.has_body], ids=lambda one: f"{one.method} {one.path}"
)
def test_the_example_of_a_body_fits_its_schema(route: Any) -> None:
    reported = DOCUMENT["paths"][route.path][route.method.lower()]
    media = reported["requestBody"]["content"]["application/json"]

    fits(media["example"], media["schema"])


def test_every_answer_that_is_json_has_an_example() -> None:
    own = {f"{one.method} {one.path}" for one in ROUTES if one.tag not in ("openai", "mem0")}

    assert own - WITHOUT == set(examples())


def test_a_problem_fits_its_schema() -> None:
    fits(
        problem_fields(refusal(NotFound("item", "x"))), DOCUMENT["components"]["schemas"]["Problem"]
    )


def test_the_data_of_an_event_of_a_chat_fits_what_is_told_of_it() -> None:
    media = DOCUMENT["paths"]["/v1/chat"]["post"]["responses"]["200"]["content"]
    data = media["text/event-stream"]["schema"]["properties"]["data"]["contentSchema"]
    event = ChatEvent(kind=ChatEventKind.TEXT, text="On Friday.")
    reply = ChatReply(message="On Friday.", session_id="s")

    for one in (event, reply, problem_fields(refusal(NotFound("item", "x")))):
        fits(json.loads(to_line(one)), data)
    with pytest.raises(jsonschema.ValidationError):
        fits({"kind": "text"}, data)


def test_every_route_is_reported_in_the_reference_with_what_its_key_allows() -> None:
    rows = dict(
        re.findall(r"^\| `(\w+ /\S+)` \| ([^|]*) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    )

    assert rows == {
        f"{one.method} {one.path}": ("-" if one.permission is None else str(one.permission))
        + (", read" if one.shows else "")
        for one in ROUTES
    }


def test_what_is_no_record_has_no_schema() -> None:
    with pytest.raises(TypeError, match="no form"):
        schema_of(complex)
    assert schema_of(Diagnostics) == {"$ref": "#/components/schemas/Diagnostics"}
    assert schema_of(tuple[int, int])["prefixItems"] == [{"type": "integer"}] * 2
