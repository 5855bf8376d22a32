"""Pages as HTML: the templates with their filters, and the headers of a page.

Every value is escaped by Jinja2 unless it was made by `marking`. Must not know any page.
"""

from collections.abc import Mapping
from datetime import date, datetime
from functools import cache
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context, select_autoescape
from jinja2.runtime import Context
from starlette.responses import HTMLResponse, Response

from simonides.codec.write import to_json
from simonides.context.values import write_value
from simonides.model.item import Item
from simonides.model.times import show_in_zone

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The content security policy of a page: nothing from outside, nothing inline."""

HEADERS = {"Content-Security-Policy": POLICY, "Referrer-Policy": "same-origin"}
"""With `no-referrer`, browsers name no origin when a form is sent, and it would be refused."""

TITLE_CHARS = 90
_DAY_CHARS = len("2026-03-05")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("simonides.web"), autoescape=select_autoescape(default=True),
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.filters.update(
        title=title_of,
        day=_show_day,
        time=_show_time,
        query=query_of,
        value=write_value,
        written=_show_written,
    )
    return made


def render(template: str, view: Mapping[str, Any], *, status: int = 200) -> Response:
    """Return the response of a page."""
    html = _environment().get_template(template).render(view)
    return HTMLResponse(html, status, HEADERS)


def as_json(view: Mapping[str, Any]) -> Response:
    """Return the JSON twin of a page."""
    return Response(to_json(dict(view)), media_type="application/json")


def title_of(item: Item) -> str:
    """Return the title of an item, or the beginning of its text."""
    text = " ".join((item.title or item.content or item.id).split())
    return text if len(text) <= TITLE_CHARS else f"{text[:TITLE_CHARS].rstrip()}…"


@pass_context
def _show_day(context: Context, when: date | None) -> str:
    """Return a day as `3 Feb 2026`, of a time that in the page's zone."""
    if isinstance(when, datetime):
        when = show_in_zone(when, context["timezone"])
    return f"{when.day} {when:%b %Y}" if when else ""


@pass_context
def _show_time(context: Context, when: datetime | None) -> str:
    return time_in(context["timezone"], when) if when else ""


@pass_context
def _show_written(context: Context, text: str) -> str:
    """Return a day or a time that is written as in ISO 8601 as pages show it."""
    when = datetime.fromisoformat(text)
    return _show_day(context, when.date()) if len(text) == _DAY_CHARS else _show_time(context, when)


def time_in(timezone: str, when: datetime) -> str:
    """Return a time in a zone, as `3 Feb 2026 09:30 CET`."""
    local = show_in_zone(when, timezone)
    return f"{local.day} {local:%b %Y %H:%M %Z}"


def query_of(fields: Mapping[str, Any], **changes: Any) -> str:
    """Return a query string of fields with changes; what is empty is left out."""
    given = {**fields, **changes}
    kept = {name: value for name, value in given.items() if value not in ("", None, [])}
    return f"?{urlencode(kept, doseq=True)}" if kept else "?"
