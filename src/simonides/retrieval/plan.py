"""The query plan: sources, time, people, phrases and direction detected in a question.

It steers and boosts; it never excludes. Knows words and the space's names; must not look at
items. Words are matched whole: a "doctor" is no "doc".
"""

import re
from dataclasses import replace

from simonides.entities.directory import OWNER_NAMES, Names, proper_words
from simonides.entities.extract import folded
from simonides.model.answer import Plan, Query
from simonides.model.item import Kind
from simonides.model.stored import EntityKind
from simonides.text.analyse import words
from simonides.text.dates import asks_when, find_range, time_direction

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
        entities=tuple(sorted(e for e in named if e not in people)),
        phrases=_phrases(query.text),
    )


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
