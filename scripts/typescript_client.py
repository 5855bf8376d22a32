"""Write the generated part of `packages/simonides-js` from the routes of the server.

    python scripts/typescript_client.py

`src/operations.ts` has a method for each route. `src/api.ts` has the types: openapi-typescript
makes them of the OpenAPI document, so `npm ci` must have run. A test holds that both are current.
"""

import hashlib
import json
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from simonides.http.openapi import document
from simonides.http.route import Route
from simonides.http.routes import ROUTES

PACKAGE = Path(__file__).parents[1] / "packages/simonides-js"
TYPES = PACKAGE / "src/api.ts"
OPERATIONS = PACKAGE / "src/operations.ts"

OTHER_PROTOCOLS = ("openai", "mem0")
"""Tags of routes that have clients of their own."""

JSON = "application/json"
FAILED = "400"
"""The lowest status of a problem: all have one schema, which is not repeated for each route."""

NAMES = {
    "GET /v1/entities": "entities.list",
    "POST /v1/imports": "imports.upload",
    "GET /v1/imports": "imports.list",
    "GET /v1/imports/{id}": "imports.get",
    "GET /v1/memories": "memories.list",
    "GET /v1/memories/{id}": "memories.get",
    "GET /v1/memories/{id}/history": "memories.history",
    "POST /v1/memories/{id}/restore": "memories.restore",
}
"""Methods that are not called like their operation: two routes would have one name."""

HEAD = """\
// Made by scripts/typescript_client.py; do not edit. `make js` makes it anew.
"""

CLASS = """\
import { Client } from "./client.js";
import type { Options, Query, Schemas, UploadFields } from "./types.js";

/** A method for each route of the server. */
export class Operations extends Client {
"""


def routes() -> list[Route]:
    """Return the routes of the client."""
    return [one for one in ROUTES if one.tag not in OTHER_PROTOCOLS]


# ── types ────────────────────────────────────────────────────────────────────────────────────


@cache
def openapi() -> dict[str, Any]:
    """Return the part of the OpenAPI document that the types are made of."""
    made: dict[str, Any] = _for_types(document(routes()))
    made["info"] = {"title": "Simonides", "version": "1"}  # a new version is no new type
    del made["components"]["responses"]
    for path in made["paths"].values():
        for operation in path.values():
            of = operation["responses"]
            operation["responses"] = {status: of[status] for status in of if status < FAILED}
    return made


def _for_types(tree: Any) -> Any:
    """Return a part of the document without examples, its open objects marked as such.

    openapi-typescript takes an object of which no field is told for one without any.
    """
    if isinstance(tree, list):
        return [_for_types(one) for one in tree]
    if not isinstance(tree, dict):
        return tree
    made = {name: _for_types(one) for name, one in tree.items() if name != "example"}
    if made.get("type") == "object" and "properties" not in made:
        made.setdefault("additionalProperties", True)
    return made


def head_of_types() -> str:
    """Return the first lines of the types, with the digest of what they are made of."""
    canonical = json.dumps(openapi(), sort_keys=True, separators=(",", ":"))
    return f"{HEAD}// OpenAPI: sha256 {hashlib.sha256(canonical.encode()).hexdigest()}\n"


def types() -> str:
    """Return the types, as openapi-typescript makes them.

    A field with a default may be left out of a request, hence the option.
    """
    program = PACKAGE / "node_modules/.bin/openapi-typescript"
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "openapi.json", Path(folder) / "api.ts"
        source.write_text(json.dumps(openapi()), encoding="utf-8")
        options = ["--default-non-nullable=false", "--output", str(made)]
        subprocess.run([program, str(source), *options], check=True, capture_output=True)
        return head_of_types() + made.read_text("utf-8")


# ── methods ──────────────────────────────────────────────────────────────────────────────────


def name_of(route: Route) -> str:
    """Return the name of the method of a route, such as `sessions.create`."""
    if route.path.startswith("/health/"):
        return f"health.{route.verb}"
    words = NAMES.get(f"{route.method} {route.path}", route.verb).split("_")
    return words[0] + "".join(map(str.capitalize, words[1:]))


def operations() -> str:
    """Return the class with a method for each route."""
    groups: dict[str, list[str]] = defaultdict(list)
    for route in routes():
        group, _, name = name_of(route).rpartition(".")
        groups[group].append(_member(route, name) if group else _method(route, name))
    own = "\n".join(groups.pop(""))
    grouped = (f"\n  readonly {name} = {{\n{''.join(of)}  }};\n" for name, of in groups.items())
    return f"{HEAD}{CLASS}{own}{''.join(grouped)}}}\n"


def _method(route: Route, name: str) -> str:
    return (
        f"  /** {route.summary} */\n"
        f"  {name}({', '.join(_arguments(route))}) {{\n    return {_call(route)};\n  }}\n"
    )


def _member(route: Route, name: str) -> str:
    return (
        f"    /** {route.summary} */\n"
        f"    {name}: ({', '.join(_arguments(route))}) =>\n      {_call(route)},\n"
    )


def _arguments(route: Route) -> Iterator[str]:
    if "{id}" in route.path:
        yield "id: string"
    if route.has_body:
        name = route.request.__name__
        is_needed = "required" in openapi()["components"]["schemas"][name]
        yield f'body: Schemas["{name}"]' + ("" if is_needed else " = {}")
    if route.has_parameters:
        yield f'query: Query<"{route.method}", "{route.path}"> = {{}}'
    if route.is_upload:
        yield "file: Blob"
        yield "fields: UploadFields = {}"
    yield "options: Options = {}"


def _call(route: Route) -> str:
    if route.is_upload:
        return f'this.upload("{route.path}", file, fields, options)'
    given = ["...options"]
    given += ["params: { id }"] if "{id}" in route.path else []
    given += ["body"] if route.has_body else ["query"] if route.has_parameters else []
    how = "request" if route.media == JSON else "raw"
    return f'this.{how}("{route.method}", "{route.path}", {{ {", ".join(given)} }})'


def main() -> None:
    """Write both files."""
    OPERATIONS.write_text(operations(), encoding="utf-8")
    TYPES.write_text(types(), encoding="utf-8")


if __name__ == "__main__":
    main()
