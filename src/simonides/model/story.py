"""How something came to be as it is: what was said of it over time. Knows shapes only."""

from dataclasses import dataclass

from simonides.model.answer import Hit
from simonides.model.result import Result, html_table


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryStep(Result):
    """One thing that was said: whether it `changes` what stood, and whether it was `replaced`."""

    hit: Hit
    changes: bool
    replaced: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Story(Result):
    """What was said of a matter over time, the earliest first; empty where nothing is found."""

    query: str
    steps: tuple[StoryStep, ...]

    def _repr_html_(self) -> str:
        rows = [
            (f"{one.hit.item.dated_at:%Y-%m-%d}", one.hit.passage or one.hit.text,
             one.hit.item.source, "changes" * one.changes, "replaced" * one.replaced)
            for one in self.steps
        ]  # fmt: skip
        return html_table(("when", "text", "source", "", ""), rows)
