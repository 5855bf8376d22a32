"""Receipts of briefs, and the state of the space: sizes, checks, keys and the audit log."""

from typing import Any
from urllib.parse import quote

from simonides.model.access import Permission
from simonides.version import __version__
from simonides.web import ask
from simonides.web.marking import mark_differences
from simonides.web.page import Done, Page, Visit

PAGE_RECEIPTS = 50
AUDIT_SHOWN = 30


def find_receipts(visit: Visit) -> dict[str, Any]:
    """Return the stored receipts; of one the brief as it was, of two what differs."""
    receipt, other = visit.text("id"), visit.text("other")
    return {
        "receipts": visit.memory.receipts(limit=PAGE_RECEIPTS, cursor=visit.text("cursor")),
        "receipt": receipt,
        "replay": visit.memory.replay(receipt) if receipt else None,
        "other": other,
        "other_replay": visit.memory.replay(other) if other else None,
        "diff": visit.memory.diff(receipt, other) if receipt and other else None,
    }


def draw_receipts(view: dict[str, Any]) -> dict[str, Any]:
    """Return the texts of the briefs that are shown, with what only one of two says marked."""
    shown, other = view["replay"], view["other_replay"]
    if not shown:
        return {"texts": ()}
    return {"texts": mark_differences(shown.text, other.text) if other else (shown.text,)}


def keep_receipt(visit: Visit) -> Done:
    """Keep the receipt of a brief that was asked for, and show it."""
    brief = visit.memory.brief(visit.text("q"), keep_receipt=True, **ask.read_fields(visit))
    return Done(verb="brief", place=f"/receipts?id={quote(brief.receipt.id)}")


def find_status(visit: Visit) -> dict[str, Any]:
    """Return sizes; for who may administer also keys, the audit log, and checks if asked for."""
    stats, may_check = visit.stats(), visit.caller.allows(Permission.ADMIN)
    is_asked = bool(visit.text("check")) and may_check and stats.revision
    keys, space = visit.memory.keys, visit.memory.space
    return {
        "stats": stats,
        "findings": visit.memory.doctor() if is_asked else None,
        "may_check": may_check,
        "version": __version__,
        "keys": [one for one in keys.list() if one.space == space] if may_check else (),
        "audit": keys.audit(limit=AUDIT_SHOWN, space=space).entries if may_check else (),
    }


PAGES = (
    Page(
        path="/receipts", title="Receipts", verb="receipts", find=find_receipts,
        draw=draw_receipts, template="receipts.html", act=keep_receipt,
    ),
    Page(path="/status", title="Status", verb="stats", find=find_status, template="status.html"),
)  # fmt: skip
