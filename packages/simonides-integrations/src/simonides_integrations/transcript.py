"""The records of a conversation in the form of a framework, kept as messages of a session.

The text of each is found like any message; the record itself lies whole in its metadata.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from simonides import Item, Memory
from simonides_integrations.items import NO_TEXT

PAGE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One record: what is kept of it as JSON, its text, and whether the user said it."""

    record: Any
    text: str
    is_user: bool


class Transcript:
    """The records of one session. `form` names whose they are; others stay unseen."""

    def __init__(self, memory: Memory, session_id: str, *, form: str) -> None:
        self._memory, self._session_id, self._form = memory, session_id, f"_{form}"

    def append(self, said: Iterable[Said]) -> None:
        """Add records at the end, one after the other, all in one transaction."""
        messages = [
            {
                "role": "user" if one.is_user else "assistant",
                "content": one.text.strip() or NO_TEXT,
                "metadata": {self._form: one.record},
            }
            for one in said
        ]
        self._memory.sessions.add_many(self._session_id, messages)

    def records(self, last: int | None = None) -> list[Any]:
        """Return the records, or the `last` ones, oldest first."""
        if last is None:
            return [self._record(one) for one in self._messages() if self._is_own(one)]
        found = islice((one for one in self._from_end() if self._is_own(one)), max(last, 0))
        return [self._record(one) for one in found][::-1]

    def pop(self) -> Any | None:
        """Forget the last record and return it; None if there is none."""
        for one in self._from_end():
            if self._is_own(one) and self._memory.forget(one.id):
                return self._record(one)
        return None

    def clear(self) -> None:
        """Forget the records of the session."""
        ids = [one.id for one in self._messages() if self._is_own(one)]
        if ids:
            self._memory.forget(*ids)

    def _is_own(self, message: Item) -> bool:
        return self._form in message.metadata

    def _record(self, message: Item) -> Any:
        return message.metadata[self._form]

    def _messages(self) -> Iterator[Item]:
        cursor = ""
        while True:
            page = self._memory.sessions.messages(self._session_id, limit=PAGE, cursor=cursor)
            yield from page.items
            cursor = page.cursor
            if not cursor:
                return

    def _from_end(self) -> Iterator[Item]:
        """Yield the messages, latest first."""
        latest = self._memory.sessions.last(self._session_id, PAGE)
        yield from reversed(latest)
        if len(latest) == PAGE:
            known = {one.id for one in latest}
            yield from reversed([one for one in self._messages() if one.id not in known])


def text_of(content: Any) -> str:
    """Return the text of a message's content: a text, or parts of which some have one."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        return ""
    texts = (one if isinstance(one, str) else _part_text(one) for one in content)
    return "\n".join(filter(None, texts))


def _part_text(part: Any) -> str:
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else ""
