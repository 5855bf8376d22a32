"""`simonides proposals`: what others propose to remember, and what is made of it."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence

from simonides.api.memory import Memory
from simonides.cli.context import Context, expanded
from simonides.cli.options import names_of, not_empty, positive
from simonides.cli.tasks import Task, add_tasks
from simonides.cli.terminal_text import clipped
from simonides.cli.verbs.remember import DONE, SAID
from simonides.codec.proposals import read_proposed
from simonides.errors import InvalidInput
from simonides.model.memories import (
    Proposal,
    ProposalPage,
    ProposalsMade,
    ProposalStatus,
    ProposedMemory,
)

HELP = "Look at what others propose to remember; accept it, reject it, undo that."
EXAMPLE = "simonides proposals accept 8ck4h2v0q1e7m3s5t6u9x0y1z2"

_TEXT_WIDTH = 60
_REFUSED_SHOWN = 10


def add_arguments(parser: ArgumentParser) -> None:
    """Declare what can be done with proposals."""
    add_tasks(parser, _TASKS)


def run(context: Context, arguments: Namespace) -> None:
    """Do one thing and write its answer."""
    _TASKS[arguments.task].run(context, arguments)


def _add_list(parser: ArgumentParser) -> None:
    parser.add_argument("--status", choices=names_of(ProposalStatus), help="only those of this one")
    parser.add_argument(
        "--limit", type=positive, default=50, metavar="N", help="proposals a page (50)"
    )
    parser.add_argument("--cursor", default="", help="where the page before this one ended")


def _list(context: Context, arguments: Namespace) -> None:
    with context.memory() as memory:
        page = memory.proposals.list(
            status=arguments.status, limit=arguments.limit, cursor=arguments.cursor
        )
    context.output.answer(page, draw=lambda: _draw_page(context, page))


def _draw_page(context: Context, page: ProposalPage) -> None:
    if not page.proposals:
        context.output.note("nothing is proposed")
        return
    rows = [
        (context.day(one.created_at), one.status, one.by, _beginning(one), one.id)
        for one in page.proposals
    ]
    context.output.table(("date", "status", "by", "text", "id"), rows)
    if page.cursor:
        context.output.note((f"more: --cursor {page.cursor}", "dim"))


def _beginning(one: Proposal) -> str:
    return clipped(one.proposed.text, _TEXT_WIDTH)


def _add_show(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the proposal's id, as `list` prints it")


def _show(context: Context, arguments: Namespace) -> None:
    with context.memory() as memory:
        found = memory.proposals.get(arguments.id)
    context.output.answer(found, draw=lambda: _draw_whole(context, found))


def _draw_whole(context: Context, one: Proposal) -> None:
    proposed, traits = one.proposed, one.proposed.traits
    context.output.line((one.proposed.text, "bold"))
    told = [
        ("status", one.status), ("by", one.by), ("proposed", context.minute(one.created_at)),
        ("happened", context.minute(proposed.happened_at)),
        ("evidence", " ".join(proposed.evidence)),
        ("scope", traits.scope), ("type", traits.type), ("entity", traits.entity),
        ("confidence", f"{traits.confidence:g}"), ("note", proposed.note),
        ("decided", context.minute(one.decided_at)), ("came of it", _came(one)),
    ]  # fmt: skip
    for name, value in told:
        if value:
            context.output.line((f"  {name:12}", "dim"), value)


def _came(one: Proposal) -> str:
    if one.outcome is None:
        return ""
    return f"{DONE[one.outcome.op]}: {one.outcome.id} ({SAID[one.outcome.reason]})"


def _add_ids(parser: ArgumentParser) -> None:
    parser.add_argument("ids", metavar="ID", nargs="+", help="the ids of the proposals")


def _add_accept(parser: ArgumentParser) -> None:
    _add_ids(parser)
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do not")


def _accept(context: Context, arguments: Namespace) -> None:
    dry_run = arguments.dry_run
    _each(
        context,
        arguments.ids,
        lambda memory, one: memory.proposals.accept(one, dry_run=dry_run),
        would="would be " if dry_run else "",
    )


def _reject(context: Context, arguments: Namespace) -> None:
    _each(context, arguments.ids, lambda memory, one: memory.proposals.reject(one))


def _undo(context: Context, arguments: Namespace) -> None:
    _each(context, arguments.ids, lambda memory, one: memory.proposals.undo(one))


def _each(
    context: Context,
    ids: Sequence[str],
    do: Callable[[Memory, str], Proposal],
    *,
    would: str = "",
) -> None:
    """Decide one after the other: what was decided before one that cannot be, stays."""
    with context.memory() as memory:
        decided = [do(memory, one) for one in dict.fromkeys(ids)]
    context.output.answer(
        {"proposals": decided}, draw=lambda: _draw_decided(context, decided, would=would)
    )


def _draw_decided(context: Context, decided: Sequence[Proposal], *, would: str) -> None:
    for one in decided:
        came = _came(one)
        context.output.line(f"{would}{one.status}: ", (one.id, "bold"))
        if came:
            context.output.line(f"  {would}{came}")


def _add_propose(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--jsonl", metavar="FILE", required=True, type=not_empty,
        help="one proposal per line as JSON; - reads stdin",
    )  # fmt: skip
    parser.add_argument(
        "--by", metavar="NAME", required=True, type=not_empty, help="who or what proposes it"
    )


def _propose(context: Context, arguments: Namespace) -> None:
    proposed = _read(context, arguments.jsonl)
    with context.memory() as memory:
        made = memory.proposals.propose(*proposed, by=arguments.by)
    context.output.answer(made, draw=lambda: _draw_made(context, made))


def _draw_made(context: Context, made: ProposalsMade) -> None:
    said = f"{len(made.proposed):,} proposed, {made.known:,} known, {len(made.refused):,} refused"
    context.output.line(said)
    for one in made.refused[:_REFUSED_SHOWN]:
        context.output.note((f"refused: {clipped(one.text, _TEXT_WIDTH)}: {one.reason}", "yellow"))


def _read(context: Context, path: str) -> list[ProposedMemory]:
    if path == "-":
        return list(_lines(context.read_text("-").splitlines(), context.settings.timezone))
    try:
        with expanded(path).open(encoding="utf-8-sig") as file:
            return list(_lines(file, context.settings.timezone))
    except UnicodeDecodeError as error:
        raise InvalidInput("--jsonl", f"{path} is not UTF-8: {error}") from error
    except OSError as error:
        raise InvalidInput("--jsonl", f"cannot read {path}: {error.strerror}") from error


def _lines(lines: Iterable[str], timezone: str) -> Iterator[ProposedMemory]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield read_proposed(json.loads(line), timezone=timezone)
        except InvalidInput as error:
            raise InvalidInput(f"line {number}", f"{error} (nothing was kept)") from error
        except (ValueError, RecursionError) as error:
            problem = f"is not JSON: {error} (nothing was kept)"
            raise InvalidInput(f"line {number}", problem) from error


_TASKS = {
    "list": Task(told="List what is proposed, latest first.", declare=_add_list, run=_list),
    "show": Task(told="Print one proposal, whole.", declare=_add_show, run=_show),
    "accept": Task(told="Remember what is proposed.", declare=_add_accept, run=_accept),
    "reject": Task(
        told="Note that it is not to be remembered; it is not proposed again.",
        declare=_add_ids,
        run=_reject,
    ),
    "undo": Task(
        told="Take a decision back: everything is as it was before it.",
        declare=_add_ids,
        run=_undo,
    ),
    "propose": Task(
        told="Take in proposals that were made elsewhere.", declare=_add_propose, run=_propose
    ),
}
