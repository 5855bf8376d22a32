"""`simonides proposals propose`: store proposals that were made elsewhere."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator

from simonides.cli import drawing
from simonides.cli.context import Context, open_text
from simonides.cli.options import not_empty
from simonides.codec.read import read_proposed
from simonides.errors import InvalidInput
from simonides.model.memories import ProposedMemory

HELP = "Import proposals that were made elsewhere."
EXAMPLE = "simonides proposals propose --jsonl proposals.jsonl --by notes"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the file and the name of the proposer."""
    parser.add_argument(
        "--jsonl", metavar="FILE", required=True, type=not_empty,
        help="one proposal per line as JSON; - reads stdin",
    )  # fmt: skip
    parser.add_argument(
        "--by", metavar="NAME", required=True, type=not_empty, help="the author of the proposal"
    )


def run(context: Context, arguments: Namespace) -> None:
    """Store the proposals and write how many."""
    proposed = _read(context, arguments.jsonl)
    with context.memory() as memory:
        made = memory.proposals.propose(*proposed, by=arguments.by)
    context.output.answer(made, draw=lambda: drawing.proposal_counts(context, made))


def _read(context: Context, path: str) -> list[ProposedMemory]:
    if path == "-":
        return list(_lines(context.read_text("-").split("\n"), context.settings.timezone))
    with open_text(path, flag="--jsonl") as file:
        return list(_lines(file, context.settings.timezone))


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
