"""`simonides erase`: erase items, or a whole space, permanently."""

from argparse import ArgumentParser, Namespace
from typing import Any

from simonides.api.memory import Memory
from simonides.api.operations import OPERATIONS
from simonides.cli.context import Context
from simonides.cli.derived import Command
from simonides.cli.drawing import SHOWN_MAX
from simonides.cli.options import Exit
from simonides.codec.request import read_request
from simonides.errors import InvalidInput, StoreCorrupt
from simonides.model.maintenance import ErasureReport, Proof


class EraseCommand(Command):
    """The command `erase`: without `--yes` it only counts what would be erased."""

    def run(self, context: Context, arguments: Namespace) -> None:
        """Erase the named items or space."""
        given = self.read_arguments(context, arguments)
        if bool(given.get("ids")) + ("filter" in given) + ("everything" in given) != 1:
            raise InvalidInput("erase", "name ids, or filters, or --everything: just one of them")
        if "everything" in given and not arguments.space:
            raise InvalidInput("--everything", "needs --space NAME: a default will not do for this")
        if not arguments.yes:
            summary = self._summary(context, given)
            raise InvalidInput("--yes", f"is needed: this would erase {summary}, for good;"
                               " nothing was erased")  # fmt: skip
        super().run(context, arguments)

    def _summary(self, context: Context, given: dict[str, Any]) -> str:
        """Return a sentence on what would be erased."""
        with context.memory() as memory:
            if "everything" in given:
                return (
                    f"the whole space {context.space!r}, {_size(memory)} and all that lies beside"
                )
            named = dict.fromkeys(given.get("ids", ()))
            wanted = given.get("filter") or {"ids": list(named)}
            asked = read_request(OPERATIONS["preview_erase"].request, {"filter": wanted})
            count = len(OPERATIONS["preview_erase"].run(memory, asked, now=context.clock()))
        if named:
            return f"{count:,} of the {len(named):,} items named, in all their versions"
        return f"{count:,} items that pass the filters, in all their versions"


def _size(memory: Memory) -> str:
    try:
        return f"{memory.stats().items:,} items"
    except StoreCorrupt:
        return "which is damaged,"


def _declare_yes(parser: ArgumentParser) -> None:
    help_text = "do it: nothing can bring it back"
    parser.add_argument("--yes", action="store_true", help=help_text)


def _prove(_: Context, __: Namespace, given: dict[str, Any]) -> None:
    """Request a proof unless `--no-prove` is given."""
    given.setdefault("prove", True)
    if not given.get("ids"):
        given.pop("ids", None)


def _status(report: ErasureReport) -> int:
    if not report.complete:
        return Exit.PROBLEM_FOUND
    return Exit.NOT_FOUND if report.missing else Exit.OK


def _draw(context: Context, report: ErasureReport, _: Any) -> None:
    output = context.output
    for one in report.items[:SHOWN_MAX]:
        output.line(f"erased {one}")
    if (more := len(report.items) - SHOWN_MAX) > 0:
        output.line(f"and {more:,} more")
    for one in report.missing:
        output.note((f"simonides erase: no item {one!r} [not_found]", "yellow"))
    counts = ("versions", "chunks", "mentions", "surrogates", "engagements", "receipts",
              "proposals", "backgrounds", "words")  # fmt: skip
    parts = [f"{count:,} {name}" for name in counts if (count := getattr(report, name))]
    output.note((f"{', '.join(parts) or 'nothing'} in {report.took_s:.1f} s", "dim"))
    if report.proof is not None and report.proof.holds:
        output.note((_proven(report.proof), "dim"))
    for note in report.notes:
        output.note((note, "yellow"))


def _proven(proof: Proof) -> str:
    looked = f"{proof.looked_for:,} pieces of it in {len(proof.files):,} files"
    elsewhere = f", {proof.elsewhere:,} are also said by what is kept" if proof.elsewhere else ""
    return f"looked for {looked} ({proof.bytes:,} bytes): nothing is left{elsewhere}"


ERASE = EraseCommand(
    operation="erase", draw=_draw, flags={"prove": "--no-prove"}, needs_text=False,
    help="Erase items, or a whole space, permanently, and prove that no byte is left.",
    example="simonides erase --person sarah@example.com --yes",
    declare=_declare_yes, adjust=_prove, status=_status,
)  # fmt: skip
