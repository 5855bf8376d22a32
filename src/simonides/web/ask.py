"""The front page: a question, how it was read, what was found, and the brief that a model gets."""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from simonides.model.answer import Contribution, Hit, Plan
from simonides.text.stopwords import stop_words
from simonides.web.marking import mark_words
from simonides.web.page import Page, Visit
from simonides.web.render import title_of

if TYPE_CHECKING:
    from simonides.model.brief import Explained

BUDGET_TOKENS = 1_500
BUDGET_MIN, BUDGET_MAX = 100, 6_000
"""Of the slider, in tokens: what fits the windows of small and of large models."""

HITS_SHOWN = 20


def find(visit: Visit) -> dict[str, Any]:
    """Return the explanation of a brief for the question, if there is one."""
    given = asked_of(visit)
    question = visit.text("q")
    asked = {
        "q": question, "budget": given["budget_tokens"], "as_of": visit.text("as_of"),
        "mode": given["mode"], **visit.chosen(),
    }  # fmt: skip
    view = {"asked": asked, "counts": visit.counts()}
    if not question:
        return {**view, "stats": visit.stats(), "explained": None}
    return {**view, "explained": visit.memory.explain(question, **given)}


def asked_of(visit: Visit) -> dict[str, Any]:
    """Return the arguments of the brief that the fields ask for, but for the question."""
    return {
        "budget_tokens": visit.number("budget", BUDGET_TOKENS, least=BUDGET_MIN, most=BUDGET_MAX),
        "mode": visit.text("mode", "hybrid"),
        "filter": visit.filter(),
        "as_of": visit.text("as_of") or None,
        "now": visit.now,
    }


def draw(view: dict[str, Any]) -> dict[str, Any]:
    """Return the marked passages, titles and readings of a view."""
    explained: Explained | None = view["explained"]
    if explained is None:
        return {"hits": (), "dropped": (), "readings": ()}
    question = view["asked"]["q"]
    titles = {hit.item.id: title_of(hit.item) for hit in explained.result.hits}
    numbers = {one.id: one for one in explained.brief.items}
    top = max((abs(part.value) for hit in explained.result.hits for part in _parts(hit)), default=1)
    return {
        "hits": [_hit(hit, question, numbers, top) for hit in explained.result.hits[:HITS_SHOWN]],
        "dropped": [(one, titles.get(one.id, one.id)) for one in explained.brief.dropped],
        "readings": readings(explained.result.plan),
    }


def _hit(hit: Hit, question: str, numbers: dict[str, Any], top: float) -> dict[str, Any]:
    text = hit.passage or hit.item.content
    return {
        "hit": hit,
        "passage": mark_words(text, question, language=hit.item.language or "en"),
        "parts": [(part, abs(part.value) / top) for part in _parts(hit)],
        "in_brief": numbers.get(hit.item.id),
    }


def _parts(hit: Hit) -> list[Contribution]:
    parts = [one for one in hit.explanation.contributions if abs(one.value) >= SMALLEST_SHOWN]
    return sorted(parts, key=lambda one: -abs(one.value))


SMALLEST_SHOWN = 0.005
"""Contributions to a score below this are 0.00 on the page."""


def readings(plan: Plan) -> list[tuple[str, str]]:
    """Return how a question was read, as pairs of a name and a value, of what was found."""
    time = plan.time
    span = f"{_day(time.since)} to {_day(time.until)}" if time else ""
    found = [
        ("words", " · ".join(word for word in plan.words if word not in stop_words("en"))),
        ("phrases", " · ".join(plan.phrases)),
        ("time", span),
        ("direction", plan.direction.value),
        ("asks", _asks(plan)),
        ("people", _names(plan.people)),
        ("things", _names(plan.entities)),
        ("sources", " · ".join(plan.sources)),
        ("kinds", " · ".join(plan.kinds)),
    ]
    return [(name, value) for name, value in found if value and value != "none"]


def _names(ids: Iterable[str]) -> str:
    """Return the names in ids of entities, such as `person:~ann lee`."""
    return " · ".join(one.partition(":")[2].lstrip("~") or one for one in ids)


def _asks(plan: Plan) -> str:
    asks = ["when"] * plan.asks_when + ["agenda"] * plan.asks_agenda
    return " · ".join(asks)


def _day(when: datetime | None) -> str:
    return when.strftime("%d %b %Y %H:%M") if when else "…"


PAGE = Page(path="/", title="Ask", verb="explain", find=find, draw=draw, template="ask.html")
