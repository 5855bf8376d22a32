"""`simonides reembed`: make every vector of a space anew."""

from argparse import ArgumentParser, Namespace

from simonides.cli.context import Context
from simonides.cli.progress import Meter

HELP = "Make every vector of a space anew, after the embedder changed."
EXAMPLE = "simonides reembed --space default --embedder minilm"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare nothing: `--embedder` or the settings say which model."""


def run(context: Context, arguments: Namespace) -> None:  # noqa: ARG001  every verb has the same form
    """Re-embed with progress and write how many items were done."""
    with context.memory() as memory, Meter(context.output, label="reembed") as meter:
        count = memory.reembed(
            on_progress=lambda done, total: meter.update(
                done, share=done / total if total else None
            )
        )
    record = {"space": context.space, "embedder": context.settings.embedder, "items": count}
    said = f"{count:,} items of {context.space} embedded by {context.settings.embedder}"
    context.output.answer(record, draw=lambda: context.output.line(said))
