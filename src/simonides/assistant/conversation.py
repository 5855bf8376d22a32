"""The turn before in a session: read from working memory, or else from what is kept; and stored.

Working memory lasts for half an hour in one process; after that the messages themselves tell what
was asked last and what its answer was made of.
"""

from collections.abc import Container, Sequence
from dataclasses import replace

from simonides.assistant.citations import reference, resolve_key
from simonides.assistant.follow_up import TurnBefore, Understood, join_question
from simonides.assistant.working_state import WorkingState
from simonides.entities.directory import Words
from simonides.entities.extract import person_id
from simonides.entities.not_names import is_role
from simonides.index.open_space import OpenSpace
from simonides.model.answer import Hit, Plan, Query
from simonides.model.chat import ChatReply, Stop
from simonides.model.chat_role import ChatRole
from simonides.model.item import Item, Person, Trust
from simonides.model.metadata_keys import CONTEXT_KEY
from simonides.model.stored import EntityKind
from simonides.retrieval.looking import open_look
from simonides.retrieval.originals import is_speaker
from simonides.text.analyse import words
from simonides.text.clean import title_of
from simonides.text.language import language_asked
from simonides.text.vocabulary import LANGUAGES

PEOPLE_MAX = 5
"""Names of people that a turn leaves to the next one."""

CLARIFICATION = "clarification"
"""What a session waits for after a question back."""


def turn_before(session_id: str, last: Sequence[Item], opened: OpenSpace) -> TurnBefore:
    """Return the state of a session's last turn; `last` are its messages, oldest first.

    A question back is waited for no longer: the message that comes now answers it.
    """
    working = WorkingState.of(opened)
    waits = working.take_pending(session_id)
    pending = next((str(one["question"]) for one in waits if one.get("kind") == CLARIFICATION), "")
    known = working.turn_before(session_id) or _from_messages(last, opened)
    return TurnBefore(
        question=known.question, people=known.people, shown=known.shown, pending=pending
    )


def _from_messages(last: Sequence[Item], opened: OpenSpace) -> TurnBefore:
    asked = next((one for one in reversed(last) if is_speaker(one, ChatRole.USER)), None)
    answer = next((one for one in reversed(last) if is_speaker(one, ChatRole.ASSISTANT)), None)
    context = answer.metadata.get(CONTEXT_KEY) if answer else None
    ids = context if isinstance(context, list | tuple) else ()
    return TurnBefore(
        question=asked.content if asked else "",
        people=_people_named(asked.content, opened) if asked else (),
        shown=tuple(one for one in ids if isinstance(one, str)),
    )


def _people_named(text: str, opened: OpenSpace) -> tuple[str, ...]:
    """Return the names of the people that a text names, each by its longest one."""
    called = {name for _, name in _find_people(text, (), opened)}
    return tuple(sorted(name for name in called if name and not is_role(name)))[:PEOPLE_MAX]


def find_people(text: str, proper: Container[str], *, spaces: Sequence[OpenSpace]) -> set[Words]:
    """Return the words by which a text names people of some spaces, everyday ones if `proper`."""
    return {run for one in spaces for run, _ in _find_people(text, proper, one)}


def _find_people(text: str, proper: Container[str], opened: OpenSpace) -> list[tuple[Words, str]]:
    """Return the words by which a text names each person of a space, and their longest name."""
    with open_look(Query(text=text, now=opened.now(), timezone=opened.timezone), opened) as look:
        if look is None:
            return []
        names, language = look.view.names, language_asked(text, LANGUAGES)
        named = names.find_named(words(text), proper=proper, language=language)
        return [
            (run, max(names.directory.names_of(one), key=lambda it: (len(it), it), default=""))
            for one, run in named.items()
            if one.startswith(f"{EntityKind.PERSON}:")
        ]


def name_by_title(meant: Understood, spaces: Sequence[OpenSpace]) -> Understood:
    """Return a message with the titles of what it names by number: those are searched for.

    Of several spaces, the own one first.
    """
    if spaces[0].find() is None and len(spaces) == 1:
        return meant
    items = {one: item for one in meant.meant if (item := _find_item(one, spaces)) is not None}
    titles = "; ".join(item.title or title_of(item.content) for item in items.values())
    return replace(
        meant,
        question=join_question(meant.question, titles) if titles else meant.question,
        meant=tuple(items),
    )


def _find_item(reference: str, spaces: Sequence[OpenSpace]) -> Item | None:
    """Return the item that is known so; None where it is not there any more."""
    name, item_id = resolve_key(reference, spaces=[one.name for one in spaces[1:]])
    opened = next(one for one in spaces if one.name == (name or spaces[0].name))
    space = opened.find()
    if space is None:
        return None
    with space.read() as reader:
        return reader.item(item_id)


def note_turn(
    reply: ChatReply,
    opened: OpenSpace,
    *,
    question: str,
    plan: Plan,
    hits: Sequence[Hit],
    shown: Sequence[str],
) -> None:
    """Store for some minutes what the next message of a session may speak of.

    `hits` are those of the turn, `shown` refer to the items in the order of their numbers.
    """
    working, own = WorkingState.of(opened), opened.name
    recent = [reference(hit.key, own=own) for hit in reply.items]
    working.note_recent(reply.session_id, recent)
    people = people_of(plan, hits, shown=shown, own=own)
    working.keep_turn(
        reply.session_id, TurnBefore(question=question, people=people, shown=tuple(shown))
    )
    if reply.stop is not Stop.CANCELLED:
        waits = {"kind": CLARIFICATION, "question": reply.clarification_question}
        working.keep_pending(reply.session_id, [waits] if reply.needs_clarification else [])


def people_of(
    plan: Plan, hits: Sequence[Hit], *, shown: Sequence[str], own: str = ""
) -> tuple[str, ...]:
    """Return the names of those that a question names; else of the authors of what was shown."""
    named = [one for hit in hits for one in hit.item.people if person_id(one) in plan.people]
    by_id = {reference(hit.key, own=own): hit for hit in hits}
    authors = [
        by_id[one].item.author
        for one in shown
        if one in by_id and by_id[one].trust is not Trust.OWN
    ]
    names = map(_name, named or [one for one in authors if one is not None])
    return tuple(dict.fromkeys(filter(None, names)))[:PEOPLE_MAX]


def _name(person: Person) -> str:
    name = " ".join(person.name.split()) or person.address.strip()
    return "" if is_role(name) else name
