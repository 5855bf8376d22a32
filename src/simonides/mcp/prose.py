"""What a tool answers, as text for a model to read: heads of ours, words of items tamed.

No line of an item begins as a head does (`context.safety`), and no mark of a chat template
survives. Knows the words. Must not know MCP.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from simonides.assistant.prompt import unmarked
from simonides.context import names
from simonides.context.labels import with_speaker
from simonides.context.safety import escape, one_line
from simonides.mcp.bounds import ANSWER_TOKENS_MAX, MORE
from simonides.model.item import Item, Trust
from simonides.model.stored import EntityKind
from simonides.retrieval.trust import speaker_trust
from simonides.text.tokens import count, truncate

NOTHING = "Nothing was found."
CUT = "More was found than fits here; ask for less, or more precisely."


def head(number: int, item: Mapping[str, Any]) -> str:
    """Return the line that an item begins with: number, source, date, title, id."""
    day = str(item.get("happened_at", ""))[:10]
    parts = (item.get("source", ""), day, item.get("title", ""), f"id {item.get('id', '')}")
    return f"[{number}] " + " · ".join(_plain(one) for one in parts if one)


def _plain(text: str) -> str:
    return one_line(str(text), citations=True)


def spoken(text: str, item: Item, *, trust: Trust | None = None) -> str:
    """Return words of an item; where a message's claim a speaker, with who it really is.

    `trust` is that of a hit; where it is not known, the speaker alone tells.
    """
    return with_speaker(text, item, trust=trust or speaker_trust(item.author))


def entity(kind: str, id_: str, called: Sequence[str], mentions: int) -> str:
    """Return the line of an entity: its kind, its names, a person's address, how often."""
    where = id_.partition(":")[2] if kind == EntityKind.PERSON else ""
    at = f" at {names.address(where)}" if where and not where.startswith("~") else ""
    named = ", ".join(filter(None, map(names.name, called)))
    return f"{kind}: {named}{at} ({mentions} times)"


def said(text: str) -> str:
    """Return words of an item that can pass for none of ours."""
    return escape(text, citations=True)


def listed(blocks: Iterable[tuple[str, str]], *, more: Sequence[str] = ()) -> str:
    """Return heads with the words below each, then what else is to be said."""
    told = ["\n".join(filter(None, (first, said(words)))) for first, words in blocks]
    return bounded("\n\n".join((*(told or [NOTHING]), *filter(None, more))))


def bounded(text: str, tokens_max: int = ANSWER_TOKENS_MAX) -> str:
    """Return a text of at most so many tokens; one that was cut says so."""
    plain = unmarked(text)
    if count(plain) <= tokens_max:
        return plain
    return truncate(plain, tokens_max - 20).rstrip() + f"{MORE}\n\n{CUT}"
