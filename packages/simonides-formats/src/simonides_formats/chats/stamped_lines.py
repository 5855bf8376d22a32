"""Messages in a text file, each of which begins with a line that has a date before it.

Must not know how a program writes the date.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import TextIOWrapper

from simonides.errors import InvalidInput
from simonides.importers.charset import stream_encoding
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.chats.chat_message import ChatMessage, with_position

LINE_CHARS_MAX = 100_000
"""Longest line that is read at once; a longer one goes on as another line of its message."""

MESSAGE_CHARS_MAX = 2_000_000
"""Longest message; what is longer is left out."""

_SAMPLE_BYTES = 64 << 10


@dataclass(slots=True, kw_only=True)
class Stamped:
    """One message as it stands in the file: the match of its date, then its lines."""

    number: int
    match: re.Match[str]
    texts: list[str]
    chars: int = 0
    bytes_done: int = 0

    @property
    def text(self) -> str:
        """Return its lines, without the date."""
        return "\n".join(self.texts)

    def add(self, line: str) -> None:
        """Add a further line, unless the message is too long."""
        self.chars += len(line)
        if self.chars <= MESSAGE_CHARS_MAX:
            self.texts.append(line)


def stamped_events(
    file: SourceFile, pattern: re.Pattern[str], read: Callable[[Stamped], ChatMessage | None]
) -> Iterator[ImportEvent]:
    """Yield the messages of a chat, each with its position; one whose date is none is skipped.

    `read` returns None for what is no message, and raises `InvalidInput` for a date that is none.
    """
    positions = Counter[str]()
    for said in read_stamped(file, pattern):
        try:
            message = read(said)
            if message is not None:
                item = with_position(message, positions).item()
                yield file.keep(item, bytes_done=said.bytes_done)
        except InvalidInput as error:
            yield file.skip(str(error), part=f"line {said.number}", bytes_done=said.bytes_done)
    if not positions:
        yield file.skip("holds no messages", bytes_done=file.size_bytes)


def read_stamped(file: SourceFile, pattern: re.Pattern[str]) -> Iterator[Stamped]:
    """Yield the messages as they stand in the file; lines before the first date are none."""
    current: Stamped | None = None
    with file.path.open("rb") as stream:
        encoding = stream_encoding(stream.read(_SAMPLE_BYTES))
        stream.seek(0)
        text = TextIOWrapper(stream, encoding=encoding, errors="replace")
        for number, line in enumerate(iter(lambda: text.readline(LINE_CHARS_MAX), ""), start=1):
            match = pattern.match(line)
            if match is None:
                if current is not None:
                    current.add(line.rstrip("\n"))
                continue
            if current is not None:
                yield current
            rest = line[match.end() :].rstrip("\n")
            done = min(stream.tell(), file.size_bytes)
            current = Stamped(number=number, match=match, texts=[rest], bytes_done=done)
    if current is not None:
        current.bytes_done = file.size_bytes
        yield current
