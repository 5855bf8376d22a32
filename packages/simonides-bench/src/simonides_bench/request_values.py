"""Random requests of an OpenAPI document's operations, with values at its schemas' limits.

Knows OpenAPI's form. Must not know any route, nor what becomes of a request.
"""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from simonides_bench.boundaries import JSON, NUMBERS, TEXTS, TIMES, WHOLES

NASTY_SHARE = 0.25
"""Share of the values that are of any sort, whatever the schema says."""

OPTIONAL_SHARE = 0.3
"""Share of the fields that are sent though they may be left out."""

LEFT_OUT_SHARE = 0.03
"""Share of the fields that are left out though they must be there."""

LONG_MAX = 120_000
"""Longest text that is made because a schema allows it."""

NESTED_MAX = 6

LIKELY: dict[str, tuple[Any, ...]] = {
    "query": ("harbor deadline", "when is the harbor deadline?", "what did Sarah say last week?"),
    "message": ("what is the harbor deadline?",),
    "text": ("the harbor deadline is Friday", "Sarah likes tea"),
    "content": ("the harbor deadline moved to Monday", "x harbor"),
    "value": ("short answers",),
    "role": ("user", "assistant"),
    "receipt": ("unknown",),
}
"""What gets a request past the first look, so that a verb itself is reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One request: `body` as it is sent, `headers` with lower-case names."""

    method: str
    path: str
    query: bytes = b""
    body: bytes = b""
    headers: tuple[tuple[bytes, bytes], ...] = ()
    operation: str = ""


@dataclass(slots=True, kw_only=True)
class Requests:
    """Draws requests of an OpenAPI document; `known` are ids that answers gave."""

    document: Mapping[str, Any]
    draw: random.Random
    known: list[str] = field(default_factory=lambda: ["anchor"])
    _round: list[tuple[str, str]] = field(default_factory=list)

    def one(self) -> Sent:
        """Return a request of some operation: all in random order, then all again."""
        paths = self.document["paths"]
        if not self._round:
            self._round = [(path, method) for path in paths for method in paths[path]]
            self.draw.shuffle(self._round)
        path, method = self._round.pop()
        return self._of(path, method, paths[path][method])

    def _of(self, path: str, method: str, operation: Mapping[str, Any]) -> Sent:
        given: dict[str, list[tuple[str, Any]]] = {"path": [], "query": [], "header": []}
        for one in operation.get("parameters", ()):
            if one["in"] == "path" or self._is_sent(is_required=one["required"]):
                value = self._draw_named(one["name"], one["schema"])
                given[one["in"]].append((one["name"], value))
        headers = [(name.lower().encode(), _header(value)) for name, value in given["header"]]
        body, media = self._body(operation.get("requestBody"))
        if media:
            headers.append((b"content-type", media.encode()))
            headers.append((b"content-length", str(len(body)).encode()))
        for name, value in given["path"]:
            path = path.replace(f"{{{name}}}", quote(_text(value), safe="", errors="replace"))
        query = urlencode(
            [(name, one) for name, value in given["query"] for one in _flat(value)],
            errors="replace",
        )
        return Sent(
            method=method.upper(), path=path, query=query.encode(), body=body,
            headers=tuple(headers), operation=f"{method.upper()} {operation['operationId']}",
        )  # fmt: skip

    def _is_sent(self, *, is_required: bool) -> bool:
        share = 1.0 - LEFT_OUT_SHARE if is_required else OPTIONAL_SHARE
        return self.draw.random() < share

    # ── bodies ────────────────────────────────────────────────────────────────────────────────

    def _body(self, request_body: Mapping[str, Any] | None) -> tuple[bytes, str]:
        if request_body is None:
            return b"", ""
        content = request_body["content"]
        if "multipart/form-data" in content:
            return self._form(content["multipart/form-data"]["schema"])
        media = content["application/json"]
        if self.draw.random() < LEFT_OUT_SHARE:
            return self.draw.choice(_BROKEN), "application/json"
        is_example = "example" in media and self.draw.random() < OPTIONAL_SHARE
        value = self.value(media["schema"], depth=0)
        if is_example and isinstance(value, dict):
            value = {**media["example"], **value}
        return json.dumps(value, ensure_ascii=self.draw.random() < 0.5).encode(  # noqa: PLR2004
            errors="surrogatepass"
        ), "application/json"

    def _form(self, schema: Mapping[str, Any]) -> tuple[bytes, str]:
        name, content = self.draw.choice(_FILES)
        parts = [_part("file", content, file=name)]
        for field_name, one in schema["properties"].items():
            if field_name != "file" and self._is_sent(is_required=False):
                value = _text(self._draw_named(field_name, one)).encode(errors="replace")
                parts.append(_part(field_name, value))
        return b"".join([*parts, b"--bound--\r\n"]), "multipart/form-data; boundary=bound"

    # ── values ────────────────────────────────────────────────────────────────────────────────

    def value(self, schema: Mapping[str, Any], *, depth: int) -> Any:
        """Return a value that fits a schema, mostly at a limit of it, or does not."""
        schema = self._resolve(schema)
        options = schema.get("anyOf") or schema.get("oneOf")
        if options:
            return self.value(self.draw.choice(options), depth=depth)
        if self.draw.random() < NASTY_SHARE and depth:
            return self._nasty()
        if "enum" in schema or "const" in schema:
            return self.draw.choice(schema.get("enum") or [schema["const"]])
        return self._of_type(schema, depth)

    def _of_type(self, schema: Mapping[str, Any], depth: int) -> Any:
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = self.draw.choice(kind)
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, depth)
        if kind in ("integer", "number"):
            return self._number(schema, is_whole=kind == "integer")
        if kind == "string":
            return self._string(schema)
        return {"boolean": self.draw.random() < 0.5, "null": None}.get(  # noqa: PLR2004
            str(kind), self.draw.choice(JSON)
        )

    def _draw_named(self, name: str, schema: Mapping[str, Any]) -> Any:
        """Return the value of a field, now and then one that its name asks for."""
        if name in ("id", "ids", "session_id", "session") and self.draw.random() < 0.6:  # noqa: PLR2004
            one = self.draw.choice(self.known)
            return [one] if name == "ids" else one
        if name in LIKELY and self.draw.random() < 0.7:  # noqa: PLR2004
            return self.draw.choice(LIKELY[name])
        return self.value(schema, depth=1)

    def _object(self, schema: Mapping[str, Any], depth: int) -> Any:
        properties = schema.get("properties")
        if not properties or depth > NESTED_MAX:
            return self.draw.choice(JSON)
        required = schema.get("required", ())
        return {
            name: self._draw_named(name, one)
            for name, one in properties.items()
            if self._is_sent(is_required=name in required or name in LIKELY)
        }

    def _array(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        most = min(schema.get("maxItems", 5), 1_001)
        is_full = self.draw.random() < LEFT_OUT_SHARE
        count = self.draw.choice((most, most + 1)) if is_full else self.draw.randrange(4)
        if is_full:
            return [self._string({})] * count
        return [self.value(schema.get("items", {}), depth=depth + 1) for _ in range(count)]

    def _number(self, schema: Mapping[str, Any], *, is_whole: bool) -> Any:
        ends = [schema[name] for name in ("minimum", "maximum") if name in schema]
        near = [end + more for end in ends for more in (-1, 0, 1)]
        table: Sequence[Any] = WHOLES if is_whole else (*NUMBERS, *WHOLES)
        fit = [one for one in table if _fits(one, schema)]
        chosen = near or fit if self.draw.random() < 0.5 else fit or near  # noqa: PLR2004
        return self.draw.choice(chosen or table)

    def _string(self, schema: Mapping[str, Any]) -> str:
        if schema.get("description") == "ISO 8601" or "ISO time" in schema.get("description", ""):
            return str(self.draw.choice(TIMES))
        most = int(schema.get("maxLength", 0))
        if most and most <= LONG_MAX and self.draw.random() < 0.1:  # noqa: PLR2004
            return self.draw.choice("xé\u200b \U0001f600") * (most + self.draw.choice((-1, 0, 1)))
        return self.draw.choice(TEXTS)

    def _nasty(self) -> Any:
        table: Sequence[Any] = self.draw.choice((WHOLES, NUMBERS, TEXTS, TIMES, JSON))
        return self.draw.choice(table)

    def _resolve(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        found = schema
        while "$ref" in found:
            name = found["$ref"].rpartition("/")[2]
            found = self.document["components"]["schemas"][name]
        return found


def _fits(value: float, schema: Mapping[str, Any]) -> bool:
    return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else _json(value)
    return text or "x"


def _json(value: Any) -> str:
    try:
        return json.dumps(value)
    except ValueError:  # Python writes out no whole number of more than 4,300 digits
        return "9" * 4_301


def _flat(value: Any) -> list[str]:
    return [_text(one) for one in value] if isinstance(value, list) else [_text(value)]


def _header(value: Any) -> bytes:
    raw = _text(value).encode("latin-1", errors="replace")[:2_000]
    return raw.replace(b"\n", b"?").replace(b"\r", b"?").replace(b"\x00", b"?")


def _part(name: str, content: bytes, *, file: str = "") -> bytes:
    said = f'; filename="{file}"' if file else ""
    head = f'--bound\r\nContent-Disposition: form-data; name="{name}"{said}\r\n\r\n'
    return head.encode() + content + b"\r\n"


_BROKEN = (
    b"", b"null", b"[]", b"1", b'"x"', b"{", b'{"content": 1e999}', b'{"content": NaN}', b"\xff",
    b'{"content": "\\ud800"}', b"[" * 9_999, b'{"a":' * 9_999, b'{"content": "x", "content": "y"}',
)  # fmt: skip
"""Bodies that are none, or no JSON."""

_MAIL = (
    b"From: Sarah <sarah@example.com>\nTo: me@example.com\nSubject: harbor\n"
    b"Message-ID: <1@example.com>\nDate: Fri, 31 Dec 9999 23:59:59 -2359\n\nThe harbor is shut.\n"
)
_FILES = (
    ("harbor.eml", _MAIL), ("harbor.mbox", b"From x Thu Jan  1 00:00:00 1970\n" + _MAIL * 2),
    ("harbor.md", b"---\ntitle: harbor\ndate: 0001-01-01\n---\n# Harbor\n\nshut\n"),
    ("chat.jsonl", b'{"role":"user","text":"harbor","at":"0001-01-01T00:00:00+23:59"}\n'),
    ("out.jsonl", b'{"simonides_export":1,"uuid":"u","revision":9223372036854775807,"floor":0}\n'),
    ("out.jsonl", b'{"simonides_export":1,"uuid":"u","revision":1,"floor":-1}\n'),
    ("empty.md", b""), ("", b"x"), ("..\\..\x00.md", b"\xff\xfe\x00x"), ("a.eml", b"\x00" * 2_000),
)  # fmt: skip
"""Small uploads of every format, at the limits of what they say."""
