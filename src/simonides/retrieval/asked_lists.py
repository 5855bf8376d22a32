"""The lists that a question asks for: an agenda, what is due, tasks and mails in a state.

Knows words and what they say together; must not know what is kept.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from simonides.model.answer import PlanPart, Query, TaskState, TimeRange
from simonides.model.item import Kind, Role
from simonides.retrieval.people import Named
from simonides.text.analyse import words
from simonides.text.dates import DateMatch, Tense, asks_when, tense_of
from simonides.text.function_words import quiet_words, without_function_words
from simonides.text.questions import (
    agenda_spans,
    asking_spans,
    asks_assistant,
    asks_own_words,
    due_spans,
    is_addressed,
    letter_spans,
    plans_spans,
    without_spans,
)
from simonides.text.reply_states import AskedReplies, read_asked_replies
from simonides.text.task_states import AskedTasks, read_asked_tasks
from simonides.text.vocabulary import SPACED, UNSPACED, list_pattern, word_set

Spans = list[tuple[int, int]]
"""Stretches [start, stop) of a text."""


LETTERS = (Kind.EMAIL, Kind.MESSAGE)
"""What somebody writes to somebody."""


class Lists(NamedTuple):
    """Where a question asks for an agenda and for what is due, and for which tasks.

    `role` is the part that people have in it, `is_own` whether it is after the owner's tasks.
    `replies` are the mails that wait for an answer.
    """

    agenda: Spans
    due: Spans
    tasks: AskedTasks
    replies: AskedReplies = AskedReplies()
    role: Role | None = None
    is_own: bool = False

    @property
    def spans(self) -> Spans:
        """The characters of all of these words."""
        return [*self.agenda, *self.due, *self.tasks.spans, *self.replies.spans]

    @property
    def is_agenda(self) -> bool:
        """Whether an agenda, or what is due, is asked for."""
        return bool(self.agenda or self.due)

    @property
    def is_assigned(self) -> bool:
        """Whether the tasks of somebody are asked for."""
        return self.role is Role.ASSIGNEE


def read_lists(query: Query) -> Lists:
    """Return the lists that the words of a question ask for, by themselves."""
    may = PlanPart.REPLIES not in query.ignore
    replies = read_asked_replies(query.text) if may else AskedReplies()
    if replies.state and not asks_when(query.text):
        return Lists([], [], AskedTasks(), replies)
    tasks = AskedTasks() if PlanPart.TASKS in query.ignore else read_asked_tasks(query.text)
    if PlanPart.AGENDA in query.ignore:
        return Lists([], [], tasks)
    return Lists(agenda_spans(query.text), due_spans(query.text), tasks)


def add_what_comes(
    lists: Lists,
    times: tuple[TimeRange | None, TimeRange | None],
    query: Query,
    *,
    read: Spans,
    language: str,
) -> Lists:
    """Return the lists with an agenda where a time ahead is all that is named, or plans for it.

    `read` are the characters that say the time and whatever else steers.
    """
    if not any(_is_ahead(one, query, language=language) for one in times):
        return lists
    agenda = [*lists.agenda, *plans_spans(query.text)]
    if times[1] is None and not remove_used(query.text, read, language=language):
        agenda = agenda or [(0, 0)]  # "what do I have tomorrow"
    return lists._replace(agenda=agenda)


def _is_ahead(time: TimeRange | None, query: Query, *, language: str) -> bool:
    """Return whether a time lies ahead, or runs and the question speaks of what comes."""
    if time is None or PlanPart.AGENDA in query.ignore:
        return False
    if time.lies_ahead(query.now):
        return True
    runs = time.until is None or time.until > query.now
    return runs and tense_of(query.text, language=language) is Tense.FUTURE


def list_kinds(meant: Lists, named: Sequence[Kind]) -> Iterator[Kind]:
    """Yield the kinds that a question has `named`, and those of what it asks a list of.

    An agenda is of events and of tasks that are due; of events alone where these are named.
    """
    yield from named
    if meant.agenda or (meant.due and not meant.is_assigned):
        yield Kind.EVENT
    is_all = bool(meant.agenda) and Kind.EVENT not in named
    if is_all or meant.due or meant.tasks.state or meant.is_assigned:
        yield Kind.TASK
    if meant.replies.state and not named:
        yield from LETTERS


def choose_lists(
    lists: Lists,
    found: Named,
    *,
    time: TimeRange | None,
    is_timed: bool,
    is_own: bool,
    left: str,
    quiet: frozenset[str],
) -> Lists:
    """Return the lists of an agenda, what is due, and tasks that are meant beside other words.

    `left` are those, of which the `quiet` ones say nothing; `is_own` says that the question is in
    the first person, `is_timed` that it names a `time`, or asks for what is next.
    """
    if lists.replies.state:
        return lists
    agenda, due, tasks = lists[:3]
    is_held = tasks.is_held and quiet >= set(words(left))  # a shop may be open as well
    is_theirs = is_held and bool(found.people)
    is_own = tasks.is_own or (is_held and is_own and not is_theirs)
    if left:
        if not is_timed:  # "when is Alpha due" is of Alpha
            agenda, due = [], []
        is_for = tasks.says_for and not is_timed
        is_theirs_said = is_theirs or found.role is Role.ASSIGNEE
        if not (tasks.names_tasks or is_for or is_own or is_theirs_said):
            tasks = AskedTasks()
    is_left = tasks.state is TaskState.OPEN and not (tasks.names_tasks or tasks.is_held)
    is_deadline = time is not None and time.since is None  # "by Friday" is after tasks alone
    if is_left and is_timed and not is_deadline:  # "what do I have to do tomorrow"
        due, tasks = [*due, *tasks.spans], AskedTasks()
    if tasks.state:  # what takes place is no task
        agenda, due = [], []
    role = found.role or (Role.ASSIGNEE if is_own or is_theirs else None)
    return Lists(agenda, due, tasks, role=role, is_own=is_own)


def choose_state(lists: Lists, *, is_list: bool) -> TaskState:
    """Return the state that is asked for: "my tasks" are those that are still to be done."""
    is_open = is_list and lists.is_assigned and not lists.tasks.state
    return TaskState.OPEN if is_open else lists.tasks.state


def find_listed_times(meant: Lists, matches: Iterable[DateMatch], query: Query) -> Spans:
    """Return where times stand by which a list is made, and which are not searched as words.

    Of an agenda those that are not over: it has what takes place then, and what names these days.
    """
    if meant.replies.state or meant.tasks.state:
        return find_times(matches)
    if not meant.is_agenda:
        return []
    now = query.now
    return find_times(one for one in matches if one.range.until is None or one.range.until > now)


def find_times(matches: Iterable[DateMatch]) -> Spans:
    """Return where times stand."""
    return [(one.start, one.stop) for one in matches]


def remove_used(text: str, used: Spans, *, language: str) -> str:
    """Return a question without the words that are used up.

    Nothing is left where all the rest are stop words. A time by its name or in figures
    ("4 July", "2026-07-04") stays: it also stands in what is looked for. What counts from today
    ("last week") does not.
    """
    left = without_spans(text, used)
    said = words(without_function_words(left))
    return left if not quiet_words(language) >= without_elisions(said) else ""


def asks_for_letters(text: str, times: Spans, *, language: str) -> bool:
    """Return whether a question is after the mails and messages of `times`: "who wrote to me?"."""
    if not _names_letters(text, times, language) or asks_assistant(text):
        return False
    used = [*times, *asking_spans(text)]
    return asks_for_all(text, used, language=language, quiet=quiet_words(language))


def _names_letters(text: str, times: Spans, language: str) -> bool:
    """Return whether a question names mails or messages, or that something came or was written."""
    if language in UNSPACED:
        left = without_spans(text, times)  # "next week" has the sign for what comes
        return re.search(list_pattern("received", languages=(language,)), left) is not None
    return bool(letter_spans(text)) or is_addressed(words(text)) or asks_own_words(text)


def asks_for_all(text: str, used: Spans, *, language: str, quiet: frozenset[str]) -> bool:
    """Return whether a question is after all that came: "which mails did I get yesterday?".

    `used` are the words that say what and when; the rest are `quiet`, ask, name mails or messages,
    or say that these came or were written.
    """
    left = remove_used(text, [*used, *letter_spans(text)], language=language)
    if language in UNSPACED:
        tables = ("received", "mail", "documents", "chats")
        came = "|".join(list_pattern(name, languages=(language,)) for name in tables)
        left = re.sub(came, " ", without_function_words(left))
    said = {word for word in without_elisions(words(left)) if len(word) > 1}
    return said <= quiet | _quiet_of_letters(language)


@cache
def _quiet_of_letters(language: str) -> frozenset[str]:
    asking = word_set("question_words", languages=(language,))
    return asking.union(
        *(word_set(one, languages=SPACED) for one in ("received", "every", "spoke"))
    )


def without_elisions(spoken: Iterable[str]) -> set[str]:
    """Return words without what is joined to them: qu'est, Tom's."""
    return {word.removesuffix("'s").rpartition("'")[2] for word in spoken}
