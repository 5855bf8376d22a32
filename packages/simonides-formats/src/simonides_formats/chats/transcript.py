"""Transcripts of meetings and subtitles: WebVTT (Zoom, Teams, Meet, YouTube) and SubRip.

What somebody says until another speaks is one message; without speakers all of it is a document.
Must not know how a message becomes an item.
"""

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, islice
from pathlib import PurePosixPath

from simonides.errors import InvalidInput
from simonides.importers.derived_ids import DerivedIds
from simonides.importers.file_item import TEXT_CHARS_MAX, day_in_name, file_event, moment
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.chats.chat_marks import CUE
from simonides_formats.chats.chat_message import ChatMessage
from simonides_formats.chats.stamped_lines import Stamped, read_stamped

TURN_CHARS_MAX = 4_000
"""A speech that is longer becomes several messages: one is read as a whole."""

SAMPLE_CUES = 200
"""So many of the first stretches tell whether a transcript names who speaks."""

_VOICE = re.compile(r"<v(?:\.[^\s<>]{0,40})?[ \t]+([^<>\n]{1,200})>")
_TAG = re.compile(r"</?[^<>\n]{0,200}>|\{\\[^{}\n]{0,40}\}")
_NAMED = re.compile(r"(?:>>[ \t]*)?([^\W\d_][^:\n<>]{0,59}):[ \t]+(?=\S)")
_BLANK = re.compile(r"\n[ \t]*\n")

_ZOOM = re.compile(r"GMT(\d{4})(\d{2})(\d{2})-\d{6}")
_SUFFIX = re.compile(r"(?:\.(?:transcript|captions?|subtitles?|[a-z]{2}))+\Z", re.IGNORECASE)


@dataclass(slots=True, kw_only=True)
class _Turn:
    """What one speaks from `at` on; of nobody known an empty `speaker`."""

    speaker: str
    at: str
    number: int
    bytes_done: int
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(self.texts)


def read_transcript(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield what was said as messages; of a transcript without speakers one document."""
    stretches = read_stamped(file, CUE)
    first = list(islice(stretches, SAMPLE_CUES))
    if not first:
        yield file.skip("holds no words", bytes_done=file.size_bytes, empty=True)
        return
    is_named = 2 * sum(bool(_speaker(one)[0]) for one in first) >= len(first)
    turns = _turns(chain(first, stretches), is_named=is_named)
    if is_named:
        yield from _messages(turns, file)
    else:
        yield file_event(file, content=_whole(turns), title=_title(file), dates=(_day(file),))


def _messages(turns: Iterable[_Turn], file: SourceFile) -> Iterator[ImportEvent]:
    ids, title, day = DerivedIds(), _title(file), _day(file)
    for position, turn in enumerate(turns):
        message = ChatMessage(
            source=file.source or "transcript",
            source_id=ids.of(file.where, turn.speaker, turn.at, turn.text),
            session=f"transcript/{file.where}",
            title=title,
            author=turn.speaker,
            text=turn.text,
            position=position,
            created=day,
            more={"said_at": turn.at},
        )
        try:
            yield file.keep(message.item(), bytes_done=turn.bytes_done)
        except InvalidInput as error:
            yield file.skip(str(error), part=f"line {turn.number}", bytes_done=turn.bytes_done)


def _turns(stretches: Iterable[Stamped], *, is_named: bool) -> Iterator[_Turn]:
    """Yield the turns of speakers, without lines that repeat the one before, as captions do."""
    turn, last = None, ""
    for one in stretches:
        speaker, said = _speaker(one) if is_named else ("", _plain(one.text))
        lines = [line for line in said.splitlines() if line and line != last]
        last = lines[-1] if lines else last
        is_same = turn is not None and speaker in ("", turn.speaker)
        if turn is None or not is_same or len(turn.text) > TURN_CHARS_MAX:
            if turn is not None and turn.texts:
                yield turn
            speaker = speaker or (turn.speaker if turn else "")
            turn = _Turn(
                speaker=speaker, at=one.match["at"], number=one.number, bytes_done=one.bytes_done
            )
        turn.texts += lines
        turn.bytes_done = one.bytes_done
    if turn is not None and turn.texts:
        yield turn


def _speaker(one: Stamped) -> tuple[str, str]:
    """Return who speaks in a stretch, empty where it is not said, and the words."""
    if voice := _VOICE.search(one.text):
        return " ".join(html.unescape(voice[1]).split()), _plain(one.text)
    plain = _plain(one.text)
    if named := _NAMED.match(plain):
        return " ".join(named[1].split()), plain[named.end() :]
    return "", plain


def _plain(text: str) -> str:
    """Return the words of a stretch, which a blank line ends, without marks."""
    return html.unescape(_TAG.sub("", _BLANK.split(text.strip("\n"), 1)[0])).strip()


def _whole(turns: Iterable[_Turn]) -> str:
    texts, chars = [], 0
    for turn in turns:
        chars += len(turn.text)
        texts.append(turn.text)
        if chars > TEXT_CHARS_MAX:
            break
    return "\n\n".join(texts)


def _title(file: SourceFile) -> str:
    return _SUFFIX.sub("", PurePosixPath(file.where).stem)


def _day(file: SourceFile) -> datetime | None:
    """Return the day in the file's name, also as Zoom writes it: GMT20260310-090000."""
    match = _ZOOM.search(file.where)
    return moment("-".join(match.groups()), file.timezone) if match else day_in_name(file)
