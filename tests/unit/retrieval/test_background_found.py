"""The history of a background page by page, and the snapshots that fit a question best."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from simonides import Memory, Settings
from simonides.errors import InvalidInput
from simonides.ingest.background import background_id, prepare_background
from simonides.ingest.languages import Spoken
from simonides.model.coercion import cursor_of, place_of
from simonides.model.stored import NO_EMBEDDER, Background, BackgroundPage, ScoredBackground
from simonides.ports.space import Space
from simonides.retrieval import background as found
from simonides.retrieval.background import best_backgrounds, list_backgrounds
from simonides.scoring.formulas import K1, B, idf
from simonides.storage.sqlite import SQLiteStore
from simonides.text.analyse import analyse

NOON: Final = datetime(2026, 3, 12, 12, tzinfo=UTC)
HOUR: Final = timedelta(hours=1)
TEXTS: Final = (
    "Alpha launches in May.",
    "Alpha launches in June; Sarah leads it.",
    "Sarah left. Uwe leads Alpha, and Alpha launches in July, said Uwe.",
    "Harbor has a pilot.",
    "… —",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A space and what may be asked of its backgrounds."""

    space: Space

    def put(self, text: str, *, hour: int = 0, collection: str = "main", **how: Any) -> Background:
        """Put a snapshot so many hours after noon."""
        at = NOON + hour * HOUR
        spoken = Spoken(**how)
        ready = prepare_background(text, collection=collection, at=at, spoken=spoken)
        return self.space.put_background(ready, at=at)

    def page(
        self, *, limit: int = 50, cursor: str = "", collection: str = "main"
    ) -> BackgroundPage:
        """List a page."""
        with self.space.read() as reader:
            return list_backgrounds(collection, limit=limit, cursor=cursor, reader=reader)

    def best(
        self, query: str, *, limit: int = 50, collection: str = "main", **how: Any
    ) -> tuple[ScoredBackground, ...]:
        """Ask."""
        with self.space.read() as reader:
            return best_backgrounds(
                query, collection=collection, limit=limit, reader=reader, spoken=Spoken(**how)
            )

    def texts(self, query: str, **how: Any) -> list[str]:
        """Return the texts that fit, best first."""
        return [one.background.text for one in self.best(query, **how)]


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    """A space in which no background was put yet."""
    store = SQLiteStore(tmp_path, durability="relaxed", timeout_s=5.0)
    yield Kept(space=store.open("default", embedder=NO_EMBEDDER, create=True))
    store.close()


def ids(page: BackgroundPage) -> list[str]:
    return [one.id for one in page.snapshots]


# ── pages ────────────────────────────────────────────────────────────────────────────────────


def test_without_snapshots_the_page_is_empty(kept: Kept) -> None:
    assert kept.page() == BackgroundPage(snapshots=())


def test_snapshots_are_listed_latest_first_by_time_and_not_by_when_they_came(kept: Kept) -> None:
    put = [kept.put(f"text {hour}", hour=hour) for hour in (2, 0, 3, 1)]

    assert ids(kept.page()) == [put[i].id for i in (2, 0, 3, 1)]


def test_snapshots_of_one_time_are_listed_by_falling_id(kept: Kept) -> None:
    put = [kept.put(f"text {n}") for n in range(9)]

    assert ids(kept.page()) == sorted((one.id for one in put), reverse=True)


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8])
def test_pages_neither_skip_nor_repeat(kept: Kept, limit: int) -> None:
    for n in range(7):
        kept.put(f"text {n}", hour=n // 3)
    whole, cursor, seen = ids(kept.page()), "", list[str]()
    for _ in range(math.ceil(7 / limit)):
        page = kept.page(limit=limit, cursor=cursor)
        seen += ids(page)
        cursor = page.cursor

    assert seen == whole
    assert cursor == ""


def test_a_page_that_just_holds_all_is_the_last(kept: Kept) -> None:
    kept.put("one")

    assert kept.page(limit=1).cursor == ""


def test_a_page_goes_on_where_it_was_while_others_put(kept: Kept) -> None:
    put = [kept.put(f"text {n}", hour=n) for n in range(3)]
    first = kept.page(limit=1)
    kept.put("newer", hour=9)
    kept.put("older", hour=-1)

    rest = kept.page(cursor=first.cursor)
    assert [one.text for one in rest.snapshots] == ["text 1", "text 0", "older"]
    assert ids(first) == [put[2].id]


@pytest.mark.parametrize("seen", [1, 3, 4, 5])
def test_a_page_goes_on_where_it_was_though_the_last_one_seen_is_deleted(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, seen: int
) -> None:
    monkeypatch.setattr(found, "_PAGE", 2)
    for n in range(6):
        kept.put(f"text {n}", hour=n // 2)
    whole = ids(kept.page())
    first = kept.page(limit=seen)
    kept.space.delete_background(whole[seen - 1], due=NOON)

    assert ids(kept.page(cursor=first.cursor)) == whole[seen:]
    assert ids(kept.page(cursor=first.cursor, limit=1)) == whole[seen : seen + 1]


def test_a_page_behind_which_all_was_deleted_is_empty(kept: Kept) -> None:
    for n in range(3):
        kept.put(f"text {n}", hour=n)
    first = kept.page(limit=2)
    kept.space.delete_background(ids(kept.page())[-1], due=NOON)

    assert kept.page(cursor=first.cursor) == BackgroundPage(snapshots=())


def test_a_page_of_another_collection_is_its_own(kept: Kept) -> None:
    for n in range(3):
        kept.put(f"here {n}", hour=n)
        kept.put(f"there {n}", hour=n, collection="there")
    cursor = kept.page(limit=1).cursor

    texts = [one.text for one in kept.page(collection="there", cursor=cursor).snapshots]
    assert set(texts) >= {"there 1", "there 0"}
    assert not any(text.startswith("here") for text in texts)


@pytest.mark.parametrize("limit", [0, -1, 1_001])
def test_a_page_has_1_to_1000_snapshots(kept: Kept, limit: int) -> None:
    with pytest.raises(InvalidInput, match=r"limit: must lie in 1 to 1000, got"):
        kept.page(limit=limit)
    with pytest.raises(InvalidInput, match=r"limit: must lie in 1 to 1000, got"):
        kept.best("x", limit=limit)


ID: Final = background_id("main", NOON, "x")


@pytest.mark.parametrize(
    "cursor",
    [
        "x", ID, f"{ID}.1", cursor_of(1), cursor_of(ID), cursor_of(ID, 1), cursor_of(1, ID, 1),
        cursor_of(10**18, ID), cursor_of(2**63, ID), cursor_of(1, ""), cursor_of(1, "\ud800"),
        f"{cursor_of(1, ID)}x", "\ud800",
    ],
)  # fmt: skip
def test_a_cursor_that_no_history_gave_is_refused(kept: Kept, cursor: str) -> None:
    with pytest.raises(InvalidInput, match="cursor: is not one that a list gave"):
        kept.page(cursor=cursor)


def test_a_cursor_may_stand_before_1970(kept: Kept) -> None:
    kept.put("old", hour=-1_000_000)
    kept.put("older", hour=-1_000_001)
    first = kept.page(limit=1)

    assert place_of(first.cursor, int, str) == (-1_826_683_200_000_000, ids(first)[0])
    assert [one.text for one in kept.page(cursor=first.cursor).snapshots] == ["older"]


# ── the best ─────────────────────────────────────────────────────────────────────────────────


def by_hand(query: str, texts: list[str]) -> list[float]:
    """Return BM25 over its ideal of each text, with dicts and loops."""
    held = [Counter(analyse(text)) for text in texts]
    lengths = [one.total() for one in held]
    mean = sum(lengths) / len(lengths)
    asked = dict.fromkeys(analyse(query))
    weights = {term: idf(sum(term in one for one in held), len(held)) for term in asked}
    ideal = sum(weights.values()) * (K1 + 1)
    scores = []
    for counts, length in zip(held, lengths, strict=True):
        norm = K1 * (1 - B + B * length / mean)
        gained = (w * (K1 + 1) * counts[t] / (counts[t] + norm) for t, w in weights.items())
        scores.append(sum(gained) / ideal)
    return scores


@pytest.mark.parametrize(
    "query",
    [
        "Who leads Alpha?", "pilot", "alpha alpha Alpha", "when does alpha launch: June or July",
        "unknown words and Uwe", "Harbor Alpha Sarah Uwe pilot",
    ],
)  # fmt: skip
def test_a_score_is_bm25_over_what_a_perfect_snapshot_would_get(kept: Kept, query: str) -> None:
    for hour, text in enumerate(TEXTS):
        kept.put(text, hour=hour)
    expected = dict(zip(TEXTS, by_hand(query, list(TEXTS)), strict=True))

    scored = kept.best(query)

    assert {one.background.text: one.score for one in scored} == pytest.approx(
        {text: score for text, score in expected.items() if score > 0}
    )
    assert [one.score for one in scored] == sorted((one.score for one in scored), reverse=True)
    assert all(0.0 < one.score <= 1.0 for one in scored)


def test_the_best_one_has_the_words_that_are_rare(kept: Kept) -> None:
    for hour, text in enumerate(TEXTS):
        kept.put(text, hour=hour)

    assert kept.texts("Alpha pilot")[0] == "Harbor has a pilot."
    assert kept.texts("what did Uwe say of Alpha?")[0] == TEXTS[2]


def test_the_forms_of_a_word_are_one(kept: Kept) -> None:
    kept.put("Sarah was leading the launches.")

    assert kept.texts("who leads? what launched?") == ["Sarah was leading the launches."]


def test_equal_scores_go_latest_first_then_by_falling_id(kept: Kept) -> None:
    put = [
        kept.put(f"Alpha {word}", hour=hour) for hour in (1, 2) for word in ("one", "six", "ten")
    ]
    order = sorted(put, key=lambda one: (one.created_at, one.id), reverse=True)

    scored = kept.best("alpha")

    assert len({one.score for one in scored}) == 1
    assert [one.background for one in scored] == order


def test_the_limit_cuts_and_changes_no_score(kept: Kept) -> None:
    for hour, text in enumerate(TEXTS):
        kept.put(text, hour=hour)
    whole = kept.best("Alpha Uwe")

    assert len(whole) == 3
    for limit in (1, 2, 3):
        assert kept.best("Alpha Uwe", limit=limit) == whole[:limit]


def test_what_shares_no_word_does_not_come_back(kept: Kept) -> None:
    kept.put("Harbor has a pilot.")

    assert kept.best("Alpha") == ()
    assert kept.best("the of and") == ()
    assert kept.best("?!") == ()


def test_where_nothing_was_put_nothing_fits(kept: Kept) -> None:
    kept.put("Alpha", collection="there")

    assert kept.best("Alpha") == ()
    assert len(kept.best("Alpha", collection="there")) == 1


def test_a_deleted_snapshot_neither_comes_back_nor_counts(kept: Kept) -> None:
    kept.put("Alpha in May")
    before = kept.best("Alpha May")
    gone = kept.put("Alpha in June", hour=1)
    assert kept.best("Alpha May") != before

    kept.space.delete_background(gone.id, due=NOON + 9 * HOUR)
    assert kept.best("Alpha May") == before


def test_only_the_latest_thousand_are_looked_through(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found.LOOKED_THROUGH_MAX == 1_000
    monkeypatch.setattr(found, "LOOKED_THROUGH_MAX", 2)
    for hour in range(3):
        kept.put(f"Alpha {hour}", hour=hour)

    assert kept.texts("Alpha") == ["Alpha 2", "Alpha 1"]
    assert kept.texts("0") == []


def test_a_question_is_asked_in_every_language_that_snapshots_are_in(kept: Kept) -> None:
    german = "Wir haben gestern mit den Nachbarn über die Wohnungen gesprochen und das ist gut"
    kept.put(german)

    assert kept.texts("mit guten Worten") == [german]
    assert kept.texts("mit guten Worten", detects=False) == []
    assert kept.texts("mit guten Worten", language="de", detects=False) == [german]


def test_what_was_told_of_languages_is_bounded_and_told_anew(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(found, "_READ_MAX", 2)
    german = "Wir haben gestern mit den Nachbarn über die Wohnungen gesprochen und das ist gut"
    kept.put(german)
    for hour in range(5):
        kept.put(f"They were all there in May {hour}", hour=hour)

    for _ in range(3):
        assert kept.texts("mit guten Worten") == [german]
        assert kept.texts("mit guten Worten", detects=False) == []
        assert len(found._READ) <= 2


def test_languages_that_no_snapshot_is_in_give_no_false_friends(kept: Kept) -> None:
    kept.put("A new pilot was found, and nobody had told the harbour about it at all.")

    assert kept.texts("news") == []


def test_words_of_a_script_without_spaces_are_found(kept: Kept) -> None:
    kept.put("来月東京へ引っ越します。")

    assert kept.texts("東京") == ["来月東京へ引っ越します。"]


def test_a_word_is_counted_however_often_it_stands_there(kept: Kept) -> None:
    kept.put("alpha " * 9_000)
    kept.put("alpha " * 9_000 + "beta", hour=1)

    scored = kept.best("alpha beta")
    assert [one.background.text[-4:] for one in scored] == ["beta", "pha "]


def test_a_text_of_the_longest_sort_is_found(kept: Kept) -> None:
    words = " ".join(f"w{n}" for n in range(9_000))[:65_000]
    kept.put(words)
    kept.put("needle", hour=1)

    assert [text[:6] for text in kept.texts("w8999 w17 needle")] == ["w0 w1 ", "needle"]


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("", "query: is empty; ask something, or use history"),
        (" \n", "query: is empty; ask something, or use history"),
        ("x" * 100_001, "query: must have at most 100,000 characters"),
    ],
)
def test_a_question_out_of_range_is_refused(kept: Kept, query: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        kept.best(query)


@pytest.mark.parametrize(
    "query",
    [
        "half \ud800 may",
        "may\0",
        "'; DROP TABLE background; -- may",
        '"may',
        "MAY\u202e",
        "( may AND *",
    ],
)
def test_every_question_is_only_a_question(kept: Kept, query: str) -> None:
    kept.put("Alpha launches in May 2027.")

    assert kept.texts(query) == ["Alpha launches in May 2027."]


def test_the_longest_question_is_answered(kept: Kept) -> None:
    kept.put("Alpha launches in May.")
    question = " ".join(f"q{n}" for n in range(20_000))[:99_990]

    [one] = kept.best(f"{question} alpha")
    assert 0.0 < one.score < 0.01


# ── beside the hits of a search ──────────────────────────────────────────────────────────────


Open = Callable[..., Memory]


def test_a_search_has_the_background_of_its_collection(open_memory: Open) -> None:
    from simonides import Filter

    memory = open_memory()
    memory.add("Alpha is due")
    main = memory.background.put("here")
    work = memory.background.put("at work", collection="work")

    def beside(*collections: str) -> Background | None:
        return memory.search("Alpha", filter=Filter(collections=collections)).background

    assert beside() == beside("main") == beside("work", "main") == main
    assert beside("work") == work
    assert beside("home") is beside("") is beside("\ud800") is None


@pytest.mark.parametrize("embedder", ["hashing", "none"])
def test_a_space_that_holds_a_background_alone_can_be_searched(
    open_memory: Open, embedder: str
) -> None:
    memory = open_memory() if embedder == "hashing" else open_memory(embedder=None)
    put = memory.background.put("Alpha launches in May.")

    for scorer in ("fused", "rrf", "classic"):
        result = memory.search("when does Alpha launch?", scorer=scorer)
        assert (result.hits, result.background) == ((), put)
        assert result.diagnostics.revision == 1
    assert memory.search("Alpha", mode="text").hits == ()
    assert memory.list().items == ()


def test_the_background_is_that_of_the_revision_searched(open_memory: Open) -> None:
    memory = open_memory()
    first = memory.background.put("first")
    memory.add("Alpha is due")
    memory.background.put("second", collection="work")

    result = memory.search("Alpha")
    assert result.background == first
    assert (first.revision, result.diagnostics.revision) == (1, 3)


def test_a_background_put_later_by_the_clock_is_the_latest_whenever_it_came(
    tmp_path: Path,
) -> None:
    now = [NOON]
    settings = Settings(embedder="none", timezone="UTC", durability="relaxed")
    with Memory(tmp_path, settings=settings, clock=lambda: now[0]) as memory:
        late = memory.background.put("late")
        now[0] = NOON - HOUR
        memory.background.put("early")

        assert memory.search("x").background == late
        assert memory.background.get(as_of=NOON - timedelta(seconds=1)) != late
