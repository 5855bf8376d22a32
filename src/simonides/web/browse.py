"""The pages of what is kept: items, one item, the agenda, people and things."""

from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from simonides.errors import AccessDenied, InvalidInput, NotFound
from simonides.model.access import Permission
from simonides.model.item import Kind
from simonides.web.marking import WordMarker, mark_spans
from simonides.web.network import network_of
from simonides.web.page import Done, Page, Visit, as_day, days_from

if TYPE_CHECKING:
    from simonides.model.item import Item

PAGE_ITEMS = 50
PEOPLE_SHOWN = 200
AGENDA_DAYS = 14


def find_items(visit: Visit) -> dict[str, Any]:
    """Return a page of items, newest first, and what there is to filter by."""
    page = visit.memory.list(
        filter=visit.filter(), limit=PAGE_ITEMS, cursor=visit.text("cursor"), as_of=visit.as_of
    )
    asked = {"as_of": visit.text("as_of"), **visit.read_chosen()}
    return {"listed": page, "asked": asked, "counts": visit.counts()}


def find_item(visit: Visit) -> dict[str, Any]:
    """Return an item with its versions and how it was used."""
    item_id = visit.text("id")
    versions = visit.memory.history(item_id)
    try:
        item = visit.memory.get(item_id, as_of=visit.as_of)
    except NotFound:
        item = None  # forgotten, and still kept
    return {
        "item": item,
        "versions": versions,
        "engagement": visit.memory.engagement(item_id),
        "spans": _spans(visit.text("spans")),
        "asked": {"q": visit.text("q")},
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


def draw_item(view: dict[str, Any]) -> dict[str, Any]:
    """Return the text of an item, its spans marked, or else the words of a question."""
    latest: Item = view["item"] or view["versions"][-1].item
    spans, question = view["spans"], view["asked"]["q"]
    if question and not spans:
        return {"text": WordMarker(question).mark(latest.content, language=latest.language)}
    return {"text": mark_spans(latest.content, spans, anchor="passage")}


def change_item(visit: Visit) -> Done:
    """Forget an item or bring it back and show it; or erase it, and show the proof."""
    item_id, action = visit.text("id"), visit.text("action")
    if action == "erase":
        return _erase(visit, item_id)
    if action == "forget":
        if not visit.memory.forget(item_id):
            raise NotFound("item", item_id)
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
    """Return the entries of two weeks, day by day, and how much is in each month."""
    given = visit.text("since")
    since = as_day(given, field="since") if given else visit.today
    until = days_from(since, AGENDA_DAYS, field="since")
    agenda = visit.memory.agenda(since=since, until=until, now=visit.now, as_of=visit.as_of)
    return {
        "agenda": agenda,
        "days": [
            (date.fromisoformat(day), list(entries))
            for day, entries in groupby(agenda.entries, key=lambda one: one.starts_at[:10])
        ],
        "months": visit.counts(kinds=[Kind.EVENT, Kind.TASK]).by_month,
        "earlier": str(days_from(since, -AGENDA_DAYS, field="since")),
        "later": str(until),
        "since": str(since),
        "today": visit.today,
    }


def find_people(visit: Visit) -> dict[str, Any]:
    """Return people and things by name, most mentioned first; of one its details and timeline."""
    name, entity = visit.text("name"), visit.text("id")
    view: dict[str, Any] = {
        "name": name, "id": entity, "details": None, "listed": None, "next": "",
    }  # fmt: skip
    after = visit.text("after")
    found = visit.memory.entities(name=name, limit=PEOPLE_SHOWN, after=after) if not entity else ()
    if name and len(found) == 1:
        entity = found[0].id
    if not entity:
        is_full = len(found) == PEOPLE_SHOWN
        return {**view, "entities": found, "next": found[-1].id if is_full else ""}
    listed = visit.memory.list(
        filter={"entities": [entity]}, limit=PAGE_ITEMS, cursor=visit.text("cursor")
    )
    details = visit.memory.entities.get(entity)
    return {**view, "id": entity, "entities": found, "details": details, "listed": listed}


def draw_people(view: dict[str, Any]) -> dict[str, Any]:
    """Return the network of the entity that is shown."""
    return {"network": network_of(view["details"]) if view["details"] else None}


def change_people(visit: Visit) -> Done:
    """Rename an entity, or merge another one into it, and show it."""
    entity, new, other = visit.text("id"), visit.text("new"), visit.text("other")
    if other:
        shown, verb = visit.memory.entities.merge(entity, other), "entities.merge"
    else:
        shown, verb = visit.memory.entities.rename(entity, new), "entities.rename"
    return Done(verb=verb, place=f"/people?id={quote(shown.id)}")


PAGES = (
    Page(path="/items", title="Items", verb="list", find=find_items, template="items.html"),
    Page(
        path="/item", title="Item", verb="get", find=find_item, draw=draw_item,
        template="item.html", act=change_item, in_menu=False,
    ),
    Page(path="/agenda", title="Agenda", verb="agenda", find=find_agenda, template="agenda.html"),
    Page(
        path="/people", title="People and things", verb="entities", find=find_people,
        draw=draw_people, template="people.html", act=change_people,
    ),
)  # fmt: skip
