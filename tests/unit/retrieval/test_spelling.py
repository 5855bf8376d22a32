"""Questions with slips of the keys: what they are taken for, and what stays as it is."""

from datetime import datetime, timedelta

import pytest

from simonides import Item, Memory, Person


@pytest.fixture
def bench(memory: Memory, now: datetime) -> Memory:
    """Notes of a workshop, and an appointment tomorrow."""
    memory.add(
        [
            Item(
                id="driver", content="The calibration of the torque driver ends in April.",
                people=(Person(name="Eloise Bechstein", address="eloise@example.com"),),
            ),
            Item(id="ring", content="Two rings and the leaves of the table were picked up."),
            Item(id="doctor", content="Red wine brings on my migraines, says the doctor."),
            Item(
                id="skin", kind="event", title="Dermatology", content="Dermatology",
                happened_at=now + timedelta(days=1),
                metadata={"starts_at": (now + timedelta(days=1)).isoformat()},
            ),
        ]
    )  # fmt: skip
    return memory


@pytest.mark.parametrize(
    ("query", "item", "note"),
    [
        ("the calibraton?", "driver", 'no item has "calibraton"; searched "calibration" instead'),
        ("my migranes", "doctor", 'no item has "migranes"; searched "migraines" instead'),
        ("torqeu", "driver", 'no item has "torqeu"; searched "torque" instead'),
        ("torrque", "driver", 'no item has "torrque"; searched "torque" instead'),
        ("Bechstien", "driver", 'no item has "Bechstien"; searched "bechstein" instead'),
    ],
)
def test_a_word_that_no_item_has_is_taken_for_one_that_they_have(
    bench: Memory, query: str, item: str, note: str
) -> None:
    found = bench.search(query, mode="text")

    assert [hit.id for hit in found.hits] == [item]
    assert found.diagnostics.notes[0] == note


@pytest.mark.parametrize(
    ("rightly", "typed"),
    [
        ("what is overdue?", "what is overdeu?"),
        ("which mails are unanswered?", "which mails are unanswerd?"),
        ("do I owe Tom an answer?", "do I owe Tom an anser?"),
        ("my appointments tomorrow", "my apointments tomorrow"),
    ],
)  # fmt: skip
def test_a_list_is_read_where_its_word_is_misspelled(
    bench: Memory, rightly: str, typed: str
) -> None:
    asked, found = (bench.search(one).plan for one in (rightly, typed))

    assert (found.task_state, found.reply_state, found.kinds) == (
        asked.task_state, asked.reply_state, asked.kinds,
    )  # fmt: skip
    assert asked.asks_list


def test_a_time_is_read_where_its_word_is_misspelled(bench: Memory) -> None:
    rightly, found = (bench.search(f"anything on {one}?") for one in ("tomorrow", "tomorow"))

    assert found.plan == rightly.plan
    assert [hit.id for hit in found.hits] == [hit.id for hit in rightly.hits]


@pytest.mark.parametrize(
    "query",
    [
        "the calibration of the rings",
        "rungs", "loaves", "pickled", "culled",  # words, if not of these items
        '"calibraton"', '"hasnt"', "calibraton@example.com", "calibraton-2", "https://example.com/calibraton",
        "ring", "rngs", "tow",  # too short to tell
    ],
)  # fmt: skip
def test_other_words_stay_as_they_are(bench: Memory, query: str) -> None:
    assert "instead" not in " ".join(bench.search(query, mode="text").diagnostics.notes)


def test_words_that_are_right_without_an_apostrophe_get_none(bench: Memory) -> None:
    bench.add(Item(id="card", content="The id of the customer: 4417."))

    assert [hit.id for hit in bench.search("an id?", mode="text").hits] == ["card"]


def test_of_a_text_that_is_pasted_in_the_first_unknown_words_are_looked_at(bench: Memory) -> None:
    unknown = " ".join(f"xylo{letter}phonist" for letter in "abcdefgh")
    found = bench.search(f"migranes {unknown} calibraton", mode="text")

    assert [note for note in found.diagnostics.notes if "calibraton" in note] == []
    assert "migraines" in found.diagnostics.notes[0]


def test_a_word_of_an_earlier_state_is_right(bench: Memory) -> None:
    before = bench.stats().revision
    bench.forget("driver")

    forgotten = bench.search("calibraton", mode="text")
    assert (forgotten.hits, forgotten.diagnostics.notes[1:]) == ((), ())
    assert 'no item has the word "calibration"' in bench.search("calibration", mode="text").nothing
    found = bench.search("calibraton", mode="text", as_of=before)
    assert [hit.id for hit in found.hits] == ["driver"]
