"""The pages of what is kept: items, one item, agenda, people and things, memories, proposals."""

from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Any
from urllib.parse import quote

from simonides.errors import AccessDenied, InvalidInput, NotFound
from simonides.model.access import Permission
from simonides.model.item import Kind
from simonides.web import ask
from simonides.web.page import Done, Page, Visit

PAGE_ITEMS = 50
PEOPLE_SHOWN = 200
ENTITY_ITEMS = 30
AGENDA_DAYS = 14


def find_items(visit: Visit) -> dict[str, Any]:
    """Return a page of items, newest first, and what there is to filter by."""
    page = visit.memory.list(
        filter=visit.filter(), limit=PAGE_ITEMS, cursor=visit.text("cursor"),
        as_of=visit.text("as_of") or None,
    )  # fmt: skip
    asked = {"as_of": visit.text("as_of"), **visit.chosen()}
    return {"listed": page, "asked": asked, "counts": visit.counts()}


def find_item(visit: Visit) -> dict[str, Any]:
    """Return an item with its versions and how it was used."""
    item_id = visit.text("id")
    versions = visit.memory.history(item_id)
    try:
        item = visit.memory.get(item_id, as_of=visit.text("as_of") or None)
    except NotFound:
        item = None  # forgotten, and still kept
    return {
        "item": item,
        "versions": versions,
        "engagement": visit.memory.engagement(item_id),
        "spans": _spans(visit.text("spans")),
    }


def _spans(text: str) -> list[tuple[int, int]]:
    """Return spans of code points, written as `12-40,55-60`."""
    found = []
    for one in filter(None, text.split(",")):
        start, _, stop = one.partition("-")
        if not (start.isdecimal() and stop.isdecimal()):
            raise InvalidInput("spans", f"must be as in 12-40,55-60, got {text!r}")
        found.append((int(start), int(stop)))
    return found


def change_item(visit: Visit) -> Done:
    """Forget an item or bring it back and show it; or erase it, and show the proof."""
    item_id, action = visit.text("id"), visit.text("action")
    if action == "erase":
        return _erase(visit, item_id)
    if action == "forget":
        visit.memory.forget(item_id)
    elif action == "restore":
        visit.memory.restore(item_id)
    else:
        raise InvalidInput("action", f"must be forget, restore or erase, got {action!r}")
    return Done(verb=action, place=f"/item?id={quote(item_id)}")


def _erase(visit: Visit, item_id: str) -> Done:
    if not visit.caller.allows(Permission.ERASE):
        raise AccessDenied("this key does not allow to erase")
    if visit.text("sure") != "yes":
        raise InvalidInput("sure", "erasing cannot be undone: tick the box if you are sure")
    visit.caller.announce("erase")
    report = visit.memory.erase(item_id, prove=True)
    return Done(verb="erase", template="erased.html", view={"report": report})


def find_agenda(visit: Visit) -> dict[str, Any]:
    """Return the entries of two weeks, day by day, with the weeks before and after."""
    since = _day(visit.text("since"), default=visit.now.date())
    agenda = visit.memory.agenda(
        since=since, until=since + timedelta(days=AGENDA_DAYS), now=visit.now,
        as_of=visit.text("as_of") or None,
    )  # fmt: skip
    step = timedelta(days=AGENDA_DAYS)
    return {
        "agenda": agenda,
        "days": [
            (date.fromisoformat(day), list(entries))
            for day, entries in groupby(agenda.entries, key=lambda one: one.starts_at[:10])
        ],
        "earlier": str(since - step),
        "later": str(since + step),
        "since": str(since),
        "today": visit.now.date(),
    }


def _day(text: str, *, default: date) -> date:
    try:
        return datetime.fromisoformat(text).date() if text else default
    except ValueError:
        raise InvalidInput("since", f"must be a day as in 2026-02-03, got {text!r}") from None


def find_people(visit: Visit) -> dict[str, Any]:
    """Return people and things, most mentioned first; of one that is named, what mentions it."""
    name = visit.text("name")
    view: dict[str, Any] = {
        "name": name,
        "entities": visit.memory.entities(name=name, limit=PEOPLE_SHOWN),
        "hits": (),
    }
    if name and view["entities"]:
        found = visit.memory.search(name, limit=ENTITY_ITEMS, now=visit.now)
        view["hits"] = sorted(found.hits, key=lambda hit: _when(hit.item), reverse=True)
    return view


def _when(item: Any) -> str:
    return item.happened_at.isoformat() if item.happened_at else ""


def change_people(visit: Visit) -> Done:
    """Rename an entity, or merge another one into it, and show it."""
    name, new, other = visit.text("name"), visit.text("new"), visit.text("other")
    if other:
        visit.memory.entities.merge(name, other)
        return Done(verb="entities.merge", place=f"/people?name={quote(name)}")
    visit.memory.entities.rename(name, new)
    return Done(verb="entities.rename", place=f"/people?name={quote(new)}")


def find_memories(visit: Visit) -> dict[str, Any]:
    """Return the memories that hold, newest first, and the proposals that wait."""
    page = visit.memory.list(
        filter={"kinds": [Kind.MEMORY]}, limit=PAGE_ITEMS, cursor=visit.text("cursor")
    )
    proposals = visit.memory.proposals.list(limit=PAGE_ITEMS)
    return {
        "listed": page,
        "proposals": proposals,
        "preferences": visit.memory.preferences.list(limit=PAGE_ITEMS),
    }


def change_memories(visit: Visit) -> Done:
    """Keep a statement as a memory, or decide on a proposal, and show what holds."""
    proposals, action = visit.memory.proposals, visit.text("action")
    decide = {"accept": proposals.accept, "reject": proposals.reject, "undo": proposals.undo}
    if action == "remember":
        visit.memory.remember(visit.text("statement"))
        return Done(verb="remember", place="/memories")
    if action not in decide:
        raise InvalidInput("action", f"must be remember, accept, reject or undo, got {action!r}")
    decide[action](visit.text("id"))
    return Done(verb=f"proposals.{action}", place="/memories")


def find_receipts(visit: Visit) -> dict[str, Any]:
    """Return the stored receipts; of one the brief as it was, of two what differs."""
    receipt, other = visit.text("id"), visit.text("other")
    return {
        "receipts": visit.memory.receipts(limit=PAGE_ITEMS, cursor=visit.text("cursor")),
        "receipt": receipt,
        "replay": visit.memory.replay(receipt) if receipt else None,
        "other": other,
        "other_replay": visit.memory.replay(other) if other else None,
        "diff": visit.memory.diff(receipt, other) if receipt and other else None,
    }


def keep_receipt(visit: Visit) -> Done:
    """Keep the receipt of a brief that was asked for, and show it."""
    brief = visit.memory.brief(visit.text("q"), keep_receipt=True, **ask.asked_of(visit))
    return Done(verb="brief", place=f"/receipts?id={quote(brief.receipt.id)}")


def find_status(visit: Visit) -> dict[str, Any]:
    """Return sizes, and the findings of a check if it is asked for by who may administer."""
    stats, may_check = visit.stats(), visit.caller.allows(Permission.ADMIN)
    is_asked = bool(visit.text("check")) and may_check and stats.revision
    findings = visit.memory.doctor() if is_asked else None
    return {"stats": stats, "findings": findings, "may_check": may_check}


PAGES = (
    Page(path="/items", title="Items", verb="list", find=find_items, template="items.html"),
    Page(
        path="/item", title="Item", verb="get", find=find_item, template="item.html",
        act=change_item, in_menu=False,
    ),
    Page(path="/agenda", title="Agenda", verb="agenda", find=find_agenda, template="agenda.html"),
    Page(
        path="/people", title="People and things", verb="entities", find=find_people,
        template="people.html", act=change_people,
    ),
    Page(
        path="/memories", title="Memories", verb="memories", find=find_memories,
        template="memories.html", act=change_memories,
    ),
    Page(
        path="/receipts", title="Receipts", verb="receipts", find=find_receipts,
        template="receipts.html", act=keep_receipt,
    ),
    Page(path="/status", title="Status", verb="stats", find=find_status, template="status.html"),
)  # fmt: skip
