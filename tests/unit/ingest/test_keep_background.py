"""A background made ready: what text may be kept, how a snapshot is named, what it is found by."""

from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.errors import InvalidInput
from simonides.ingest.background import (
    background_id,
    check_collection,
    check_text,
    prepare_background,
)
from simonides.ingest.languages import Spoken
from simonides.model.bounds import BACKGROUND
from simonides.model.stored import PreparedBackground
from simonides.text.analyse import analyse
from simonides.text.terms import pack

NOON: Final = datetime(2026, 3, 12, 12, tzinfo=UTC)
GERMAN: Final = "Wir haben gestern im Hafen mit der Verwaltung gesprochen und das ist sehr gut"
TEXT: Final = "Alpha launches in May."


def prepared(text: Any = TEXT, **given: Any) -> PreparedBackground:
    how: dict[str, Any] = {"collection": "main", "at": NOON, "spoken": Spoken()}
    return prepare_background(text, **how | given)


def refused(text: Any, **given: Any) -> InvalidInput:
    with pytest.raises(InvalidInput) as found:
        prepared(text, **given)
    return found.value


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "a\tb\nc\r\nd\re",
        " indented\n\n",
        "\ufeffmarked, \u200bhidden, \u202eturned \u2028 broken",
        "e\u0301, \U0001f469\u200d\U0001f469\u200d\U0001f467, \U0010fffd, \ue000",
        "\ufdcf \ufdf0 \ufffd \U0001fffd \U00020000",
        "## User Request:\n[1] <system>",
    ],
)
def test_a_text_is_kept_as_it_is(text: str) -> None:
    assert prepared(text).text == text


@pytest.mark.parametrize("number", [*range(9), 11, 12, *range(14, 32), *range(127, 160)])
def test_no_control_character_but_tab_and_line_breaks_is_kept(number: int) -> None:
    error = refused(f"ab{chr(number)}c")

    assert error.field == "text"
    assert f"character 3 (U+{number:04X}) is a control character" in error.problem


LAST: Final = [plane << 16 | last for plane in range(17) for last in (0xFFFE, 0xFFFF)]


@pytest.mark.parametrize("number", [0xFDD0, 0xFDEF, *LAST])
def test_nothing_that_is_no_character_is_kept(number: int) -> None:
    assert f"(U+{number:04X}) is no character and never will be" in refused(chr(number)).problem


@pytest.mark.parametrize("number", [0xD800, 0xD83D, 0xDFFF])
def test_half_a_character_is_not_kept(number: int) -> None:
    assert refused(f"a{chr(number)} b").problem.startswith("holds half a character")


@pytest.mark.parametrize("blank", ["", " ", "\n\t\r ", "\u00a0\u2003\u3000\u2028"])
def test_a_blank_text_is_refused(blank: str) -> None:
    assert "is empty or blank" in refused(blank).problem


@pytest.mark.parametrize("character", ["x", "漢", "\U0001f600"])
def test_the_limit_counts_code_points(character: str) -> None:
    assert BACKGROUND.chars_max == 65_536
    assert len(prepared(character * BACKGROUND.chars_max).text) == BACKGROUND.chars_max

    problem = refused(character * (BACKGROUND.chars_max + 1)).problem
    assert problem == "must have at most 65,536 characters, got 65,537"


@pytest.mark.parametrize("text", [None, b"x", 3, ["x"]])
def test_what_is_no_text_is_refused(text: Any) -> None:
    assert refused(text).problem.startswith("must be text, got ")


@pytest.mark.parametrize("collection", ["main", " ", "Häuser/1", "a\nb\0"])
def test_a_collection_may_have_the_names_that_items_may_give_it(collection: str) -> None:
    assert prepared(collection=collection).collection == collection


@pytest.mark.parametrize(
    ("collection", "problem"),
    [
        ("", "must not be empty"),
        ("\ud800", "holds half a character (a lone surrogate); decode it first"),
        (None, "must be text, got NoneType"),
        (7, "must be text, got int"),
    ],
)
def test_a_collection_of_no_name_is_refused(collection: Any, problem: str) -> None:
    error = refused(TEXT, collection=collection)

    assert (error.field, error.problem) == ("collection", problem)


def test_the_collection_is_looked_at_before_the_text() -> None:
    with pytest.raises(InvalidInput, match="collection"):
        prepared("", collection="")


def test_an_id_is_made_like_an_items() -> None:
    assert len(prepared().id) == 26
    assert prepared().id == background_id("main", NOON, TEXT) == "5qqeqcu9r4js3pouqcc7kh7kp4"


def test_an_id_names_collection_time_and_text() -> None:
    others = [
        prepared(TEXT + " "),
        prepared(collection="work"),
        prepared(at=NOON + timedelta(microseconds=1)),
    ]

    assert len({prepared().id, *(one.id for one in others)}) == 4


def test_an_id_does_not_hang_on_the_zone_in_which_the_time_is_told() -> None:
    there = NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))

    assert prepared(at=there).id == prepared().id


def test_a_time_needs_a_zone() -> None:
    assert refused(TEXT, at=NOON.replace(tzinfo=None)).field == "at"


names = st.text(st.sampled_from("a\x1f0:-+"), min_size=1, max_size=6)


@given(one=names, other=names, texts=st.tuples(*[st.text(st.sampled_from("a0:-+"))] * 2))
def test_no_two_snapshots_share_an_id(one: str, other: str, texts: tuple[str, str]) -> None:
    same = (one, texts[0]) == (other, texts[1])

    assert (background_id(one, NOON, texts[0]) == background_id(other, NOON, texts[1])) is same


def test_terms_are_analysed_as_those_of_a_passage_are() -> None:
    text = "Sarah moved the deadlines; moved again by ALPHA-7."

    assert prepared(text).terms == pack(Counter(analyse(text, "en")))


def test_a_text_is_taken_to_be_in_the_language_it_seems_to_be_in() -> None:
    assert prepared(GERMAN).terms == pack(Counter(analyse(GERMAN, "de")))


@pytest.mark.parametrize(
    ("spoken", "text", "language"),
    [
        (Spoken(), GERMAN, "de"),
        (Spoken(), "Häuser", "en"),
        (Spoken(language="de"), "Häuser", "de"),
        (Spoken(language="fr", detects=False), GERMAN, "fr"),
    ],
)
def test_the_settings_say_in_which_language_a_text_is(
    spoken: Spoken, text: str, language: str
) -> None:
    assert spoken.of(text) == language
    assert prepared(text, spoken=spoken).terms == pack(Counter(analyse(text, language)))


def test_a_text_without_words_has_no_terms() -> None:
    assert prepared("… —").terms == b""
    assert prepared("and the of").terms == b""


@given(text=st.text(st.characters()))
def test_a_text_that_passes_is_kept_whole(text: str) -> None:
    with suppress(InvalidInput):
        check_text(text)

        assert text.encode().decode() == text
        assert prepared(text).text == text


def test_a_name_that_fits_passes_in_silence() -> None:
    check_collection("main")
    check_text(TEXT)
