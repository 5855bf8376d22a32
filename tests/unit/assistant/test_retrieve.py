"""`retrieve_with_memory` over a search that is a list: places, repeats, order, notes."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest

from simonides.assistant.retrieve import retrieve_with_memory
from simonides.errors import InvalidInput
from simonides.model.answer import Diagnostics, Hit, Mode, Plan, Query, SearchResult
from simonides.model.chat import Retrieved
from simonides.model.item import Item, Kind, Person

NOWHERE: Any = None
"""The space: the search that stands in for its own asks nothing of it."""

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)


def item(name: str, score: float, text: str = "", **given: Any) -> Hit:
    kept = Item(id=name, kind=Kind.DOCUMENT, source="gdrive", content=text or name)
    return Hit(item=replace(kept, **given), score=score)


def message(name: str, score: float, text: str = "") -> Hit:
    kept = Item(id=name, kind=Kind.MESSAGE, source="chat", content=text or name)
    return Hit(item=kept, score=score)


class Shelf:
    """Answers every question with what its filter lets through, best first, and notes it."""

    def __init__(self, hits: Iterable[Hit], *, plan: Plan | None = None) -> None:
        self._hits = sorted(hits, key=lambda hit: (-hit.score, hit.id))
        self._plan = plan or Plan()
        self.asked: list[Query] = []
        self.notes: tuple[str, ...] = ()

    def __call__(self, query: Query) -> SearchResult:
        self.asked.append(query)
        wanted = query.filter
        hits = tuple(
            hit
            for hit in self._hits
            if (not wanted.kinds or hit.item.kind in wanted.kinds)
            and (not wanted.sources or hit.item.source in wanted.sources)
            and hit.id not in wanted.without_ids
        )
        said = Diagnostics(
            revision=1, mode_requested=query.mode, mode_used=query.mode, scorer=query.scorer,
            notes=self.notes,
        )  # fmt: skip
        return SearchResult(hits=hits[: query.limit], plan=self._plan, diagnostics=said)


def retrieve(shelf: Shelf, **given: Any) -> Retrieved:
    with patch("simonides.retrieval.across.search", lambda asked, _, **__: shelf(asked)):
        return retrieve_with_memory("x", NOWHERE, now=NOW, timezone="UTC", **given)


def ids(found: Retrieved) -> list[str]:
    return [hit.id for hit in found.hits]


def many(kind: Any, count: int, *, best: float) -> list[Hit]:
    return [kind(f"{kind.__name__[0]}{n}", best - n / 1000) for n in range(count)]


def test_items_and_messages_come_together_best_first() -> None:
    shelf = Shelf([item("a", 0.5), message("b", 0.7), item("c", 0.9)])

    assert ids(retrieve(shelf)) == ["c", "b", "a"]


def test_equals_come_by_id() -> None:
    shelf = Shelf([message("b", 0.5), item("c", 0.5), message("a", 0.5)])

    assert ids(retrieve(shelf)) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("limit", "messages"), [(1, 1), (2, 1), (3, 1), (5, 2), (7, 3), (10, 5), (20, 10)]
)
def test_messages_take_five_places_of_ten_from_items(limit: int, messages: int) -> None:
    shelf = Shelf([*many(item, 40, best=0.5), *many(message, 40, best=0.9)])

    found = ids(retrieve(shelf, limit=limit))
    assert len(found) == limit
    assert found == [f"m{n}" for n in range(messages)] + [f"i{n}" for n in range(limit - messages)]


def test_messages_fill_the_places_that_items_leave_free() -> None:
    shelf = Shelf([*many(item, 2, best=0.5), *many(message, 40, best=0.9)])

    assert ids(retrieve(shelf)) == [*(f"m{n}" for n in range(8)), "i0", "i1"]
    assert len(ids(retrieve(Shelf(many(message, 40, best=0.9))))) == 10


def test_in_classic_there_are_never_more_than_three() -> None:
    found = retrieve(Shelf(many(message, 40, best=0.4)), scorer="classic")

    assert ids(found) == ["m0", "m1", "m2"]


def test_without_episodic_no_message_comes_and_none_is_searched() -> None:
    shelf = Shelf([item("a", 0.5), message("b", 0.7)])

    assert ids(retrieve(shelf, include_episodic=False)) == ["a"]
    assert [Kind.MESSAGE in query.filter.kinds for query in shelf.asked] == [False]


SAID = "The deadline of Alpha moved to Friday because the client asked for it."


def test_a_message_that_says_what_an_item_says_is_left_out_and_the_next_one_comes() -> None:
    shelf = Shelf([
        item("mail", 0.5, f"Hello all. {SAID} Best, Sarah"),
        message("repeat", 0.9, f"{SAID}"),
        message("again", 0.8, f"{SAID}"),
        message("other", 0.7, "I would rather have it on Thursday, if that can be done at all."),
    ])  # fmt: skip

    assert ids(retrieve(shelf)) == ["other", "mail"]


def test_that_the_same_was_asked_before_is_no_answer() -> None:
    shelf = Shelf(
        [message("asked", 0.9, "X?"), item("mail", 0.8, "x"), message("said", 0.7, "y x")]
    )

    assert ids(retrieve(shelf)) == ["mail", "said"]


def test_a_message_that_says_more_than_the_item_stays() -> None:
    more = " I told them that this is fine with us, and that Mira will send the new plan today."
    shelf = Shelf([item("mail", 0.5, SAID), message("more", 0.9, SAID + more)])

    assert ids(retrieve(shelf)) == ["more", "mail"]


def test_of_messages_that_say_the_same_the_best_comes() -> None:
    shelf = Shelf([message("a", 0.7, SAID), message("b", 0.9, SAID), message("c", 0.8, "Yes.")])

    assert ids(retrieve(shelf)) == ["b", "c"]


def test_a_message_stays_where_the_item_that_says_it_has_no_place() -> None:
    items = [*many(item, 9, best=0.8), item("mail", 0.1, SAID)]
    shelf = Shelf([*items, message("said", 0.9, SAID)])

    found = ids(retrieve(shelf))
    assert found == ["said", *(f"i{n}" for n in range(9))]


def test_two_items_that_say_the_same_both_come() -> None:
    shelf = Shelf([item("a", 0.7, SAID), item("b", 0.9, SAID)])

    assert ids(retrieve(shelf)) == ["b", "a"]


def test_an_item_of_a_title_alone_is_compared_by_it() -> None:
    shelf = Shelf([item("a", 0.7, content="", title="Yes."), message("b", 0.9, "yes")])

    assert ids(retrieve(shelf)) == ["a"]


# ── what excludes ────────────────────────────────────────────────────────────────────────────────


def test_what_the_caller_names_is_in_the_filter_of_every_search() -> None:
    shelf = Shelf([item("a", 0.5), message("b", 0.7)])
    retrieve(
        shelf, sources=["gdrive", "chat"], time_filter="last_week", entity_filter=["Sarah"],
        without_ids=["b"], session_id="s", limit=4, scorer="rrf",
    )  # fmt: skip

    for query in shelf.asked:
        wanted = query.filter
        assert (wanted.sources, wanted.entities) == (("gdrive", "chat"), ("Sarah",))
        assert wanted.without_ids == ("b",)
        assert wanted.since == NOW - timedelta(days=7)
        assert wanted.until == NOW + timedelta(microseconds=1)
        assert (query.session_id, query.scorer, query.now) == ("s", "rrf", NOW)
        assert query.mode is Mode.HYBRID
    assert [query.limit for query in shelf.asked] == [4, 8]


@pytest.mark.parametrize(
    ("name", "since"),
    [
        ("today", datetime(2026, 3, 12, tzinfo=UTC)),
        ("yesterday", datetime(2026, 3, 11, tzinfo=UTC)),
        ("last_month", NOW - timedelta(days=30)),
        ("last_3_months", NOW - timedelta(days=90)),
        ("last_6_months", NOW - timedelta(days=180)),
    ],
)
def test_named_times_are_rolling(name: str, since: datetime) -> None:
    shelf = Shelf([])
    retrieve(shelf, time_filter=name)

    assert {query.filter.since for query in shelf.asked} == {since}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"time_filter": "last_year"}, "time_filter"),
        ({"sources": "gmail"}, "sources"),
        ({"entity_filter": "Sarah"}, "entity_filter"),
        ({"sources": [3]}, "sources"),
        ({"scorer": "best"}, "scorer"),
        ({"limit": 0}, "limit"),
        ({"limit": 10_001}, "limit"),
        ({"limit": "3"}, "limit"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_name(given: dict[str, Any], field: str) -> None:
    shelf = Shelf([item("a", 0.5)])
    with pytest.raises(InvalidInput) as refused:
        retrieve(shelf, **given)

    assert refused.value.field == field
    assert shelf.asked == []


# ── where nothing is found ───────────────────────────────────────────────────────────────────────


def test_where_the_sources_have_nothing_all_are_looked_through_by_words_and_it_says_so() -> None:
    shelf = Shelf([item("a", 0.5), message("b", 0.7)])
    found = retrieve(shelf, sources=["jira", "gmail"], time_filter="today")

    assert ids(found) == ["b", "a"]
    assert found.notes == (
        "nothing was found in jira, gmail; looked in all sources, by words alone",
    )
    assert [query.mode for query in shelf.asked] == ["hybrid", "hybrid", "text", "text"]
    assert [bool(query.filter.sources) for query in shelf.asked] == [True, True, False, False]
    assert all(query.filter.since for query in shelf.asked)


def test_where_the_sources_have_a_message_alone_nothing_else_is_looked_for() -> None:
    shelf = Shelf([item("a", 0.5), message("b", 0.7)])

    assert retrieve(shelf, sources=["chat"]).notes == ()
    assert len(shelf.asked) == 2


def test_without_sources_nothing_is_looked_for_twice() -> None:
    shelf = Shelf([])

    assert retrieve(shelf) == Retrieved()
    assert len(shelf.asked) == 2


def test_what_could_not_run_is_reported_once() -> None:
    shelf = Shelf([])
    shelf.notes = ("answered without vectors: no embedder",)
    found = retrieve(shelf, sources=["jira"])

    assert found.notes == (
        "answered without vectors: no embedder",
        "nothing was found in jira; looked in all sources, by words alone",
    )


def test_the_entities_are_those_that_the_question_names_as_the_hits_know_them() -> None:
    sarah = Person(name="Sarah Lind", address="sarah@example.com")
    plan = Plan(people=("person:sarah@example.com",), entities=("project:harbor",))
    found = retrieve(Shelf([item("a", 0.5, people=(sarah,))], plan=plan))

    assert found.entities == (
        "Sarah Lind (person): sarah@example.com (self-named)", "harbor (project)",
    )  # fmt: skip
    assert found.found == 1
