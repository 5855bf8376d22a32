"""Transcripts of meetings and subtitles: WebVTT and SubRip."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.unit.importers.task_files import events, items, skip

from simonides.model.item import Item, Kind, Role

TEAMS = """WEBVTT

3f1a/1-0
00:00:01.000 --> 00:00:04.000
<v Maya Chen>Good morning.</v>

3f1a/1-1
00:00:04.100 --> 00:00:06.000 align:start
<v Maya Chen>The launch moves to <i>14 April</i> &amp; the party too.</v>

3f1a/2-0
00:01:04.500 --> 00:01:09.000
<v Raj Patel>Then I need the page by the 7th.
And a photographer.</v>

NOTE recorded in room 2
"""
ZOOM = """WEBVTT

1
00:00:03.120 --> 00:00:05.400
Maya Chen: We drop the widget.

2
00:00:05.900 --> 00:00:08.000
Raj Patel: Agreed,

3
00:00:08.100 --> 00:00:09.000
Yes
"""
SUBTITLES = """1
00:00:01,000 --> 00:00:04,000
{\\an8}Welcome to the video.

2
00:00:04,500 --> 00:00:09,000
<font color="#fff">The door code</font> is 5512.
Note: it changes in May.
"""


def said(found: list[Item]) -> list[tuple[str, str]]:
    return [(one.author.name if one.author else "", one.content) for one in found]


def test_what_one_says_until_another_speaks_is_one_message(tmp_path: Path) -> None:
    found = items(tmp_path, TEAMS, name="2026-03-10 standup.vtt")

    assert said(found) == [
        ("Maya Chen", "Good morning. The launch moves to 14 April & the party too."),
        ("Raj Patel", "Then I need the page by the 7th. And a photographer."),
    ]
    assert [one.metadata["said_at"] for one in found] == ["00:00:01", "00:01:04"]
    assert [one.position for one in found] == [0, 1]
    first = found[0]
    assert (first.kind, first.source) == (Kind.MESSAGE, "transcript")
    assert (first.title, first.session) == (
        "2026-03-10 standup", "transcript/2026-03-10 standup.vtt",
    )  # fmt: skip
    assert first.people[0].role is Role.AUTHOR
    assert {one.happened_at for one in found} == {datetime(2026, 3, 10, tzinfo=UTC)}


def test_names_before_a_colon_are_speakers_where_most_stretches_have_one(tmp_path: Path) -> None:
    found = items(tmp_path, ZOOM, name="GMT20260310-090000_Recording.transcript.vtt")

    assert said(found) == [("Maya Chen", "We drop the widget."), ("Raj Patel", "Agreed, Yes")]
    assert found[0].title == "GMT20260310-090000_Recording"
    assert found[0].happened_at == datetime(2026, 3, 10, tzinfo=UTC)


def test_subtitles_without_speakers_are_one_document(tmp_path: Path) -> None:
    [found] = items(tmp_path, SUBTITLES, name="talk.srt")

    assert (found.kind, found.title) == (Kind.DOCUMENT, "talk")
    assert found.content == (
        "Welcome to the video. The door code is 5512. Note: it changes in May."
    )


def test_captions_that_roll_are_kept_once(tmp_path: Path) -> None:
    cue = "00:00:0{}.000 --> 00:00:0{}.000\n{}\n\n"
    lines = ["so the key", "so the key\nis under the pot", "is under the pot"]
    text = "WEBVTT\n\n" + "".join(cue.format(n, n + 1, one) for n, one in enumerate(lines))
    [found] = items(tmp_path, text, name="a.vtt")

    assert found.content == "so the key is under the pot"


def test_a_long_speech_becomes_several_messages(tmp_path: Path) -> None:
    cue = "00:{:02}:00.000 --> 00:{:02}:30.000\n<v Maya>{}\n\n"
    text = "WEBVTT\n\n" + "".join(cue.format(n, n, f"{n} " + "word " * 300) for n in range(9))
    found = items(tmp_path, text, name="a.vtt")

    assert len(found) == 3
    assert {name for name, _ in said(found)} == {"Maya"}


@pytest.mark.parametrize("text", ["WEBVTT\n", "WEBVTT\n\nNOTE nothing was said\n"])
def test_a_transcript_without_words_is_passed_over(tmp_path: Path, text: str) -> None:
    assert skip(tmp_path, text, name="a.vtt") == [("a.vtt", "holds no words")]
    assert [one.item for one in events(tmp_path, text, name="a.vtt")] == [None]


def test_a_text_that_only_ends_like_subtitles_is_read_as_text(tmp_path: Path) -> None:
    [found] = items(tmp_path, "Notes on how subtitles look", name="how.srt")

    assert found.kind is Kind.DOCUMENT
