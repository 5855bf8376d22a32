"""Lists and pages as tables. Must not know any record."""

from collections.abc import Callable, Sequence
from typing import Any

from simonides.cli.context import Context

TEXT_WIDTH = 50
"""Characters of a text that a table shows."""


def table(
    headers: Sequence[str], row: Callable[[Context, Any], Sequence[str]], *,
    empty: str, of: str = "",
) -> Callable[..., None]:  # fmt: skip
    """Return a function that draws a list or page as a table; `empty` is printed for none."""

    def draw(context: Context, result: Any, _: Any = None) -> None:
        entries = getattr(result, of) if of else result
        if not entries:
            context.output.note(empty)
            return
        context.output.table(headers, [row(context, one) for one in entries])
        more(context, result)

    return draw


def more(context: Context, page: Any) -> None:
    """Write the option that requests the next page, if there is one."""
    if cursor := getattr(page, "cursor", ""):
        context.output.note((f"more: --cursor {cursor}", "dim"))
