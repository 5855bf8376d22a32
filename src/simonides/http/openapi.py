"""The OpenAPI document, generated from the routes, the models and the records.

Knows the form of OpenAPI 3.1. Must not know any route.
"""

import json
import re
from collections.abc import Sequence
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import Any

from simonides.api.caller import ACCEPTED
from simonides.api.operations.home import ImportRequest
from simonides.api.operations.remote import WITHHELD
from simonides.codec.request import leaving_out, request_schema, request_schemas
from simonides.codec.schema import array, components, record
from simonides.http.errors import CODES, MEDIA, OPENAI, OPENAI_MEDIA
from simonides.http.idempotency import HEADER, KEY_CHARS_MAX
from simonides.http.route import Route, Way
from simonides.model.access import Permission
from simonides.model.bounds import ID
from simonides.version import __version__

ABOUT = """\
Keep what an assistant may know, find what a question needs, and brief a model with it.

The space comes from the key, never from an argument: a `space` in a body is read over. Times are
ISO 8601. Every error is `application/problem+json` with a `code` that stays; below `/openai/` it is
in the form of OpenAI's clients."""

_REF = "#/components/schemas/{name}"

PROBLEM = record(
    "What went wrong (RFC 9457).",
    type=str, title=str, status=int, detail=str, code=str, retryable=bool, request_id=str,
    errors=array(record(field=str, problem=str)),
)  # fmt: skip

_OPENAI_ERROR = record(
    error=record(message=str, type=str, param={"type": ["string", "null"]}, code=str)
)

ALWAYS = (403, 413, 421, 429, 500, 503)
"""What every route may answer: the gate and the limits stand before all of them."""

STORE = (502, 504, 507)
"""What a verb may answer where the disk or a model fails."""


def problems_of(route: Route) -> list[int]:
    """Return the statuses of all problems that a route may answer with."""
    found = {*ALWAYS, *route.problems}
    if route.permission is not None:
        found |= {401}
    if route.refuses_parameters:
        found |= {422}
    if route.way is Way.THREAD and route.permission is not None:
        found |= {422, *STORE}
    if route.has_body or route.is_upload:
        found |= {400, 408, 415, 422, *STORE}
    if route.has_parameters:
        found |= {422}
    if route.writes:
        found |= {400, 409}
    return sorted(found)


@cache
def examples() -> dict[str, Any]:
    """Return an example of the answer of each route, recorded from a server.

    They were taken down, not made up; a test holds them against the schemas.
    """
    text = (files(__package__) / "examples.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def document(routes: Sequence[Route]) -> dict[str, Any]:
    """Return the OpenAPI document of these routes."""
    paths: dict[str, Any] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Simonides", "version": __version__, "description": ABOUT},
        "paths": paths,
        "components": {
            "schemas": {**components(_answers(routes)), **_requests(routes), "Problem": PROBLEM},
            "responses": {str(status): _problem(status) for status in _STATUSES},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


_STATUSES = sorted({*CODES, 410, 411, 501, *STORE})


def _problem(status: int) -> dict[str, Any]:
    code = CODES.get(status, "store_error")
    example = {
        "type": f"urn:simonides:problem:{code}", "title": HTTPStatus(status).phrase,
        "status": status, "detail": "what went wrong, where, and what to do", "code": code,
        "retryable": status in (429, 503, 504), "request_id": "4f0c2b7e9a1d3c58", "errors": [],
    }  # fmt: skip
    media = {"schema": {"$ref": _REF.format(name="Problem")}, "example": example}
    headers = {}
    if status in (429, 503):
        headers = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds."}}
    return {"description": HTTPStatus(status).phrase, "content": {MEDIA: media}, "headers": headers}


def _operation(route: Route) -> dict[str, Any]:
    named = re.sub(r"\W+", "_", f"{route.tag} {route.verb} {route.method} {route.path}".lower())
    made: dict[str, Any] = {
        "operationId": named.rstrip("_"),
        "summary": route.summary,
        "description": f"`memory.{route.verb}`. {_needs(route)}",
        "tags": [route.tag],
        "parameters": [*_parameters(route)],
        "responses": {
            **{str(status): _answer(route, status, of) for status, of in route.answers.items()},
            **_describe_accepted(route),
            **{str(one): _refusal(route, one) for one in problems_of(route)},
        },
        "security": [{"key": []}, {}] if route.permission is not None else [],
    }
    if route.has_body:
        media: dict[str, Any] = {"schema": {"$ref": _REF.format(name=route.request.__name__)}}
        if route.example is not None:
            media["example"] = route.example
        made["requestBody"] = {"required": True, "content": {"application/json": media}}
    if route.is_upload:
        made["requestBody"] = {"required": True, "content": {"multipart/form-data": _upload()}}
    return made


def _refusal(route: Route, status: int) -> dict[str, Any]:
    """Return the response of a status in which a route answers with an error."""
    if not route.path.startswith(OPENAI):
        return {"$ref": f"#/components/responses/{status}"}
    content = {OPENAI_MEDIA: {"schema": _OPENAI_ERROR}}
    return {"description": HTTPStatus(status).phrase, "content": content}


def _describe_accepted(route: Route) -> dict[str, Any]:
    """Return the answer of a writing route to a key without `read`."""
    if route.permission is not Permission.WRITE or route.shows or route.is_for_writers:
        return {}
    media = {"schema": record(accepted=bool), "example": ACCEPTED}
    description = "Accepted: all that is answered to a key that may write but not read."
    return {"202": {"description": description, "content": {"application/json": media}}}


def _needs(route: Route) -> str:
    if route.permission is None:
        return "Nobody is asked for a key."
    also = " and to `read`" if route.shows else ""
    return f"The key must allow to `{route.permission}`{also}."


def _upload() -> dict[str, Any]:
    """Return the schema of an upload: a file and its options."""
    schema = request_schema(ImportRequest, without="paths")
    file = {"type": "string", "format": "binary", "description": "An mbox, an eml, …"}
    inlined = {
        name: _inline(one, schema["$defs"])
        for name, one in schema["properties"].items()
        if ("import_", name) not in WITHHELD
    }
    return {"schema": {"type": "object", "properties": {"file": file, **inlined},
                       "required": ["file"]}}  # fmt: skip


def _inline(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a form field without null and references."""
    plain = _plain(schema)
    if "$ref" in plain:
        return {"type": "string", "enum": definitions[plain["$ref"].rpartition("/")[2]]["enum"]}
    return plain


def _parameters(route: Route) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    if "{id}" in route.path:
        schema: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": ID.chars_max}
        made.append({"name": "id", "in": "path", "required": True, "schema": schema})
    if route.has_parameters:
        schemas = request_schemas([route.request], template=_REF)
        made += _query(leaving_out(schemas[route.request.__name__], route.id_field))
    headers: dict[str, dict[str, Any]] = {name: {"type": "string"} for name in route.headers}
    if route.writes:
        bounds = {"minLength": 1, "maxLength": KEY_CHARS_MAX, "pattern": "^[!-~]+$"}
        headers[HEADER] = {"type": "string", **bounds}
    for name, schema in headers.items():
        made.append({"name": name, "in": "header", "required": False, "schema": schema})
    return made


def _query(request: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "name": name, "in": "query", "required": name in request.get("required", ()),
            "schema": _plain(schema), "description": schema.get("description", ""),
        }
        for name, schema in request["properties"].items()
    ]  # fmt: skip


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a query parameter, which has no null."""
    options = [one for one in schema.get("anyOf", []) if one.get("type") != "null"]
    if len(options) == 1:
        return {**options[0], "title": schema.get("title", "")}
    return schema


def _answer(route: Route, status: int, of: Any) -> dict[str, Any]:
    response: dict[str, Any] = {"description": HTTPStatus(status).phrase}
    if of is not None:
        media: dict[str, Any] = {"schema": of}
        example = examples().get(f"{route.method} {route.path}")
        if example is not None:
            media["example"] = example
        more = {name: {"schema": other} for name, other in route.more_media.items()}
        response["content"] = {route.media: media, **more}
    return response


def _answers(routes: Sequence[Route]) -> list[dict[str, Any]]:
    every = [of for one in routes for of in (*one.answers.values(), *one.more_media.values())]
    return [of for of in every if of is not None]


def _requests(routes: Sequence[Route]) -> dict[str, Any]:
    """Return the schemas of all request bodies, and of the records in them."""
    made = request_schemas([one.request for one in routes], template=_REF)
    bodies = {one.request.__name__: one for one in routes if one.has_body}
    for name in {one.request.__name__ for one in routes} - bodies.keys():
        del made[name]
    for name, route in bodies.items():
        if route.is_open:
            made[name] = {**made[name], "additionalProperties": True}
        made[name] = leaving_out(made[name], route.id_field)
    return made
