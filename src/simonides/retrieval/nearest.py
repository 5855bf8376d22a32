"""What is said where nothing in memory answers, or not clearly, with the nearest that it has.

"Nothing in memory answers this: nothing from 2 to 8 March (last week); the latest from Sarah is of
28 February."
Knows a plan and the times of items. Must not decide whether something answers.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import chain, islice
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from simonides.index.facets import author_key, part_key
from simonides.index.index_view import IndexView
from simonides.model.answer import Plan, Query, ReplyState, TimeRange
from simonides.model.item import Item, Kind
from simonides.model.times import microseconds
from simonides.ports.space import Reader
from simonides.retrieval.evidence import AskedWord
from simonides.retrieval.people import owner_entities
from simonides.retrieval.sources import sources_of_word
from simonides.scoring.importance import UNDATED, within
from simonides.text.analyse import query_terms, words
from simonides.text.function_words import quiet_words
from simonides.text.recurrence_words import MONTHS
from simonides.text.vocabulary import SPACED
from simonides.text.word_patterns import lazy_pattern

NOTHING = "Nothing in memory answers this"
NOTHING_CLEAR = "Nothing here clearly answers this"

Bools = npt.NDArray[np.bool_]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MARKS = ".,;:!?()[]\"'\u201c\u201d\u2019\u201e\u00bf\u00a1\u00ab\u00bb"
_OWNING = lazy_pattern(r"['\u2019]s$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What was looked through for a question: the items that its filter lets pass.

    `pointed` are those of the source, the kind and the state that it names, if any; `missing` are
    its words that no item holds; `owner` are names and addresses of whose memory it is.
    """

    query: Query
    plan: Plan
    allowed: Bools
    pointed: Bools | None
    missing: tuple[str, ...]
    owner: tuple[str, ...]
    view: IndexView
    reader: Reader


def names_when(plan: Plan, query: Query) -> bool:
    """Return whether a question names the time of what it is after.

    Where that lies ahead, it is what is spoken of ("my rent from February on"), unless an agenda is
    asked for.
    """
    if plan.time is None:
        return False
    return plan.asks_list or not plan.time.lies_ahead(query.now)


def nothing_answers(searched: Searched) -> str:
    """Return that nothing answers, with the latest that fits whom or what the question names."""
    said = "; ".join(_nearest(searched))
    return f"{NOTHING}: {said}." if said else f"{NOTHING}."


def nearest_instead(searched: Searched) -> str:
    """Return the line before items of which none clearly answers, with the same beside it."""
    return nearest_follow("; ".join(_nearest(searched)))


def nearest_follow(said: str = "") -> str:
    """Return the line before the nearest items, with what is `said` of what memory has."""
    return f"{NOTHING_CLEAR}: {said}; nearest:" if said else f"{NOTHING_CLEAR}; nearest:"


def _nearest(searched: Searched) -> Iterator[str]:
    plan, happened = searched.plan, _read_times(searched)
    pointed = searched.pointed
    if plan.reply_state and not owner_entities(searched.owner, searched.view.names):
        yield "it is not known whose mail this is; name the owner"
        return
    if plan.asks_state and pointed is not None and not (searched.allowed & pointed).any():
        yield _say_no_letter(plan) if plan.reply_state else _say_no_task(plan)
        return
    time = plan.time if names_when(plan, searched.query) else None
    said = [] if time is None else time.text.split()
    if missing := [one for one in searched.missing if one not in said]:  # "2025" is the time
        yield _say_missing(missing)
    wrote, about = _of_people(searched)
    if time is not None and not (_within(searched, happened) & (wrote | about)).any():
        spans = filter(None, (time, plan.other_time))
        days = " or ".join(_days(one, searched.query) for one in spans)
        yield f"nothing {days} ({time.text})"
    if plan.task_state or not (plan.people or plan.time or plan.kinds):
        return
    is_written = bool((wrote & (happened != UNDATED)).any())
    slot = _latest(happened, wrote if is_written else about)
    if slot is None:
        return
    day = _day(int(happened[slot]), searched.query)
    yield f"the latest {_whose(searched, slot, is_written=is_written)}is of {day}"


MISSING_MAX, MISSING_CHARS_MAX = 3, 30
"""How many words that nothing holds are said, and how long one may be."""


def find_missing(
    question: str, languages: Sequence[str], asked: Iterable[AskedWord], *, present: Bools
) -> tuple[str, ...]:
    """Return the words of a question, as it has them, that no `present` item holds, the first ones.

    Not those for kinds and sources ("mails"), nor what is written without spaces, nor function
    words of any language: a question may be in another than the items.
    """
    nowhere = {word.text for word in asked if not (word.items & present).any()}
    runs = dict.fromkeys(_OWNING.sub("", run.strip(_MARKS)) for run in question.split())
    missing = (
        run
        for run in runs
        if len(run) <= MISSING_CHARS_MAX
        and run.casefold() not in sources_of_word()
        and not _function_words().issuperset(words(run))
        and (terms := query_terms(run, languages))
        and nowhere.issuperset(one.text for one in terms)
    )
    return tuple(islice(missing, MISSING_MAX))


@cache
def _function_words() -> frozenset[str]:
    return frozenset(chain.from_iterable(map(quiet_words, SPACED)))


def _say_missing(missing: Sequence[str]) -> str:
    quoted = ", ".join(f'"{one}"' for one in missing)
    return f"no item has the word{'s' * (len(missing) > 1)} {quoted}"


def _say_no_letter(plan: Plan) -> str:
    what = "mail or message" if Kind.MESSAGE in plan.kinds else "mail"
    if plan.reply_state is ReplyState.OWED:
        return f"no {what} waits for your answer"
    return f"no {what} of yours waits for an answer"


def _say_no_task(plan: Plan) -> str:
    return f"no task {'of theirs ' if plan.people else ''}is {plan.task_state}"


def _read_times(searched: Searched) -> npt.NDArray[np.int64]:
    """Return when each allowed item happened, up to the question; the others are undated."""
    happened = searched.view.items.happened.rows(searched.view.item_count)
    past = happened <= microseconds(searched.query.now)
    return np.where(searched.allowed & past, happened, UNDATED)


def _of_people(searched: Searched) -> tuple[Bools, Bools]:
    """Return the items that a named person wrote, and those of any other part; all for nobody."""
    plan, view = searched.plan, searched.view
    fits = np.ones(view.item_count, dtype=bool)
    if plan.sources or plan.kinds:
        fits = np.zeros(view.item_count, dtype=bool)
        for name, texts in (("source", plan.sources), ("kind", plan.kinds)):
            fits |= view.having_codes(name, texts)
    if not plan.people:
        return fits, fits
    wrote = view.having(map(author_key, plan.people))
    return wrote & fits, view.having(map(part_key, plan.people)) & fits


def _within(searched: Searched, happened: npt.NDArray[np.int64]) -> Bools:
    """Return the items within the time that the question names, or the other it may mean."""
    times = filter(None, (searched.plan.time, searched.plan.other_time))
    bounds = [one.bounds_us for one in times]
    masks = [within(happened, since=since, until=until) for since, until in bounds]
    return np.asarray(np.logical_or.reduce(masks)) if masks else happened != UNDATED


def _latest(happened: npt.NDArray[np.int64], among: Bools) -> int | None:
    """Return the slot of the latest dated item among some; the first of several."""
    times = np.where(among, happened, UNDATED)
    if not len(times) or times.max() == UNDATED:
        return None
    return int(np.argmax(times))


def _whose(searched: Searched, slot: int, *, is_written: bool) -> str:
    if not searched.plan.people:
        return ""
    key = int(searched.view.items.keys.rows(searched.view.item_count)[slot])
    name = _name(searched.reader.items([key])[key], searched.query.text)
    if not name:
        return ""
    return f"from {name} " if is_written else f"with {name} "


def _name(item: Item, question: str) -> str:
    """Return whom of an item the question names, by the question's own words.

    A name out of an item could be anything; what was asked is the user's own.
    """
    names = {word for person in item.people for word in words(person.name)}
    return " ".join(
        _OWNING.sub("", one.strip(_MARKS))
        for one in question.split()
        if names.intersection(words(one))
    )


def _day(happened_us: int, query: Query) -> str:
    return _name_day(_EPOCH + timedelta(microseconds=happened_us), query)


def _days(time: TimeRange, query: Query) -> str:
    """Return the days of a range as "from 2 to 8 March", "since 2 March", "until 8 March"."""
    first = "" if time.since is None else _name_day(time.since, query)
    last = "" if time.until is None else _name_day(time.until - timedelta(microseconds=1), query)
    if not (first and last):
        return f"since {first}" if first else f"until {last}"
    if first == last:
        return f"from {first}"
    day, _, rest = first.partition(" ")
    return f"from {day if last.endswith(f' {rest}') else first} to {last}"


def _name_day(moment: datetime, query: Query) -> str:
    zone = ZoneInfo(query.timezone)
    when = moment.astimezone(zone)
    year = "" if when.year == query.now.astimezone(zone).year else f" {when.year}"
    return f"{when.day} {MONTHS[when.month - 1]}{year}"
