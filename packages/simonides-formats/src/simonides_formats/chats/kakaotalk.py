"""Chats of KakaoTalk: the text files that its apps export, in Korean and English.

Those of a computer name the day once, above its messages; those of a phone before each. Must not
know how a message becomes an item.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath

from simonides.errors import InvalidInput
from simonides.importers.derived_ids import DerivedIds
from simonides.importers.header import one_line
from simonides.importers.json_values import lines
from simonides.importers.local_dates import local_moment
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.chats.chat_marks import kakaotalk_title
from simonides_formats.chats.chat_message import ChatMessage, file_named, with_files
from simonides_formats.chats.stamped_lines import Stamped, stamped_events
from simonides_formats.chats.whatsapp import moment

_CLOCK = r"(?:(?:오전|오후|AM|PM)\s)?\d{1,2}:\d{2}(?:\s(?:AM|PM))?"
_NUMBERED = r"\d{4}(?:년|\.)\s\d{1,2}(?:월|\.)\s\d{1,2}(?:일|\.)"
_NAMED = r"(?:[A-Z][a-z]+,\s)?[A-Z][a-z]+\s\d{1,2},\s\d{4}"
_DAY = rf"(?:{_NUMBERED}|{_NAMED})"
STAMP = re.compile(
    rf"\ufeff?(?:-{{5,}}\s(?P<ruled>{_DAY})[^\n]*-{{5,}}\s*$"
    rf"|(?P<day>{_NUMBERED}\s\S요일|[A-Z][a-z]+day,\s[A-Z][a-z]+\s\d{{1,2}},\s\d{{4}})\s*$"
    rf"|\[(?P<name>[^\]\n]{{1,100}})\]\s\[(?P<clock>{_CLOCK})\]\s"
    rf"|(?P<date>{_DAY})(?:,|\sat)?\s(?P<time>{_CLOCK})(?:,\s(?P<who>[^:\n]{{1,100}})\s:\s|[:,]\s))"
)
"""The line of a day, or the beginning of a message; one without a name is the app's own."""

_FILE = re.compile(r"(?:파일|File):\s(?P<name>[^\n]{1,200}\.\w{1,5})\s*$")
_OF_APP = re.compile(
    r"(?m)^[^\n]{1,100}(?:님이\s(?:나갔|들어왔|[^\n]{1,200}님을\s(?:초대했|초대하였|내보냈))습니다\.?"
    r"|\s(?:left|joined)\sthis\schatroom\.?|\sinvited\s[^\n]{1,200}\.)\s*$"
)
"""Lines of the app itself, which an export of a computer has below any message."""
_LEFT_OUT = frozenset(
    [
        *("사진", "동영상", "이모티콘", "음성메시지", "삭제된 메시지입니다."),
        *("Photo", "Video", "Emoticon", "Voice Message", "This message was deleted."),
    ]
)
"""What stands for what was not exported."""
_HEAD_BYTES = 2_000


@dataclass(slots=True, kw_only=True)
class _Chat:
    """One chat being read; `day` is that of the last line that names one, as it is written."""

    source: str
    title: str
    ids: DerivedIds = field(default_factory=DerivedIds)
    day: str = ""

    def message(self, said: Stamped) -> ChatMessage | None:
        """Return a message; None for a day, and for what the app wrote itself.

        Raises:
            InvalidInput: Its date is none.
        """
        match = said.match
        if named := match["ruled"] or match["day"] or match["date"]:
            self.day = ""  # what stands below a day that is none has none
            if _moment(named, "0:00") is None:
                raise InvalidInput("date", f"is none: {named[:40]!r}")
            self.day = named
        author = one_line(match["name"] or match["who"] or "")
        words, files = _content(said.text)
        if not (author and words):
            return None
        clock = match["clock"] or match["time"]
        created = _moment(self.day, clock)
        if created is None:
            why = "" if self.day else "no day stands above "
            raise InvalidInput("date", f"is none: {why}{clock!r}")
        session = f"kakaotalk/{self.title}"
        return ChatMessage(
            source=self.source,
            source_id=self.ids.of(session, author, created.isoformat(), words),
            session=session,
            title=self.title,
            author=author,
            text=words,
            created=created,
            more={"attachments": files, "_time_zone": "assumed UTC"},
        )


def read_kakaotalk(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the messages of a chat; one whose date is none is passed over."""
    with file.path.open("rb") as stream:
        title = kakaotalk_title(stream.read(_HEAD_BYTES)) or PurePosixPath(file.where).stem
    chat = _Chat(source=file.source or "kakaotalk", title=title)
    yield from stamped_events(file, STAMP, chat.message)


def _content(text: str) -> tuple[str, list[dict[str, object]]]:
    """Return the words and the named files of a message; nothing for what was left out."""
    words = lines(_OF_APP.sub("", text))
    if words in _LEFT_OUT:
        return "", []
    named = _FILE.fullmatch(words)
    files = [file_named(named["name"])] if named else []
    return with_files("" if named else words, files), files


def _moment(day: str, clock: str) -> datetime | None:
    """Return a time on "2026년 2월 7일", "2026. 2. 7." or "Saturday, February 7, 2026"."""
    said = f"{day} {clock}"
    return moment(said, "year") or local_moment(said, day_first=False)[0]
