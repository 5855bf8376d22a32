"""Words of a question that ask for tasks in a state (open, done, overdue), or for one's own.

"open tasks", "which tickets are not done yet", "my tasks", "assigned to me", "offene Aufgaben",
"tâches en retard". The state must stand beside a noun for tasks, or ask for what is overdue: an
open window is no task. English, German, French, Spanish, Portuguese and Italian. Knows words; must
not know what is kept.
"""

import re
from typing import NamedTuple

from simonides.model.answer import TaskState
from simonides.text.questions import Span
from simonides.text.unicode_version import masked
from simonides.text.word_patterns import alternatives, lazy_pattern

_STATES: dict[TaskState, str] = {
    TaskState.OVERDUE: alternatives("""
        overdue past_due late  überfällige?[nrs]?  en_retard  atrasad[oa]s vencid[oa]s
        in_ritardo scadut[ie]
    """),
    TaskState.OPEN: alternatives("""
        open unfinished outstanding pending remaining incomplete unresolved undone left
        not_(?:yet_)?(?:done|finished|completed|closed|resolved)(?:_yet)?
        offene?[nrs]? unerledigte?[nrs]?  ouvertes? en_cours restantes?
        abiert[oa]s pendientes abert[oa]s pendentes apert[ie] pendenti
    """),
    TaskState.DONE: alternatives("""
        done finished completed closed resolved
        erledigte?[nrs]? abgeschlossene?[nrs]?  terminé[e]?s finies?
        terminad[oa]s hech[oa]s cerrad[oa]s concluíd[oa]s fechad[oa]s
        completat[ie] conclus[ie] fatt[ie]
    """),
}

_NOUNS = alternatives("""
    tasks tickets issues todos to-dos action_items jira
    aufgaben tâches tareas tarefas compiti attività
""")

_BETWEEN = r"(?:\s+[\w-]+){0,2}?"
"""Words between a state and its noun: "open jira tasks"."""

_LINKING = alternatives("""
    that which are is were do does i we have has got been still now currently yet remain my our
    sind noch sont encore están son siguen ainda estão sono ancora
""")
_LINKS = rf"(?:\s+(?:{_LINKING})){{0,4}}"
"""Words between a noun and its state: "tasks that are still"."""


def _pattern(state: str) -> re.Pattern[str]:
    return lazy_pattern(
        rf"""(?<![\w-])(?:(?P<before>{state})(?={_BETWEEN}\s+(?:{_NOUNS})(?![\w-]))
        |(?:{_NOUNS}){_LINKS}\s+(?P<after>{state}))(?![\w-])""",
        re.VERBOSE | re.IGNORECASE,
    )


_BESIDE_NOUN = [(state, _pattern(words)) for state, words in _STATES.items()]
_OWN = lazy_pattern(
    rf"""(?<![\w-])(?:
        (?:my|meine[nr]?|mes|mis|(?:as\s+)?minhas|(?:i\s+)?miei|(?:le\s+)?mie)
        (?={_BETWEEN}\s+(?:{_NOUNS})(?![\w-]))
        |(?:{
        alternatives('''
            assigned_to_me of_mine on_my_plate
            mir_zugewiesen(?:e[nrs]?)? zugewiesen_an_mich qui_me_sont_attribuées
            asignad[oa]s_a_mí atribuíd[oa]s_a_mim assegnat[ie]_a_me
        ''')
    })
    )(?![\w-])""",
    re.VERBOSE | re.IGNORECASE,
)
_ASSIGNED = lazy_pattern(r"(?<![\w-])(?:assigned\s+to|zugewiesen\s+an)(?![\w-])", re.IGNORECASE)
_HELD = lazy_pattern(
    rf"""(?<![\w-])(?:what|was)(?:'s|\s+[\w'-]+){{1,5}}?
        \s+(?P<held>(?:(?:(?:still|noch)\s+)?(?:got|have|has)|still|noch)\s+(?:{
        alternatives("open outstanding pending unfinished unerledigt offen")
    }))\W*$""",
    re.VERBOSE | re.IGNORECASE,
)
"""What somebody has to do still, which ends a question: "what's Ana still got open?"."""
_ALONE = lazy_pattern(r"(?<![\w-])(?:overdue|past\s+due|überfällig)(?![\w-])", re.IGNORECASE)


class AskedTasks(NamedTuple):
    """The state that a question asks tasks to be in, and where its words say so.

    `names_tasks` tells whether a noun for tasks stands beside it: "is the report overdue" may as
    well be about the report. `is_own` asks for those of the one who asks, `is_held` for what a
    person who is named has in that state.
    """

    state: TaskState = TaskState.ANY
    spans: tuple[Span, ...] = ()
    names_tasks: bool = False
    is_own: bool = False
    is_held: bool = False


def asked_tasks(text: str) -> AskedTasks:
    """Return which tasks a question asks for; `TaskState.ANY` if it names no state."""
    plain = masked(text).replace("\u2019", "'")
    own = tuple(found.span() for found in _OWN.finditer(plain))
    assigned = tuple(found.span() for found in _ASSIGNED.finditer(plain))
    held = _HELD.search(plain)
    if held is not None and not own:
        return AskedTasks(TaskState.OPEN, (held.span("held"),), is_held=True)
    state, said, names_tasks = _state(plain)
    return AskedTasks(state, (*(own or assigned), *said), names_tasks=names_tasks, is_own=bool(own))


def _state(plain: str) -> tuple[TaskState, tuple[Span, ...], bool]:
    """Return the state, the words that say it, and whether a noun for tasks is beside them."""
    for state, pattern in _BESIDE_NOUN:
        found = pattern.search(plain)
        if found is not None:
            return state, (found.span("before" if found["before"] else "after"),), True
    alone = tuple(found.span() for found in _ALONE.finditer(plain))
    return (TaskState.OVERDUE if alone else TaskState.ANY), alone, False
