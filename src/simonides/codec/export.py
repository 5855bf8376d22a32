"""The lines of an export: each record as one JSON object, and back.

Knows format 1, as `docs/reference/export-format.md` has it. What is empty is left out, and what is
written is always the same bytes. Must not know files, nor what is done with a record.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from simonides.codec.lossless import json_object, json_text, json_time, json_whole
from simonides.codec.read import SET_BY_STORE, read_item
from simonides.codec.write import to_wire
from simonides.errors import InvalidInput
from simonides.model.bounds import (
    BACKGROUND,
    ID,
    IMPORTED_REVISION,
    INT64,
    ITEM_TEXTS,
    NAME,
    TIMES,
    Text,
    Whole,
)
from simonides.model.coercion import one_of
from simonides.model.export import (
    ErasedMark,
    ExportEnd,
    ExportHead,
    Kept,
    KeptBackground,
    KeptEngagement,
    KeptProposal,
    KeptReceipt,
    KeptVersion,
)
from simonides.model.item import Item
from simonides.model.memories import ProposalStatus
from simonides.model.stored import Engaged

FORMAT = 1
MARK = "simonides_export"
"""The first key of the first line; its value is the format."""

_BREAKS = {ord(mark): f"\\u{ord(mark):04x}" for mark in "\x85\u2028\u2029"}
"""What some readers take for the end of a line; JSON itself escapes the others."""

REQUIRED_ID = Text(chars_max=ID.chars_max, chars_min=1)
REQUIRED_NAME = Text(chars_max=NAME.chars_max, chars_min=1)

Line = ExportHead | Kept | ExportEnd


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """How one type of record is written and read."""

    name: str
    write: Callable[[Any], dict[str, Any]]
    read: Callable[[Mapping[str, Any]], Line]


def to_text(record: Line) -> str:
    """Return the line of a record, without its line break."""
    form = _BY_SORT[type(record)]
    values = form.write(record)
    line = values if form.name == MARK else {form.name: values}
    text = json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_BREAKS)


def from_text(text: str) -> Line:
    """Return the record of a line.

    Raises:
        InvalidInput: It is no line of an export, or of a later format; says where.
    """
    try:
        tree = json_object(json.loads(text), "line")
    except (ValueError, RecursionError) as error:
        raise InvalidInput("line", f"is no JSON: {error}") from error
    if MARK in tree:
        return _read_head(tree)
    name, *others = tree or ("",)
    form = _BY_NAME.get(name)
    if form is None or others:
        known = ", ".join(_BY_NAME)
        raise InvalidInput("line", f"must be an object of just one of {known}; got {name!r:.40}")
    return form.read(json_object(tree[name], name))


# ── the head and the end ──────────────────────────────────────────────────────────────────────


def _write_head(head: ExportHead) -> dict[str, Any]:
    return {MARK: FORMAT, "uuid": head.uuid, "revision": head.revision, "floor": head.floor}


def _read_head(tree: Mapping[str, Any]) -> ExportHead:
    found = json_whole(tree[MARK], MARK)
    if found > FORMAT:
        problem = f"has format {found}, this engine reads up to {FORMAT}"
        raise InvalidInput("export", f"{problem}; use the newer simonides")
    if found < 1:
        raise InvalidInput("export", f"has format {found}; the first one is 1")
    fields = _Fields(tree, at="head")
    revision = fields.whole("revision", IMPORTED_REVISION)
    return ExportHead(
        uuid=fields.text("uuid", REQUIRED_NAME),
        revision=revision,
        floor=fields.whole("floor", Whole(low=0, high=revision)),
    )


def _write_end(end: ExportEnd) -> dict[str, Any]:
    return {"lines": end.lines, "blake2b": end.digest}


def _read_end(tree: Mapping[str, Any]) -> ExportEnd:
    fields = _Fields(tree, at="end")
    return ExportEnd(lines=fields.whole("lines"), digest=fields.text("blake2b"))


# ── what was kept ─────────────────────────────────────────────────────────────────────────────


def _write_version(one: KeptVersion) -> dict[str, Any]:
    item = one.item
    values = {name: to_wire(getattr(item, name)) for name in Item.__slots__}
    set_by_store = {name: values.pop(name) for name in sorted(SET_BY_STORE)}
    if values["traits"] is not None:
        values["traits"] = _without_empty(values["traits"])
    death = {"died": one.died, "died_at": to_wire(one.died_at), "cause": one.cause}
    return {
        "item": _without_empty(values),
        **set_by_store,
        **(death if one.died is not None else {}),
    }


def _without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in ("", [], {}, None)}


def _read_version(tree: Mapping[str, Any]) -> KeptVersion:
    fields = _Fields(tree, at="version")
    item = replace(
        read_item(fields.any("item")),
        stored_at=fields.time("stored_at"),
        revision=fields.whole("revision", IMPORTED_REVISION),
        version=fields.whole("version", IMPORTED_REVISION),
    )
    if "died" not in tree:
        return KeptVersion(item=item)
    return KeptVersion(
        item=item,
        died=fields.whole("died", IMPORTED_REVISION),
        died_at=fields.time("died_at"),
        cause=fields.text("cause"),
    )


def _write_erased(one: ErasedMark) -> dict[str, Any]:
    return {"id_hash": one.id_hash.hex(), "at": to_wire(one.at), "version": one.version}


def _read_erased(tree: Mapping[str, Any]) -> ErasedMark:
    fields = _Fields(tree, at="erased")
    try:
        id_hash = bytes.fromhex(fields.text("id_hash"))
    except ValueError as error:
        raise InvalidInput("erased.id_hash", f"must be hexadecimal: {error}") from error
    version = fields.whole("version", IMPORTED_REVISION)
    return ErasedMark(id_hash=id_hash, at=fields.time("at"), version=version)


def _read_background(tree: Mapping[str, Any]) -> KeptBackground:
    fields = _Fields(tree, at="background")
    return KeptBackground(
        id=fields.text("id", REQUIRED_ID),
        collection=fields.text("collection", ITEM_TEXTS["collection"]),
        text=fields.text("text", BACKGROUND),
        created_at=fields.time("created_at"),
        revision=fields.whole("revision", IMPORTED_REVISION),
    )


def _read_engagement(tree: Mapping[str, Any]) -> KeptEngagement:
    fields = _Fields(tree, at="engagement")
    return KeptEngagement(
        item_id=fields.text("item_id", REQUIRED_ID),
        how=one_of(Engaged, fields.text("how"), field="engagement.how"),
        at=fields.time("at"),
        revision=fields.whole("revision", IMPORTED_REVISION),
        times=fields.whole("times", TIMES),
    )


def _read_receipt(tree: Mapping[str, Any]) -> KeptReceipt:
    fields = _Fields(tree, at="receipt")
    return KeptReceipt(
        id=fields.text("id", REQUIRED_ID), at=fields.time("at"), text=fields.text("text")
    )


def _read_proposal(tree: Mapping[str, Any]) -> KeptProposal:
    fields = _Fields(tree, at="proposal")
    return KeptProposal(
        id=fields.text("id", REQUIRED_ID),
        created_at=fields.time("created_at"),
        status=one_of(ProposalStatus, fields.text("status"), field="proposal.status"),
        decided_at=None if tree.get("decided_at") is None else fields.time("decided_at"),
        body=fields.text("body"),
    )


@dataclass(frozen=True, slots=True)
class _Fields:
    """The fields of one object, each read by its sort; errors name their place."""

    tree: Mapping[str, Any]
    at: str

    def any(self, name: str) -> Any:
        if name not in self.tree:
            raise InvalidInput(f"{self.at}.{name}", "is missing")
        return self.tree[name]

    def text(self, name: str, bound: Text | None = None) -> str:
        found = json_text(self.any(name), f"{self.at}.{name}")
        return found if bound is None else bound.check(found, field=f"{self.at}.{name}")

    def whole(self, name: str, bound: Whole = INT64) -> int:
        return bound.check(self.any(name), field=f"{self.at}.{name}")

    def time(self, name: str) -> datetime:
        return json_time(self.any(name), f"{self.at}.{name}")


_BY_SORT: dict[type[Any], _Form] = {
    ExportHead: _Form(name=MARK, write=_write_head, read=_read_head),
    ErasedMark: _Form(name="erased", write=_write_erased, read=_read_erased),
    KeptBackground: _Form(name="background", write=to_wire, read=_read_background),
    KeptVersion: _Form(name="version", write=_write_version, read=_read_version),
    KeptEngagement: _Form(name="engagement", write=to_wire, read=_read_engagement),
    KeptReceipt: _Form(name="receipt", write=to_wire, read=_read_receipt),
    KeptProposal: _Form(name="proposal", write=to_wire, read=_read_proposal),
    ExportEnd: _Form(name="end", write=_write_end, read=_read_end),
}
_BY_NAME = {form.name: form for form in _BY_SORT.values() if form.name != MARK}
