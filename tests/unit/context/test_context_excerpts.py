"""How much of an item a brief shows, and which words: whole, by its best sentences, at length."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from simonides.context.build import build_active_context
from simonides.context.excerpts import TOKENS_PER_WORD
from simonides.context.selection import Budget
from simonides.model.answer import Hit
from simonides.model.brief import BriefItem, ContextConfig, DropReason, Form, Stage
from simonides.text.excerpt import GAP
from simonides.text.tokens import count

MakeHit = Callable[..., Hit]

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
STORY = (
    "The crane was late by an hour. Nobody on the quay was surprised.\n"
    "Tom had the keys in his pocket. They were the wrong ones."
)
PLAIN = ContextConfig(expansion_tokens_max=0)


def shown(
    hit: Hit, *, query: str = "", budget: Budget | int = 10_000, **config: int
) -> tuple[BriefItem, str]:
    """Return the record of an item in a brief of it alone, and the words that are shown."""
    settings = ContextConfig(**{"expansion_tokens_max": 0, **config})  # type: ignore[arg-type]
    made = build_active_context([hit], budget, settings, now=NOW, query=query)
    [item] = made.items
    return item, "|".join(hit.item.content[start:stop] for start, stop in item.spans)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("who had the keys?", "Tom had the keys in his pocket."),
        ("was the crane late?", "The crane was late by an hour."),
    ],
)
def test_the_sentence_that_fits_the_question_is_shown(
    hit: MakeHit, query: str, expected: str
) -> None:
    item, words = shown(hit(STORY), query=query, snippet_words_max=8)

    assert (item.form, item.stage, words) == (Form.EXCERPT, Stage.SNIPPET, expected)


def test_a_numbered_heading_is_shown_with_what_it_heads(hit: MakeHit) -> None:
    lease = "\n".join(
        f"{number}. {name}. The tenant keeps the paragraph on this matter for so many days."
        for number, name in enumerate(("Term", "Deposit", "Rent", "Pets", "Repairs", "Noise"), 1)
    )
    _, words = shown(hit(lease), query="what about the deposit?", snippet_words_max=16)

    assert words.startswith("2. Deposit. The tenant keeps")


def test_what_is_left_of_an_allotment_goes_to_the_nearest_sentences_in_their_order(
    hit: MakeHit,
) -> None:
    _, words = shown(hit(STORY), query="who had the keys?", snippet_words_max=15)

    assert words == "Tom had the keys in his pocket. They were the wrong ones."


def test_a_text_of_up_to_a_quarter_more_than_its_allotment_is_whole(hit: MakeHit) -> None:
    words = len(STORY.split())

    for allotted, form in ((words, Form.WHOLE), (20, Form.WHOLE), (18, Form.EXCERPT)):
        assert shown(hit(STORY), snippet_words_max=allotted)[0].form is form


@pytest.mark.parametrize(
    ("budget", "allotted"),
    [
        (300, 60),
        (900, 60),
        (1500, 100),
        (3000, 200),
        (Budget(limit=2250, unit="words"), 200),
        (Budget(limit=3000, unit="letters", estimator=lambda text: len(text) // 9), 200),
    ],
)
def test_an_allotment_is_a_fifteenth_of_the_budget_and_at_least_sixty_words(
    hit: MakeHit, budget: Budget | int, allotted: int
) -> None:
    text = "Six small words, each of five. " * 60
    item, words = shown(hit(text), budget=budget)

    assert item.form is Form.EXCERPT
    assert allotted - 6 < len(words.split()) <= allotted


def test_a_brief_of_many_long_items_shows_about_fifteen(hit: MakeHit) -> None:
    hits = [
        hit(f"Note {n * 7919} says this. " + f"Word {n} and other words follow. " * 40, id=f"i{n}")
        for n in range(40)
    ]
    made = build_active_context(hits, 1500, PLAIN, now=NOW, query="note")

    assert 8 <= len(made.items) <= 15


def test_the_question_is_read_in_the_language_of_the_item(hit: MakeHit) -> None:
    german = "Es war den ganzen Tag sehr kalt. Die Häuser dort sind alt. Heute regnet es gar nicht."
    _, words = shown(hit(german, language="de"), query="Haus", snippet_words_max=5)

    assert words == "Die Häuser dort sind alt."


def test_sentences_of_the_passage_that_was_found_come_first(hit: MakeHit) -> None:
    passage = "They were the wrong ones."
    _, words = shown(hit(STORY, passage=passage), query="keys", snippet_words_max=6)

    assert words == passage
    assert shown(hit(STORY, passage="not there"), query="keys", snippet_words_max=8)[1] == (
        "Tom had the keys in his pocket."
    )


def test_a_sentence_longer_than_an_allotment_is_cut_between_words(hit: MakeHit) -> None:
    endless = " ".join(f"word{n}" for n in range(500))
    item, words = shown(hit(endless), snippet_words_max=40)

    assert (item.form, words) == (Form.EXCERPT, " ".join(f"word{n}" for n in range(40)))
    found = shown(hit(endless, passage="word300 word301"), snippet_words_max=40)[1]
    assert found.startswith("word300 word301 ")


def test_a_text_without_spaces_is_cut_too(hit: MakeHit) -> None:
    _, words = shown(hit("あ" * 5_000), snippet_words_max=40)

    assert set(words) == {"あ"}
    assert 0.8 * 40 <= count(words) / TOKENS_PER_WORD <= 40


@pytest.mark.parametrize("start", [0, 20_000, 39_000])
def test_a_long_text_is_read_around_its_passage_in_whole_sentences(
    hit: MakeHit, start: int
) -> None:
    sentences = [f"This is sentence {n} of many." for n in range(1_500)]
    text = " ".join(sentences)
    at = text.find("This", start)
    passage = text[at : text.find(".", at) + 1]
    _, words = shown(hit(text, passage=passage), query="sentence", snippet_words_max=30)

    assert passage in words
    assert all(f"{one}." in sentences for one in words.rstrip(".").split(". "))


def test_what_is_left_out_is_marked_in_the_text(hit: MakeHit) -> None:
    config = ContextConfig(expansion_tokens_max=0, snippet_words_max=8)
    made = build_active_context([hit(STORY)], 500, config, now=NOW, query="keys")

    assert f"Tom had the keys in his pocket. {GAP}" in made.text


def test_without_an_allotment_nothing_is_shown(hit: MakeHit) -> None:
    config = ContextConfig(expansion_tokens_max=0, snippet_words_max=0)
    made = build_active_context([hit(STORY)], 500, config, now=NOW)

    assert [one.reason for one in made.dropped] == [DropReason.TOO_LARGE]


# ── at length ─────────────────────────────────────────────────────────────────────────────────

LONG = " ".join(f"Sentence {n} tells of harbour {n * 7919}." for n in range(400))
OTHER = " ".join(f"Line {n} is of garden {n * 6007}." for n in range(400))


def test_the_best_item_is_shown_at_length_up_to_a_quarter_of_the_budget(hit: MakeHit) -> None:
    for budget, most in ((1_500, 375), (2_000, 500), (2_600, 600)):
        made = build_active_context(
            [hit(LONG, id="a", score=2.0), hit(OTHER, id="b")], budget, now=NOW
        )
        first, second = made.items

        assert (first.stage, first.id, second.stage) == (Stage.EXPANDED, "a", Stage.SNIPPET)
        assert most * 0.9 < count(LONG[slice(*first.spans[0])]) <= most
        assert first.spans[0][0] == 0


def test_at_length_it_begins_with_its_passage_where_that_stands_further_back(
    hit: MakeHit,
) -> None:
    passage = "Sentence 300 tells of harbour 2375700."
    [item] = build_active_context([hit(LONG, passage=passage)], 1_500, now=NOW).items

    assert item.stage is Stage.EXPANDED
    assert LONG[item.spans[0][0] :].startswith(passage)


def test_an_expansion_that_holds_no_more_than_an_excerpt_is_none(hit: MakeHit) -> None:
    [item] = build_active_context([hit(LONG)], 300, now=NOW).items

    assert item.stage is Stage.SNIPPET


def test_the_row_of_a_table_that_is_asked_for_stands_under_the_heading_of_its_columns(
    hit: MakeHit,
) -> None:
    rows = [f"26DE{n:04},2026-06-01T23:{n:02}:11Z,HLXU {n:06}-3,BL-0127" for n in range(40)]
    table = hit("\n".join(["mrn,submitted_utc,container,code", *rows]))

    item, words = shown(table, query="which mrn is that of HLXU 000017-3?", budget=300)

    assert words.startswith("mrn,submitted_utc,container,code|")
    assert rows[17] in words
    assert rows[5] not in words
    assert item.tokens < 130  # 60 words of such rows would be 500 tokens


def table(*rows: str) -> str:
    return "\n".join(("| Date | What | Kind | Amount |", *(f"| {one} |" for one in rows)))


SPENT = table(
    "05-01-2026 | Jumbo | Groceries | 61,07", "07-02-2026 | Market | Groceries | 84,37",
    "13-02-2026 | Shoes | Clothes | 54,99", "27-02-2026 | Jumbo | Groceries | 58,92",
    "02-03-2026 | Market | Groceries | 31,20",
)  # fmt: skip


@pytest.mark.parametrize(
    ("query", "amounts"),
    [
        ("how much did I spend on groceries in February?", ["84,37", "58,92"]),
        ("what did I spend last month?", ["84,37", "54,99", "58,92"]),
        ("groceries since 20 February", ["58,92", "31,20"]),
        ("shoes", ["54,99"]),
    ],
)
def test_a_table_is_shown_by_the_rows_that_are_asked_for(
    hit: MakeHit, query: str, amounts: list[str]
) -> None:
    _, words = shown(hit(SPENT), query=query, snippet_words_max=40)
    known = ("61,07", "84,37", "54,99", "58,92", "31,20")

    assert words.startswith("| Date | What | Kind | Amount |")
    assert [one for one in known if one in words] == amounts


def test_what_stands_beside_a_table_and_says_more_is_shown(hit: MakeHit) -> None:
    text = (
        f"The deposit for the bus was paid on 3 May.\n\n{table('2026-05-03 | Bus | Travel | 300')}"
    )
    text += "\n| 2026-05-04 | Food | Home | 20 |\n| 2026-05-05 | Food | Home | 20 |"
    _, paid = shown(hit(text), query="when was the deposit for the bus paid?", snippet_words_max=20)
    _, cost = shown(hit(text), query="bus travel", snippet_words_max=20)

    assert "The deposit for the bus was paid" in paid
    assert "| Bus | Travel | 300 |" in cost
    assert "deposit" not in cost


def test_rows_may_take_more_room_than_a_text_but_not_all(hit: MakeHit) -> None:
    rows = [f"{day:02}-02-2026 | Market | Groceries | {day},00" for day in range(1, 29)]
    _, words = shown(hit(table(*rows)), query="groceries in February", snippet_words_max=40)

    assert 40 < count(words) / TOKENS_PER_WORD <= 3 * 40 + 5


@pytest.mark.parametrize(
    ("dates", "shown_amounts"),
    [
        (("2026-02-03", "2026-03-02"), ["1,00"]),
        (("03/02/2026", "02/03/2026"), ["1,00"]),
        (("02/03/2026", "03/02/2026", "12/31/2026"), ["1,00"]),
        (("3.2.26", "2.3.26"), ["1,00"]),
        (("99-02-2026", "03-02-2026"), ["2,00"]),
    ],
)
def test_dates_of_rows_are_read_as_the_table_writes_them(
    hit: MakeHit, dates: tuple[str, ...], shown_amounts: list[str]
) -> None:
    rows = [f"{date} | Market | Food | {n},00" for n, date in enumerate(dates, start=1)]
    text = table(*rows, "2020-01-01 | Rent | Home | 9,00")
    _, words = shown(hit(text), query="what did I spend in February?", snippet_words_max=40)

    assert [one for one in ("1,00", "2,00", "3,00", "9,00") if one in words] == shown_amounts
