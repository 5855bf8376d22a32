"""`simonides audit`: what was done over HTTP and MCP, by which key."""

from argparse import ArgumentParser, Namespace

from simonides.cli.context import Context
from simonides.cli.options import positive
from simonides.cli.verbs.keys import key_id
from simonides.model.access import AuditPage

HELP = "Print what was done by which key, latest first; no word of what it was about."
EXAMPLE = "simonides audit --limit 20"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare which page of whose notes."""
    parser.add_argument("--limit", type=positive, default=50, metavar="N", help="notes a page (50)")
    parser.add_argument("--cursor", default="", help="where the page before this one ended")
    parser.add_argument("--key", type=key_id, metavar="ID", help="only of this key (id or prefix)")


def run(context: Context, arguments: Namespace) -> None:
    """Write one page."""
    with context.memory() as memory:
        page = memory.keys.audit(
            limit=arguments.limit, cursor=arguments.cursor, key_id=arguments.key or ""
        )
    context.output.answer(page, draw=lambda: _draw(context, page))


def _draw(context: Context, page: AuditPage) -> None:
    if not page.entries:
        context.output.note("nothing was noted")
        return
    rows = [
        (context.minute(one.at), one.key_id or "-", one.verb, one.space, str(one.status),
         str(one.count))
        for one in page.entries
    ]  # fmt: skip
    context.output.table(("time", "key", "verb", "space", "status", "count"), rows)
    if page.cursor:
        context.output.note((f"more: --cursor {page.cursor}", "dim"))
