"""`simonides surrogates`: shorter stand-ins of long items, built ahead."""

from argparse import ArgumentParser, Namespace

from simonides.cli.context import Context
from simonides.cli.options import not_negative, positive
from simonides.cli.progress import Meter
from simonides.cli.tasks import Task, add_tasks
from simonides.codec.write import to_wire
from simonides.errors import NotFound
from simonides.model.stored import Surrogate, SurrogatesBuilt, Tier

HELP = "Build shorter stand-ins of long items ahead, for dense briefs."
EXAMPLE = "simonides surrogates build --max 1000"

UNWRITTEN_SHOWN = 10
"""How many items that could not be written are told one by one."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare what can be done with surrogates."""
    add_tasks(parser, _TASKS)


def run(context: Context, arguments: Namespace) -> None:
    """Do one thing and write its answer."""
    _TASKS[arguments.task].run(context, arguments)


def _add_build(parser: ArgumentParser) -> None:
    parser.add_argument("--max", type=positive, metavar="N", help="come to so many items at most")
    parser.add_argument(
        "--seconds", type=not_negative, metavar="S", help="write for so many seconds at most"
    )


def _build(context: Context, arguments: Namespace) -> None:
    with context.memory() as memory, Meter(context.output, label="surrogates") as meter:
        built = memory.surrogates.build(
            items_max=arguments.max,
            time_max_s=arguments.seconds,
            on_progress=lambda done, total: meter.update(
                done, share=done / total if total else None
            ),
        )
    context.output.answer(built, draw=lambda: _draw_built(context, built))


def _draw_built(context: Context, built: SurrogatesBuilt) -> None:
    context.output.line(
        f"{built.built:,} built in {built.took_s:.1f} s, {built.up_to_date:,} up to date, "
        f"{built.left:,} left"
    )
    for one in built.unwritten[:UNWRITTEN_SHOWN]:
        context.output.note((f"not written: {one.id}: {one.reason}", "yellow"))
    if (more := len(built.unwritten) - UNWRITTEN_SHOWN) > 0:
        context.output.note((f"and {more:,} more; --json tells all", "yellow"))


def _add_get(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the item's id, as `search` and `list` print it")


def _get(context: Context, arguments: Namespace) -> None:
    with context.memory() as memory:
        found = memory.surrogates.get(arguments.id)
    if found is None:
        raise NotFound("surrogate of", arguments.id)
    record = {"id": arguments.id, **to_wire(found)}
    context.output.answer(record, draw=lambda: _draw(context, found))


def _draw(context: Context, found: Surrogate) -> None:
    width = max(map(len, Tier)) + 2
    for tier in Tier:
        context.output.line((f"{tier.value:{width}}", "dim"), getattr(found, tier.value))


_TASKS = {
    "build": Task(
        told="Write the stand-ins of long items that lack them; what is done is kept.",
        declare=_add_build,
        run=_build,
    ),
    "get": Task(told="Print the stand-ins of one item.", declare=_add_get, run=_get),
}
