"""`simonides list`: what is kept, newest first."""

from argparse import ArgumentParser, Namespace

from simonides.cli.as_of import add_as_of, read_as_of
from simonides.cli.context import Context
from simonides.cli.hits import title_of
from simonides.cli.options import add_filter, positive, read_filter
from simonides.model.answer import Page

HELP = "List what is kept, newest first, a page at a time."
EXAMPLE = "simonides list --kind email --since 2026-03-01 --limit 20"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the page and the filters."""
    parser.add_argument("--limit", type=positive, default=50, metavar="N", help="items a page (50)")
    parser.add_argument("--cursor", default="", help="where the page before this one ended")
    add_as_of(parser)
    add_filter(parser)


def run(context: Context, arguments: Namespace) -> None:
    """Write one page."""
    wanted, when = read_filter(context, arguments), read_as_of(context, arguments)
    with context.memory() as memory:
        page = memory.list(filter=wanted, limit=arguments.limit, cursor=arguments.cursor, **when)
    context.output.answer(page, draw=lambda: _draw(context, page))


def _draw(context: Context, page: Page) -> None:
    if not page.items:
        context.output.note("nothing kept that fits")
        return
    rows = [
        (context.day(item.happened_at), item.kind, item.source, title_of(item, width=50), item.id)
        for item in page.items
    ]
    context.output.table(("date", "kind", "source", "title", "id"), rows)
    if page.cursor:
        context.output.note((f"more: --cursor {page.cursor}", "dim"))
