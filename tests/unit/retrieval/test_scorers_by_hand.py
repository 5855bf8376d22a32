"""The `classic` and `rrf` scorers from end to end, beside numbers worked out by hand."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

import numpy as np
import numpy.typing as npt
import pytest

from simonides import Filter, Item, Kind, Memory, Person
from simonides.model.answer import Hit, SearchResult
from simonides.model.stored import EmbedderIdentity

AXES: Final = ("alpha", "beta", "gamma", "delta")


class Axes:
    """An embedder whose vectors can be seen: one axis a word, a text along its words' sum."""

    identity = EmbedderIdentity(
        model="axes", dimension=len(AXES), window_words=180, quantiser="fixed-int8/1"
    )

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the texts' vectors."""
        return np.array([self.embed_query(text) for text in texts], dtype=np.float32)

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Return one text's vector, zero where it holds no axis."""
        row = np.array([text.split().count(axis) for axis in AXES], dtype=np.float32)
        length = float(np.linalg.norm(row))
        return row / np.float32(length) if length else row


@pytest.fixture
def axes(open_memory: Callable[..., Memory]) -> Memory:
    """A memory with visible vectors."""
    return open_memory(embedder=Axes())


@pytest.fixture
def words(open_memory: Callable[..., Memory]) -> Memory:
    """A memory without vectors."""
    return open_memory(embedder=None)


def parts(hit: Hit) -> dict[str, float]:
    return {part.name: part.value for part in hit.explanation.contributions}


def scores(result: SearchResult) -> dict[str, float]:
    return {hit.id: hit.score for hit in result}


def item(name: str, content: str, **fields: object) -> Item:
    return Item(id=name, content=content, **{"kind": Kind.DOCUMENT, **fields})  # type: ignore[arg-type]


# ── classic ──────────────────────────────────────────────────────────────────────────────────────


def test_classic_adds_up_the_seeds_formula(axes: Memory, now: datetime) -> None:
    mail = item("m", "alpha", source="gmail", kind=Kind.EMAIL, happened_at=now - timedelta(days=73))
    axes.add([mail, item("n", "alpha gamma", source="note")])
    found = {hit.id: parts(hit) for hit in axes.search("alpha", scorer="classic")}

    assert found["m"] == pytest.approx(
        {
            "semantic": 0.5,
            "recency": 0.2 * (1 - 73 / 365),
            "source": 0.10,
            "text": 0.05 * 1 / (4 + 1),  # alpha, 29, decemb, 2025
        }
    )
    assert found["n"] == pytest.approx(
        {"semantic": 0.5 * 2**-0.5, "source": 0.05, "text": 0.05 * 1 / (2 + 1)}, abs=1e-3
    )


def test_classic_rewards_a_source_that_the_words_or_the_filter_name(axes: Memory) -> None:
    axes.add([item("m", "alpha", source="gmail"), item("n", "alpha", source="note")])
    by_words = axes.search("mail about alpha", scorer="classic")
    by_filter = axes.search("alpha", scorer="classic", filter=Filter(sources=("gmail",)))

    assert parts(by_words[0])["explicit source"] == 0.4
    assert by_words[0].id == "m"
    assert "explicit source" not in parts(by_words[1])
    assert parts(by_filter[0])["explicit source"] == 0.4


def test_classic_counts_the_entities_named_up_to_three(axes: Memory) -> None:
    people = [Person(name=name) for name in ("Ines", "Tom", "Uwe", "Olga")]
    axes.add([item(str(n), "alpha", people=tuple(people[:n])) for n in range(5)])
    found = axes.search("alpha of Ines Tom Uwe Olga", scorer="classic")
    explicit = axes.search("alpha", scorer="classic", filter=Filter(entities=("tom",)))

    assert {h.id: round(parts(h).get("entity", 0.0), 9) for h in found} == {
        "0": 0.0, "1": 0.1, "2": 0.2, "3": 0.3, "4": 0.3,
    }  # fmt: skip
    assert {h.id: parts(h)["entity"] for h in explicit} == {"2": 0.2, "3": 0.2, "4": 0.2}


def test_classic_takes_nine_tenths_for_the_newest_of_a_named_source_and_age_decides(
    axes: Memory, now: datetime
) -> None:
    axes.add(
        [
            item("old", "alpha beta", happened_at=now - timedelta(days=300)),
            item("new", "beta", happened_at=now - timedelta(days=20)),
            item("mail", "alpha", kind=Kind.EMAIL, happened_at=now - timedelta(days=1)),
            item("undated", "alpha"),
        ]
    )
    hits = axes.search("newest documents", scorer="classic").hits
    found = {hit.id: parts(hit).get("semantic") for hit in hits}

    assert [hit.id for hit in hits][:2] == ["new", "old"]
    assert (found["new"], found["old"]) == (0.5 * 0.9, 0.5 * 0.9)
    assert found["mail"] is None


def test_classic_takes_the_meaning_of_what_is_found_by_its_time_alone(
    axes: Memory, now: datetime
) -> None:
    timed = item("t", "beta", happened_at=now - timedelta(days=7))
    axes.add([timed, item("u", "gamma")])
    found = {hit.id: parts(hit) for hit in axes.search("gamma last week", scorer="classic")}

    assert "semantic" not in found["t"]
    assert found["u"]["semantic"] == pytest.approx(0.5)


def test_classic_takes_one_half_for_what_is_found_by_its_time_alone_without_vectors(
    words: Memory, now: datetime
) -> None:
    words.add([item("t", "beta", happened_at=now - timedelta(days=7)), item("u", "beta")])
    found = words.search("gamma last week", scorer="classic")

    assert [hit.id for hit in found] == ["t"]
    assert parts(found[0])["semantic"] == 0.25


def test_classic_takes_the_share_of_words_found_as_parts(words: Memory) -> None:
    words.add([item("both", "budget harbor"), item("one", "budgets"), item("none", "beta")])
    found = words.search("udge arbo", scorer="classic")

    assert {hit.id: parts(hit)["semantic"] for hit in found} == {"both": 0.5, "one": 0.25}


def test_classic_takes_one_half_for_what_is_found_by_words_alone(words: Memory) -> None:
    words.add(item("a", "budget"))

    assert parts(words.search("budget", scorer="classic")[0])["semantic"] == 0.25


@pytest.mark.parametrize(("days", "recency"), [(0, 0.2), (-9, 0.2), (365, 0.0), (400, 0.0)])
def test_classic_recency_ends_after_a_year_and_knows_no_future(
    words: Memory, now: datetime, days: int, recency: float
) -> None:
    words.add(item("a", "budget", happened_at=now - timedelta(days=days)))
    found = parts(words.search("budget", scorer="classic")[0])

    assert found.get("recency", 0.0) == pytest.approx(recency)


def test_classic_leaves_nothing_undated_a_recency(words: Memory) -> None:
    words.add(item("a", "budget"))

    assert "recency" not in parts(words.search("budget", scorer="classic")[0])


def message(session: str, number: int, when: datetime, **fields: str) -> Item:
    return Item(
        kind=Kind.MESSAGE,
        id=f"{session}-{number:02}",
        content=fields.get("content", "alpha"),
        source="chat",
        session=session,
        position=number,
        happened_at=when,
    )


def test_classic_reaches_the_last_twenty_messages_of_the_last_ten_sessions(
    axes: Memory, now: datetime
) -> None:
    sessions = [f"s{n:02}" for n in range(12)]
    axes.add(
        [
            message(session, n, now - timedelta(days=age, minutes=60 - n))
            for age, session in enumerate(sessions)
            for n in range(22)
        ]
    )
    found = axes.search("alpha", scorer="classic", limit=1000)

    assert {hit.id for hit in found} == {f"{s}-{n:02}" for s in sessions[:10] for n in range(2, 22)}


@pytest.mark.parametrize("backwards", [False, True])
def test_classic_reaches_the_newest_messages_that_belong_to_no_session(
    axes: Memory, now: datetime, backwards: bool
) -> None:
    written = [message("", n, now - timedelta(hours=30 - n)) for n in range(25)]
    for one in reversed(written) if backwards else written:
        axes.add(one)
    found = axes.search("alpha", scorer="classic", limit=1000)

    assert {hit.id for hit in found} == {f"-{n:02}" for n in range(5, 25)}


def test_classic_weighs_a_message_by_its_session_and_its_age(axes: Memory, now: datetime) -> None:
    axes.add(
        [
            message("here", 1, now - timedelta(days=24), content="alpha beta"),
            message("there", 1, now - timedelta(days=15), content="alpha"),
            message("there", 2, now - timedelta(days=40), content="alpha beta"),
            message("there", 3, now, content="alpha beta beta beta beta gamma"),
        ]
    )
    found = axes.search("alpha", scorer="classic", session_id="here")

    assert scores(found) == pytest.approx(
        {
            "here-01": 2**-0.5 * 1.0 * 0.6 + 0.2 * 0.2,
            "there-01": 1.0 * 0.5 * 0.6 + 0.5 * 0.2,
            "there-02": 2**-0.5 * 0.5 * 0.6 + 0.0,
        },
        abs=2e-3,
    )
    assert all(set(parts(hit)) == {"episodic"} for hit in found)


def test_classic_gives_a_message_no_more_than_one_half(axes: Memory, now: datetime) -> None:
    axes.add(message("here", 1, now))

    assert scores(axes.search("alpha", scorer="classic", session_id="here")) == {"here-01": 0.5}


# ── rrf ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def ranked(words: Memory, now: datetime) -> Memory:
    """By words: `top` first, then `one` and `two` together, then `long`."""
    words.add(
        [
            item("top", "budget budget"),
            item("one", "budget plan"),
            item("two", "plan budget"),
            item("long", "budget " + "of many other words which say nothing at all here " * 3),
            item("old", "nothing of that sort", happened_at=now - timedelta(days=7)),
            item("hers", "nothing of that sort", people=(Person(name="Ines"),)),
        ]
    )
    return words


@pytest.mark.parametrize(
    ("question", "weight"), [("budget", 0.4), ("why budget", 0.3), ("what budget", 0.7)]
)
def test_rrf_shares_fall_with_the_rank_and_ties_share_one(
    ranked: Memory, question: str, weight: float
) -> None:
    found = ranked.search(question, scorer="rrf")

    assert scores(found) == {
        "top": weight / 61,
        "one": weight / 62,
        "two": weight / 62,
        "long": weight / 64,
    }


def test_rrf_adds_up_the_lanes(ranked: Memory) -> None:
    found = {hit.id: parts(hit) for hit in ranked.search("budget Ines last week", scorer="rrf")}

    assert set(found["hers"]) == {"entity", "lexical"}  # her own name is a word of her item
    assert found["hers"]["entity"] == 0.2 / 61
    assert found["old"] == {"temporal": 0.2 / 61}
    assert set(found["top"]) == {"lexical"}


def test_rrf_ranks_parts_of_words_where_nothing_else_is_found(ranked: Memory) -> None:
    found = ranked.search("udge lan", scorer="rrf")

    assert scores(found) == {
        "one": 0.2 / 61, "two": 0.2 / 61, "long": 0.2 / 63, "top": 0.2 / 63
    }  # fmt: skip
    assert [hit.id for hit in found] == ["one", "two", "long", "top"]


def test_rrf_weighs_meaning_by_the_kind_of_question(axes: Memory) -> None:
    axes.add([item("a", "alpha"), item("b", "alpha beta"), item("c", "gamma")])
    found = {hit.id: parts(hit) for hit in axes.search("explain alpha", scorer="rrf")}

    assert found["a"] == pytest.approx({"semantic": 0.7 / 61, "lexical": 0.3 / 61})
    assert found["b"] == pytest.approx({"semantic": 0.7 / 62, "lexical": 0.3 / 62})
    assert "c" not in found


def test_ranks_are_those_of_the_whole_space_under_any_filter(ranked: Memory) -> None:
    alone = ranked.search("budget", scorer="rrf", filter=Filter(ids=("long",)))
    whole = scores(ranked.search("budget", scorer="rrf"))

    assert scores(alone) == {"long": whole["long"]}


def test_a_score_below_the_least_is_left_out_by_every_scorer(ranked: Memory) -> None:
    for scorer in ("fused", "rrf", "classic"):
        whole = ranked.search("budget", scorer=scorer)
        least = max(hit.score for hit in whole)

        kept = ranked.search("budget", scorer=scorer, min_score=least)

        assert [hit.id for hit in kept] == [hit.id for hit in whole if hit.score >= least]
        assert 0 < len(kept) < len(whole)
