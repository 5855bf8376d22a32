"""`simonides update`: change fields of one item."""

from argparse import ArgumentParser, Namespace
from typing import Any

from simonides.cli.context import Context
from simonides.cli.options import json_value, positive
from simonides.cli.verbs.get import draw_item
from simonides.errors import InvalidInput
from simonides.model.times import read_time

HELP = "Change fields of one item; what is not named stays."
EXAMPLE = 'simonides update 8ck4h2v0q1e7m3s5t6u9x0y1z2 --title "Alpha, new deadline" --tag alpha'


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the id and the fields."""
    parser.add_argument("id", metavar="ID", help="the item's id")
    parser.add_argument("--content", metavar="TEXT", help="new content; - reads stdin")
    parser.add_argument("--title", help="new title")
    parser.add_argument("--summary", help="new summary")
    parser.add_argument("--tag", dest="tags", action="append", help="a tag instead of all old ones")
    parser.add_argument("--metadata", type=json_value, metavar="JSON", help="new metadata, whole")
    parser.add_argument("--collection", metavar="NAME", help="move it to this collection")
    parser.add_argument("--happened-at", metavar="TIME", help="new ISO time")
    parser.add_argument(
        "--if-version", type=positive, metavar="N", help="only if this version is present"
    )


def run(context: Context, arguments: Namespace) -> None:
    """Change what was named and write the item as it is now."""
    changes = _changes(context, arguments)
    with context.memory() as memory:
        item = memory.update(arguments.id, **changes)
    context.output.answer(item, draw=lambda: draw_item(context, item))


def _changes(context: Context, arguments: Namespace) -> dict[str, Any]:
    named = ("content", "title", "summary", "tags", "metadata", "collection", "happened_at")
    changes = {name: v for name in named if (v := getattr(arguments, name)) is not None}
    if not changes:
        raise InvalidInput("update", "names nothing to change; give --content, --title or others")
    if "content" in changes:
        changes["content"] = context.read_text(changes["content"])
    if "tags" in changes:
        changes["tags"] = tuple(changes["tags"])
    if "metadata" in changes and not isinstance(changes["metadata"], dict):
        raise InvalidInput("--metadata", 'must be a JSON object, such as {"team": "red"}')
    if "happened_at" in changes:
        zone = context.settings.timezone
        changes["happened_at"] = read_time(
            changes["happened_at"], name="--happened-at", timezone=zone
        )
    if arguments.if_version is not None:
        changes["if_version"] = arguments.if_version
    return changes
