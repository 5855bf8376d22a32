"""Documents, chats and letters cut for an embedder."""

import pytest

from simonides.text.chunk import ChunkRule, chunk, rule_for, word_count
from simonides.text.unicode_script import boundary


def cut(text: str, *, target: int = 20, longest: int = 26, overlap: int = 0) -> list[str]:
    spans = chunk(text, words_target=target, words_max=longest, overlap_words=overlap)
    return [text[start:stop] for start, stop in spans]


def says(name: str, words: int) -> str:
    """Return a sentence of so many words."""
    return f"{name} " + "rows " * (words - 2) + "home."


def test_sections_of_a_document_are_apart() -> None:
    parts = [
        f"## {name}\n\n{says(name, 12)} {says(name, 6)}" for name in ("Oars", "Ropes", "Sails")
    ]

    assert cut("\n\n".join(parts), overlap=8) == parts


def test_small_sections_are_kept_together() -> None:
    text = "# A\n\none two.\n\n# B\n\nthree four."

    assert cut(text) == [text]


def test_a_heading_is_put_with_what_follows_it() -> None:
    first, second = says("Ann", 14), says("Tom", 14)

    assert cut(f"{first}\n\n# Tom\n\n{second}") == [first, f"# Tom\n\n{second}"]


def test_rows_of_a_table_are_not_torn() -> None:
    rows = [f"| oar {n} | ash | {n} |" for n in range(12)]
    chunks = cut("\n".join(rows))

    assert [line for part in chunks for line in part.split("\n")] == rows
    assert all(word_count(part) <= 26 for part in chunks)


def test_code_is_cut_between_its_lines() -> None:
    lines = [f"row(number={n}, wet=True)  # and back again" for n in range(12)]
    chunks = cut("\n".join(lines))

    assert len(chunks) > 1
    assert [line for part in chunks for line in part.split("\n")] == lines


def test_messages_of_a_chat_are_shared_up_to_the_overlap() -> None:
    messages = [says(f"M{n}", 5) for n in range(8)]
    chunks = cut("\n\n".join(messages), overlap=5)

    assert chunks[0] == "\n\n".join(messages[:4])
    assert chunks[1].startswith(messages[3])
    assert not chunks[1].startswith(messages[2])


def test_a_torn_sentence_is_not_shared() -> None:
    text = f"{'word ' * 44}end. {says('Ann', 9)} {says('Tom', 9)}"
    chunks = cut(text, overlap=8)

    assert sum(part.count("end.") for part in chunks) == 1


def test_the_overlap_leaves_room_for_the_sentence() -> None:
    text = f"{says('Ann', 10)} {says('Tom', 8)} {says('Eva', 20)}"

    assert cut(text, overlap=8)[-1] == says("Eva", 20)
    assert cut(text, overlap=8, longest=28)[-1] == f"{says('Tom', 8)} {says('Eva', 20)}"


@pytest.mark.parametrize(("size", "chunks"), [(26, 1), (27, 2)])
def test_a_sentence_of_the_greatest_size_is_whole(size: int, chunks: int) -> None:
    assert len(cut(says("Ann", size))) == chunks


def test_more_than_half_full_ends_before_a_paragraph_that_does_not_fit() -> None:
    half, more = says("Ann", 10), says("Ann", 11)
    long = f"{says('Tom', 9)} {says('Tom', 9)}"

    assert cut(f"{half}\n\n{long}")[0] == f"{half}\n\n{says('Tom', 9)}"
    assert cut(f"{more}\n\n{long}") == [more, long]


@pytest.mark.parametrize(
    "text",
    [
        "เรารอเรือตั้งแต่เช้าแต่เรือไม่มา" * 20,
        "我们从早上就在等船但是船没有来" * 20,
        "हम सुबह से नाव का इंतज़ार कर रहे हैं " * 20,
        "ننتظر القارب منذ الصباح ولم يأت " * 20,
        "אנחנו מחכים לסירה מהבוקר " * 20,
        "🇫🇷🇩🇪👩🏽\u200d🌾" * 40,
        "https://boats.example/" + "oar/" * 200,
    ],
)
def test_a_text_without_stops_is_cut_within_its_size(text: str) -> None:
    chunks = cut(text)

    assert "".join("".join(chunks).split()) == "".join(text.split())
    assert all(word_count(part) <= 26 for part in chunks)
    assert len(chunks) <= word_count(text) // 10 + 1


@pytest.mark.parametrize(
    ("window", "rule"),
    [
        (1, (1, 1, 0)),
        (13, (10, 13, 2)),
        (65, (50, 65, 10)),
        (129, (99, 129, 19)),
        (256, (100, 130, 20)),
        (257, (101, 131, 20)),
        (428, (350, 428, 60)),
        (599, (598, 599, 99)),
        (600, (600, 600, 100)),
    ],
)
def test_a_window_has_its_rule(window: int, rule: tuple[int, int, int]) -> None:
    target, longest, overlap = rule

    assert rule_for(window) == ChunkRule(
        words_target=target, words_max=longest, overlap_words=overlap
    )


@pytest.mark.parametrize(
    ("text", "position", "place"),
    [
        ("oars", 2, 2),
        ("a\r\nb", 2, 1),
        ("e\u0301e", 1, 0),
        ("oe\u0301", 2, 1),
        ("🇫🇷🇩🇪", 1, 0),
        ("🇫🇷🇩🇪", 3, 2),
        ("x👩\u200d🌾y", 3, 1),
        ("각각", 1, 1),
        ("a" + "\u0301" * 70, 66, 66),
        ("a" + "\u0301" * 70, 64, 0),
        ("oar", 9, 9),
    ],
)
def test_a_cut_is_put_where_a_character_ends(text: str, position: int, place: int) -> None:
    assert boundary(text, position) == place
