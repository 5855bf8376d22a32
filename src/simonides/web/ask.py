"""The front page: a question, how it was read, what was found, and the brief that a model gets.

And the story of what is asked for: what was said of it over time.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from simonides.model.answer import Contribution, Hit, Plan, PlanPart
from simonides.text.stopwords import stop_words
from simonides.web.marking import WordMarker
from simonides.web.page import Page, Visit
from simonides.web.render import time_in, title_of

if TYPE_CHECKING:
    from simonides.model.brief import Explained
    from simonides.model.story import Story, StoryStep

BUDGET_TOKENS = 1_500
BUDGET_MIN, BUDGET_MAX = 100, 6_000
"""Of the slider, in tokens: what fits the windows of small and of large models."""

OTHER_BUDGETS = (500, 1_000, 2_000, 4_000, 6_000)
"""Budgets that are compared if that is asked for: one search serves all, but each brief costs."""

HITS_SHOWN = 20


def find(visit: Visit) -> dict[str, Any]:
    """Return the explanation of a brief for the question, if there is one."""
    given = read_fields(visit)
    question = visit.text("q")
    view = {
        "asked": _write_fields(visit, given),
        "counts": visit.counts(),
        "stats": None if visit.is_part else visit.stats(),
        "now": visit.now,
    }
    if not question:
        return {**view, "explained": None}
    budgets = OTHER_BUDGETS if visit.text("compare") else ()
    return {**view, "explained": visit.memory.explain(question, budgets=budgets, **given)}


def read_fields(visit: Visit) -> dict[str, Any]:
    """Return the arguments of the brief that the fields ask for, but for the question."""
    return {
        "budget_tokens": visit.number("budget", BUDGET_TOKENS, least=BUDGET_MIN, most=BUDGET_MAX),
        "mode": visit.text("mode", "hybrid"),
        "filter": visit.filter(),
        "as_of": visit.as_of,
        "ignore": visit.texts("ignore"),
        "now": visit.now,
    }


def _write_fields(visit: Visit, given: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the address that say the same."""
    return {
        "q": visit.text("q"), "budget": given["budget_tokens"], "as_of": visit.text("as_of"),
        "mode": given["mode"], "ignore": given["ignore"], **visit.read_chosen(),
    }  # fmt: skip


def draw(view: dict[str, Any]) -> dict[str, Any]:
    """Return the marked passages, titles and readings of a view."""
    explained: Explained | None = view["explained"]
    if explained is None:
        return {"hits": (), "dropped": (), "readings": ()}
    marker = WordMarker(view["asked"]["q"])
    titles = {hit.item.id: title_of(hit.item) for hit in explained.result.hits}
    numbers = {one.id: one for one in explained.brief.items}
    top = max((abs(part.value) for hit in explained.result.hits for part in _parts(hit)), default=1)
    return {
        "hits": [_hit(hit, marker, numbers, top) for hit in explained.result.hits[:HITS_SHOWN]],
        "dropped": [(one, titles.get(one.id, one.id)) for one in explained.brief.dropped],
        "readings": readings(explained.result.plan, timezone=view["timezone"]),
        "pinned": [one for one in explained.brief.items if one.stage == "pinned"],
    }


def _hit(hit: Hit, marker: WordMarker, numbers: dict[str, Any], top: float) -> dict[str, Any]:
    text = hit.passage or hit.item.content
    shown = numbers.get(hit.item.id)
    return {
        "hit": hit,
        "passage": marker.mark(text, language=hit.item.language),
        "parts": [(part, abs(part.value) / top) for part in _parts(hit)],
        "in_brief": shown,
        "spans": ",".join(f"{start}-{stop}" for start, stop in shown.spans) if shown else "",
    }


def _parts(hit: Hit) -> list[Contribution]:
    parts = [one for one in hit.explanation.contributions if abs(one.value) >= SMALLEST_SHOWN]
    return sorted(parts, key=lambda one: -abs(one.value))


SMALLEST_SHOWN = 0.005
"""Contributions to a score below this are 0.00 on the page."""

Reading = tuple[str, str, PlanPart | None]
"""A name, a value, and the part of the plan that can be ignored, if it can."""


def readings(plan: Plan, *, timezone: str) -> list[Reading]:
    """Return how a question was read: what was found, each with the part that it is."""

    def show(when: datetime | None) -> str:
        return time_in(timezone, when) if when else "…"

    times = filter(None, (plan.time, plan.other_time))
    span = " or ".join(" to ".join(map(show, (time.since, time.until))) for time in times)
    who = [*_names(plan.people), *["you"] * bool(plan.first_person and plan.owner)]
    found: list[Reading] = [
        ("words", _join(one for one in plan.words if one not in stop_words("en")), None),
        ("phrases", _join(plan.phrases), PlanPart.PHRASES),
        ("time", span, PlanPart.TIME),
        ("direction", plan.direction.value, PlanPart.DIRECTION),
        ("asks", "when" * plan.asks_when, PlanPart.WHEN),
        ("asks for", "agenda" * plan.asks_agenda, PlanPart.AGENDA),
        ("tasks", plan.task_state.value, PlanPart.TASKS),
        ("replies", plan.reply_state.value, PlanPart.REPLIES),
        ("people", _join(who), PlanPart.PEOPLE),
        ("things", _join(_names(plan.entities)), PlanPart.ENTITIES),
        ("sources", _join(plan.sources), PlanPart.SOURCES),
        ("kinds", _join(plan.kinds), PlanPart.KINDS),
    ]
    return [one for one in found if one[1]]


def _join(words: Iterable[str]) -> str:
    return " · ".join(words)


def _names(ids: Iterable[str]) -> list[str]:
    """Return the names in ids of entities, such as `person:~ann lee`."""
    return [one.partition(":")[2].lstrip("~") or one for one in ids]


def find_story(visit: Visit) -> dict[str, Any]:
    """Return the story of what is asked for, if anything is."""
    question = visit.text("q")
    asked = {"q": question, "as_of": visit.text("as_of"), **visit.read_chosen()}
    view = {"asked": asked, "counts": visit.counts()}
    if not question:
        return {**view, "story": None}
    story = visit.memory.story(
        question, filter=visit.filter(), as_of=visit.as_of, now=visit.now, limit=HITS_SHOWN
    )
    return {**view, "story": story}


def draw_story(view: dict[str, Any]) -> dict[str, Any]:
    """Return the steps of a story with their marked passages."""
    story: Story | None = view["story"]
    marker = WordMarker(view["asked"]["q"])
    return {"steps": [_step(one, marker) for one in story.steps] if story else []}


def _step(step: "StoryStep", marker: WordMarker) -> dict[str, Any]:
    item = step.hit.item
    text = step.hit.passage or item.content
    start = max(item.content.find(step.hit.passage), 0)
    return {
        "step": step,
        "when": item.dated_at,
        "passage": marker.mark(text, language=item.language),
        "spans": f"{start}-{start + len(step.hit.passage)}" if step.hit.passage else "",
    }


PAGES = (
    Page(path="/", title="Ask", verb="explain", find=find, draw=draw, template="ask.html"),
    Page(
        path="/story", title="Story", verb="story", find=find_story, draw=draw_story,
        template="story.html",
    ),
)  # fmt: skip
