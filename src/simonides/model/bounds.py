"""The one table of bounds: the size, length and number of each field's values.

A record checks its own fields against it, so a value is accepted or refused alike through Python,
the command line, HTTP, MCP and an import. The models of HTTP and MCP show these numbers in their
schemas, the columns of the index are wide enough for them, and the settings are held to them.
Knows numbers and how a value is compared with them. Must not know any record, door or store.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simonides.errors import InvalidInput

INT64_MAX = 2**63 - 1
"""The largest whole number of a column in SQLite and of an array in memory."""

EXACT_MAX = 2**53
"""The largest whole number that every reader of JSON keeps exactly (RFC 8259, section 6)."""

ENCODINGS = ("cl100k_base", "o200k_base")
"""Token encodings: of GPT-3.5, GPT-4 and the third embedding models; of GPT-4o and all after."""

_SHOWN_CHARS = 80
"""So much of a refused value is repeated."""

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def show_value(value: object) -> str:
    """Return a rejected value as an error repeats it: its beginning, whatever its size.

    Python refuses to write out a whole number of more than 4,300 digits.
    """
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} too large to show"
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A range of whole numbers, both ends included."""

    low: int
    high: int

    def check(self, value: Any, *, field: str) -> int:
        """Return a whole number in the range.

        Raises:
            InvalidInput: It is none, or out of range.
        """
        if isinstance(value, bool) or not isinstance(value, int):
            raise InvalidInput(field, f"must be a whole number, got {show_value(value)}")
        if not self.low <= value <= self.high:
            is_open = self.high >= EXACT_MAX and value < self.low
            range_text = (
                f"be {self.low} or more" if is_open else f"lie in {self.low} to {self.high}"
            )
            raise InvalidInput(field, f"must {range_text}, got {show_value(value)}")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A range of numbers, both ends included; NaN lies in none. `above` leaves out the low end."""

    low: float
    high: float
    above: bool = False

    def check(self, value: Any, *, field: str) -> float:
        """Return a number in the range, as it was given.

        Raises:
            InvalidInput: It is none, or out of range.
        """
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InvalidInput(field, f"must be a number, got {show_value(value)}")
        if not self.low <= value <= self.high or (self.above and value == self.low):
            first = f"above {self.low:g} and at most {self.high:g}"
            range_text = first if self.above else f"in [{self.low:g}, {self.high:g}]"
            raise InvalidInput(field, f"must lie {range_text}, got {show_value(value)}")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A length in characters (code points)."""

    chars_max: int
    chars_min: int = 0

    def check(self, value: Any, *, field: str) -> str:
        """Return a text of that length that can be written as UTF-8.

        Raises:
            InvalidInput: It is no text, too short or too long, or holds half a character.
        """
        text = check_text(value, field=field)
        self.check_length(text, field=field)
        return text

    def check_query(self, value: Any, *, field: str) -> str:
        """Return a text of that length for lookups only, so any character may be in it.

        Raises:
            InvalidInput: It is no text, too short or too long.
        """
        if not isinstance(value, str):
            raise InvalidInput(field, f"must be text, got {type(value).__name__}")
        self.check_length(value, field=field)
        return value

    def check_length(self, text: str, *, field: str) -> None:
        """Raise `InvalidInput` unless a text, known to be one, is of that length."""
        if len(text) > self.chars_max:
            problem = f"must have at most {self.chars_max:,} characters, got {len(text):,}"
            raise InvalidInput(field, problem)
        if len(text) < self.chars_min:
            raise InvalidInput(field, "must not be empty")


@dataclass(frozen=True, slots=True, kw_only=True)
class Several:
    """The maximum number of values in a list, and the bound of each."""

    count_max: int
    each: Text | None = None

    def check(self, values: Sequence[Any], *, field: str) -> None:
        """Raise `InvalidInput` unless there are not too many, each within its own bound."""
        if len(values) > self.count_max:
            problem = f"must hold at most {self.count_max:,} values, got {len(values):,}"
            raise InvalidInput(field, problem)
        each = self.each
        if each is not None:
            for one in values:
                each.check(one, field=field)


def check_text(value: Any, *, field: str) -> str:
    """Return a text of any length that can be written as UTF-8.

    Raises:
        InvalidInput: It is no text, or holds half a character.
    """
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be text, got {type(value).__name__}")
    if not value.isascii() and _HALF_CHARACTER.search(value):
        raise InvalidInput(field, "holds half a character (a lone surrogate); decode it first")
    return value


INT64 = Whole(low=-INT64_MAX, high=INT64_MAX)

# ── items ─────────────────────────────────────────────────────────────────────────────────────

NAME = Text(chars_max=1_000)
"""What names something: a source, a session, a collection, a tag, a person.

A line of a mail's header has at most 998 characters (RFC 5322, section 2.1.1)."""

ID = Text(chars_max=256)
"""An id that a caller chooses; derived ones have 26 characters."""

CONTENT = Text(chars_max=20_000_000)
"""The content of an item, or what it quotes: with both, one line of an export stays below 256 MiB,
also where each of their characters takes the six of an escape."""

ITEM_TEXTS: Mapping[str, Text] = {
    "content": CONTENT,
    "source": Text(chars_max=NAME.chars_max, chars_min=1),
    "source_id": Text(chars_max=4_000),
    "id": ID,
    "title": Text(chars_max=10_000),
    "summary": Text(chars_max=100_000),
    "quoted": CONTENT,
    "collection": Text(chars_max=NAME.chars_max, chars_min=1),
    "session": NAME,
    "language": Text(chars_max=64),
}
"""The texts of an item. A subject may be folded over lines, a source's own id may be an address of
the web."""

TAGS = Several(count_max=1_000, each=NAME)
PEOPLE = Several(count_max=10_000)
"""A mail to a large list names some thousands."""

PERSON = Text(chars_max=2 * NAME.chars_max + len(" <>"))
"""A name and an address in one text, before it is read."""

POSITION = Whole(low=-EXACT_MAX, high=EXACT_MAX)
REVISION = Whole(low=0, high=EXACT_MAX)
"""Revisions of a space, versions of an item and counts: no space is written to so often."""

IMPORTED_REVISION = Whole(low=0, high=EXACT_MAX // 2)
"""Revisions and versions that an export may bring: there is as much room again behind them."""

TIMES = Whole(low=1, high=2**40)
"""How often one line of an export says that an item was used; sums of them stay in 64 bits."""

SHARE = Number(low=0.0, high=1.0)
NOT_NEGATIVE = Number(low=0.0, high=math.inf)
HALF_LIFE_HOURS = Number(low=0.0, high=1e300)
"""Practically any number: hours that long are no decay, and a float still divides by them."""

PROPOSED = Text(chars_max=4_000)
"""Text of a proposed memory: it states one thing, it does not copy a document."""

BACKGROUND = Text(chars_max=65_536)
"""Text of a snapshot of background (the limit of the design's own system)."""

SESSION_ID = Text(chars_max=128, chars_min=1)
"""Id of a conversation of the assistant."""

PREFERENCE_KEY, PREFERENCE_VALUE = Text(chars_max=64), Text(chars_max=300)
"""Key and value of a preference: each stands on one line of a prompt, and twenty of them in all."""

# ── metadata ──────────────────────────────────────────────────────────────────────────────────

DEPTH_MAX = 32
"""Deepest nesting of metadata and of a condition on it, the object itself not counted."""

METADATA_KEY = Text(chars_max=10_000)
METADATA_VALUES_MAX = 100_000
"""Values of one item's metadata in all, those inside lists and objects counted."""


def check_json(value: Any, *, field: str, is_query: bool = False) -> None:
    """Raise `InvalidInput` unless a value is JSON that every reader reads back unchanged.

    That is texts as keys, texts, numbers that a 64-bit float can tell from endless ones, true,
    false, null, lists and objects, nested at most `DEPTH_MAX` deep. A value of a query (`is_query`)
    is only compared with such JSON: it may be endless, and hold half a character.
    """
    left = METADATA_VALUES_MAX
    waiting: list[tuple[Any, str, int]] = [(value, field, 0)]
    while waiting:
        one, path, depth = waiting.pop()
        if depth > DEPTH_MAX:
            raise InvalidInput(field, f"is nested more than {DEPTH_MAX} deep")
        inner = _inside(one, path, is_query=is_query)
        left -= len(inner)
        if left < 0:
            problem = f"must hold at most {METADATA_VALUES_MAX:,} values"
            raise InvalidInput(field, problem)
        waiting += [(part, at, depth + 1) for part, at in inner]


def _inside(value: Any, path: str, *, is_query: bool) -> list[tuple[Any, str]]:
    """Return the values inside a JSON value, each with its place; refuse non-JSON types."""
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise InvalidInput(path, f"must have texts as keys, got {show_value(key)}")
            METADATA_KEY.check_length(key, field=f"a key of {path}")
            if not is_query:
                check_text(key, field=f"a key of {path}")
        return [(one, f"{path}.{key}"[:_SHOWN_CHARS]) for key, one in value.items()]
    if isinstance(value, list | tuple):
        return [(one, path) for one in value]
    if isinstance(value, str):
        if not is_query:
            check_text(value, field=path)
    elif isinstance(value, int | float):
        check_float(value, field=path, endless=is_query)
    elif value is not None:
        raise InvalidInput(path, f"cannot be kept as JSON: it is a {type(value).__name__}")
    return []


def check_float(value: Any, *, field: str, endless: bool = False) -> float:
    """Return a number that a 64-bit float can hold; NaN and the infinite ones where `endless`.

    Raises:
        InvalidInput: It is none.
    """
    if not isinstance(value, int | float):
        raise InvalidInput(field, f"must be a number, got {show_value(value)}")
    try:
        is_kept = endless or math.isfinite(value)
        float(value)
    except OverflowError:  # a whole number larger than any float
        is_kept = False
    if not is_kept:
        raise InvalidInput(field, f"must be a finite number of 64 bits, got {show_value(value)}")
    return value


# ── what is asked ─────────────────────────────────────────────────────────────────────────────

QUESTION = Text(chars_max=100_000)
"""A question to a space, or a message to the assistant: a pasted mail or page fits."""
SECONDS = Number(low=0.0, high=86_400.0, above=True)
"""How long anything is waited for: a day at most, which every system's clock can wait."""

DAYS = Number(low=0.0, high=1e12)
"""An age in days; what is longer than time itself keeps all."""

TIME = Text(chars_max=64)
"""A time as ISO 8601, or the name of a zone; the longest zone has 32 characters."""

COUNT = Whole(low=1, high=EXACT_MAX)
COUNT_OR_NONE = Whole(low=0, high=EXACT_MAX)
"""How many of something; 0 stands for none, or for no bound."""

BUDGET = Whole(low=0, high=10_000_000)
"""Tokens or words of a brief: more than any model reads at once."""

LIMIT = Whole(low=1, high=1_000)
"""Entries of one page of a list."""

HITS = Whole(low=1, high=10_000)
"""Hits of one search."""

CHUNKS = Whole(low=1, high=10_000_000)
"""Chunks of one `embed`."""

EMBED_S = Number(low=0.0, high=1e9, above=True)
"""Seconds of one `embed`."""

# ── settings ──────────────────────────────────────────────────────────────────────────────────

OWNER = Several(count_max=1_000, each=NAME)
_PLACE = Text(chars_max=4_000)
"""An address of the web or a path."""

SETTINGS: Mapping[str, Whole | Number | Text] = {
    "openai_base_url": _PLACE,
    "openai_model": NAME,
    "openai_dimension": Whole(low=1, high=65_536),
    "reranker": _PLACE,
    "reranker_model": NAME,
    "reranker_timeout_s": SECONDS,
    "timezone": TIME,
    "language": ITEM_TEXTS["language"],
    "timeout_s": SECONDS,
    "view_bytes_max": Whole(low=1, high=INT64_MAX),
    "threads": Whole(low=0, high=1_024),
    "approximate_above": COUNT_OR_NONE,
    "retention_days": DAYS,
    "compaction_threshold": COUNT_OR_NONE,
    "snapshot_writes": COUNT,
    "snapshot_log_bytes": Whole(low=1, high=INT64_MAX),
    "supersede_threshold": SHARE,
    "importance_half_life_hours": HALF_LIFE_HOURS,
    "importance_floor": SHARE,
    "chat_base_url": _PLACE,
    "chat_model": NAME,
    "chat_model_path": _PLACE,
    "chat_context_tokens": Whole(low=1, high=BUDGET.high),
    "chat_context_items": COUNT,
    "chat_calls_max": COUNT,
    "chat_tokens_max": COUNT,
    "chat_timeout_s": SECONDS,
}
"""What the settings of a home may be, by their names."""
