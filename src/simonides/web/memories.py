"""Memories that hold or are hidden, preferences; and the inbox: past imports and proposals."""

from typing import Any

from simonides.errors import InvalidInput, NotFound
from simonides.model.item import PINNED, Kind, Status
from simonides.web.page import Done, Page, Visit

PAGE_ITEMS = 50


def find_memories(visit: Visit) -> dict[str, Any]:
    """Return the memories that hold, newest first, those that are never shown, and preferences."""
    listed = visit.memory.list(
        filter=visit.filter(kinds=[Kind.MEMORY]), limit=PAGE_ITEMS, cursor=visit.text("cursor")
    )
    hidden = visit.memory.list(
        filter={"kinds": [Kind.MEMORY], "statuses": [Status.QUARANTINED]}, limit=PAGE_ITEMS
    )
    return {
        "listed": listed,
        "hidden": hidden,
        "asked": visit.read_chosen(),
        "counts": visit.counts(kinds=[Kind.MEMORY]),
        "preferences": visit.memory.preferences.list(limit=PAGE_ITEMS),
    }


def change_memories(visit: Visit) -> Done:
    """Keep a statement as a memory, or change one, and show what holds."""
    action, item_id, memory = visit.text("action"), visit.text("id"), visit.memory
    match action:
        case "remember":
            memory.remember(visit.text("statement"))
        case "edit":
            memory.update(item_id, content=visit.text("statement"))
        case "pin" | "unpin":
            tags = [one for one in memory.get(item_id).tags if one.casefold() != PINNED]
            memory.update(item_id, tags=[*tags, *[PINNED] * (action == "pin")])
        case "hide":
            memory.update(item_id, traits={"status": Status.QUARANTINED})
        case "show":
            memory.update(item_id, traits={"status": Status.ACTIVE})
        case "forget":
            if not memory.forget(item_id):
                raise NotFound("item", item_id)
        case _:
            known = "remember, edit, pin, unpin, hide, show or forget"
            raise InvalidInput("action", f"must be {known}, got {action!r}")
    verb = action if action in ("remember", "forget") else "update"
    return Done(verb=verb, place="/memories")


def find_inbox(visit: Visit) -> dict[str, Any]:
    """Return past imports, latest first, with what was skipped, and the proposals."""
    return {
        "log": visit.memory.import_log(limit=PAGE_ITEMS, cursor=visit.text("cursor")),
        "proposals": visit.memory.proposals.list(limit=PAGE_ITEMS),
    }


def decide(visit: Visit) -> Done:
    """Accept or reject a proposal, or undo that, and show the inbox."""
    proposals, action = visit.memory.proposals, visit.text("action")
    known = {"accept": proposals.accept, "reject": proposals.reject, "undo": proposals.undo}
    if action not in known:
        raise InvalidInput("action", f"must be accept, reject or undo, got {action!r}")
    known[action](visit.text("id"))
    return Done(verb=f"proposals.{action}", place="/inbox")


PAGES = (
    Page(
        path="/memories", title="Memories", verb="memories", find=find_memories,
        template="memories.html", act=change_memories,
    ),
    Page(
        path="/inbox", title="Inbox", verb="import_log", find=find_inbox, template="inbox.html",
        act=decide,
    ),
)  # fmt: skip
