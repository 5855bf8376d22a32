"""Patterns of listed words."""

import re

from simonides.text.word_patterns import alternatives


def test_any_of_the_words_matches_and_underscores_are_white_space() -> None:
    pattern = re.compile(alternatives("overdue past_due  offene?[nr]?\nen_retard"))

    assert all(map(pattern.fullmatch, ("overdue", "past \n due", "offenen", "en retard")))
    assert not any(map(pattern.fullmatch, ("past_due", "pastdue", "overdue past due", "")))
