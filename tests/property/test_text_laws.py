import re
import unicodedata
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from simonides.text import chunk as chunking
from simonides.text import language as tongues
from simonides.text.analyse import analyse, query_terms, term_keys, words
from simonides.text.chunk import chunk, rule_for, word_count
from simonides.text.clean import from_html, printable, squeeze, title_of
from simonides.text.language import STEMMERS, detect
from simonides.text.mail import split_reply, unwrap_flowed
from simonides.text.sentences import sentences
from simonides.text.terms import key_bytes, pack, pack_all, term_key, unpack
from simonides.text.unicode_script import boundary, fold

PARTS = (
    "lamp river Ann's don't ALPHA-123 e-mail c++ 1,500.00 3.14 http://example.com/a?b=c a@b.co "
    "东京 한국 ไทย 👩\u200d👧 🇩🇪 "
    "e\u0301 Dr. z.B. # ## - > -- | <p> </p> <blockquote> <td> &amp; . ! ? 。"
).split()
NEAR_WORDS = (
    "the",
    "and",
    "des",
    "rock",
    "'",
    "'n'",
    "o'",
    " ",
    "\x1c",
    "\x85",
    "-",
    "7",
    "\u2019",
)
wild = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)
prose = st.lists(
    st.sampled_from([*PARTS, " ", " ", "\n", "\n\n", ". ", "x" * 60]) | wild, max_size=40
).map(" ".join)
texts = wild | prose


@given(st.dictionaries(wild, st.integers(1, 300), max_size=30))
def test_packed_terms_come_back(counts: dict[str, int]) -> None:
    keys, numbers = unpack(pack(counts))

    assert bool(np.all(keys[1:] > keys[:-1]))
    assert dict(zip(keys.tolist(), numbers.tolist(), strict=True)) == {
        term_key(term): min(count, 255) for term, count in counts.items()
    }


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=300), max_size=6))
def test_chunks_packed_together_are_as_packed_alone(chunks: list[list[str]]) -> None:
    keys = [b"".join(map(key_bytes, chunk)) for chunk in chunks]

    assert pack_all(keys) == [pack(Counter(chunk)) for chunk in chunks]


@given(texts, st.sampled_from([*sorted(STEMMERS), "xx"]))
@example("\ud800\x00", "en")
def test_the_keys_of_a_texts_runs_are_those_of_its_terms(text: str, language: str) -> None:
    expected = b"".join(map(key_bytes, analyse(text, language)))

    assert term_keys(text.split(), language) == expected


@given(texts, st.sampled_from(sorted(STEMMERS)))
@example("\ud800\x00", "en")
def test_a_question_finds_the_text_it_is_taken_from(text: str, language: str) -> None:
    indexed = set(map(term_key, analyse(text, language)))
    asked = {key for term in query_terms(text, [language]) for key in term.keys}

    assert asked <= indexed
    assert (asked == indexed) or not text.isascii()  # what has accents is kept without them, too


@given(texts)
def test_letter_case_and_compatibility_forms_do_not_matter(text: str) -> None:
    folded = unicodedata.normalize("NFKC", text).casefold()

    assert words(folded) == words(text)
    assert analyse(folded) == analyse(text)


@given(texts)
def test_detect_gives_a_code_for_anything(text: str) -> None:
    assert detect(text, default="xx").isalpha()


@given(texts | st.lists(st.sampled_from(NEAR_WORDS), max_size=40).map("".join))
@example("rock'n'roll's 'em and o'\x1cclock")
def test_a_head_has_the_same_words_run_by_run_as_in_one(text: str) -> None:
    folded = fold(text)
    plain = folded.isascii()
    whole = tongues._words(folded) if plain else tongues._WORD.findall(folded)
    marks = tongues._owners().marks

    line = "".join(map(tongues._mark_table(plain=plain).__getitem__, folded.split()))

    assert line == "".join(marks.get(word, tongues._ANY_WORD) for word in whole)


@given(texts)
def test_a_text_has_as_many_words_as_a_search_counts(text: str) -> None:
    assert word_count(text) == len(chunking._WORD.findall(text))


@given(texts, st.integers(1, 40))
def test_a_text_that_is_one_chunk_for_sure_is_one_chunk_of_sentences(text: str, size: int) -> None:
    rule = chunking.ChunkRule(words_target=size, words_max=size, overlap_words=0)
    gathered = list(chunking._gather(list(chunking._units(text, rule)), rule))

    if chunking._is_one(text, text.split(), rule):
        start = len(text) - len(text.lstrip())
        assert gathered == [(start, len(text.rstrip()))]


@given(texts, st.integers(1, 12), st.integers(0, 12), st.integers(0, 11))
@example("e" + "\u0301" * 90, 1, 0, 0)
@example("👩\u200d👧" * 30, 1, 1, 0)
def test_chunks_hold_everything_in_order_within_their_size(
    text: str, target: int, more: int, overlap: int
) -> None:
    longest = target + more
    spans = chunk(
        text, words_target=target, words_max=longest, overlap_words=min(overlap, target - 1)
    )
    covered = 0
    for start, stop in spans:
        assert text[start:stop].strip() == text[start:stop] != ""
        assert len(text[start:stop].split()) <= word_count(text[start:stop]) <= longest
        assert not text[covered:start].strip()
        assert stop > covered
        covered = stop
    assert not text[covered:].strip()
    assert [span.start for span in spans] == sorted({span.start for span in spans})


@given(texts, st.integers(2, 12))
def test_neighbours_share_no_more_than_asked(text: str, target: int) -> None:
    overlap = target // 2
    spans = chunk(text, words_target=target, words_max=2 * target, overlap_words=overlap)

    for before, after in pairwise(spans):
        shared = text[after.start : before.stop] if after.start < before.stop else ""
        assert word_count(shared) <= overlap


@given(texts)
def test_sentences_hold_everything_in_order(text: str) -> None:
    spans = sentences(text)
    kept = "".join("".join(text[start:stop].split()) for start, stop in spans)

    assert kept == "".join(text.split())
    assert all(text[start:stop].strip() == text[start:stop] for start, stop in spans)


@given(st.integers(1, 2000))
def test_every_rule_can_be_used(window: int) -> None:
    rule = rule_for(window)
    spans = chunk(
        "lamp " * 50,
        words_target=rule.words_target,
        words_max=rule.words_max,
        overlap_words=rule.overlap_words,
    )

    assert spans


@given(texts, st.data())
def test_a_boundary_is_where_a_grapheme_ends(text: str, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(text)))
    ends = {0, *(m.end() for m in regex.finditer(r"\X", text))}
    found = boundary(text, position)

    assert found == max(end for end in ends if end <= position) or position - found > 64


@given(texts)
def test_printable_text_can_be_stored_and_stays_as_it_is(text: str) -> None:
    cleaned = printable(text)

    assert printable(cleaned) == cleaned
    assert "\x00" not in cleaned.encode().decode()
    assert not [c for c in cleaned if unicodedata.category(c) == "Cc" and c not in "\t\n"]
    assert squeeze(squeeze(text)) == squeeze(text)
    assert squeeze(text).split() == text.split()
    assert len(title_of(text)) <= 120


@given(texts)
def test_any_html_becomes_lines(html: str) -> None:
    text = from_html(html)

    assert "\x00" not in text.encode().decode()
    assert text.strip("\n") == text


NAMES = (
    "p div a b ul ol li dl dt dd table tr td th tbody caption h1 pre blockquote br hr form option "
    "select font span section x:y button"
).split()
MARKS = st.sampled_from([*NAMES, *(f"/{one}" for one in NAMES), 'p title=">"', "a href='x'", "!x"])


@given(st.lists(MARKS | st.none(), max_size=60))
def test_every_word_of_a_page_is_read_once_whatever_its_tags(marks: list[str | None]) -> None:
    words = [f"w{place}e" for place, mark in enumerate(marks) if mark is None]
    numbered = enumerate(marks)
    html = "".join(f" w{n}e " if mark is None else f"<{mark}>" for n, mark in numbered)
    read = re.findall(r"w\d+e", from_html(html))

    assert sorted(read) == sorted(words)
    if "<t" not in html:  # what stands in a row beside its cells is read before them
        assert read == words


@given(
    st.lists(
        st.sampled_from(
            [
                *("", " ", "> old", ">> older", "-- ", "--", "Best,", "Ann", "Sent from my iPhone"),
                *(
                    "On 3 May 2025 Bob wrote:",
                    "On 3 May 2025 Bob",
                    "wrote:",
                    "From: Bob",
                    "To: Ann",
                ),
                *("Subject: lamp", "Date: Monday", "-----Original Message-----", "_____"),
                *("---------- Forwarded message ---------", "  own words here", "yes? "),
            ]
        )
        | wild,
        max_size=25,
    ).map("\n".join)
)
def test_a_mail_loses_no_line_and_doubles_none(text: str) -> None:
    parts = split_reply(text)
    kept = f"{parts.own}\n{parts.quoted}\n{parts.signature}"

    assert visible(kept) == visible(text)


def visible(text: str) -> Counter[str]:
    return Counter(line for line in text.split("\n") if line.strip())


@given(texts | st.lists(st.sampled_from(["> ", ">", "a", " ", "\n", "-- "])).map("".join))
def test_unwrapping_keeps_every_visible_character_but_marks(text: str) -> None:
    def bare(lines: str) -> str:
        return "".join(lines.replace(">", "").split())

    assert bare(unwrap_flowed(text)) == bare(text)


@pytest.mark.parametrize("part", ["a@", "a.", "1,000", "a-b_", "字", "a::", "a'", "İ", "#a"])
def test_analysis_is_linear_in_a_run_without_spaces(part: str) -> None:
    assert isinstance(analyse(part * 50_000), list)
    assert isinstance(words(part * 50_000), list)
