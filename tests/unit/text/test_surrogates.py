"""Stand-ins: whole sentences in their order, within exact budgets, what tells most first."""

import pytest

from simonides.errors import InvalidInput
from simonides.model.bounds import ENCODINGS
from simonides.text.surrogates import (
    ALGORITHM,
    BUDGETS,
    DEFAULT_BUDGETS,
    READ_CHARS_MAX,
    READ_SENTENCES_MAX,
    VERSION,
    SurrogateTexts,
    TierBudgets,
    surrogate_texts,
)
from simonides.text.tokens import count

MAIL = """Hi Tom,

thanks for the call yesterday. The budget for Alpha is 42,000 EUR and has to be approved by Friday.
Could you send me the revised plan?

- the list of suppliers
- the risk table from ALPHA-123

I will be in Lisbon from Monday on.

Best regards,
Sarah Lindqvist"""

NUMBERED = [
    f"The {name} lamp was sold to customer {n} for {n}0 EUR after a long talk."
    for n, name in enumerate("red green blue white black brown gold silver grey pink".split(), 1)
]
VERBOSE = TierBudgets(full=1000, gist=500, micro=200)


def costs(made: SurrogateTexts, encoding: str = "cl100k_base") -> tuple[int, int, int]:
    return count(made.full, encoding), count(made.gist, encoding), count(made.micro, encoding)


@pytest.mark.parametrize("preset", BUDGETS)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_tier_keeps_within_its_budget_exactly(preset: str, encoding: str) -> None:
    budgets = BUDGETS[preset]
    for text in (MAIL, " ".join(NUMBERED), "lamp " * 3000, "会议在三月十二日举行。" * 99):
        full, gist, micro = costs(
            surrogate_texts(text, budgets=budgets, encoding=encoding), encoding
        )

        assert 0 < micro <= budgets.micro
        assert 0 < gist <= budgets.gist
        assert 0 < full <= budgets.full


def test_the_presets_are_the_seeds() -> None:
    assert {
        "default": TierBudgets(full=100, gist=25, micro=8),
        "compact": TierBudgets(full=50, gist=15, micro=5),
        "verbose": TierBudgets(full=150, gist=40, micro=12),
    } == BUDGETS
    assert BUDGETS["default"] == DEFAULT_BUDGETS
    assert (ALGORITHM, VERSION) == ("extractive", 1)


@pytest.mark.parametrize(
    "fields",
    [{"micro": 3}, {"gist": 101}, {"micro": 26}, {"full": 24}, {"full": 0, "gist": 0, "micro": 0}],
)
def test_budgets_that_do_not_fall_or_hold_no_character_are_refused(fields: dict[str, int]) -> None:
    with pytest.raises(InvalidInput, match="full >= gist >= micro >= 4"):
        TierBudgets(**fields)


def test_a_short_text_stands_for_itself() -> None:
    text = "Alpha is due Friday."

    assert surrogate_texts(text) == SurrogateTexts(full=text, gist=text, micro=text)


def test_the_most_telling_sentence_leads_and_greetings_and_closings_are_left_out() -> None:
    made = surrogate_texts(MAIL)

    assert made.gist.startswith("The budget for Alpha is 42,000 EUR and has to be approved by")
    assert made.micro == "the risk table from ALPHA-123"
    for empty in ("Hi Tom", "Best regards", "Lindqvist"):
        assert empty not in made.full


def test_sentences_stand_in_the_order_of_the_text_not_of_their_worth() -> None:
    made = surrogate_texts(MAIL)
    reported = [
        "thanks for the call",
        "The budget",
        "Could you",
        "risk table",
        "I will be in Lisbon",
    ]
    places = [made.full.index(words) for words in reported]

    assert places == sorted(places)


def test_a_list_becomes_one_line_without_its_marks() -> None:
    made = surrogate_texts(
        "# Runbook\n\n1. Drain the whole queue\n2. Stop every worker\n> Wait 10 minutes"
    )

    assert made.full == "Runbook; Drain the whole queue; Stop every worker; Wait 10 minutes"


def test_a_greeting_above_a_sentence_is_taken_off() -> None:
    assert surrogate_texts("Hi Tom,\nthe lamp is broken again.").full == "the lamp is broken again."


@pytest.mark.parametrize(
    ("text", "title", "full"),
    [
        ("Thanks!", "", "Thanks!"),
        ("Hi Tom,", "", "Hi Tom,"),
        ("Budget of Alpha", "Budget of Alpha", "Budget of Alpha"),
        ("I do. I am. Go on.", "", "I do. I am. Go on."),
        ("👍🎉", "", "👍🎉"),
        ("-----\n\n=====", "", "-----"),
        ("!!!", "", "!!!"),
    ],
)
def test_what_tells_little_is_reported_where_there_is_nothing_else(
    text: str, title: str, full: str
) -> None:
    made = surrogate_texts(text, title=title)

    assert made.full == full
    assert made.micro


@pytest.mark.parametrize("text", ["", " ", "\n\t\n", "\u3000"])
def test_white_space_has_empty_stand_ins(text: str) -> None:
    assert surrogate_texts(text, title="A title") == SurrogateTexts(full="", gist="", micro="")


def test_what_only_repeats_the_title_is_not_reported_beside_more() -> None:
    text = "# Plan for the Alpha launch\n\nWe start in May with two towns and forty shops."

    assert "Plan for the Alpha launch" in surrogate_texts(text).full
    assert surrogate_texts(text, title="Plan for the Alpha launch").full == (
        "We start in May with two towns and forty shops."
    )


def test_the_same_sentence_twice_is_told_once() -> None:
    text = "The red lamp was sold on Monday. It rains. The red lamp was sold on Monday!"

    assert surrogate_texts(text).full.count("red lamp") == 1


def test_two_sentences_that_differ_in_a_short_number_are_two() -> None:
    made = surrogate_texts("Lunch is at noon in room 5. Lunch is at noon in room 6.")

    assert "room 5" in made.full
    assert "room 6" in made.full


def test_a_sentence_of_new_words_is_reported_before_one_that_says_nearly_the_same() -> None:
    text = (
        "The red lamp in the hall was sold to Tom on 5 May. "
        "The red lamp in the hall was sold to Ann on 5 May. "
        "Every window of the old library needs new glass before winter."
    )
    made = surrogate_texts(text, budgets=TierBudgets(full=32, gist=32, micro=8))

    assert "to Tom" in made.full
    assert "library" in made.full
    assert "to Ann" not in made.full


def test_tiers_have_at_most_eight_three_and_one_sentences() -> None:
    made = surrogate_texts(" ".join(NUMBERED), budgets=VERBOSE)

    assert [text.count("lamp") for text in (made.full, made.gist, made.micro)] == [8, 3, 1]


def test_what_a_shorter_tier_tells_the_longer_one_tells() -> None:
    made = surrogate_texts(" ".join(NUMBERED), budgets=VERBOSE)

    assert [one for one in NUMBERED if one in made.micro] != []
    assert all(one in made.gist for one in NUMBERED if one in made.micro)
    assert all(one in made.full for one in NUMBERED if one in made.gist)


def test_a_sentence_over_every_budget_is_cut_after_a_word() -> None:
    text = "This is about " + " and ".join(f"thing{n}" for n in range(90))
    made = surrogate_texts(text)

    for cut in (made.full, made.gist, made.micro):
        head = cut.removesuffix("…")
        assert cut == f"{head}…"
        assert text.startswith(f"{head} ")
    assert len(made.micro) < len(made.gist) < len(made.full)


def test_a_cut_leaves_no_loose_mark_before_its_ellipsis() -> None:
    text = "Lamps, stones, rivers, windows, towers, bridges, gardens, houses, streets, squares"
    made = surrogate_texts(text, budgets=TierBudgets(full=8, gist=6, micro=4))

    assert ",…" not in made.full + made.gist + made.micro
    assert made.full.endswith("s…")


def test_a_whole_sentence_leads_only_if_it_is_worth_half_of_the_best() -> None:
    worthy = "Alpha starts 5 May."
    trifle = "Rain falls here every winter."
    long = (
        "The committee has decided that every town gets its own budget, staff and library by 2031."
    )

    budgets = TierBudgets(gist=40)

    assert surrogate_texts(f"{worthy} {long}", budgets=budgets).micro == worthy
    assert surrogate_texts(f"{trifle} {long}", budgets=budgets).micro == (
        "The committee has decided that every town…"
    )


def test_a_script_without_spaces_is_cut_between_its_characters() -> None:
    text = "会议在三月十二日举行" * 20
    made = surrogate_texts(text)

    assert made.micro.endswith("…")
    assert text.startswith(made.micro.removesuffix("…"))
    assert len(made.micro) > 5


def test_a_torn_run_of_such_a_script_is_kept_after_a_word() -> None:
    assert len(surrogate_texts("Alpha " + "会议在三月十二日举行" * 20).micro) > len("Alpha …")


def test_sentences_of_a_script_without_spaces_are_told_whole() -> None:
    text = "你好。会议改到三月十二日下午三点在总部举行。请大家提前准备好材料。"
    made = surrogate_texts(text)

    assert made.full == "会议改到三月十二日下午三点在总部举行。 请大家提前准备好材料。"


def test_one_grapheme_over_the_budget_still_gives_something() -> None:
    family = "👩\u200d👩\u200d👧\u200d👦" * 9
    made = surrogate_texts(family, budgets=TierBudgets(full=5, gist=4, micro=4))

    assert made.micro.startswith("👩")
    assert count(made.micro) <= 4


def test_a_number_of_a_list_is_no_number_of_its_sentence() -> None:
    plain = "1. Bring the old wooden ladder\n2. Paint the garden fence on day 14"

    assert surrogate_texts(plain, budgets=TierBudgets(full=9, gist=9, micro=9)).micro == (
        "Paint the garden fence on day 14"
    )


def test_a_bare_number_never_leads() -> None:
    assert (
        surrogate_texts("17.\n\nThe garden fence needs paint.").micro
        == "The garden fence needs paint."
    )


def test_a_colon_in_a_time_or_an_address_introduces_nothing() -> None:
    budgets = TierBudgets(full=14, gist=14, micro=14)
    text = (
        "See http://lamps.example for every red lamp.\n\n"
        "Note: every red lamp belongs outside today."
    )

    assert surrogate_texts(text, budgets=budgets).micro.startswith("Note:")


def test_an_entry_and_code_tell_more_than_plain_words() -> None:
    budgets = TierBudgets(full=9, gist=9, micro=9)
    plain = "Please water every garden plant daily"

    assert surrogate_texts(
        f"{plain}\n\n- Paint every garden fence twice", budgets=budgets
    ).micro == ("Paint every garden fence twice")
    assert (
        "`make`"
        in surrogate_texts(f"{plain}\n\nPlease run `make` check often", budgets=budgets).micro
    )


def test_only_the_head_of_a_long_text_is_read() -> None:
    early = "Plain words are here again. " * READ_SENTENCES_MAX
    late = "The treasure of 9,000 coins: lies under the third oak."

    assert "treasure" not in surrogate_texts(early + late).full
    assert "treasure" in surrogate_texts(early[: len(early) // 2] + late).full


def test_a_sentence_of_a_thousand_characters_is_never_told_whole() -> None:
    text = "=" * (READ_CHARS_MAX + 1)
    made = surrogate_texts(text, budgets=TierBudgets(full=500, gist=400, micro=300))

    assert made.full.endswith("…")
    assert text.startswith(made.full.removesuffix("…"))


def test_a_long_gap_does_not_make_a_cut_sentence_whole() -> None:
    assert surrogate_texts(f"lamp{' ' * READ_CHARS_MAX}river").full == "lamp…"


def test_words_beyond_forty_do_not_count_and_over_eighty_they_count_against() -> None:
    budgets = TierBudgets(full=900, gist=900, micro=400)
    names = [f"lamp{chr(97 + n % 26)}{'x' * (n // 26)}" for n in range(90)]
    middling = f"Day 5: {' '.join(names[:42])}."
    long, endless = f"{' '.join(names[:60])}.", f"{' '.join(names)}."

    assert surrogate_texts(f"{long}\n\n{middling}", budgets=budgets).micro == middling
    assert surrogate_texts(f"{endless}\n\n{long}", budgets=budgets).micro == long


def test_line_breaks_of_every_kind_become_spaces() -> None:
    made = surrogate_texts("The lamp\nis\u2028broken\x85again\tand again.")

    assert made.full == "The lamp is broken again and again."


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(InvalidInput, match="encoding"):
        surrogate_texts("a lamp", encoding="p50k_base")
