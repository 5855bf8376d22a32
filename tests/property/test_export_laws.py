"""A line of an export says what it was made of, whatever that is; a changed one never breaks in."""

import json
from datetime import datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from simonides.codec.export import from_text, to_text
from simonides.errors import InvalidInput
from simonides.model.bounds import IMPORTED_REVISION, POSITION, TIMES
from simonides.model.export import (
    ErasedMark,
    ExportEnd,
    ExportHead,
    KeptBackground,
    KeptEngagement,
    KeptProposal,
    KeptReceipt,
    KeptVersion,
)
from simonides.model.item import (
    Item,
    Kind,
    MemoryTraits,
    MemoryType,
    Person,
    Role,
    Scope,
    Status,
    digest,
)
from simonides.model.memories import ProposalStatus
from simonides.model.stored import Engaged
from simonides.model.times import moment
from simonides_bench.testing.depth import examples

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
names = texts.filter(bool)
times = st.integers(-(62 * 10**15), 253 * 10**15).map(moment)
whole = st.integers(0, IMPORTED_REVISION.high)
shares = st.floats(0, 1)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip

traits = st.builds(
    MemoryTraits, scope=st.sampled_from(Scope), type=st.sampled_from(MemoryType),
    status=st.sampled_from(Status), confidence=shares, importance=shares,
    half_life_hours=st.none() | st.floats(0, 1e9), entity=texts, workspace_id=texts, user_id=texts,
    session_id=texts, source_run_id=texts, expires_at=st.none() | times,
)  # fmt: skip
people = st.lists(
    st.builds(Person, name=names, address=texts, role=st.sampled_from(Role)), max_size=3
)
items = st.builds(
    Item, kind=st.sampled_from(Kind), content=texts.map(lambda text: f"x{text}"), source=names,
    source_id=texts, id=st.sampled_from(["", "an id", "ü🫖"]), title=texts, summary=texts,
    quoted=texts, tags=st.lists(texts, max_size=3).map(tuple), people=people.map(tuple),
    metadata=st.dictionaries(texts, values, max_size=3), collection=names, session=texts,
    position=st.none() | st.integers(POSITION.low, POSITION.high), happened_at=st.none() | times,
    language=st.sampled_from(["en", "de"]), traits=st.none() | traits, stored_at=times,
    revision=whole, version=whole,
)  # fmt: skip


def _head(drawn: tuple[str, int, int]) -> ExportHead:
    uuid, *both = drawn
    return ExportHead(uuid=uuid, floor=min(both), revision=max(both))


records: st.SearchStrategy[Any] = st.one_of(
    st.tuples(names, whole, whole).map(_head),
    st.builds(ErasedMark, id_hash=st.binary(min_size=16, max_size=16), at=times, version=whole),
    st.builds(KeptBackground, id=names, collection=names, text=names, created_at=times,
              revision=whole),
    st.builds(KeptVersion, item=items),
    st.builds(KeptVersion, item=items, died=whole, died_at=times,
              cause=st.sampled_from(["replaced", "forgotten"])),
    st.builds(KeptEngagement, item_id=names, how=st.sampled_from(Engaged), at=times,
              revision=whole, times=st.integers(TIMES.low, TIMES.high)),
    st.builds(KeptReceipt, id=names, at=times, text=texts),
    st.builds(KeptProposal, id=names, created_at=times, status=st.sampled_from(ProposalStatus),
              decided_at=st.none() | times, body=texts),
    st.builds(ExportEnd, lines=whole, digest=names),
)  # fmt: skip


def read_or_refused(text: str) -> object:
    """Return the record of a line, or the place for which it is refused."""
    try:
        return from_text(text)
    except InvalidInput as error:
        return error.field


@given(record=records)
@settings(max_examples=examples(200))
def test_a_line_is_read_back_as_what_it_was_made_of(record: Any) -> None:
    line = to_text(record)
    again = from_text(line)

    assert again == record
    assert to_text(again) == line
    if isinstance(record, KeptVersion) and isinstance(again, KeptVersion):
        assert digest(again.item) == digest(record.item)
        assert repr(again.item.metadata) == repr(record.item.metadata)


@given(record=records)
def test_a_line_is_one_line_to_every_reader(record: Any) -> None:
    line = to_text(record)

    assert line.splitlines() == [line]
    assert isinstance(json.loads(line), dict)
    assert line.encode().decode() == line


@given(record=records, data=st.data())
def test_a_line_that_was_changed_is_read_or_refused_by_its_place(
    record: Any, data: st.DataObject
) -> None:
    tree = json.loads(to_text(record))
    inner = tree if "simonides_export" in tree else next(iter(tree.values()))
    field = data.draw(st.sampled_from(sorted(inner)))
    how = data.draw(st.sampled_from(["drop", "null", "number", "text", "list"]))
    if how == "drop":
        del inner[field]
    else:
        inner[field] = {"null": None, "number": 1.5, "text": "??", "list": [[]]}[how]

    assert read_or_refused(json.dumps(tree))


@given(text=st.text(max_size=40) | values.map(json.dumps))
def test_what_is_no_line_is_refused(text: str) -> None:
    assert read_or_refused(text)


@given(at=times)
def test_times_keep_their_microseconds(at: datetime) -> None:
    mark = from_text(to_text(ErasedMark(id_hash=bytes(16), at=at)))

    assert isinstance(mark, ErasedMark)
    assert mark.at - at == timedelta(0)
