"""The relevance of hits, and what is said where nothing answers."""

from datetime import datetime, timedelta
from typing import Any, Final

import pytest

from simonides import Item, Memory, Person
from simonides.errors import InvalidInput

SARAH: Final = Person(name="Sarah Johnson", address="sarah@example.com")
TOM: Final = Person(name="Tom Ashworth", address="tom@example.com")
SUBJECTS: Final = (
    "boiler harbor invoice lantern meadow orchard pigeon quarry ribbon saddle timber umbrella"
).split()


@pytest.fixture
def desk(memory: Memory, now: datetime) -> Memory:
    """Mails on twelve subjects, all by Sarah but one, the latest of hers six days ago."""
    memory.add(
        [
            Item(
                id=word, kind="email", source="gmail", title=f"About the {word}",
                content=f"The {word} was repaired and the {word} costs 40 pounds.",
                people=(TOM if word == "umbrella" else SARAH,),
                happened_at=now - timedelta(days=6 + number),
            )
            for number, word in enumerate(SUBJECTS)
        ]
    )  # fmt: skip
    return memory


def relevance_of(memory: Memory, query: str, item: str, **given: Any) -> float:
    [found] = [hit.relevance for hit in memory.search(query, **given) if hit.id == item]
    return found


def test_the_answer_is_more_relevant_than_what_shares_a_word_with_it(desk: Memory) -> None:
    hits = {hit.id: hit.relevance for hit in desk.search("How much was the boiler repaired for?")}

    assert hits["boiler"] == max(hits.values())
    assert all(0.0 <= one <= 1.0 for one in hits.values())
    assert hits["boiler"] > 2 * hits["orchard"]


@pytest.mark.parametrize("scorer", ["rrf", "classic"])
def test_it_is_the_same_with_every_scorer_limit_and_filter(desk: Memory, scorer: str) -> None:
    query = "What does the boiler cost?"
    usual = relevance_of(desk, query, "boiler")

    assert relevance_of(desk, query, "boiler", scorer=scorer, limit=50) == usual
    assert relevance_of(desk, query, "boiler", limit=1) == usual
    assert relevance_of(desk, query, "boiler", filter={"ids": ["boiler"]}) == usual


def test_a_least_relevance_leaves_out_the_others_exactly(desk: Memory) -> None:
    query = "What does the boiler cost?"
    every = desk.search(query, limit=50)
    least = sorted(hit.relevance for hit in every)[-3]

    kept = desk.search(query, limit=50, min_relevance=least)

    assert [hit.id for hit in kept] == [hit.id for hit in every if hit.relevance >= least]
    assert len(desk.search(query, limit=2, min_relevance=least)) == 2


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan"), True, "0.5"])
def test_a_least_relevance_is_a_share(desk: Memory, wrong: Any) -> None:
    with pytest.raises(InvalidInput, match="min_relevance"):
        desk.search("boiler", min_relevance=wrong)


@pytest.mark.parametrize("said", ["hello", "Thank you so much!", "guten Morgen", "ok"])
def test_who_asks_nothing_gets_no_relevant_hit(desk: Memory, said: str) -> None:
    desk.add("Hello! Thank you so much, guten Morgen, ok.", id="greeting")

    found = desk.search(said)

    assert all(hit.relevance == 0.0 for hit in found)
    assert found.nothing == "Nothing in memory answers this."


@pytest.mark.parametrize("asked", ["What did Sarah Johnson say?", "anything from Sarah?"])
def test_all_that_a_person_wrote_answers_who_asks_for_it(
    desk: Memory, now: datetime, asked: str
) -> None:
    old: dict[str, Any] = {"kind": "email", "happened_at": now - timedelta(days=90)}
    for number in range(60):
        people = (SARAH if number % 2 else TOM,)
        desk.add(Item(content=f"Number {number} of the harbor lanterns", people=people, **old))
    found = desk.search(asked, limit=100)

    written = [hit.relevance for hit in found if SARAH in hit.item.people]
    assert found.nothing == ""
    assert len(written) == len(SUBJECTS) - 1 + 30
    assert sorted(written)[len(written) // 2] > 0.3, sorted(written)


def test_what_is_there_is_not_said_to_be_missing(desk: Memory) -> None:
    assert desk.search("What did the repair of the boiler cost?").nothing == ""


@pytest.mark.parametrize(
    "query",
    [
        "What does the repair of the boiler cost from next year on?",
        "the costs of the boiler next month",
    ],
)
def test_what_is_said_of_a_time_ahead_is_not_looked_for_in_it(desk: Memory, query: str) -> None:
    found = desk.search(query)

    assert (found.hits[0].id, found.nothing) == ("boiler", "")
    assert "nothing from" in desk.search("what's on next week").nothing


@pytest.mark.parametrize(
    ("query", "nearest"),
    [
        ("zither?", 'Nothing in memory answers this: no item has the word "zither".'),
        (
            "mails from Sarah: zither kazoo",
            (
                'Nothing here clearly answers this: no item has the words "zither", "kazoo"; '
                "the latest from Sarah is of 6 March; nearest:"
            ),
        ),
        (
            "Sarah's zither's price?",
            (
                'Nothing here clearly answers this: no item has the words "zither", "price"; '
                "the latest from Sarah is of 6 March; nearest:"
            ),
        ),
        (
            "zithers, kazoos, ocarinas, xylophones of April 2019?",
            (
                'Nothing in memory answers this: no item has the words "zithers", "kazoos", '
                '"ocarinas"; nothing from 1 to 30 April 2019 (April 2019); '
                "the latest is of 6 March."
            ),
        ),
    ],
)
def test_the_nearest_person_or_time_that_has_something_is_named(
    desk: Memory, query: str, nearest: str
) -> None:
    said = desk.search(query, mode="text").nothing

    assert said == nearest


def test_a_name_is_reported_in_the_words_of_the_question(desk: Memory, now: datetime) -> None:
    desk.add(
        Item(
            content="Lunch", kind="email", happened_at=now,
            people=(Person(name="Sarah ignore-all-of-it [1]"),),
        )
    )  # fmt: skip

    said = desk.search("xylophone zither kazoo from Sarah", mode="text").nothing

    assert "ignore" not in said
    assert "from Sarah is of 12 March" in said


def test_the_best_hit_is_the_most_relevant_one_and_its_parts_add_up(desk: Memory) -> None:
    found = desk.search("How much was the boiler repaired for?", limit=50)

    assert found[0].relevance == max(hit.relevance for hit in found)
    assert [hit.explanation.score for hit in found] == [hit.score for hit in found]
    idle = desk.search("Who painted the zither of Paris?", limit=1)
    assert idle[0].score < found[0].score


def test_a_score_is_the_same_within_a_filter_that_leaves_out_the_best(desk: Memory) -> None:
    query = "What does the boiler cost?"
    every = {hit.id: hit.score for hit in desk.search(query, limit=50)}
    others = [one for one in every if one != "boiler"]

    left = desk.search(query, filter={"ids": others}, limit=3)

    assert [every[hit.id] for hit in left] == [hit.score for hit in left]


def test_a_least_score_takes_whoever_just_has_it(desk: Memory) -> None:
    query = "What does the boiler cost?"
    every = desk.search(query, limit=50)

    for least in every:
        kept = desk.search(query, limit=50, min_score=least.score)
        assert [hit.id for hit in kept] == [h.id for h in every if h.score >= least.score]


def test_an_item_that_holds_every_word_is_not_said_to_answer_nothing(desk: Memory) -> None:
    found = desk.search("lantern")

    assert found[0].id == "lantern"
    assert found[0].relevance >= 0.05
    assert found.nothing == ""


@pytest.mark.parametrize(
    ("question", "is_after_it"),
    [
        ("what did you recommend for the roof?", True),
        ("which paint did the assistant suggest?", True),
        ("was hast du mir zum Dach empfohlen?", True),
        ("qu'est-ce que tu m'as conseillé pour le toit ?", True),
        ("which paint do I need for the roof?", False),
        ("can you tell me what Sarah said about the roof?", False),
    ],
)
def test_what_an_assistant_said_counts_less_unless_the_question_is_after_it(
    memory: Memory, question: str, *, is_after_it: bool
) -> None:
    memory.sessions.add("s", "assistant", "For the roof (Dach, toit) grey slate paint, two coats.")

    [hit] = [one for one in memory.search(question) if "slate" in one.text]
    names = {part.name for part in hit.explanation.contributions}

    assert ("assistant" not in names) == is_after_it


def test_what_was_said_next_is_found_though_it_has_no_word_of_the_question(
    memory: Memory, now: datetime
) -> None:
    chat = (
        ("Sam", "Who brings the projector on Friday?"), ("Lee", "I can, but need a lift"),
        ("Sam", "See you there then"),
    )  # fmt: skip
    for number, (who, text) in enumerate(chat):
        memory.add(
            text, kind="message", session="club", people=[who],
            happened_at=now + timedelta(minutes=number),
        )  # fmt: skip

    found = memory.search("who brings the projector?", mode="text")

    assert [hit.text for hit in found] == [chat[0][1], chat[1][1]]
