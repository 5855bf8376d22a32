"""A brief's account drawn for people: what each line costs, what was left out, what more brings.

Knows how an account is laid out on a page. Must not know how a brief is made.
"""

from collections.abc import Iterator, Mapping

from simonides.cli.context import Context
from simonides.cli.hits import title_of
from simonides.cli.output import Output
from simonides.cli.terminal_text import clipped
from simonides.model.answer import Hit
from simonides.model.brief import Brief, BriefItem, Dropped, Explained

_TITLE_WIDTH = 50


def draw_account(context: Context, explained: Explained) -> None:
    """Draw the budget line by line, what was dropped and why, and what a larger one would hold."""
    output, made = context.output, explained.brief
    hits = {hit.id: hit for hit in explained.result.hits}
    _draw_budget(output, made, hits)
    if made.dropped:
        output.line(("dropped", "bold"))
    for one in made.dropped:
        _draw_dropped(output, one, hits)
    output.line((f"with {explained.more} {made.unit} more", "bold"))
    for item in explained.more_items:
        output.line(f"  {item.score:.3f} {item.tokens:7,}  ", (_shown(item, hits), "bold"))
    if not explained.more_items:
        output.line(("  no other item", "dim"))


def _draw_budget(output: Output, made: Brief, hits: Mapping[str, Hit]) -> None:
    """Draw what each stretch of the text costs, the running total, and what is left then."""
    config = made.receipt.config
    about = f"{config.layout} layout, {config.context_mode} mode"
    output.line((f"budget of {made.budget:,} {made.unit}", "bold"), f"  {about}")
    output.line((f"  {made.unit:>7} {'in all':>7} {'left':>7}", "dim"))
    left = made.budget - config.reserve
    if config.reserve:
        output.line(f"  {config.reserve:7,} {'':7} {left:7,}  kept in reserve")
    total = 0
    names = _names(made, hits)
    for section, name in zip(made.account, names, strict=True):
        total += section.tokens
        output.line(f"  {section.tokens:7,} {total:7,} {left - total:7,}  {name}")


def _names(made: Brief, hits: Mapping[str, Hit]) -> Iterator[str]:
    """Yield what stands behind each section: for an item its number, title and how it is shown."""
    items = iter(made.items)
    for section in made.account:
        item = next(items, None) if section.name == "item" else None
        yield section.name if item is None else f"{item.number} {_shown(item, hits)}"


def _shown(item: BriefItem, hits: Mapping[str, Hit]) -> str:
    title = title_of(hits[item.id].item, width=_TITLE_WIDTH) if item.id in hits else item.title
    tier = f", {item.tier}" if item.tier else ""
    return f"{title} ({item.stage}, {item.form}{tier})"


def _draw_dropped(output: Output, one: Dropped, hits: Mapping[str, Hit]) -> None:
    title = title_of(hits[one.id].item, width=_TITLE_WIDTH) if one.id in hits else one.id
    detail = f"  {clipped(one.detail, _TITLE_WIDTH)}" if one.detail else ""
    output.line(f"  {one.score:.3f} ", (f"{one.reason:15} ", "yellow"), title, (detail, "dim"))
