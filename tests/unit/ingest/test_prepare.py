"""What an item becomes before it is committed: chunks with terms and vectors, and mentions."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

from simonides import Item, Kind, Person
from simonides.ingest.languages import Spoken
from simonides.ingest.prepare import (
    EMBEDDED_HEADER_CHARS_MAX,
    HEADER_CHARS_MAX,
    Preparer,
    embedded_text,
    indexed_header,
    metadata_texts,
)
from simonides.model.item import Role, digest
from simonides.model.stored import NO_EMBEDDER, Prepared, PreparedChunk
from simonides.scoring.quantise import quantise
from simonides.text.analyse import analyse
from simonides.text.terms import pack, term_key, unpack
from simonides_bench.testing.hashing import HashingEmbedder

LONG: Final = "\n\n".join(
    f"Paragraph {name} says a good deal about the harbor. " * 14
    for name in ("one", "two", "three", "four")
)


class Counting(HashingEmbedder):
    """Remembers the texts that it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.seen.append(list(texts))
        return super().embed(texts)


def preparer(embedder: HashingEmbedder | None = None, **settings: Any) -> Preparer:
    identity = NO_EMBEDDER if embedder is None else embedder.identity
    return Preparer(identity=identity, embedder=embedder, **settings)


def prepared(item: Item, **settings: Any) -> Prepared:
    return preparer(**settings).prepare([item])[0]


def counts(chunk: PreparedChunk) -> dict[int, int]:
    keys, numbers = unpack(chunk.terms)
    return dict(zip(keys.tolist(), numbers.tolist(), strict=True))


def holds(chunk: PreparedChunk, word: str, language: str = "en") -> bool:
    return all(term_key(term) in counts(chunk) for term in analyse(word, language))


# ── chunks ───────────────────────────────────────────────────────────────────────────────────────


def test_chunks_are_spans_of_the_content_that_hold_all_of_it() -> None:
    chunks = prepared(Item(content=LONG)).chunks
    covered = {at for chunk in chunks for at in range(chunk.start, chunk.stop)}

    assert len(chunks) > 3
    assert {at for at, sign in enumerate(LONG) if not sign.isspace()} <= covered
    for chunk in chunks:
        assert chunk.words == len(LONG[chunk.start : chunk.stop].split())


def test_a_chunks_terms_are_those_of_its_header_and_its_text() -> None:
    item = Item(content="harbor harbor houses", title="Plan", language="en")
    (chunk,) = prepared(item).chunks
    expected = Counter(analyse("Plan\nharbor harbor houses", "en"))

    assert counts(chunk) == {term_key(term): n for term, n in expected.items()}
    assert chunk.length == expected.total() == 4


def test_every_chunk_carries_title_author_date_and_tags() -> None:
    item = Item(
        content=LONG,
        title="Zebra crossing",
        people=(Person(name="Uwe Anders"), Person(name="Ines Vidal", role=Role.TO)),
        tags=("infrastructure", "city planning"),
        happened_at=datetime(2026, 2, 3, tzinfo=UTC),
        summary="quagmire",
        metadata={"team": "flamingo", "nested": {"list": ["ocelot", 42]}, "_secret": "walrus"},
    )
    chunks = prepared(item).chunks

    for chunk in chunks:
        for word in ("zebra", "uwe anders", "infrastructure", "planning", "3", "February", "2026"):
            assert holds(chunk, word), word
        assert not holds(chunk, "Vidal")
    assert [holds(chunk, "quagmire") for chunk in chunks] == [True] + [False] * (len(chunks) - 1)
    for word in ("flamingo", "ocelot", "42"):
        assert [holds(c, word) for c in chunks] == [True] + [False] * (len(chunks) - 1)


def test_what_is_quoted_and_underscored_metadata_are_indexed_nowhere() -> None:
    item = Item(
        content="fine", quoted="walrus", metadata={"_id": "ocelot", "on": True, "none": None}
    )
    (chunk,) = prepared(item).chunks

    assert counts(chunk) == {term_key("fine"): 1}


def test_metadata_gives_its_texts_and_numbers() -> None:
    metadata = {"a": "one", "b": [2, {"c": 3.5}], "_d": "hidden", "e": {"_f": "four"}, "g": False}

    assert list(metadata_texts(metadata)) == ["one", "2", "3.5", "four"]


def test_times_and_the_zone_of_metadata_are_no_words() -> None:
    metadata = {
        "starts_at": "2026-03-12T21:30:00+01:00", "due": "2026-03-12",
        "ends_at": "2026-03-12 22:00", "changed": "2026-03-12T21:30:00.000001Z",
        "time_zone": "Europe/Berlin", "room": "B 21",
        "version": "2026-03-12-rc1",
    }  # fmt: skip

    assert list(metadata_texts(metadata)) == ["B 21", "2026-03-12-rc1"]


def test_an_author_without_a_name_is_found_by_the_address() -> None:
    item = Item(content="fine", people=(Person(address="desk@example.com"),))

    assert indexed_header(item, is_first=True) == "desk@example.com"


def test_a_header_is_cut_so_that_no_title_drowns_the_text() -> None:
    item = Item(content="fine", title="word " * 2_000)

    assert len(indexed_header(item, is_first=True)) == HEADER_CHARS_MAX
    assert prepared(item).chunks[0].length <= HEADER_CHARS_MAX // 5 + 1


def test_an_item_of_a_title_alone_has_one_empty_chunk_with_its_words() -> None:
    embedder = Counting()
    (chunk,) = prepared(Item(title="Harbor plan"), embedder=embedder).chunks

    assert (chunk.start, chunk.stop, chunk.words) == (0, 0, 0)
    assert holds(chunk, "harbor")
    assert embedder.seen == [["Harbor plan\n"]]


@pytest.mark.parametrize(
    ("text", "dated"), [("on 3 March 2025", True), ("we may march", False), ("yesterday", True)]
)
def test_a_chunk_says_whether_it_holds_a_time(text: str, dated: bool) -> None:
    item = Item(content=text, happened_at=datetime(2026, 2, 3, tzinfo=UTC), title="May 2020")

    assert prepared(item).chunks[0].dated is dated


def test_chunks_are_sized_by_what_the_embedder_reads() -> None:
    assert preparer(HashingEmbedder()).rule.words_target == 100
    assert len(prepared(Item(content=LONG)).chunks) == len(
        prepared(Item(content=LONG), embedder=HashingEmbedder()).chunks
    )


# ── vectors ──────────────────────────────────────────────────────────────────────────────────────


def test_all_chunks_of_all_items_are_embedded_at_once_in_order() -> None:
    embedder = Counting()
    items = [Item(content="alpha", title="A"), Item(content=LONG), Item(content="omega")]
    done = preparer(embedder).prepare(items)
    (texts,) = embedder.seen
    vectors = [chunk.vector for one in done for chunk in one.chunks]

    assert texts[0] == "A\nalpha"
    assert texts[-1] == "omega"
    assert vectors == [row.tobytes() for row in quantise(HashingEmbedder().embed(texts))]
    assert {len(vector) for vector in vectors} == {64}


def test_items_prepared_together_are_as_prepared_alone() -> None:
    items = [
        Item(content=LONG, title="Harbor", tags=("red",), metadata={"team": "flamingo"}),
        Item(title="A title alone, of 5 May"),
        Item(content=GERMAN, people=(Person(name="Ines"),)),
        Item(content="the of and"),
        Item(content=f"{LONG} {GERMAN} " * 3, summary="yesterday"),
    ]
    together = preparer(HashingEmbedder()).prepare(items)

    assert together == [prepared(item, embedder=HashingEmbedder()) for item in items]
    assert [len(one.chunks) > 1 for one in together] == [True, False, False, False, True]


def test_what_a_chunk_counts_is_what_its_own_text_and_header_say() -> None:
    item = Item(content=LONG.replace("three", "March 5, 2024"), title="Harbor Harbor")
    for n, one in enumerate(prepared(item).chunks):
        text = item.content[one.start : one.stop]
        header = indexed_header(item, is_first=n == 0)
        terms = analyse(f"{header}\n{text}", "en")

        assert (one.words, one.dated) == (len(text.split()), "2024" in text)
        assert (one.length, one.terms) == (len(terms), pack(Counter(terms)))


def test_without_an_embedder_vectors_are_empty() -> None:
    assert [chunk.vector for chunk in prepared(Item(content="alpha")).chunks] == [b""]


def test_a_vector_is_made_of_the_items_own_words_only() -> None:
    item = Item(
        content="see you there",
        title="Re: lunch" + "!" * 999,
        quoted="quoted words",
        summary="summarised words",
        tags=("tagged",),
        people=(Person(name="Uwe"), Person(name="Ines", role=Role.TO)),
        metadata={"team": "flamingo"},
        session="s",
    )
    span = preparer()._spans(item, item.content.split())[0]

    assert embedded_text(item, span) == (
        f"{item.title[:EMBEDDED_HEADER_CHARS_MAX]}\nUwe: see you there"
    )
    assert embedded_text(Item(content="alpha"), span) == "alpha"


def test_a_neighbour_leaves_no_trace_in_a_vector_or_in_terms() -> None:
    alone = Item(id="a", content="see you there", session="s", kind=Kind.MESSAGE)
    secret = Item(id="b", content="the secret is walrus", session="s", kind=Kind.MESSAGE)
    together = preparer(HashingEmbedder()).prepare([secret, alone])

    assert together[1] == prepared(alone, embedder=HashingEmbedder())


# ── language and digest ──────────────────────────────────────────────────────────────────────────

GERMAN: Final = "Wir haben gestern im Hafen mit der Verwaltung gesprochen und das ist sehr gut"


@pytest.mark.parametrize(
    ("item", "settings", "language"),
    [
        (Item(content=GERMAN), {}, "de"),
        (Item(content=GERMAN, language="fr"), {}, "fr"),
        (Item(content=GERMAN), {"spoken": Spoken(detects=False)}, "en"),
        (Item(content=GERMAN), {"spoken": Spoken(language="fi", detects=False)}, "fi"),
        (Item(content="ok"), {"spoken": Spoken(language="de")}, "de"),
        (Item(title=GERMAN), {}, "de"),
    ],
)
def test_the_language_is_given_or_seen_or_by_default(
    item: Item, settings: dict[str, Any], language: str
) -> None:
    assert prepared(item, **settings).item.language == language


def test_terms_are_stemmed_in_the_items_language() -> None:
    chunk = prepared(Item(content="Wohnungen", language="de")).chunks[0]

    assert counts(chunk) == {term_key(analyse("Wohnungen", "de")[0]): 1}


def test_preparing_what_was_prepared_changes_nothing() -> None:
    once = prepared(Item(content=GERMAN, source_id="1"))
    twice = prepared(once.item)

    assert twice == once
    assert once.digest == digest(once.item)


def test_nothing_is_prepared_of_nothing() -> None:
    embedder = Counting()

    assert preparer(embedder).prepare([]) == []
