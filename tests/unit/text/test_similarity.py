# ruff: noqa: RUF001  letters that look like others are meant as they stand
"""Near-duplicates: runs of four words, numbers that differ, short texts by their words alone."""

import subprocess
import sys

import pytest

from simonides.text.similarity import DuplicateDetector, fold_words, likeness

PLAIN = "the old lamp in the hall was sold to a man from the next town before the summer began"
QUOTED = f"I think we should tell them so.\n\n> {PLAIN.capitalize()}.\n\nWhat do you say?"
NOTICE = "Your order has been sent and the sum of {} was taken from your account for the blue lamp"


def test_words_are_folded_runs_of_letters_and_digits() -> None:
    assert fold_words("The LAMP, isn't “red”: it's 3.5 m_long!") == (
        *("the", "lamp", "isn", "t", "red", "it", "s", "3", "5", "m", "long"),
    )
    assert fold_words("Straße ＡＢＣ, ﬁne") == ("strasse", "abc", "fine")
    assert fold_words("会议 ok") == ("会", "议", "ok")
    assert fold_words(" …!👍 ") == ()


@pytest.mark.parametrize(
    "other",
    [PLAIN, PLAIN.upper(), f"  {PLAIN.replace(' ', chr(10))}…", f"**{PLAIN}**", QUOTED],
)
def test_the_same_words_are_wholly_alike_wherever_they_stand(other: str) -> None:
    assert likeness(PLAIN, other) == 1.0
    assert likeness(other, PLAIN) == 1.0


def test_other_words_are_not_alike() -> None:
    assert likeness(PLAIN, "we met nobody at all on the long way down to the river last night") == 0


def test_likeness_is_the_share_of_runs_that_are_held() -> None:
    changed = PLAIN.replace("town", "village")

    assert likeness(PLAIN, changed) == pytest.approx(12 / 16)
    assert likeness(PLAIN, f"{changed} and much more was said by all") == pytest.approx(12 / 16)


def test_a_run_counts_as_often_as_it_occurs() -> None:
    song = "la la la la la la la la so it goes"

    assert likeness(song, "la la la la la la la la and then nothing came") == pytest.approx(5 / 8)


def test_texts_that_differ_in_a_number_do_not_say_the_same() -> None:
    before, after = NOTICE.format("50 EUR"), NOTICE.format("70 EUR")

    assert likeness(before, after) == 0.0
    assert likeness(before, before) == 1.0
    assert likeness(before, f"{before} (notice 12)") == 1.0


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("Thanks, Tom!", "thanks tom", True),
        ("Thanks, Tom!", "thanks Ann", False),
        ("see you at the old lamp", f"see you at the old lamp and {PLAIN}", False),
        ("one two three four five six seven", "one two three four five six seven eight", False),
        ("👍", " 👍 ", True),
        ("👍", "🎉", False),
        ("", "  ", True),
        ("", "lamp", False),
    ],
)
def test_short_texts_are_alike_only_if_their_words_are_the_same(a: str, b: str, same: bool) -> None:
    assert likeness(a, b) == float(same)
    assert likeness(b, a) == float(same)


def test_a_script_without_spaces_is_compared_by_its_characters() -> None:
    text = "会议改到三月十二日下午三点在总部举行"

    assert likeness(text, f"大家好，{text}。请准时参加") == 1.0
    assert likeness(text, "资料请在前一天发给所有参加的人员") == 0.0


def seen(*texts: str) -> DuplicateDetector:
    added = DuplicateDetector()
    for number, text in enumerate(texts):
        added.add(f"i{number}", text)
    return added


def test_nothing_seen_tells_nothing() -> None:
    assert DuplicateDetector().find_duplicate(PLAIN, likeness_min=0.8) == ""
    assert DuplicateDetector().find_duplicate("", likeness_min=0.8) == ""


def test_the_first_one_that_tells_the_text_is_named() -> None:
    added = seen("some words that nobody else has ever used here", QUOTED, PLAIN)

    assert added.find_duplicate(PLAIN, likeness_min=0.8) == "i1"


def test_a_text_that_holds_an_earlier_one_and_says_more_is_not_reported_by_it() -> None:
    more = f"{PLAIN} and all of this was news to me until the letter of my aunt came at last"

    assert seen(PLAIN).find_duplicate(more, likeness_min=0.8) == ""
    assert seen(more).find_duplicate(PLAIN, likeness_min=0.8) == "i0"


def test_two_seen_texts_tell_a_third_one_only_if_one_of_them_does() -> None:
    first, second = PLAIN[: len(PLAIN) // 2], PLAIN[len(PLAIN) // 2 :]

    assert (
        seen(f"{first} and so on", f"then {second}").find_duplicate(PLAIN, likeness_min=0.8) == ""
    )
    assert seen(f"{first} and so on", f"then {second}", QUOTED).find_duplicate(
        PLAIN, likeness_min=0.8
    ) == "i2"  # fmt: skip


@pytest.mark.parametrize(
    ("likeness_min", "found"), [(0.0, "i0"), (0.7, "i0"), (12 / 16, "i0"), (0.76, ""), (1.0, "")]
)
def test_the_threshold_itself_is_alike(likeness_min: float, found: str) -> None:
    changed = PLAIN.replace("town", "village")

    assert seen(PLAIN).find_duplicate(changed, likeness_min=likeness_min) == found


@pytest.mark.parametrize("new", range(12))
def test_a_copy_that_begins_in_other_words_is_told_as_long_as_enough_is_held(new: int) -> None:
    seen = DuplicateDetector()
    old = [f"w{chr(0x430 + n)}" for n in range(26)] + [f"x{chr(0x430 + n)}" for n in range(17)]
    seen.add("old", " ".join(old))
    copy = [*(f"new{chr(0x430 + n)}" for n in range(new)), *old[new:]]

    assert seen.find_duplicate(" ".join(copy), likeness_min=0.8) == ("old" if new <= 8 else "")


def test_what_shares_nothing_is_never_reported() -> None:
    assert (
        seen(PLAIN).find_duplicate(
            "words upon words of which not one was here before", likeness_min=0
        )
        == ""
    )


def test_a_number_that_is_nowhere_else_is_news() -> None:
    added = seen(NOTICE.format("50 EUR"))

    assert added.find_duplicate(NOTICE.format("70 EUR"), likeness_min=0.5) == ""
    assert added.find_duplicate(NOTICE.format("EUR"), likeness_min=0.5) == "i0"


def test_short_texts_are_reported_by_the_same_words_only() -> None:
    added = seen("Thanks, Tom!", f"Thanks Ann! {PLAIN}", "thanks tom")

    assert added.find_duplicate("THANKS TOM", likeness_min=0.1) == "i0"
    assert added.find_duplicate("Thanks Ann", likeness_min=0.1) == ""


def test_asking_changes_nothing() -> None:
    added = seen(PLAIN)
    for _ in range(2):
        added.find_duplicate("some words that nobody else has ever used here", likeness_min=0.8)
    added.add("x", QUOTED)

    assert (
        added.find_duplicate("some words that nobody else has ever used here", likeness_min=0.8)
        == ""
    )
    assert added.find_duplicate(PLAIN, likeness_min=0.8) == "i0"


def test_a_text_asked_about_when_it_was_new_is_known_once_another_like_it_was_added() -> None:
    added = seen("some words that nobody else has ever used here")

    assert added.find_duplicate(PLAIN, likeness_min=0.8) == ""
    added.add("quoting", QUOTED)
    assert added.find_duplicate(PLAIN, likeness_min=0.8) == "quoting"


def test_a_run_shared_by_many_is_found_in_each() -> None:
    tails = [f"{name} {name} spoke of it all day" for name in ("ann", "bob", "eve")]
    added = seen(*(f"{PLAIN} {tail}" for tail in tails))

    for number, tail in enumerate(tails):
        assert added.find_duplicate(f"{PLAIN} {tail}", likeness_min=0.95) == f"i{number}"


def test_likeness_does_not_depend_on_the_seed_of_hashes() -> None:
    program = (
        "from simonides.text.similarity import DuplicateDetector, likeness\n"
        f"plain, quoted = {PLAIN!r}, {QUOTED!r}\n"
        "seen = DuplicateDetector()\n"
        "for n in range(5): seen.add(str(n), f'{plain[n * 9:]} and more')\n"
        "print(likeness(plain, quoted[9:70]), seen.find_duplicate(plain, likeness_min=0.5))\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "2")
    }

    assert len(said) == 1
