"""The user's preferences as lines of a prompt. Must not know where they are kept."""

from collections.abc import Iterable

from simonides.assistant.fencing import unmarked
from simonides.context.safety import escape, one_line
from simonides.memories.preferences import strongest
from simonides.model.chat import Origin, Preference

LINES_MAX = 20
"""Preferences that a prompt tells at most: the strongest."""


def prompt_lines(preferences: Iterable[Preference]) -> tuple[str, ...]:
    """Return one line for each preference, `- key: value`, the strongest first, at most 20.

    What was only observed says so: ` (inferred)`. The words are data: they can not begin a
    section, open a tag, forge another line or a turn of the conversation.
    """
    return tuple(_line(one) for one in strongest(preferences)[:LINES_MAX])


def _line(one: Preference) -> str:
    guessed = " (inferred)" if one.origin is Origin.INFERRED else ""
    said = one_line(f"{one.key}: {one.value}", citations=True)
    return f"- {escape(unmarked(said))}{guessed}"
