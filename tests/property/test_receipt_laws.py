"""Receipts on the wire: what is written comes back to the last bit, and nothing else comes in."""

import json
import math
import struct
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from simonides.codec.read import read_receipt
from simonides.codec.write import to_line, to_wire
from simonides.context.diff import diff
from simonides.context.receipt import receipt_id
from simonides.errors import InvalidInput
from simonides.model.answer import Mode, Scorer
from simonides.model.brief import (
    RECEIPT_FORMAT,
    ContextConfig,
    ContextMode,
    DropReason,
    Form,
    Layout,
    Receipt,
    ReceiptItem,
    ReceiptSpace,
    Stage,
    TierPolicy,
)
from simonides.model.coercion import NESTED_MAX
from simonides.model.filter import AllOf, AnyOf, Compare, Filter, Not, Operator, Viewer
from simonides.model.item import Kind, MemoryType, Scope, Status, Trust
from simonides.model.receipt_diff import DiffChange
from simonides.model.stored import Tier
from simonides_bench.testing.depth import examples

CASES: Final = examples(2000)
"""What the law of the round trip is tried on."""

many = settings(
    max_examples=CASES, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

texts = st.text(max_size=6) | st.sampled_from(["\ud800", "\u2028", '"', "\\", "\x00", "é" * 40])
names = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)

keys = names | st.sampled_from(["$tuple", "$number", "$object", "$", "and", "not", "all"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(keys, inner, max_size=3)
    ),
    max_leaves=4,
)


def compares() -> st.SearchStrategy[Compare]:
    """Return comparisons whose value fits their operator."""
    plain = [one for one in Operator if one not in (Operator.IN, Operator.EXISTS)]
    lists = st.lists(values, max_size=3)
    return st.one_of(
        st.builds(Compare, key=keys, operator=st.sampled_from(plain), value=values),
        st.builds(Compare, key=keys, operator=st.just(Operator.EXISTS), value=st.booleans()),
        st.builds(Compare, key=keys, operator=st.just(Operator.IN), value=lists | lists.map(tuple)),
    )


conditions = st.recursive(
    compares(),
    lambda inner: (
        st.builds(AllOf, parts=st.lists(inner, max_size=3).map(tuple))
        | st.builds(AnyOf, parts=st.lists(inner, max_size=3).map(tuple))
        | st.builds(Not, part=inner)
    ),
    max_leaves=5,
)


FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
NUMBERS: Final = (math.nan, math.inf, -math.inf, 0.0, -0.0, 0, 1, 0.1, 1 / 3, 5e-324, 2.0**53)
LISTS: Final = ("ids", "sources", "collections", "sessions", "tags", "people", "authors",
                "entities")  # fmt: skip
COUNTS: Final = (
    "top_k", "expansion_tokens_max", "expansion_bytes_max", "snippet_words_max",
    "surrogate_tokens_max", "surrogates_max", "reserve",
)  # fmt: skip
BOUNDS: Final = ("snippets_max", "items_max", "source_items_max")
WEIGHTS: Final = ("worth_min", "recent_days", "old_days", "full_importance", "gist_importance",
                  "query_boost_max", "likeness_max")  # fmt: skip


class Picker:
    """Picks the values that need no shrinking from one seed: drawing each takes much longer."""

    def __init__(self, seed: int, texts: list[str]) -> None:
        self._random = Random(seed)
        self.choice = self._random.choice
        self.texts = [*texts, ""]

    def text(self) -> str:
        return self.choice(self.texts)

    def several(self, of: Callable[[], Any]) -> tuple[Any, ...]:
        """Return a short tuple."""
        return tuple(of() for _ in range(self._random.randrange(3)))

    def some(self, of: Iterable[Any]) -> tuple[Any, ...]:
        """Return a short tuple of members of an enumeration."""
        return self.several(lambda: self.choice(list(of)))

    def maybe(self, of: Callable[[], Any]) -> Any:
        """Return nothing or a value."""
        return self.choice([lambda: None, of])()

    def count(self) -> int:
        return self.choice([0, 1, 10**6, self._random.randrange(10**6)])

    def number(self) -> float:
        """Return a float of any bits, one that breaks things, or a whole number."""
        bits: float = struct.unpack("d", self._random.randbytes(8))[0]
        return self.choice([bits, self.choice(NUMBERS), self._random.randint(-(10**6), 10**6)])

    def moment(self) -> datetime:
        span = (LAST - FIRST) // timedelta(microseconds=1)
        between = FIRST + timedelta(microseconds=self._random.randint(0, span))
        return self.choice([FIRST, LAST, *[between] * 8])

    def spans(self) -> tuple[tuple[int, int], ...]:
        ends = sorted({self.count() for _ in range(self._random.randrange(5))})
        return tuple(zip(*[iter(ends)] * 2, strict=False))

    def item(self, item_id: str) -> ReceiptItem:
        return ReceiptItem(
            id=item_id, version=self.count(), revision=self.count(), score=self.number(),
            stage=self.choice(list(Stage)), form=self.choice(list(Form)),
            trust=self.choice(list(Trust)), tier=self.choice([None, *Tier]), spans=self.spans(),
            why=self.several(lambda: (self.text(), self.number())),
        )  # fmt: skip

    def filter(self, where: Any) -> Filter:
        viewer = self.choice([None, Viewer(
            workspace_id=self.text(), user_id=self.text(), session_id=self.text(),
        )])  # fmt: skip
        return Filter(
            **{name: self.several(self.text) for name in LISTS}, kinds=self.some(Kind),
            scopes=self.some(Scope), types=self.some(MemoryType), statuses=self.some(Status),
            expired=self.choice([False, True]), since=self.maybe(self.moment),
            until=self.maybe(self.moment), viewer=viewer, where=where,
        )  # fmt: skip

    def config(self, surrogates: str) -> ContextConfig:
        numbers: dict[str, Any] = {
            **{name: self.count() for name in COUNTS},
            **{name: self.maybe(self.count) for name in BOUNDS},
            **{name: self.number() for name in WEIGHTS},
        }
        return ContextConfig(
            layout=self.choice(list(Layout)), context_mode=self.choice(list(ContextMode)),
            tier_policy=self.choice(list(TierPolicy)), trust_min=self.choice(list(Trust)),
            surrogates=surrogates, headers=self.choice([False, True]),
            why=self.choice([False, True]), score_min=self.maybe(self.number),
            **numbers,
        )  # fmt: skip


@st.composite
def receipts(draw: st.DrawFn) -> Receipt:
    """Return a receipt with any value in any field that a brief could have given it."""
    ids = draw(st.lists(texts, max_size=4, unique=True))
    shown = draw(st.integers(0, len(ids)))
    pick = Picker(draw(st.integers(0, 2**64 - 1)), draw(st.lists(texts, max_size=6)) + ids)
    plain: dict[str, Any] = {
        **{name: pick.count() for name in ("revision", "epoch", "limit", "budget")},
        **{name: pick.text() for name in ("engine", "space", "space_uuid", "query", "session_id",
                                          "embedder", "language", "surrogates", "text_hash")},
    }  # fmt: skip
    made = Receipt(
        id="",
        format=RECEIPT_FORMAT,
        now=pick.moment(),
        timezone=pick.choice(["UTC", "Europe/Vienna", "Asia/Tokyo"]),
        mode=pick.choice(list(Mode)),
        mode_used=pick.choice(list(Mode)),
        scorer=pick.choice(list(Scorer)),
        filter=pick.filter(draw(st.none() | conditions)),
        min_score=pick.maybe(pick.number),
        min_relevance=pick.maybe(pick.number),
        as_of=pick.choice([None, pick.count(), pick.moment()]),
        unit=pick.choice(["tokens", "words"]),
        encoding=pick.choice(["cl100k_base", "o200k_base"]),
        config=pick.config(draw(names)),
        items=tuple(pick.item(one) for one in ids[:shown]),
        dropped=tuple((one, pick.choice(list(DropReason))) for one in ids[shown:]),
        owner=pick.several(pick.text),
        entities=pick.several(pick.text),
        background=pick.text(),
        nothing=pick.text(),
        **plain,
    )
    made = of_several(made) if draw(st.booleans()) else made
    return replace(made, id=receipt_id(made))


def of_several(receipt: Receipt) -> Receipt:
    """Return the receipt as one of two spaces, to which its items belong by turns."""
    own = ReceiptSpace(
        space="own", space_uuid="a", revision=receipt.revision, epoch=0, embedder="none",
        mode_used=receipt.mode_used,
    )  # fmt: skip
    names = ("own", "team")
    return replace(
        receipt,
        format=RECEIPT_FORMAT,
        spaces=(own, replace(own, space="team", space_uuid="b")),
        items=tuple(replace(one, space=names[n % 2]) for n, one in enumerate(receipt.items)),
        dropped_spaces=tuple(names[n % 2] for n, _ in enumerate(receipt.dropped)),
    )


@given(receipt=receipts())
@many
def test_a_receipt_comes_back_to_the_last_bit(receipt: Receipt) -> None:
    line = to_line(receipt)
    again = read_receipt(line)

    assert line.isascii()
    assert "\n" not in line
    assert repr(again) == repr(receipt)
    assert to_line(again) == line
    assert receipt_id(again) == receipt.id


@given(receipt=receipts())
def test_a_receipt_is_found_in_the_json_of_its_brief(receipt: Receipt) -> None:
    whole = json.dumps({"text": "…", "items": [], "receipt": to_wire(receipt)})

    assert repr(read_receipt(whole)) == repr(receipt)


@given(receipt=receipts(), zone=st.timezones())
def test_the_clock_of_a_receipt_is_a_moment_in_whatever_zone(receipt: Receipt, zone: Any) -> None:
    assume(1 < receipt.now.year < LAST.year)  # else another zone may have no such day
    there = replace(receipt, now=receipt.now.astimezone(zone))

    assert read_receipt(to_line(there)).now == receipt.now
    assert receipt_id(there) == receipt_id(receipt)


@given(data=st.data(), receipt=receipts())
@settings(max_examples=examples(100))
def test_whatever_is_changed_in_a_receipt_does_not_fit_its_id(
    data: st.DataObject, receipt: Receipt
) -> None:
    other = data.draw(receipts())
    name = data.draw(st.sampled_from(["query", "items", "dropped", "filter", "config", "revision"]))
    changed = replace(receipt, **{name: getattr(other, name)})

    is_same = repr(asdict(changed)[name]) == repr(asdict(receipt)[name])  # a record's own is cut
    assert (receipt_id(changed) == receipt.id) == is_same


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=4,
)


@given(data=st.data(), receipt=receipts())
@settings(max_examples=examples(300))
def test_a_receipt_from_anywhere_is_read_or_refused_by_its_place(
    data: st.DataObject, receipt: Receipt
) -> None:
    tree = json.loads(to_line(receipt))
    where: Any = tree
    while isinstance(where, dict | list) and where and data.draw(st.booleans()):
        places = list(where) if isinstance(where, dict) else list(range(len(where)))
        place = data.draw(st.sampled_from(places))
        if not isinstance(where[place], dict | list) or data.draw(st.booleans()):
            where[place] = data.draw(anything)
            break
        where = where[place]
    refused = ""
    try:
        found = read_receipt(json.dumps(tree))
    except InvalidInput as error:
        refused = str(error)

    if refused:
        assert refused.startswith("receipt")
    else:
        assert repr(read_receipt(to_line(found))) == repr(found)


SHARED = frozenset({"spaces", "dropped_spaces", "ignore"})
"""What most receipts do not have: of several spaces, of parts that were ignored."""

FIELDS = (*sorted(set(Receipt.__slots__) - SHARED), "items.0.score", "config.layout")


@given(receipt=receipts(), wrong=st.sampled_from([[[]], {"": ""}, False, -1.5]))
@settings(max_examples=examples(30))
def test_a_field_that_is_missing_or_of_another_sort_is_named(receipt: Receipt, wrong: Any) -> None:
    tree = to_wire(replace(receipt, items=(_ITEM,)))
    for name in FIELDS:
        *path, last = name.split(".")
        inner: Any = tree
        for step in path:
            inner = inner[int(step) if step.isdigit() else step]
        at = "receipt." + name.replace(".0.", "[0].")
        kept = inner.pop(last)
        assert refusal(tree) == f"{at}: is missing"

        inner[last] = wrong
        takes_number = isinstance(kept, float) or name in ("min_score", "min_relevance")
        if type(kept) is not type(wrong) and not (takes_number and isinstance(wrong, float)):
            assert refusal(tree).startswith(at)
        inner[last] = kept


def refusal(tree: Any) -> str:
    """Return what is said of a receipt that is refused."""
    with pytest.raises(InvalidInput) as reported:
        read_receipt(json.dumps(tree))
    return str(reported.value)


_ITEM = ReceiptItem(
    id="only", version=1, revision=1, score=0.5, stage=Stage.SNIPPET, form=Form.WHOLE,
    trust=Trust.OWN, spans=((0, 4),),
)  # fmt: skip


@given(text=st.text() | anything.map(json.dumps))
@settings(max_examples=examples(300))
def test_no_text_at_all_does_more_than_be_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^receipt"):
        read_receipt(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"receipt":' * 2_000,
        "[" * (NESTED_MAX + 5) + "]" * (NESTED_MAX + 5),
        "1" * 5_000,
        '{"format": NaN}',
        '{"receipt": {"receipt": {}}}',
        '"\\ud800"',
        "\ufeff{}",
        "",
    ],
)
def test_texts_that_break_parsers_are_refused_as_well(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^receipt"):
        read_receipt(text)


# ── what differs ──────────────────────────────────────────────────────────────────────────────


@given(receipt=receipts())
def test_nothing_differs_from_itself(receipt: Receipt) -> None:
    known = tuple(one for one in receipt.items if not math.isnan(one.score))
    receipt = replace(receipt, items=known)
    found = diff(receipt, read_receipt(to_line(receipt)))

    assert found.same_text
    assert (found.items, len(found.sentences)) == ((), 1 + len(found.settings))
    assert all("nan" in repr(one.was) for one in found.settings)


def whose(items: Iterable[Any]) -> set[tuple[str, str]]:
    return {("" if one.space == "own" else one.space, one.id) for one in items}


@given(before=receipts(), after=receipts())
@settings(max_examples=examples(300))
def test_what_differs_is_told_of_every_item_and_the_same_way_back(
    before: Receipt, after: Receipt
) -> None:
    forth, back = diff(before, after), diff(after, before)

    was, now = whose(before.items), whose(after.items)
    assert whose([one for one in forth.items if one.change is DiffChange.REMOVED]) == was - now
    assert whose([one for one in forth.items if one.change is DiffChange.ADDED]) == now - was
    assert whose(forth.items) >= was ^ now
    assert {one.field for one in forth.settings} == {one.field for one in back.settings}
    assert whose(forth.items) == whose(back.items)
    assert [(repr(one.was), repr(one.now)) for one in forth.settings] == [
        (repr(one.now), repr(one.was)) for one in back.settings
    ]
    assert all(one.reason for one in forth.items)
    assert forth.sentences[0] in {"The texts are the same, byte for byte.", "The texts differ."}
    assert json.loads(to_line(forth))["before"] == before.id
