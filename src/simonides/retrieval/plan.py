"""What a question asks for: by its words, and of which state of the space.

Its words name sources, a time, people, phrases, an end of time; that steers and boosts, and never
excludes. `as_of`, a time or a number, becomes a revision. Words are matched whole: a "doctor" is no
"doc". Knows words and the space's names; must not look at items.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from simonides.entities.directory import OWNER_NAMES, Names, proper_words
from simonides.entities.extract import folded
from simonides.errors import InvalidInput
from simonides.model.answer import Plan, Query
from simonides.model.bounds import shown
from simonides.model.item import Kind
from simonides.model.stored import EntityKind
from simonides.model.times import utc
from simonides.ports.space import Reader
from simonides.text.analyse import words
from simonides.text.dates import asks_when, find_range, time_direction

AsOf = datetime | int | None
"""A time (aware), a revision, or None for the present."""


def check_as_of(as_of: AsOf, *, field: str = "as_of") -> None:
    """Raise `InvalidInput` unless the value can name a state.

    Raises:
        InvalidInput: It is a time without a zone or outside the years 1 to 9999, a number below 0,
            or something else.
    """
    if as_of is None:
        return
    if isinstance(as_of, datetime):
        utc(as_of, field=field)
    elif isinstance(as_of, bool) or not isinstance(as_of, int):
        raise InvalidInput(field, f"must be a time or the number of a revision, got {shown(as_of)}")
    elif as_of < 0:
        raise InvalidInput(field, f"a revision is 0 or more, got {shown(as_of)}")


def revision_asked(as_of: AsOf, reader: Reader) -> int:
    """Return the revision of `as_of`: of a time, the last one committed at or before it.

    Raises:
        HistoryGone: The time lies before what is kept.
        InvalidInput: The space has not reached it yet.
    """
    if as_of is None:
        return reader.revision
    if isinstance(as_of, datetime):
        return reader.revision_at(as_of)
    if as_of > reader.revision:
        problem = f"the space is at revision {reader.revision}, got {shown(as_of)}"
        raise InvalidInput("as_of", problem)
    return as_of


def reader_as_of(reader: Reader, as_of: AsOf) -> Reader:
    """Return a reader of the state of `as_of`; `reader` itself if that is its own state.

    Raises:
        HistoryGone: It was compacted away.
        InvalidInput: The space has not reached it yet.
    """
    revision = revision_asked(as_of, reader)
    return reader if revision == reader.revision else reader.past(revision)


def notes_on_state(revision: int, reader: Reader) -> list[str]:
    """Return notes on a state that may be incomplete: empty for a complete one.

    `reader` looks at the present or at that state.
    """
    row = reader.revision_row(revision)
    if row is None or row.epoch == reader.epoch:
        return []
    what = "something was erased, or vectors were made anew, since"
    return [f"{what} revision {revision}: what is gone is not in this answer"]


SOURCES_OF_WORD: dict[str, tuple[tuple[str, ...], Kind]] = {
    **dict.fromkeys(
        ("email", "emails", "e-mail", "e-mails", "mail", "mails", "inbox"),
        (("gmail", "outlook", "mail"), Kind.EMAIL),
    ),
    **dict.fromkeys(
        ("document", "documents", "doc", "docs", "file", "files"),
        (("gdrive", "onedrive", "file"), Kind.DOCUMENT),
    ),
    **dict.fromkeys(("task", "tasks", "ticket", "tickets", "issue", "issues", "jira"),
                    (("jira",), Kind.TASK)),
    **dict.fromkeys(
        ("meeting", "meetings", "calendar", "event", "events", "appointment", "appointments"),
        (("calendar",), Kind.EVENT),
    ),
}  # fmt: skip
"""Which sources and kind a word of a question points to (the seed's table, at word boundaries)."""

FIRST_PERSON = frozenset("i my mine me we our us i'm i've i'd i'll myself".split())

_PHRASE = re.compile(r'"([^"\n]{0,200})"|“([^”\n]{0,200})”|«([^»\n]{0,200})»')
PHRASES_MAX = 8
PHRASE_CHARS_MIN = 2


def plan_of(query: Query, *, names: Names, owner: tuple[str, ...]) -> Plan:
    """Return the plan of `query.text` in a space with these `names`.

    The owner is meant where the question speaks in the first person and names nobody
    else: "what did I say" asks for the owner's words, "what did Sarah send me" for Sarah's.
    """
    spoken = tuple(words(query.text))
    time = find_range(query.text, now=query.now, timezone=query.timezone)
    proper = proper_words(query.text).difference(words(time.text) if time else ())
    named = names.named_in(spoken, proper=proper)
    people = tuple(sorted(e for e in named if e.startswith(f"{EntityKind.PERSON}:")))
    first_person = any(word in FIRST_PERSON for word in spoken)
    pointed = [SOURCES_OF_WORD[word] for word in spoken if word in SOURCES_OF_WORD]
    return Plan(
        words=spoken,
        time=time,
        direction=time_direction(query.text),
        asks_when=asks_when(query.text),
        first_person=first_person,
        sources=tuple(dict.fromkeys(source for sources, _ in pointed for source in sources)),
        kinds=tuple(dict.fromkeys(kind for _, kind in pointed)),
        people=people,
        owner=owner_entities(owner, names) if first_person and not people else (),
        entities=_other_entities(named, names),
        phrases=_phrases(query.text),
    )


def _other_entities(named: Iterable[str], names: Names) -> tuple[str, ...]:
    """Return the projects, issues and topics that are named, each by the id it is known by."""
    known = {names.known_by(entity) for entity in named}
    return tuple(sorted(e for e in known if not e.startswith(f"{EntityKind.PERSON}:")))


def owner_entities(owner: tuple[str, ...], names: Names) -> tuple[str, ...]:
    """Return the people who are the owner of this memory."""
    meant = {entity for name in (*OWNER_NAMES, *owner) for entity in names.matching(name)}
    return tuple(sorted(e for e in meant if e.startswith(f"{EntityKind.PERSON}:")))


def _phrases(text: str) -> tuple[str, ...]:
    found = (folded("".join(groups)) for groups in _PHRASE.findall(text))
    long = dict.fromkeys(phrase for phrase in found if len(phrase) >= PHRASE_CHARS_MIN)
    return tuple(long)[:PHRASES_MAX]


def without_time(plan: Plan) -> Plan:
    """Return the plan without its time range (a caller's explicit time filter wins)."""
    return replace(plan, time=None)
