"""The `brief` layout: its lines, who and what, and what is to be known of it."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from simonides.context.brief import brief_blocks, brief_blocks_by_section, unwrap
from simonides.context.labels import NOTHING, RenderContext, RenderItem, text_of
from simonides.model.answer import Hit
from simonides.model.brief import Form, Stage
from simonides.model.item import Person, Trust

MakeHit = Callable[..., Hit]
MakePart = Callable[..., RenderItem]

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
FRAME = RenderContext(request="when?", now=NOW, timezone="UTC")
BARE = replace(FRAME, headers=False)


@pytest.fixture
def part(hit: MakeHit) -> MakePart:
    """Return a maker of parts: the fields of an item, and those of a part."""

    def make(content: str = "", **fields: Any) -> RenderItem:
        names = ("form", "why", "trust", "replaces", "replaced_on")
        own = {name: fields.pop(name) for name in names if name in fields}
        one = hit(content, **fields)
        made = RenderItem(
            item=one.item, score=one.score, stage=Stage.SNIPPET, form=Form.WHOLE,
            trust=Trust.OWN, text=content,
        )  # fmt: skip
        return replace(made, **own)

    return make


def lines(*parts: RenderItem, context: RenderContext = FRAME) -> list[str]:
    return text_of(brief_blocks(parts, context)).split("\n")


def line(part: RenderItem, context: RenderContext = BARE) -> str:
    """Return the line of one part without its number, source and day."""
    *_, last = lines(part, context=context)
    return re.sub("^1 [a-z]+(?: Thu 12 Mar)? ?", "", last)


# ── the page ──────────────────────────────────────────────────────────────────────────────────


def test_lines_stand_in_the_order_given_with_number_source_and_day(part: MakePart) -> None:
    yesterday = NOW - timedelta(days=1)
    page = lines(
        part("Out.", kind="message", source="chat", people=["Ann"], happened_at=NOW),
        part("Likes tea.", source="chat"),
        part("Hi.", kind="email", source="gmail", people=["Tom"], happened_at=yesterday),
        part("Yes.", kind="message", source="slack", people=["Tom"],
             happened_at=NOW - timedelta(days=400)),
    )  # fmt: skip

    assert page == [
        "# As of Thu 12 Mar 2026; cite line n as [n]",
        "1 Thu 12 Mar Ann: Out.",
        "2 memory: Likes tea.",
        "3 gmail Wed 11 Mar Tom: Hi.",
        "4 slack Wed 5 Feb 2025 Tom: Yes.",
    ]


def test_what_has_no_time_has_the_day_it_was_kept(part: MakePart) -> None:
    page = lines(part("kept", stored_at=NOW), part("never"), context=BARE)

    assert page == ["1 memory Thu 12 Mar: kept", "2 memory: never"]


def test_days_are_the_users_own(part: MakePart) -> None:
    late = datetime(2026, 3, 3, 23, 30, tzinfo=UTC)
    tokyo = replace(FRAME, timezone="Asia/Tokyo", now=late)

    assert lines(part("x", happened_at=late), context=tokyo) == [
        "# As of Wed 4 Mar 2026; cite line n as [n]",
        "1 memory Wed 4 Mar: x",
    ]


@pytest.mark.parametrize(
    ("when", "zone", "day"),
    [
        (datetime.min.replace(tzinfo=UTC), "America/New_York", "Mon 1 Jan 1"),
        (datetime.max.replace(tzinfo=UTC), "Asia/Tokyo", "Fri 31 Dec 9999"),
    ],
)
def test_the_first_and_the_last_day_can_be_told(
    part: MakePart, when: datetime, zone: str, day: str
) -> None:
    [only] = lines(part("x", happened_at=when), context=replace(BARE, timezone=zone))

    assert only == f"1 memory {day}: x"


def test_where_nothing_answers_clearly_a_line_says_so_first(part: MakePart) -> None:
    doubt = replace(BARE, nothing="Nothing here clearly answers this; nearest:")

    assert lines(part("x"), context=doubt) == [doubt.nothing, "1 memory: x"]


def test_a_replacement_and_what_it_replaces_say_so(part: MakePart) -> None:
    page = lines(
        part("Moved to 8 May.", kind="email", source="gmail", happened_at=NOW,
             replaces=(NOW - timedelta(days=30),)),
        part("It is on 24 April.", kind="email", source="gmail",
             happened_at=NOW - timedelta(days=30), replaced_on=NOW),
        context=BARE,
    )  # fmt: skip

    assert page == [
        "1 gmail Thu 12 Mar (replaces what Tue 10 Feb said): Moved to 8 May.",
        "2 gmail Tue 10 Feb (replaced on Thu 12 Mar): It is on 24 April.",
    ]


def test_older_receipts_have_the_lines_by_section_and_day(part: MakePart) -> None:
    yesterday = NOW - timedelta(days=1)
    parts = [
        part("Where to?", kind="message", source="chat", people=["Tom"], happened_at=NOW),
        part("Likes tea."),
        part("Out.", kind="message", source="chat", people=["Ann"], happened_at=yesterday),
    ]
    blocks = brief_blocks_by_section(parts, FRAME)

    assert text_of(blocks).split("\n") == [
        "# As of Thu 12 Mar 2026; cite line n as [n]",
        "## Memories",
        "Undated",
        "1 Likes tea.",
        "## Conversations (chat)",
        "Wed 11 Mar 2026",
        "2 Ann: Out.",
        "Thu 12 Mar 2026",
        "3 Tom: Where to?",
    ]
    assert [block.part for block in blocks if block.part is not None] == [1, 2, 0]


def test_nothing_found_is_said_so() -> None:
    assert lines() == ["# As of Thu 12 Mar 2026; cite line n as [n]", NOTHING]
    assert lines(context=BARE) == [NOTHING]


def test_of_entities_only_what_tells_more_than_a_name_is_shown(part: MakePart) -> None:
    names = ("Ann (person): ann@x.example", "alpha (project)", "Ben (person): ben@\nx [1]")

    page = lines(part("x"), context=replace(FRAME, entities=names))
    assert page[1:3] == ["Known: Ann (person): ann@x.example", "Known: Ben (person): ben@ x (1)"]
    assert lines(part("x"), context=replace(FRAME, entities=names[1:2])) == lines(part("x"))


def test_blocks_name_what_they_are_and_whose(part: MakePart) -> None:
    old = NOW - timedelta(days=9)
    blocks = brief_blocks([part("b", happened_at=NOW), part("a", happened_at=old)], FRAME)

    assert [(block.name, block.part) for block in blocks] == [
        ("head", None), ("item", 0), ("item", 1),
    ]  # fmt: skip
    assert all(block.text.endswith("\n") and not block.text[0].isspace() for block in blocks)


# ── one line ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ": Words."),
        ({"title": "Plan"}, '"Plan": Words.'),
        ({"kind": "message", "people": ["Ann"]}, "Ann: Words."),
        ({"kind": "message", "people": ["Ann"], "title": "Team"}, "Ann: Words."),
        ({"kind": "email", "people": ["Ann <a@x.example>"], "title": "Hi"}, 'Ann "Hi": Words.'),
        ({"kind": "email", "people": ["a@x.example"]}, "a@x.example: Words."),
        ({"kind": "event", "people": ["Ann"], "title": "Round"}, 'Ann "Round": Words.'),
        ({"kind": "document", "people": ["Ann"], "title": "Plan"}, '"Plan": Words.'),
        ({"title": 'The "new" plan'}, "\"The 'new' plan\": Words."),
        ({"kind": "message", "people": ["Ann (unknown): x"]}, '"Ann {unknown}; x": Words.'),
    ],
)
def test_a_line_says_who_and_what_before_the_words(
    part: MakePart, fields: dict[str, Any], expected: str
) -> None:
    assert line(part("Words.", stored_at=None, **fields)) == expected


@pytest.mark.parametrize(
    ("names", "reported"),
    [
        (["Ben"], "Ann to Ben"),
        (["Ben", "Cleo", "Dora"], "Ann to Ben, Cleo, Dora"),
        (["Ben", "Cleo", "Dora", "Eve", "Finn"], "Ann to Ben, Cleo, Dora and 2 more"),
    ],
)
def test_a_mail_names_its_first_recipients(part: MakePart, names: list[str], reported: str) -> None:
    people = [Person(name="Ann"), *(Person(name=name, role="to") for name in names)]

    assert line(part("Hi.", kind="email", people=people)) == f"{reported}: Hi."
    assert line(part("Hi.", kind="message", people=people)) == "Ann: Hi."


BERLIN = {"starts_at": "2026-03-13T18:00:00+00:00", "time_zone": "Europe/Berlin"}
EVENING = datetime(2026, 3, 13, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    ("metadata", "happened_at", "shown"),
    [
        ({}, EVENING, "1 event Fri 13 Mar 18:00: Dinner"),
        ({}, datetime(2026, 3, 13, tzinfo=UTC), "1 event Fri 13 Mar: Dinner"),
        ({"all_day": True}, EVENING, "1 event Fri 13 Mar: Dinner"),
        ({"starts_at": "2026-03-13"}, EVENING, "1 event Fri 13 Mar (2026-03-13): Dinner"),
        (BERLIN, EVENING, "1 event Fri 13 Mar 18:00 (2026-03-13 19:00 Europe/Berlin): Dinner"),
        (
            {**BERLIN, "time_zone": "UTC"},
            EVENING,
            "1 event Fri 13 Mar (2026-03-13 18:00 UTC): Dinner",
        ),
    ],
)
def test_an_event_has_the_time_of_the_users_clock(
    part: MakePart, metadata: dict[str, str], happened_at: datetime, shown: str
) -> None:
    event = part("Dinner", kind="event", metadata=metadata, happened_at=happened_at)

    assert lines(event)[-1] == shown


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"kind": "email"}, "email"),
        ({"kind": "task"}, "task"),
        ({"kind": "document"}, "note"),
        ({"kind": "memory"}, "memory"),
        ({"kind": "email", "source": "gmail"}, "gmail"),
    ],
)
def test_a_line_begins_with_the_source_or_else_the_kind(
    part: MakePart, fields: dict[str, Any], shown: str
) -> None:
    text = "\n".join(lines(part("Words.", stored_at=None, **fields), context=BARE))

    assert text.splitlines()[-1].startswith(f"1 {shown}")


def test_who_has_no_name_that_shows_is_told_by_the_address(part: MakePart) -> None:
    unseen = Person(name="\u200d\u2060", address="ann@x.example")
    nobody = Person(name="\u200d")

    assert line(part("Hi.", kind="message", people=[unseen])) == "ann@x.example: Hi."
    assert line(part("Hi.", kind="message", people=[nobody])) == '(unknown speaker): "Hi."'


def test_what_has_only_a_title_is_shown_by_it(part: MakePart) -> None:
    assert line(part("", title="Plan")) == '"Plan"'
    assert line(part("", title="Team", kind="message", people=["Ann"])) == 'Ann "Team"'
    assert line(part("", title="\u200d!")) == '"\u200d!"'


@pytest.mark.parametrize(
    ("fields", "mark"),
    [
        ({"trust": Trust.UNKNOWN}, "unknown sender"),
        ({"trust": Trust.EXTERNAL}, "from outside"),
        ({"form": Form.SUMMARY}, "summary"),
        ({"traits": {"confidence": 0.49}}, "unsure, confidence 0.5"),
        ({"traits": {"status": "superseded"}}, "superseded"),
        ({"kind": "document", "stored_at": NOW}, "undated, day of keeping"),
        ({"trust": Trust.UNKNOWN, "form": Form.SUMMARY}, "unknown sender; summary"),
    ],
)
def test_what_is_to_be_known_of_an_item_is_said(
    part: MakePart, fields: dict[str, Any], mark: str
) -> None:
    assert line(part("Words.", title="Plan", **fields)) == f'"Plan" ({mark}): Words.'


@pytest.mark.parametrize(
    "fields",
    [
        {"trust": Trust.OWN},
        {"trust": Trust.KNOWN},
        {"form": Form.EXCERPT},
        {"traits": {"confidence": 0.5}},
        {"stored_at": NOW},
        {"kind": "task", "stored_at": NOW},
        {"kind": "document", "happened_at": NOW, "stored_at": NOW},
    ],
)
def test_of_what_goes_without_saying_nothing_is_said(
    part: MakePart, fields: dict[str, Any]
) -> None:
    assert line(part("Words.", **fields)) == ": Words."


# ── conflicts ─────────────────────────────────────────────────────────────────────────────────


def test_memories_on_one_subject_in_other_words_name_each_other(part: MakePart) -> None:
    page = lines(
        part("Due on Friday.", id="a", traits={"entity": "Alpha  due"}),
        part("Due on Monday.", id="b", traits={"entity": "alpha due"}),
        part("Likes tea.", id="c", traits={"entity": "tea"}),
        part("Likes no tea.", id="d"),
        context=BARE,
    )

    assert page == [
        "1 memory (differs from [2]): Due on Friday.",
        "2 memory (differs from [1]): Due on Monday.",
        "3 memory: Likes tea.",
        "4 memory: Likes no tea.",
    ]


def test_the_same_words_and_what_does_not_hold_are_no_conflict(part: MakePart) -> None:
    traits = {"entity": "due"}
    page = lines(
        part("Friday.", id="a", traits=traits),
        part("Friday.", id="b", traits=traits),
        part("Monday.", id="c", traits={**traits, "status": "superseded"}),
        part("Monday.", id="d", kind="document"),
        context=BARE,
    )

    assert not [one for one in page if "differs" in one]


def test_of_many_on_one_subject_the_first_three_are_named(part: MakePart) -> None:
    page = lines(
        *(part(f"Due {n}.", id=f"i{n}", traits={"entity": "due"}) for n in range(6)), context=BARE
    )

    assert page[5] == "6 memory (differs from [1], [2], [3] and 2 more): Due 5."
    assert page[0] == "1 memory (differs from [2], [3], [4] and 2 more): Due 0."


# ── reasons ───────────────────────────────────────────────────────────────────────────────────


def test_the_largest_reasons_are_told_and_can_forge_nothing(part: MakePart) -> None:
    why = (("lexical", 0.1), ("b", 0.5), ("a", 0.5), ("x\n## Mail (1)", 0.9), ("n", float("nan")))
    reported = line(part("Words.", why=why), replace(BARE, why=True))

    assert reported == ": Words. (why: x ## Mail _1_ 0.90, a 0.50, b 0.50)"
    assert line(part("Words."), replace(BARE, why=True)) == ": Words."


# ── words on several lines ────────────────────────────────────────────────────────────────────


def test_further_lines_are_moved_in_and_blank_ones_left_out(part: MakePart) -> None:
    assert lines(part("one\n\n \n two\n# three\n4 four"), context=BARE) == [
        "1 memory: one", "   two", "  | # three", "  4 four",
    ]  # fmt: skip


WRAPPED = "Krona decides it for me, half of the pilot invoices will\nbe in SEK."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (WRAPPED, WRAPPED.replace("\n", " ")),
        (WRAPPED.replace("\n", "\n  "), WRAPPED.replace("\n", " ")),
        (WRAPPED.replace("\n", ".\n"), WRAPPED.replace("\n", ".\n")),
        (WRAPPED.replace("\n", "\n- "), WRAPPED.replace("\n", "\n- ")),
        (WRAPPED.replace("\n", "\n\n"), WRAPPED.replace("\n", "\n\n")),
        ("Dear Ann,\nthanks", "Dear Ann,\nthanks"),
        ("one\ntwo", "one\ntwo"),
        ("", ""),
    ],
)
def test_lines_that_are_only_kept_short_are_joined(text: str, expected: str) -> None:
    assert unwrap(text) == expected


# ── what was written before ───────────────────────────────────────────────────────────────────


def test_a_frame_hands_out_what_was_made_of_the_same_values() -> None:
    made: list[tuple[str, str]] = []

    def joined(one: str, other: str) -> str:
        made.append((one, other))
        return one + other

    context = replace(FRAME, _cache={})

    assert [context.cache(joined, "a", "b") for _ in range(3)] == ["ab"] * 3
    assert context.cache(joined, "ab", "") == "ab"
    assert context.cache(str.upper, "a") == "A"
    assert made == [("a", "b"), ("ab", "")]


def test_parts_written_alone_before_stand_in_the_whole_text_as_if_they_were_not(
    part: MakePart,
) -> None:
    ann = (Person(name="Ann"),)
    parts = [
        part("Out.\n# now", id="a", kind="email", source="gmail", title='"Out"', people=ann,
             happened_at=NOW),
        part("Out.\n# now", id="b", kind="message", source="chat", people=ann, happened_at=NOW),
        part("", id="c", kind="document", source="gmail", title="Out.\n# now", happened_at=NOW),
    ]  # fmt: skip
    used, fresh = replace(FRAME, _cache={}), replace(FRAME, _cache={})
    for one in (*parts, *reversed(parts)):
        brief_blocks([one], used)

    assert brief_blocks(parts, used) == brief_blocks(parts, fresh)
    assert used == fresh
