"""What a question asks for: by its words, and of which state of the space.

Its words name sources, a time, people, phrases, an end of time; that steers and boosts, and never
excludes. `as_of`, a time or a number, becomes a revision. Words are matched whole: a "doctor" is no
"doc". Knows words and the space's names; must not look at items.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from simonides.entities.directory import Names, Words, proper_words
from simonides.entities.extract import fold_name
from simonides.errors import InvalidInput
from simonides.model.answer import Direction, Plan, PlanPart, Query, TimeRange
from simonides.model.bounds import show_value
from simonides.model.item import Kind, Role
from simonides.model.stored import EntityKind
from simonides.model.times import utc
from simonides.ports.space import Reader
from simonides.retrieval.asked_lists import (
    LETTERS,
    Lists,
    Spans,
    add_what_comes,
    asks_for_all,
    asks_for_letters,
    choose_lists,
    choose_state,
    find_listed_times,
    find_times,
    list_kinds,
    read_lists,
    remove_used,
    without_elisions,
)
from simonides.retrieval.people import (
    Named,
    find_nicknames,
    find_organisations,
    find_surnames,
    owner_authors,
    people_named,
    words_called,
)
from simonides.retrieval.sources import Pointed, sources_named, sources_of_word
from simonides.text.analyse import words
from simonides.text.dates import (
    DateMatch,
    asks_when,
    find_ranges,
    is_weekday,
    names_a_date,
    ranges_asked,
    says_present,
    time_direction,
)
from simonides.text.function_words import quiet_words, without_function_words
from simonides.text.questions import asking_spans, asks_own_words, letter_spans, without_speech
from simonides.text.vocabulary import UNSPACED, word_set
from simonides.text.word_patterns import lazy_pattern

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
        raise InvalidInput(
            field, f"must be a time or the number of a revision, got {show_value(as_of)}"
        )
    elif as_of < 0:
        raise InvalidInput(field, f"a revision is 0 or more, got {show_value(as_of)}")


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
        problem = f"the space is at revision {reader.revision}, got {show_value(as_of)}"
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


_WORD = lazy_pattern(r"[^\W_]+(?:-[^\W_]+)*")
_PHRASE = lazy_pattern(r'"([^"\n]{0,200})"|“([^”\n]{0,200})”|«([^»\n]{0,200})»')
PHRASES_MAX = 8
PHRASE_CHARS_MIN = 2


def plan_of(
    query: Query,
    *,
    names: Names,
    owner: tuple[str, ...],
    language: str = "en",
    is_mixed: bool = True,
) -> Plan:
    """Return the plan of `query.text` in a space with these `names`.

    The owner is meant where the question speaks in the first person and names nobody else: "what
    did I say" asks for the owner's words, "what did Sarah send me" for Sarah's. A part that
    `query.ignore` names is not read: its words are words like others. `language` is that of the
    question, whose stop words count. Where the space `is_mixed` of several kinds or sources, the
    words for them steer; else "documents" is a word like others.
    """
    steered = sources_of_word() if is_mixed and not {*_POINTED} <= {*query.ignore} else {}
    spoken = tuple(words(query.text))
    (time, other), direction, matches, ends = _times(query)
    proper = proper_words(query.text).difference(words(time.text) if time else ())
    named = _find_named(query.text, spoken, names, owner=owner, proper=proper, language=language)
    found, is_own = _find_people(query, spoken, named, names, owner, language=language)
    pointed = _find_pointed(query, spoken, steered, found, matches, own=is_own, language=language)
    used = [*ends, *_find_used(query.text, matches), *_sources_said(query.text, steered)]
    called = (*(named[one] for one in found.people), words_called(found.people, names=names))
    quiet = quiet_words(language).union(*called)
    lists = read_lists(query)
    times = find_times(matches)
    left = remove_used(query.text, [*used, *lists.spans, *times], language=language)
    if not pointed:
        lists = add_what_comes(lists, (time, other), query, read=[*used, *times], language=language)
    is_timed = bool(time) or direction is Direction.NEXT
    meant = choose_lists(
        lists, found, time=time, is_timed=is_timed, is_own=is_own, left=left, quiet=quiet
    )  # fmt: skip
    kinds = [*list_kinds(meant, [kind for _, kinds in pointed for kind in kinds])]
    used += [*meant.spans, *find_listed_times(meant, matches, query)]
    searched = remove_used(query.text, used, language=language)
    asked = remove_used(query.text, [*used, *times], language=language)
    said = _words_left(asked, [named[one] for one in found.people], language=language)
    is_all = _is_after_all(found, direction, said, lists=meant, quiet=quiet)
    if (pointed and time) or (is_own and letter_spans(query.text)):
        is_all |= asks_for_all(query.text, [*used, *times], language=language, quiet=quiet)
    searched = "" if is_all else searched
    mine = _owner_meant(query.text, owner, names, found, meant, said=is_own)
    asks_agenda = meant.is_agenda or Kind.EVENT in kinds
    time, other = _ahead_first(time, other, now=query.now) if asks_agenda else (time, other)
    plan = Plan(
        words=spoken,
        searched=searched,
        time=time,
        other_time=other,
        direction=direction,
        asks_when=asks_when(query.text),
        asks_agenda=asks_agenda,
        task_state=choose_state(meant, is_list=not searched and time is None),
        reply_state=meant.replies.state,
        first_person=is_own,
        sources=tuple(dict.fromkeys(source for sources, _ in pointed for source in sources)),
        kinds=tuple(dict.fromkeys(kinds)),
        people=found.people,
        role=meant.role,
        reasons=found.reasons,
        owner=mine,
        entities=_other_entities(named, names),
        phrases=_phrases(query.text),
    )
    return _without(plan, query.ignore)


def _find_named(
    text: str,
    spoken: tuple[str, ...],
    names: Names,
    *,
    owner: tuple[str, ...],
    proper: Container[str],
    language: str,
) -> dict[str, tuple[str, ...]]:
    """Return by entity the words that name it; where nobody is, by part of a name or address."""
    named = names.find_named(spoken, proper=proper, language=language)
    if any(one.startswith(f"{EntityKind.PERSON}:") for one in named):
        return named
    called = find_surnames(text, names=names) if language in UNSPACED else {}
    called = called or find_nicknames(spoken, names=names, language=language)
    if not called:
        called = find_organisations(
            spoken, names=names, owner=owner, proper=proper, language=language
        )
    return named | called


def _find_people(
    query: Query,
    spoken: tuple[str, ...],
    named: dict[str, Words],
    names: Names,
    owner: tuple[str, ...],
    *,
    language: str,
) -> tuple[Named, bool]:
    """Return whom a question means, and whether it speaks in the first person."""
    if PlanPart.PEOPLE in query.ignore:
        return Named(), False
    found = people_named(named, spoken, names=names, owner=owner, language=language)
    return found, _is_first_person(query.text, spoken, language=language)


def _words_left(searched: str, called: list[Words], *, language: str) -> list[str]:
    """Return the words of a question beside the names of who speaks, where no blanks part them."""
    if language in UNSPACED and called:
        names = (run[0] + "".join(pair[-1] for pair in run[1:]) for run in called)
        left = without_function_words(searched)
        return words(without_speech(left, names, language=language))
    return words(without_function_words(searched))


def _is_after_all(
    found: Named,
    direction: Direction,
    left: Iterable[str],
    *,
    lists: Lists,
    quiet: frozenset[str],
) -> bool:
    """Return whether a question is after all that is somebody's, whatever its words.

    After their tasks, or what they said, or what was said to them: "what did Tom write last?",
    "what did I write to Tom?".
    """
    is_end = direction in (Direction.NEWEST, Direction.OLDEST)
    roles = (None, Role.AUTHOR) if is_end else (Role.AUTHOR, Role.TO)
    is_said = bool(found.people) and found.role in roles
    if is_said:
        quiet |= word_set("spoke")
    return (lists.is_assigned or is_said) and quiet >= {
        word for word in without_elisions(left) if len(word) > 1
    }


def _ahead_first(
    time: TimeRange | None, other: TimeRange | None, *, now: datetime
) -> tuple[TimeRange | None, TimeRange | None]:
    """Return two times with the one that lies ahead first: an agenda is of what comes."""
    is_behind = other is not None and time is not None and (time.until or now) <= now
    return (other, time) if is_behind else (time, other)


def _without(plan: Plan, ignored: Iterable[PlanPart]) -> Plan:
    """Return a plan without the parts to ignore that decide nothing else."""
    plain = Plan()
    fields: list[str] = [_FIELDS[part] for part in ignored if part in _FIELDS]
    empty: dict[str, Any] = {name: getattr(plain, name) for name in fields}
    return replace(plan, **empty)


_FIELDS = {
    PlanPart.WHEN: "asks_when", PlanPart.SOURCES: "sources", PlanPart.KINDS: "kinds",
    PlanPart.ENTITIES: "entities", PlanPart.PHRASES: "phrases", PlanPart.AGENDA: "asks_agenda",
}  # fmt: skip


_POINTED = (PlanPart.SOURCES, PlanPart.KINDS)
"""What words such as "mail" and "meeting" point to."""


def _times(
    query: Query,
) -> tuple[tuple[TimeRange | None, TimeRange | None], Direction, Sequence[DateMatch], Spans]:
    """Return the times and the end of time that a question names, and where it names them."""
    found = find_ranges(query.text, now=query.now, timezone=query.timezone)
    direction, ends = time_direction(query.text, found)
    if PlanPart.DIRECTION in query.ignore:
        direction, ends = Direction.NONE, []
    found = () if PlanPart.TIME in query.ignore else found
    present = [one for one in found if says_present(query.text[one.start : one.stop])]
    named = [one for one in found if one not in present]
    time, other = (*ranges_asked(query.text, named), None, None)[:2]
    return (time, other), direction, named, [*ends, *find_times(present)]


def _find_pointed(
    query: Query,
    spoken: tuple[str, ...],
    steered: Mapping[str, Pointed],
    found: Named,
    matches: Iterable[DateMatch],
    *,
    own: bool,
    language: str,
) -> list[Pointed]:
    """Return the sources and kinds that the words of a question point to, in their order.

    Where nobody and no kind is named, mails and messages of a time are: "who wrote to me today?";
    and those that are the asker's own, or came to them, where a space has nothing else.
    """
    text = query.text
    apart = sources_named(text) if steered else []
    hyphened = (one.casefold() for one in _WORD.findall(text) if "-" in one)  # rendez-vous
    named = [*(steered[word] for word in (*spoken, *hyphened) if word in steered), *apart]
    times = find_times(one for one in matches if (one.range.since or query.now) <= query.now)
    may = own and not {*_POINTED} <= {*query.ignore} and letter_spans(text)
    if named or found.people or not (may or (steered and times)):
        return named
    return [((), LETTERS)] if asks_for_letters(text, times, language=language) else []


def _is_first_person(text: str, spoken: tuple[str, ...], *, language: str) -> bool:
    """Return whether a question speaks of the one who asks: in English or its own language.

    Some say so by the verb alone: "cosa ho scritto".
    """
    own = word_set("first_person", languages=("en", language))
    if language in UNSPACED:
        return any(word in text for word in own)
    return not own.isdisjoint(spoken) or asks_own_words(text)


def _other_entities(named: Iterable[str], names: Names) -> tuple[str, ...]:
    """Return the projects, issues and topics that are named, each by the id it is known by."""
    known = {names.find_main_id(entity) for entity in named}
    return tuple(sorted(e for e in known if not e.startswith(f"{EntityKind.PERSON}:")))


def _find_used(text: str, matches: Iterable[DateMatch]) -> Spans:
    """Return where a question only asks, or says a time that counts from today."""
    times = [(one.start, one.stop) for one in matches if _is_used_up(text, one)]
    return [*asking_spans(text), *times]


def _is_used_up(text: str, match: DateMatch) -> bool:
    """Return whether an expression of time only counts from today.

    The bare name of a day may as well stand in what is looked for: "lunch friday".
    """
    said = text[match.start : match.stop]
    before = text[: match.start].split()[-1:]
    is_led = bool(before) and before[0].casefold() in _BEFORE_A_DAY
    return not names_a_date(said) and (" " in said or is_led or not is_weekday(said))


_BEFORE_A_DAY = frozenset(
    "on by until till since before after for am bis le el il on. no na".split()
)


def _sources_said(text: str, steered: Container[str]) -> Spans:
    """Return where words of a question point to a source."""
    return [one.span() for one in _WORD.finditer(text) if one[0].casefold() in steered]


def _owner_meant(
    text: str, owner: tuple[str, ...], names: Names, found: Named, lists: Lists, *, said: bool
) -> tuple[str, ...]:
    """Return the people who are the owner, where their own words or tasks are asked for.

    What someone tells an assistant is about themselves, so the speakers of such chats are meant by
    any question in the first person (`said`) that names nobody else; what they write to others only
    where it asks for that.
    """
    if lists.is_own or (said and asks_own_words(text)):
        return owner_authors(owner, names)
    return owner_authors((), names) if said and not found.people else ()


def _phrases(text: str) -> tuple[str, ...]:
    found = (fold_name("".join(groups)) for groups in _PHRASE.findall(text))
    long = dict.fromkeys(phrase for phrase in found if len(phrase) >= PHRASE_CHARS_MIN)
    return tuple(long)[:PHRASES_MAX]


def without_time(plan: Plan) -> Plan:
    """Return the plan without its time range (a caller's explicit time filter wins)."""
    return replace(plan, time=None, other_time=None)
