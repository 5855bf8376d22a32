"""The layouts by name, in which order each takes candidates, and whose lines change whose."""

from collections.abc import Callable, Sequence

from simonides.context.brief import brief_blocks, subject_of
from simonides.context.ordering import focused
from simonides.context.render_context import LayoutOf
from simonides.context.scoped import scoped_blocks, scoped_order
from simonides.context.sourced import sourced_blocks
from simonides.model.answer import Hit
from simonides.model.brief import Layout
from simonides.model.item import Item

LAYOUTS: dict[Layout, LayoutOf] = {
    Layout.BRIEF: brief_blocks,
    Layout.SOURCED: sourced_blocks,
    Layout.SCOPED: scoped_blocks,
}

ORDERS: dict[Layout, Callable[[Sequence[Hit]], list[Hit]]] = {
    Layout.BRIEF: focused,
    Layout.SOURCED: list,
    Layout.SCOPED: scoped_order,
}
"""In which order candidates are offered to the budget: the seeds' for their layouts (as found,
and by scope)."""

KINS: dict[Layout, Callable[[Item], str]] = {
    Layout.BRIEF: subject_of,
    Layout.SOURCED: lambda _: "",
    Layout.SCOPED: lambda _: "",
}
"""Items of the same key, if it is not empty, change each other's lines by being there."""
