"""Chats of WhatsApp: the text files that its apps export.

Which order of day, month and year a file uses is decided by its own dates. Must not know how a
message becomes an item.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePosixPath

from simonides.errors import InvalidInput
from simonides.importers.derived_ids import DerivedIds
from simonides.importers.header import one_line
from simonides.importers.json_values import lines
from simonides.importers.markdown import read_markdown
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.chats.chat_message import ChatMessage, file_named, with_files
from simonides_formats.chats.day_periods import hour_of_day
from simonides_formats.chats.stamped_lines import Stamped, read_stamped, stamped_events
from simonides_formats.chats.whatsapp_notices import (
    OWN_MARK,
    is_notice,
    is_of_nobody,
    without_edit_mark,
    without_omitted,
)
from simonides_formats.chats.whatsapp_stamps import MARKS, STAMP, stamp_of

EVIDENCE_DATES = 200_000
"""So many dates at most are looked at to find out in which order they name day and month."""

_SPEAKER = re.compile(r"^([^:\n]{1,100}):(?:\s|$)")
_ATTACHED = re.compile(
    r"<[^<>:\n]{3,30}: ([^<>\n]{1,200})>|^([^\n]{1,200}\.\w{1,5}) \([^()\n]{3,60}\)$"
)
_LEFT_OUT = re.compile(r"^<[^<>\n]{3,60}>$")
_DOCUMENT = re.compile(r"([^\n\u2022]{1,200}\.\w{1,5})(?: \u2022 [^\n]{1,60})?")
"""The name of a file that was not exported, with the number of its pages."""
_PLACE = re.compile(r"[^\n:]{3,30}: https?://\S+")
"""Where somebody says they are, which an iPhone marks as what the app wrote."""
_CHAT_NAME = re.compile(
    r"^(?:WhatsApp[ -]?Chat"
    r"|(?:Chat|Conversa|Conversaci\S{1,2}n|Conversation|Discussion)\s(?:d[eo]\s)?WhatsApp)"
    r"(?:\s+(?:with|mit|con|avec|com|met|med)(?=\s)|\s*-)?\s*",
    re.IGNORECASE,
)
_COPY = re.compile(r"\s\(\d{1,2}\)$")
"""What a browser adds to the name of a file that is there already."""
_NUMBERS = re.compile(r"(\d{1,4})[./\-年년]\s?(\d{1,2})[./\-月월]\s?(\d{1,4})")
_TIME = re.compile(
    r"(\d{1,2})(?:[:.]|\s?[hH時时點点시]\s?)(\d{2})(?!\d)(?:(?:[:.]|\s?(?:min|分|분)\s?)(\d{2}))?"
)
_YEAR_DIGITS, _CENTURY = 3, 2000
_YEARS = range(2000, 2100)
_BUDDHIST, _BUDDHIST_FROM = 543, 2552
"""How far the years of Thailand are ahead, and the first in which there was WhatsApp."""

_ORDERS = ("day", "month", "year")
"""The part of a date that comes first: 4/3/26, 3/4/26 or 26/3/4."""


@dataclass(slots=True, kw_only=True)
class _Chat:
    """One chat being read."""

    source: str
    title: str
    session: str
    order: str
    ids: DerivedIds = field(default_factory=DerivedIds)

    def message(self, said: Stamped) -> ChatMessage | None:
        """Return a message; None for what the app wrote itself.

        Raises:
            InvalidInput: Its date is none.
        """
        text = said.text
        match = _SPEAKER.match(text)
        if match is None:
            return None
        author, body = one_line(match[1].strip(MARKS)), text[match.end() :]
        if is_of_nobody(author, text.partition("\n")[0]):
            return None
        content, files, is_edited = _content(body)
        if not (author and content):
            return None
        created = moment(_stamp(said), self.order)
        if created is None:
            raise InvalidInput("date", f"is none: {_stamp(said)[:40]!r}")
        return ChatMessage(
            source=self.source,
            source_id=self.ids.of(self.session, author, created.isoformat(), content),
            session=self.session,
            title=self.title,
            author=author.removeprefix("~").strip(),
            text=content,
            created=created,
            more={"attachments": files, "edited": is_edited, "_time_zone": "assumed UTC"},
        )


def _content(body: str) -> tuple[str, list[dict[str, object]], bool | None]:
    """Return (words, named files, whether it was edited) of a message; what was left out is none.

    Of a file that was exported its name is kept, and the words below it.
    """
    first, _, rest = body.partition("\n")
    attached = _ATTACHED.search(first.strip(MARKS + " "))
    if attached:
        name = (attached[1] or attached[2]).strip()
        before = first.strip(MARKS + " ")[: attached.start()]
        files = [file_named(name)]
        return with_files(lines(f"{before}\n{rest}".strip(MARKS + " \n")), files), files, None
    if (words := without_omitted(first)) != first:
        named = _DOCUMENT.fullmatch(_plain(words))
        files = [file_named(named[1])] if named else []
        said = lines(rest if named else f"{_plain(words)}\n{rest}")
        return with_files(said, files), files, None
    is_own = body.startswith(OWN_MARK) and not _PLACE.fullmatch(_plain(first))
    if is_own or _LEFT_OUT.match(first.strip(MARKS + " ")):
        return lines(rest), [], None
    text, is_edited = without_edit_mark(body)
    return "" if is_notice(text) else lines(_plain(text)), [], is_edited or None


def _plain(text: str) -> str:
    return "".join(one for one in text if one not in MARKS).strip()


def read_whatsapp(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the messages of a chat; one whose date is none is passed over."""
    title, session = _title(file)
    order = order_of(map(_stamp, read_stamped(file, STAMP)))
    source = file.source or "whatsapp"
    chat = _Chat(source=source, title=title, session=session, order=order)
    yield from stamped_events(file, STAMP, chat.message)


def read_unread(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield a note that the messages cannot be separated, and the text as one document."""
    reason = "looks like a chat, but its dates are written in no known way; it is one document"
    yield file.skip(reason, part="line 1", bytes_done=0)
    yield from read_markdown(file)


def _title(file: SourceFile) -> tuple[str, str]:
    """Return (with whom the chat was, the name of its session).

    An iPhone calls the file `_chat.txt`, and its archive by the chat's name.
    """
    for part in reversed(PurePosixPath(file.where).parts):
        stem = _COPY.sub("", PurePosixPath(part).stem if _is_file(part) else part)
        if _CHAT_NAME.match(stem):
            title = one_line(_CHAT_NAME.sub("", stem, count=1))
            return title, f"whatsapp/{title}"
    return "", file.where


def _is_file(name: str) -> bool:
    return name.lower().endswith((".txt", ".zip"))


def _stamp(said: Stamped) -> str:
    return stamp_of(said.match)


def order_of(stamps: Iterable[str]) -> str:
    """Return which part of the dates of a file comes first: `day`, `month` or `year`.

    A chat is written in the order of its times: that reading stands in which most dates are
    possible and follow each other. Where both fit, points and hyphens mean the day, and slashes
    the month only beside AM and PM in capitals.
    """
    possible, steps_back = dict.fromkeys(_ORDERS, 0), dict.fromkeys(_ORDERS, 0)
    last: dict[str, datetime] = {}
    first = ""
    for number, stamp in enumerate(stamps):
        if number >= EVIDENCE_DATES:
            break
        first = first or stamp
        for order in _ORDERS:
            when = moment(stamp, order)
            if when is not None:
                possible[order] += 1
                steps_back[order] += when < last.get(order, when)
                last[order] = when
    liked = _usual(first)
    return max(_ORDERS, key=lambda one: (possible[one], -steps_back[one], one == liked))


def _usual(stamp: str) -> str:
    """Return the order that is usual for dates that look like this one."""
    match = _NUMBERS.search(stamp)
    if match and len(match[1]) >= _YEAR_DIGITS:
        return "year"
    return "month" if "/" in stamp and re.search("[AP]M", stamp) else "day"


def moment(stamp: str, order: str) -> datetime | None:
    """Return the date and time before a message, read in this order; None if it is none."""
    date = _NUMBERS.search(stamp)
    clock = (_TIME.search(stamp, date.end()) or _TIME.match(stamp)) if date else None
    if not (date and clock):
        return None
    first, second, third = date.groups()
    parts = {"day": (third, second, first), "month": (third, first, second)}
    year, month, day = parts.get(order, (first, second, third))
    before, after = stamp[date.end() : clock.start()], stamp[clock.end() :]
    try:
        hour = hour_of_day(int(clock[1]), (before, after))
        minute, second_of = int(clock[2]), int(clock[3] or 0)
        return datetime(_year(year), int(month), int(day), hour, minute, second_of, tzinfo=UTC)
    except ValueError:
        return None


def _year(digits: str) -> int:
    """Return a year of our calendar; those of Thailand are turned into it.

    Raises:
        ValueError: It lies in a calendar that is not known.
    """
    year = int(digits)
    if len(digits) < _YEAR_DIGITS:
        year += _CENTURY if year < _BUDDHIST_FROM % 100 else _CENTURY + 500
    year -= _BUDDHIST if year >= _BUDDHIST_FROM else 0
    if year not in _YEARS:
        raise ValueError(digits)
    return year
