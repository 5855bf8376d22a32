"""`simonides erase`: take items, or a whole space, away for good."""

from argparse import ArgumentParser, Namespace

from simonides.api.memory import Memory
from simonides.cli.context import Context
from simonides.cli.exit_codes import Exit
from simonides.cli.options import add_filter, read_filter
from simonides.errors import InvalidInput, StoreCorrupt
from simonides.model.filter import Filter
from simonides.model.maintenance import ErasureReport, Proof

HELP = "Erase items, or a whole space, for good, and prove that no byte is left."
EXAMPLE = "simonides erase --person sarah@example.com --yes"

SHOWN_MAX = 10
"""How many items are told one by one."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare what is to go."""
    parser.add_argument("ids", metavar="ID", nargs="*", help="the ids of the items")
    parser.add_argument(
        "--everything", action="store_true", help="the whole space that --space names, its files"
    )
    parser.add_argument("--yes", action="store_true", help="do it: nothing can bring it back")
    parser.add_argument(
        "--no-prove", action="store_true", help="do not search the files for what was erased"
    )
    parser.add_argument(
        "--answers", action="store_true", help="also the answers of chats that were made with it"
    )
    add_filter(parser)


def run(context: Context, arguments: Namespace) -> None:
    """Erase what is named; the exit status says if some was not there, or something is left."""
    wanted = _wanted(context, arguments)
    with context.memory() as memory:
        if not arguments.yes:
            raise InvalidInput("--yes", f"is needed: {_told(memory, wanted, arguments)}")
        report = memory.erase(
            *arguments.ids,
            filter=wanted,
            everything=arguments.everything,
            prove=not arguments.no_prove,
            answers=arguments.answers,
        )
    context.output.answer(report, draw=lambda: _draw(context, report))
    if not report.complete:
        raise SystemExit(Exit.PROBLEM_FOUND)
    if report.missing:
        raise SystemExit(Exit.NOT_FOUND)


def _wanted(context: Context, arguments: Namespace) -> Filter | None:
    """Return the filter, if one was given.

    Raises:
        InvalidInput: Not just one of ids, filters and everything is named, or everything of a
            space that is not named by `--space` itself.
    """
    wanted = read_filter(context, arguments)
    has_filter = wanted != Filter()
    if bool(arguments.ids) + has_filter + arguments.everything != 1:
        raise InvalidInput("erase", "name ids, or filters, or --everything: just one of them")
    if arguments.everything and not arguments.space:
        raise InvalidInput("--everything", "needs --space NAME: a default will not do for this")
    return wanted if has_filter else None


def _told(memory: Memory, wanted: Filter | None, arguments: Namespace) -> str:
    """Return in words what would be erased."""
    if arguments.everything:
        what = f"the whole space {arguments.space!r}, {_size(memory)} and all that lies beside"
    elif wanted is not None:
        count = len(memory.erasable(wanted))
        what = f"{count:,} items that pass the filters, in all their versions"
    else:
        named = set(arguments.ids)
        count = len(memory.erasable(Filter(ids=tuple(sorted(named)))))
        what = f"{count:,} of the {len(named):,} items named, in all their versions"
    return f"this would erase {what}, for good; nothing was erased"


def _size(memory: Memory) -> str:
    try:
        return f"{memory.stats().items:,} items"
    except StoreCorrupt:
        return "which is damaged,"


def _draw(context: Context, report: ErasureReport) -> None:
    output = context.output
    for one in report.items[:SHOWN_MAX]:
        output.line(f"erased {one}")
    if (more := len(report.items) - SHOWN_MAX) > 0:
        output.line(f"and {more:,} more")
    for one in report.missing:
        output.note((f"simonides erase: no item {one!r} [not_found]", "yellow"))
    counts = ("versions", "chunks", "mentions", "surrogates", "engagements", "receipts",
              "proposals", "backgrounds", "words")  # fmt: skip
    said = [f"{count:,} {name}" for name in counts if (count := getattr(report, name))]
    output.note((f"{', '.join(said) or 'nothing'} in {report.took_s:.1f} s", "dim"))
    if report.proof is not None and report.proof.holds:
        output.note((_proven(report.proof), "dim"))
    for note in report.notes:
        output.note((note, "yellow"))


def _proven(proof: Proof) -> str:
    looked = f"{proof.looked_for:,} pieces of it in {len(proof.files):,} files"
    elsewhere = f", {proof.elsewhere:,} are also said by what is kept" if proof.elsewhere else ""
    return f"looked for {looked} ({proof.bytes:,} bytes): nothing is left{elsewhere}"
