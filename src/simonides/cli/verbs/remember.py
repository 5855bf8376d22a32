"""`simonides remember`: compare a statement with the memories there are, and do what follows."""

from argparse import ArgumentParser, Namespace
from typing import Any

from simonides.cli.context import Context
from simonides.cli.options import finite, json_value, names_of
from simonides.cli.terminal_text import clipped
from simonides.errors import InvalidInput
from simonides.model.item import MemoryType, Scope, Status
from simonides.model.memories import Compared, MergeOp, MergeReason, Remembered
from simonides.model.times import read_time

HELP = "Remember a statement: add it, or let it take the place of what it contradicts."
EXAMPLE = 'simonides remember "Sarah prefers to be called after 3pm" --entity "Sarah.calls"'

DONE = {
    MergeOp.ADD: "added",
    MergeOp.UPDATE: "updated",
    MergeOp.SUPERSEDE: "added in place of another",
    MergeOp.NOOP: "unchanged",
    MergeOp.DELETE: "deleted",
}
"""What was done, in a word."""

SAID = {
    MergeReason.NO_SIMILAR_MEMORY: "no memory is like it",
    MergeReason.DUPLICATE_TEXT_METADATA_UPDATE: "it was remembered, not as sure or as long",
    MergeReason.DUPLICATE_TEXT: "it is remembered already",
    MergeReason.ASKED_FOR: "it was asked for",
    MergeReason.RECALLED_TEXT: "memories say all of it already",
    MergeReason.NEW_MEMORY_SCOPE_OR_TYPE_MISMATCH: "the one like it is of another scope or type",
    MergeReason.EXISTING_MEMORY_NOT_ACTIVE: "the one like it does not hold any more",
    MergeReason.CANDIDATE_NOT_ACTIVE: "its own status is not active",
    MergeReason.NEW_MEMORY_NON_CONFLICTING: "the one like it is not about the same entity",
    MergeReason.LOWER_CONFIDENCE_CANDIDATE: "what is remembered is surer",
    MergeReason.OLDER_THAN_EXISTING: "what is remembered is newer",
    MergeReason.HIGHER_CONFIDENCE_OR_NEWER_FACT: "it is newer, and about as sure",
}
"""Why, in words."""

_TRAITS = (
    "scope", "type", "status", "importance", "confidence", "half_life_hours", "entity",
    "workspace_id", "user_id", "session_id", "source_run_id",
)  # fmt: skip
_OTHERS = ("source", "title", "tags", "metadata", "collection", "session", "language")
_TEXT_WIDTH = 60


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the statement and what is known of it."""
    parser.add_argument("text", metavar="TEXT", nargs="+", help="the statement; - reads stdin")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do not")
    traits = parser.add_argument_group("the memory")
    traits.add_argument("--scope", choices=names_of(Scope), help="who it is for (user)")
    traits.add_argument("--type", choices=names_of(MemoryType), help="what sort (episodic)")
    traits.add_argument("--entity", metavar="NAME", help="whom or what it is about")
    traits.add_argument("--confidence", type=finite, metavar="SHARE", help="0 to 1 (0.7)")
    traits.add_argument("--importance", type=finite, metavar="SHARE", help="0 to 1 (0.5)")
    traits.add_argument("--half-life-hours", type=finite, metavar="H", help="how fast it fades")
    traits.add_argument("--expires-at", metavar="TIME", help="from when on it holds no more")
    traits.add_argument("--status", choices=names_of(Status), help="active; deleted takes it back")
    for name in ("workspace", "user", "session"):
        traits.add_argument(f"--{name}-id", metavar="ID", help=f"the {name} that it is for")
    traits.add_argument("--source-run-id", metavar="ID", help="the run that it comes from")
    item = parser.add_argument_group("the item")
    item.add_argument("--happened-at", metavar="TIME", help="since when it is so, as an ISO time")
    item.add_argument("--source", help="where it comes from (note)")
    item.add_argument("--title", help="what it is called")
    item.add_argument("--tag", dest="tags", action="append", help="a tag; may be repeated")
    item.add_argument("--metadata", type=json_value, metavar="JSON", help="an object of your own")
    item.add_argument("--collection", metavar="NAME", help="the part of the space it is in (main)")
    item.add_argument("--session", metavar="ID", help="the chat or thread it belongs to")
    item.add_argument("--language", metavar="CODE", help="its ISO 639-1 code, instead of a guess")


def run(context: Context, arguments: Namespace) -> None:
    """Remember it and say what was decided, and why."""
    given = _given(context, arguments)
    text = context.read_text(" ".join(arguments.text))
    with context.memory() as memory:
        made = memory.remember(text, dry_run=arguments.dry_run, **given)
    context.output.answer(made, draw=lambda: _draw(context, made, is_rehearsal=arguments.dry_run))


def _given(context: Context, arguments: Namespace) -> dict[str, Any]:
    given: dict[str, Any] = {
        name: value
        for name in (*_TRAITS, *_OTHERS)
        if (value := getattr(arguments, name)) is not None
    }
    if not isinstance(given.get("metadata", {}), dict):
        raise InvalidInput("--metadata", 'must be a JSON object, such as {"team": "red"}')
    zone = context.settings.timezone
    for name in ("happened_at", "expires_at"):
        if (said := getattr(arguments, name)) is not None:
            flag = f"--{name.replace('_', '-')}"
            given[name] = read_time(said, name=flag, timezone=zone)
    return given


def _draw(context: Context, made: Remembered, *, is_rehearsal: bool) -> None:
    would = "would be " if is_rehearsal else ""
    named = made.id or made.compared[0].id
    context.output.line(f"{would}{DONE[made.op]}: ", (named, "bold"), f" ({SAID[made.reason]})")
    if made.superseded:
        context.output.line(f"  {would}superseded: {made.superseded}")
    for one in made.compared:
        context.output.line((f"  compared with {one.id}  {_told(one)}", "dim"))


def _told(one: Compared) -> str:
    about = ", the same entity" if one.same_entity else ""
    status = "" if one.status is Status.ACTIVE else f", {one.status}"
    return f"{clipped(one.text, _TEXT_WIDTH)} ({one.likeness:.0%} alike{about}{status})"
