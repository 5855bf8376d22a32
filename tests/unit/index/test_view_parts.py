"""Columns of metadata, thread order and the postings of a word, as one view has them."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simonides import Item
from simonides.index.build import empty_view, extend
from simonides.index.facets import tag_key
from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.index.space_index import SpaceIndex
from simonides.model.filter import Compare, Filter, Operator, parse_condition
from simonides.model.times import microseconds, moment
from simonides.ports.space import ChunkRow, ItemRow
from simonides.text.terms import pack, term_key
from simonides_bench.testing.depth import examples

NOON: Final = datetime(2026, 3, 12, 12, tzinfo=UTC)


def found(view: IndexView, reader: Any, wanted: Filter) -> list[str]:
    mask = mask_of(wanted, view=view, reader=reader)
    return sorted(one.decode() for one in view.items.ids.rows(view.item_count)[mask])


def having(key: str, value: object) -> Filter:
    return Filter(where=Compare(key=key, operator=Operator.EQ, value=value))


# ── metadata ─────────────────────────────────────────────────────────────────────────────────────


def test_a_column_is_read_once_and_only_extended_as_items_come(kept: Any, watched: Any) -> None:
    space_view = SpaceIndex(16)
    seen: list[tuple[str, int]] = []
    answers = []
    for number in range(3):
        kept.keep(*(Item(id=f"{number}{n}", content="x", metadata={"n": n}) for n in range(4)))
        with kept.space.read() as reader:
            view, eyes = space_view.at(reader), watched(reader)
            assert view is not None
            answers += [found(view, eyes, having("n", 1)), found(view, eyes, having("n", 2))]
            seen += eyes.metadata_after

    assert answers == [["01"], ["02"], ["01", "11"], ["02", "12"], ["01", "11", "21"],
                       ["02", "12", "22"]]  # fmt: skip
    assert seen == [("n", 0), ("n", 4), ("n", 8)]


def test_a_condition_inside_an_object_is_a_mask_like_any_other(kept: Any) -> None:
    space_view = SpaceIndex(16)
    for n, name in enumerate(("alpha", "beta", "alpha")):
        kept.keep(Item(id=str(n), content="x", metadata={"project": {"name": name, "size": n}}))
    kept.keep(Item(id="plain", content="x", metadata={"project": "alpha"}))
    tree = {"project": {"name": "alpha", "size": {"gte": 1}}}

    with kept.space.read() as reader:
        view = space_view.at(reader)
        assert view is not None
        assert found(view, reader, Filter(where=parse_condition(tree))) == ["2"]
        assert found(view, reader, Filter(where={"not": tree})) == ["0", "1", "plain"]


def test_a_column_first_read_late_does_not_serve_an_earlier_view(kept: Any) -> None:
    space_view = SpaceIndex(16)
    kept.keep(Item(id="a", content="x", metadata={"n": 1}))
    with kept.space.read() as early_reader:
        early = space_view.at(early_reader)
        kept.forget("a")
        kept.keep(Item(id="b", content="x", metadata={"n": 1}))
        with kept.space.read() as late_reader:
            late = space_view.at(late_reader)
            assert early is not None
            assert late is not None

            assert found(late, late_reader, having("n", 1)) == ["b"]
            assert found(early, early_reader, having("n", 1)) == ["a"]


def test_values_of_different_sorts_are_kept_apart(kept: Any) -> None:
    values = [1, True, "1", 1.5, None, [1], {"a": 1}]
    kept.keep(
        *(Item(id=str(n), content="x", metadata={"v": value}) for n, value in enumerate(values))
    )
    with kept.space.read() as reader:
        view = extend(empty_view(16), reader)
        each = [found(view, reader, having("v", value)) for value in values]

        assert each == [[str(n)] for n in range(len(values))]
        assert found(view, reader, having("v", 1.0)) == ["0"]
        assert view.metadata.nbytes == 4 * len(values)


# ── thread order ─────────────────────────────────────────────────────────────────────────────────


def threads_of(view: IndexView, whole_ids: Sequence[str] = ()) -> list[list[str]]:
    """Return the ids of the present items, thread by thread, in order; threads sorted."""
    every = whole_ids or [one.decode() for one in view.items.ids.rows(view.item_count)]
    ids = [every[slot] for slot in view.threads.items]
    firsts = set(np.flatnonzero(~view.threads.follows).tolist())
    threads: list[list[str]] = []
    for place, name in enumerate(ids):
        if place in firsts:
            threads.append([])
        threads[-1].append(name)
    return sorted(threads)


def said(name: str, session: str, *, minutes: int | None = 0, position: int | None = None) -> Item:
    when = None if minutes is None else NOON + timedelta(minutes=minutes)
    return Item(id=name, content=name, session=session, position=position, happened_at=when)


def test_a_session_is_ordered_by_time_then_position_then_id(kept: Any) -> None:
    kept.keep(
        said("late", "s", minutes=9),
        said("b", "s", minutes=1),
        said("a", "s", minutes=1),
        said("second", "s", minutes=2, position=2),
        said("first", "s", minutes=2, position=1),
        said("unplaced", "s", minutes=2),
        said("undated", "s", minutes=None),
        said("other", "t", minutes=5),
        said("alone", "", minutes=3),
        said("alone too", "", minutes=3),
    )

    assert threads_of(kept.anew()) == [
        ["alone"],
        ["alone too"],
        ["other"],
        ["undated", "a", "b", "unplaced", "first", "second", "late"],
    ]


def test_only_what_is_present_is_in_thread_order(kept: Any) -> None:
    space_view = SpaceIndex(16)
    kept.keep(said("a", "s"), said("b", "s", minutes=1), said("c", "s", minutes=2))
    with kept.space.read() as reader:
        space_view.at(reader)
    kept.forget("b")
    kept.keep(said("d", "s", minutes=-1))
    with kept.space.read() as reader:
        view = space_view.at(reader)

    assert view is not None
    assert threads_of(view) == [["d", "a", "c"]]


def test_each_item_knows_where_its_chunks_begin(kept: Any) -> None:
    long = "\n\n".join(f"Paragraph {n} says a good deal about the harbor. " * 12 for n in range(6))
    kept.keep(said("z", "s", minutes=5), Item(id="long", content=long, session="s"))
    kept.keep(Item(id="m", content=long))
    view = kept.anew()

    firsts = [int(np.flatnonzero(view.chunk_items == slot)[0]) for slot in range(view.item_count)]
    assert view.item_starts.tolist() == firsts
    assert int((~view.threads.follows).sum()) == 2


LONG: Final = "a-name-that-is-longer-than-what-is-kept-of-it/"
specs = st.lists(
    st.tuples(
        st.sampled_from("abcdefgh") | st.sampled_from("abcdefgh").map(LONG.__add__),
        st.sampled_from(["", "s"]),
        st.none() | st.integers(0, 1),
        st.sampled_from([None, 0]),
    ),
    min_size=1,
    max_size=10,
    unique_by=lambda one: one[0],
)


class Rows:
    """A reader of made-up rows, one chunk each."""

    epoch = 0

    def __init__(self, rows: Sequence[ItemRow], *, revision: int) -> None:
        self.rows = [row for row in rows if row.born <= revision]
        self.revision = revision

    def item_rows(self, since: int) -> Iterator[ItemRow]:
        """Yield what was born after a revision."""
        return (row for row in self.rows if row.born > since)

    def chunk_rows(self, since: int) -> Iterator[ChunkRow]:
        """Yield a chunk for each."""
        blob = pack({"alpha": 1})
        return (
            ChunkRow(row.key, 0, words=1, dated=0, length=1, terms=blob, vector=b"")
            for row in self.item_rows(since)
        )

    def mention_rows(self, since: int) -> Iterator[Any]:
        """Yield nothing."""
        del since
        return iter(())

    def deaths(self, since: int) -> list[Any]:
        """Return nothing."""
        del since
        return []


def rows_of(found: Sequence[Any], *, born: Sequence[int]) -> list[ItemRow]:
    return [
        ItemRow(
            key=n + 1, id=name, kind="message", source="chat", collection="main", session=session,
            position=position, happened_us=minutes, stored_us=0, born=born[n], language="en",
            tags="[]", scope=None, type=None, status=None, importance=None, half_life_hours=None,
            workspace_id=None, user_id=None, session_id=None,
        )
        for n, (name, session, minutes, position) in enumerate(found)
    ]  # fmt: skip


def view_after(rows: Sequence[ItemRow], *revisions: int) -> IndexView:
    view = empty_view(0)
    for revision in revisions:
        reader: Any = Rows(rows, revision=revision)
        view = extend(view, reader)
        assert len(view.threads.items) == view.items_alive
    return view


@settings(max_examples=examples(200))
@given(found=specs, order=st.randoms(use_true_random=False), cut=st.integers(0, 10))
def test_thread_order_does_not_depend_on_the_order_of_writes(
    found: list[Any], order: Any, cut: int
) -> None:
    shuffled = list(found)
    order.shuffle(shuffled)
    straight = view_after(rows_of(found, born=[1] * len(found)), 1)
    mixed = view_after(rows_of(shuffled, born=[1] * cut + [2] * len(found)), 1, 2)

    assert threads_of(mixed, [one[0] for one in shuffled]) == threads_of(
        straight, [one[0] for one in found]
    )


# ── words ────────────────────────────────────────────────────────────────────────────────────────


def test_several_keys_are_one_word_whose_counts_add_up(kept: Any) -> None:
    kept.keep(
        Item(id="both", content="haus haus hous", language="xx"),
        Item(id="one", content="hous", language="xx"),
        Item(id="none", content="other", language="xx"),
    )
    view = kept.anew()
    word = view.term([term_key("haus"), term_key("hous"), term_key("nothing")])

    assert (word.docs.tolist(), word.counts.tolist()) == ([0, 1], [3, 1])
    assert word.idf == view.term([term_key("hous")]).idf
    assert view.term([term_key("haus")]).idf > word.idf


def test_counts_of_several_keys_do_not_overflow(kept: Any) -> None:
    kept.keep(Item(id="a", content="haus " * 100, language="xx"))
    view = kept.anew()
    keys = [term_key("haus")] * 4

    assert view.term(keys).counts.tolist() == [255]


def test_a_word_that_nothing_holds_has_no_postings_and_the_largest_idf(kept: Any) -> None:
    kept.words("alpha", "beta")
    nothing = kept.anew().term([term_key("zebra")])

    assert len(nothing.docs) == 0
    assert nothing.idf > kept.anew().term([term_key("alpha")]).idf


def test_the_dead_do_not_count_for_how_rare_a_word_is(kept: Any) -> None:
    space_view = SpaceIndex(16)
    kept.words("alpha one", "alpha two", "beta")
    with kept.space.read() as reader:
        space_view.at(reader)
    kept.forget("alpha one")
    with kept.space.read() as reader:
        view = space_view.at(reader)

    assert view is not None
    assert view.term([term_key("alpha")]).idf == kept.anew().term([term_key("alpha")]).idf


def test_tags_are_found_whatever_their_case(kept: Any) -> None:
    kept.keep(Item(id="a", content="x", tags=("GRÖSSE", "a b")), Item(id="b", content="x"))
    view = kept.anew()

    assert view.having([tag_key("größe")]).tolist() == [True, False]
    assert view.having([tag_key("a")]).tolist() == [False, False]
    assert view.having([]).tolist() == [False, False]


@pytest.mark.parametrize(
    "when",
    [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        datetime(1970, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    ],
)
def test_microseconds_are_exact_over_all_years(when: datetime) -> None:
    assert moment(microseconds(when)) == when
