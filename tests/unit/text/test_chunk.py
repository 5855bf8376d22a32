from itertools import pairwise

import pytest

from simonides.text.chunk import ChunkRule, Span, chunk, rule_for, word_count

MEGABYTE = 1_000_000


def cut(text: str, *, target: int = 20, longest: int = 26, overlap: int = 0) -> list[str]:
    spans = chunk(text, words_target=target, words_max=longest, overlap_words=overlap)
    return [text[start:stop] for start, stop in spans]


def gaps_of(edges: list[int]) -> list[tuple[int, int]]:
    """Return (end of a chunk, begin of the next), with the text's own ends around them."""
    return list(zip(edges[::2], edges[1::2], strict=True))


def story(count: int, *, words: int = 7) -> str:
    """Return numbered sentences of so many words each."""
    return " ".join(f"Number {n} {'lamp ' * (words - 3)}stands." for n in range(100, 100 + count))


def test_nothing_gives_no_chunk() -> None:
    assert chunk("", words_target=9, words_max=9, overlap_words=0) == []
    assert chunk(" \n\t ", words_target=9, words_max=9, overlap_words=0) == []


def test_a_short_text_is_one_trimmed_chunk() -> None:
    spans = chunk("  Hello. \n\n World. \n", words_target=9, words_max=9, overlap_words=0)

    assert spans == [Span(2, 18)]


def test_chunks_are_whole_sentences_up_to_the_target() -> None:
    chunks = cut(story(10))

    assert [len(c.split()) for c in chunks] == [14] * 5
    assert all(c.startswith("Number") and c.endswith("stands.") for c in chunks)


def test_the_end_of_a_section_is_taken_in_up_to_the_maximum() -> None:
    assert [len(c.split()) for c in cut(story(7), longest=28)] == [14, 14, 21]


def test_neighbours_share_whole_sentences_up_to_the_overlap() -> None:
    chunks = cut(story(10, words=4), overlap=8)

    for before, after in pairwise(chunks):
        shared = after[: after.index("stands.", after.index("stands.") + 1) + 7]

        assert len(shared.split()) == 8
        assert before.endswith(shared)


def test_an_overlap_of_zero_shares_nothing() -> None:
    text = story(30)
    spans = chunk(text, words_target=20, words_max=26, overlap_words=0)

    assert all(after.start > before.stop for before, after in pairwise(spans))


def test_a_sentence_larger_than_the_overlap_is_not_shared() -> None:
    assert cut(story(10), overlap=6) == cut(story(10), overlap=0)


def test_a_heading_begins_a_chunk_and_shares_nothing_with_the_last() -> None:
    text = f"# One\n\n{story(2)}\n\n# Two\n\n{story(2)}"
    chunks = cut(text, longest=40, overlap=10)

    assert [c.split("\n")[0] for c in chunks] == ["# One", "# Two"]


def test_a_heading_is_not_left_alone_at_the_end() -> None:
    text = f"Few words.\n\n# Head\n\n{story(4, words=17)}"
    chunks = cut(text)

    assert not chunks[0].endswith("# Head")
    assert chunks[1].startswith("# Head")


def test_a_paragraph_that_does_not_fit_begins_a_chunk() -> None:
    text = f"{story(2, words=6)}\n\n{story(3, words=6)}"

    assert cut(text) == text.split("\n\n")


def test_small_paragraphs_share_a_chunk() -> None:
    text = "One two.\n\nThree four.\n\nFive six."

    assert cut(text) == [text]


def test_a_sentence_over_the_maximum_is_cut_between_words() -> None:
    text = "word " * 99 + "end"
    chunks = cut(text)

    assert [len(c.split()) for c in chunks] == [20] * 5
    assert " ".join(chunks) == text


def test_a_long_sentence_is_cut_at_line_breaks_first() -> None:
    lines = ["lamp " * 14 + f"line {n}" for n in range(4)]

    assert cut("\n".join(lines)) == lines


def test_a_cut_prefers_white_space_to_a_word_of_any_length() -> None:
    text = "lamp " * 18 + "x" * 24 * 12

    assert cut(text)[0] == ("lamp " * 18).strip()


def test_graphemes_are_not_cut() -> None:
    family = "👩\u200d👩\u200d👧"
    chunks = cut(family * 500)

    assert "".join(chunks) == family * 500
    assert all(len(c) % len(family) == 0 for c in chunks)


def test_a_script_without_spaces_is_cut_at_its_own_stops() -> None:
    text = "私は昨日新しい家について長く話した。" * 8
    chunks = cut(text)

    assert "".join(chunks) == text
    assert all(c.endswith("。") for c in chunks)
    assert all(word_count(c) <= 26 for c in chunks)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("a lamp", 2), ("x" * 24, 1), ("x" * 25, 2), ("字字字", 2), ("a字b", 3)],
)
def test_size_is_words_of_bounded_length(text: str, expected: int) -> None:
    assert word_count(text) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "size"),
    [
        *[(part, MEGABYTE) for part in ("a", ".", "\n", "(", "👩\u200d👩\u200d👧")],
        *[
            (part, MEGABYTE // 5)
            for part in ("字", "a. ", "# ", "- a\n", "🇩🇪", "\n>", "! ", "\r\n")
        ],
        *[(part, MEGABYTE // 5) for part in ("\u0301", "\u200d", ".)", "a\n\n", "a.b", "\n ")],
    ],
)
def test_a_megabyte_of_anything_is_cut_in_linear_time(text: str, size: int) -> None:
    huge = text * (size // len(text))
    rule = rule_for(180)
    spans = chunk(huge, words_target=100, words_max=130, overlap_words=20)
    edges = [0, *(place for span in spans for place in span), len(huge)]

    assert all(not huge[gap:start].strip() for gap, start in gaps_of(edges))
    assert all(word_count(huge[start:stop]) <= rule.words_max for start, stop in spans)


@pytest.mark.parametrize(
    ("target", "longest", "overlap"), [(0, 9, 0), (10, 9, 0), (9, 9, 9), (9, 9, -1)]
)
def test_impossible_sizes_are_refused(target: int, longest: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="words_target"):
        chunk("a", words_target=target, words_max=longest, overlap_words=overlap)


@pytest.mark.parametrize("window", [130, 180, 256])
def test_a_small_window_has_the_small_rule(window: int) -> None:
    assert rule_for(window) == ChunkRule(words_target=100, words_max=130, overlap_words=20)


@pytest.mark.parametrize("window", [600, 8000])
def test_a_large_window_has_the_large_rule(window: int) -> None:
    assert rule_for(window) == ChunkRule(words_target=600, words_max=600, overlap_words=100)


@pytest.mark.parametrize("window", [1, 2, 7, 64, 129, 257, 300, 400, 512, 599])
def test_every_rule_is_possible_and_fits_its_window(window: int) -> None:
    rule = rule_for(window)

    assert 1 <= rule.words_target <= rule.words_max <= window
    assert 0 <= rule.overlap_words < rule.words_target


def test_rules_grow_with_the_window() -> None:
    targets = [rule_for(window).words_target for window in range(1, 700)]

    assert targets == sorted(targets)


def test_a_window_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="window_words"):
        rule_for(0)
