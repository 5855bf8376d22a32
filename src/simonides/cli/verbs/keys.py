"""`simonides keys`: the keys for access over HTTP and MCP."""

from argparse import ArgumentParser, Namespace
from datetime import datetime

from simonides.cli.context import Context
from simonides.cli.derived import Command
from simonides.cli.options import (
    CustomCommand,
    TaskGroup,
    key_id,
    names_of,
    not_empty,
)
from simonides.cli.tables import table
from simonides.errors import InvalidInput
from simonides.model.access import DEFAULT_PERMISSIONS, ApiKey, NewKey, Permission
from simonides.model.times import read_time


def _add_create(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--shared", nargs="+", action="extend", default=[], metavar="NAME",
        type=not_empty, help="another space that the key may read")  # fmt: skip
    add("--permission", action="append", choices=names_of(Permission), dest="permissions",
        help="a permission (default read and write); may be repeated")  # fmt: skip
    add("--expires", default=None, metavar="DAYS|TIME", type=not_empty,
        help="expiry, in days or as a time")  # fmt: skip
    add("--name", default="", metavar="LABEL", help="a name for the key, shown in the list")


def _create(context: Context, arguments: Namespace) -> None:
    with context.memory() as memory:
        made = memory.keys.create(
            space=context.space,
            shared=arguments.shared,
            permissions=arguments.permissions or DEFAULT_PERMISSIONS,
            expires=_expiry(context, arguments.expires),
            name=arguments.name,
        )
    context.output.answer(made, draw=lambda: _draw_made(context, made))


def _expiry(context: Context, given: str | None) -> datetime | float | None:
    if not given:
        return None
    try:
        return float(given)
    except ValueError:
        pass
    try:
        return read_time(given, name="--expires", timezone=context.settings.timezone)
    except InvalidInput:
        problem = f"{given!r} is neither a number of days nor an ISO time"
        raise InvalidInput("--expires", problem) from None


def _draw_made(context: Context, made: NewKey) -> None:
    context.output.line((made.key, "bold"))
    context.output.note("shown this once: only a hash of it is kept")


_draw_list = table(
    ("id", "name", "space", "shared", "allows", "made", "state"),
    lambda context, one: (
        one.prefix, one.name, one.space, " ".join(one.shared), " ".join(one.permissions),
        context.day(one.created_at), _state(one, context.clock()),
    ),
    empty="no key yet; `simonides keys create --space NAME` makes one",
)  # fmt: skip


def _state(one: ApiKey, now: datetime) -> str:
    if one.revoked_at is not None:
        return "revoked"
    return "valid" if one.is_valid(now=now) else "expired"


def _add_revoke(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", type=key_id, help="the id or prefix of the key")


def _revoke(context: Context, arguments: Namespace) -> None:
    with context.memory() as memory:
        gone = memory.keys.revoke(arguments.id)
    context.output.answer(gone, draw=lambda: context.output.line(f"revoked {gone.prefix}"))


KEYS = TaskGroup(
    HELP="Make, list and revoke the keys that open spaces to programs elsewhere.",
    EXAMPLE="simonides keys create --space alice --name laptop",
    tasks={
        "create": CustomCommand(
            HELP="Make a key for the space that --space names, and print it, this once.",
            add_arguments=_add_create,
            run=_create,
        ),
        "list": Command(
            operation="keys.list", draw=_draw_list, help="List the keys, without their secrets."
        ),
        "revoke": CustomCommand(
            HELP="Let nobody in by a key any more, at once.", add_arguments=_add_revoke, run=_revoke
        ),
    },
)
