"""Write `docs/reference/parity.md`: every operation and field, and where each interface has it.

    python scripts/parity_table.py

The page is made of the operations, the commands, the OpenAPI document and the tools themselves, so
that nothing stands in it that is not there.
"""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from simonides.api.operations import OPERATIONS, Operation
from simonides.api.operations.remote import WITHHELD
from simonides.cli import derived
from simonides.cli.main import build_parser
from simonides.cli.options import TaskGroup
from simonides.cli.verbs import VERBS
from simonides.codec.request import request_schema
from simonides.codec.schema import components
from simonides.http.openapi import document
from simonides.http.routes import ROUTES
from simonides.mcp.tool import LEFT_OUT, input_schema
from simonides.mcp.tools import SHORT, TOOLS, reason_against

PAGE = Path(__file__).parents[1] / "docs/reference/parity.md"

BY_HAND = {
    "chat": ("chat", {"session_id": "session", "time_filter": "time"}),
    "replay": ("replay", {}),
    "diff": ("diff", {}),
    "proposals.propose": ("proposals propose", {"proposed": "jsonl"}),
    "verify": ("verify", {}),
    "doctor": ("doctor", {}),
    "import_": ("import", {"path": "paths"}),
    "export": ("export", {"path": "file"}),
    "reembed": ("reembed", {}),
    "keys.create": ("keys create", {}),
    "keys.list": ("keys list", {}),
    "keys.revoke": ("keys revoke", {"key_id": "id"}),
}
"""Commands that are more than their operation, and fields that are parsed under another name."""

STANDS_FOR = {
    ("add", "items"): "`--jsonl`",
    ("brief", "limit"): "`--limit`",
    ("explain", "limit"): "`--limit`",
    ("remember", "traits"): "options of its fields",
    ("keys.create", "space"): "`--space`",
    ("import_", "wait"): "`--no-wait`",
    ("keys.audit", "space"): "`--of-space`",
}
"""Fields that the command line has in another form."""

OTHER_ROUTES = {
    "import_": "POST /v1/imports (upload)",
    "export": "GET /v1/export (download)",
    "backup": "GET /v1/backup (download)",
}
"""Operations on files of the machine, which over HTTP are uploads and downloads."""

MORE_JSON = {
    "forget": "`missing`, the ids that were not there",
    "record_usage": "`how`, and `missing`, the ids that were not there",
    "verify": "`space`, and `sound`, whether all is",
    "doctor": "one object for each space, under `spaces`, and `sound`",
    "reembed": "`space`, `embedder`, and `items` instead of `embedded`",
    "import_": "one report of all paths",
}
"""What the command line adds to the JSON of an operation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One operation: how each interface calls it, or why one does not."""

    operation: Operation
    command: str
    route: str
    tool: str
    fields: tuple["Field", ...]
    results: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One argument of an operation: how each interface takes it; empty where one does not."""

    name: str
    command: str
    route: str
    tool: str


@cache
def commands() -> Mapping[str, tuple[str, derived.Command]]:
    """Return the command that is made from each operation, with its name."""
    found: dict[str, tuple[str, derived.Command]] = {}
    for name, verb in VERBS.items():
        tasks = verb.tasks if isinstance(verb, TaskGroup) else {"": verb}
        for task, one in tasks.items():
            if isinstance(one, derived.Command):
                found[one.operation] = (f"{name} {task}".strip(), one)
    return found


FILES = {"import_": "the uploaded file", "export": "the answer", "backup": "the answer"}
"""Where a request over HTTP has the file that an operation names."""


def rows() -> Iterator[Row]:
    """Yield every operation."""
    for operation in OPERATIONS.values():
        properties = request_schema(operation.request)["properties"]
        yield Row(
            operation=operation,
            command=command_of(operation),
            route=route_of(operation),
            tool=tool_of(operation),
            fields=tuple(
                Field(
                    name=name,
                    command=command_field(operation, name),
                    route=route_field(operation, name),
                    tool=tool_field(operation, name),
                )
                for name in properties
            ),
            results=result_fields(operation),
        )


# ── command line ──────────────────────────────────────────────────────────────────────────────


def command_of(operation: Operation) -> str:
    """Return the command of an operation; empty where there is none."""
    made = commands().get(operation.name)
    return made[0] if made else BY_HAND.get(operation.name, ("", {}))[0]


def command_field(operation: Operation, name: str) -> str:
    """Return the option of a field, or what stands for it."""
    if (operation.name, name) in STANDS_FOR:
        return STANDS_FOR[operation.name, name]
    made = commands().get(operation.name)
    if made is None:
        return _parsed(operation, name)
    options = [one for one in made[1].options() if one.path[0] == name]
    if len(options) > 1 or (options and len(options[0].path) > 1):
        return "options of its fields"
    if options:
        return f"`{options[0].flag}`" if options[0].flag else "by position"
    return derived.LEFT_OUT.get(name, "")


def _parsed(operation: Operation, name: str) -> str:
    """Return the option of a field of a command that is written by hand."""
    if operation.name not in BY_HAND:
        return ""
    command, names = BY_HAND[operation.name]
    if name in derived.LEFT_OUT:
        return derived.LEFT_OUT[name]
    for action in _actions(command):
        if action.dest == names.get(name, name):
            return f"`{action.option_strings[0]}`" if action.option_strings else "by position"
    return ""


def _actions(command: str) -> list[argparse.Action]:
    words = command.split()
    parser: Any = build_parser({words[0]: VERBS[words[0]]})
    for word in words:
        below = next(one for one in parser._actions if isinstance(one.choices, dict))  # noqa: SLF001
        parser = below.choices[word]
    return list(parser._actions)  # noqa: SLF001  argparse shows its options nowhere else


# ── HTTP ──────────────────────────────────────────────────────────────────────────────────────


@cache
def openapi() -> dict[str, Any]:
    """Return the OpenAPI document."""
    return document(ROUTES)


def route_of(operation: Operation) -> str:
    """Return the route of an operation; empty where there is none."""
    return OTHER_ROUTES.get(operation.name, f"{operation.method} {operation.path}".strip())


def route_field(operation: Operation, name: str) -> str:
    """Return where a request over HTTP has a field; empty where it has it not."""
    if (operation.name, name) in WITHHELD:
        return WITHHELD[operation.name, name]
    if operation.is_local:
        return FILES.get(operation.name, "form") if name in ("path", "paths") else "form"
    described = openapi()["paths"][operation.path][operation.method.lower()]
    if name == operation.id_field:
        return "path"
    if name == "filter" and not operation.has_body:
        return "query, its fields one by one"
    if name in {one["name"] for one in described.get("parameters", ())}:
        return "query"
    body = described.get("requestBody", {}).get("content", {}).get("application/json", {})
    return "body" if name in _resolved(body.get("schema", {})).get("properties", {}) else ""


def _resolved(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in schema:
        return schema
    found: Mapping[str, Any] = openapi()["components"]["schemas"][schema["$ref"].split("/")[-1]]
    return found


# ── MCP ───────────────────────────────────────────────────────────────────────────────────────


def tool_of(operation: Operation) -> str:
    """Return the tool of an operation; empty where there is none."""
    name = operation.name.replace(".", "_")
    return "" if reason_against(operation) else TOOLS[name].name


def tool_field(operation: Operation, name: str) -> str:
    """Return the argument of a field, or why there is none."""
    if reason_against(operation):
        return ""
    if (operation.name, name) in WITHHELD:
        return WITHHELD[operation.name, name]
    tool = TOOLS[operation.name.replace(".", "_")]
    return f"`{name}`" if name in input_schema(tool.request)["properties"] else LEFT_OUT[name]


# ── results ───────────────────────────────────────────────────────────────────────────────────


def result_fields(operation: Operation) -> tuple[str, ...]:
    """Return the fields of a result, with those of the records in a list of it."""
    made = operation.result_schema()
    parts = components([made])
    return tuple(_names(made.get("anyOf", (made,))[0], parts))


def _names(schema: Mapping[str, Any], parts: Mapping[str, Any]) -> Iterator[str]:
    if "$ref" in schema:
        schema = parts[schema["$ref"].rpartition("/")[2]]
    for name, one in schema.get("properties", {}).items():
        inner = one.get("items", {}) if one.get("type") == "array" else {}
        within = (
            list(parts[inner["$ref"].rpartition("/")[2]].get("properties", {}))
            if ("$ref" in inner)
            else []
        )
        yield f"`{name}`" + (f" ({', '.join(f'`{one}`' for one in within)})" if within else "")


# ── the page ──────────────────────────────────────────────────────────────────────────────────

HEAD = """\
# Operations and interfaces

<!-- Made by scripts/parity_table.py; do not edit. -->

Every operation can be called from Python, on the command line, over HTTP and over MCP, with the
same arguments and the same JSON, where a key allows it. This page is made of the code, and a test
holds that it is current and whole.

Over HTTP and MCP every operation works within the space of the caller's key, those with the
permission `admin` too: it sees, creates and revokes the keys of that space, reads the audit log of
that space, and checks, repairs and copies that space
([Permissions](../explanation/permissions.md)). Results name files without their folders.

"""

NOTES = """\

Besides the tools of operations there are {count} short ones, which are listed to every client
([MCP](mcp.md)).

## Not offered

| operation | interface | reason |
|---|---|---|
"""


def page() -> str:
    """Return the whole page."""
    every = list(rows())
    lines = ["| operation | permission | Python | command line | HTTP | MCP |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    lines += [
        f"| [`{one.operation.name}`](#{_anchor(one)}) | {one.operation.permission} |"
        f" `memory.{one.operation.name}` | {_code(one.command)} | {_code(one.route)} |"
        f" {_code(one.tool)} |"
        for one in every
    ]
    told = [HEAD, "\n".join(lines), "\n", NOTES.format(count=len(SHORT)), *_reasons(every)]
    return "".join((*told, "\n## Arguments and results\n", *map(_section, every), *_records()))


def _records() -> Iterator[str]:
    """Yield the fields of the records within requests, with their options."""
    for title, operation, name in (("filter", "search", "filter"), ("traits", "add", "traits")):
        options = [one for one in commands()[operation][1].options() if one.path[0] == name]
        yield f"\n### Fields of `{title}`\n\n| field | command line |\n|---|---|\n"
        yield from (f"| `{one.path[-1]}` | `{one.flag}` |\n" for one in options)


def _anchor(row: Row) -> str:
    return row.operation.name.replace(".", "")


def _code(text: str) -> str:
    return f"`{text}`" if text else "-"


def _reasons(every: list[Row]) -> Iterator[str]:
    for row in every:
        name = row.operation.name
        if not row.tool:
            yield f"| `{name}` | MCP | {reason_against(row.operation)} |\n"
        for (operation, argument), reason in WITHHELD.items():
            if operation == name:
                yield f"| `{name}`, argument `{argument}` | HTTP, MCP | {reason} |\n"


def _section(row: Row) -> str:
    summary = f"\n### {row.operation.name}\n\n{row.operation.summary}\n"
    table = "\n| argument | command line | HTTP | MCP |\n|---|---|---|---|\n" + "".join(
        f"| `{one.name}` | {one.command} | {one.route or '-'} | {one.tool or '-'} |\n"
        for one in row.fields
    )
    more = MORE_JSON.get(row.operation.name, "")
    added = f" The command line adds {more}." if more else ""
    result = f"\nJSON: {', '.join(row.results)}.{added}\n"
    return summary + (table if row.fields else "") + result


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
