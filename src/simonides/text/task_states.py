"""Words of a question that ask for tasks in a state (open, done, overdue), or for one's own.

"open tasks", "which tickets are not done yet", "my tasks", "assigned to me", "offene Aufgaben",
"tâches en retard". The state must stand beside a noun for tasks, or ask for what is overdue: an
open window is no task; or it asks what is left to do. Knows words; must not know what is kept.
"""

import re
from functools import partial
from typing import NamedTuple

from simonides.model.answer import TaskState
from simonides.text.questions import Span, lower
from simonides.text.vocabulary import UNSPACED, list_pattern, words_pattern
from simonides.text.word_patterns import alternatives, lazy_pattern

_STATES = (TaskState.OVERDUE, TaskState.OPEN, TaskState.DONE)
"""In the order in which they are looked for; each has a table of words of its name."""

_BETWEEN = r"(?:\s+[\w-]+){0,2}?"
"""Words between a state and its noun: "open jira tasks"."""


def _links() -> str:
    """Return a pattern of the words between a noun and its state: "tasks that are still"."""
    return rf"(?:\s+(?:{list_pattern('linking')})){{0,4}}"


def _beside_noun(state: TaskState) -> re.Pattern[str]:
    def source() -> str:
        words, nouns = list_pattern(state.value), list_pattern("tasks")
        return rf"""(?<![\w-])(?:(?P<before>{words})(?={_BETWEEN}\s+(?:{nouns})(?![\w-]))
            |(?:{nouns}){_links()}\s+(?P<after>{words}))(?![\w-])"""

    return lazy_pattern(source, re.VERBOSE)


_BESIDE_NOUN = [(state, _beside_noun(state)) for state in _STATES]
_TOGETHER = [
    (state, lazy_pattern(partial(list_pattern, state.value, languages=UNSPACED)))
    for state in (TaskState.OVERDUE, TaskState.DONE, TaskState.OPEN)
]
"""Where nothing stands between words, a state and its noun are one pattern."""
_NOUN = lazy_pattern(lambda: list_pattern("tasks"), re.VERBOSE)
"""Without one, as most questions are, none of those patterns has to be made: 7 ms."""
_OWN = lazy_pattern(
    lambda: (
        rf"""(?<![\w-])(?:
        (?:{list_pattern("my")})(?={_BETWEEN}\s+(?:{list_pattern("tasks")})(?![\w-]))
        |(?:{list_pattern("mine")})
    )(?![\w-])"""
    ),
    re.VERBOSE,
)
_ASSIGNED = lazy_pattern(lambda: rf"(?<![\w-])(?:{list_pattern('assigned')})(?![\w-])")
_HELD = lazy_pattern(
    rf"""(?<![\w-])(?:what|was)(?:'s|\s+[\w'-]+){{1,5}}?
        \s+(?P<held>(?:(?:(?:still|noch)\s+)?(?:got|have|has)|still|noch)\s+(?:{
        alternatives("open outstanding pending unfinished unerledigt offen")
    })|(?<=on\s)[\w'-]+\s+plate)(?:\s+in\s+[\w-]+)?\W*$""",
    re.VERBOSE,
)
"""What somebody has to do still, which ends a question: "what's Ana still got open?"."""
_ALONE = [
    (state, lazy_pattern(partial(words_pattern, f"{state.value}_alone")))
    for state in (TaskState.OVERDUE, TaskState.OPEN)
]
"""What needs no noun for tasks: "what is overdue", "what do I still have to do"."""


_FOR = lazy_pattern(lambda: rf"\s+(?:{list_pattern('tasks_for')})(?![\w-])")
"""What tasks are for, behind what needs no noun: "what do I still have to do for the party"."""


class AskedTasks(NamedTuple):
    """The state that a question asks tasks to be in, and where its words say so.

    `names_tasks` tells whether a noun for tasks stands beside it: "is the report overdue" may as
    well be about the report. `says_for` tells whether it says what they are for. `is_own` asks for
    those of the one who asks, `is_held` for what a person who is named has in that state.
    """

    state: TaskState = TaskState.ANY
    spans: tuple[Span, ...] = ()
    names_tasks: bool = False
    says_for: bool = False
    is_own: bool = False
    is_held: bool = False


def read_asked_tasks(text: str) -> AskedTasks:
    """Return which tasks a question asks for; `TaskState.ANY` if it names no state."""
    said_plainly = lower(text)
    own = tuple(found.span() for found in _OWN.finditer(said_plainly))
    assigned = tuple(found.span() for found in _ASSIGNED.finditer(said_plainly))
    held = _HELD.search(said_plainly)
    if held is not None and not own:
        return AskedTasks(TaskState.OPEN, (held.span("held"),), is_held=True)
    state, said, names_tasks = _state(said_plainly)
    return AskedTasks(
        state, (*(own or assigned), *said), names_tasks=names_tasks, is_own=bool(own),
        says_for=any(_FOR.match(said_plainly, stop) for _, stop in said),
    )  # fmt: skip


_NEGATED = lazy_pattern(
    r"(?:(?<![\w'])(?:not|nicht|pas|no|non|niet|não|nao|nie|не)|n't)"
    r"(?:\s+(?:yet|están?|estan|son|sono|estão|são|są))?\s*$"
)
"""What makes a state its opposite, for which there are words if it is one: "not done" is open."""


def _state(text: str) -> tuple[TaskState, tuple[Span, ...], bool]:
    """Return the state, the words that say it, and whether a noun for tasks is beside them."""
    for state, pattern in _BESIDE_NOUN if _NOUN.search(text) else ():
        found = pattern.search(text)
        if found is not None:
            span = found.span("before" if found["before"] else "after")
            if _NEGATED.search(text, 0, span[0]):
                break
            return state, (span,), True
    for state, pattern in () if text.isascii() else _TOGETHER:
        if joined := tuple(found.span() for found in pattern.finditer(text)):
            return state, joined, True
    for state, pattern in _ALONE:
        alone = tuple(found.span() for found in pattern.finditer(text))
        if alone and not _NEGATED.search(text, 0, alone[0][0]):
            return state, alone, False
    return TaskState.ANY, (), False
