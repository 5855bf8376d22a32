"""`simonides verify`: look through a space to the last posting."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from simonides.cli.context import Context
from simonides.cli.exits import Exit
from simonides.errors import EmbedderError, NotFound, StoreError
from simonides.model.answer import Finding

HELP = "Look through a space to the last posting; exit status 8 if something is wrong."
EXAMPLE = "simonides verify --space default"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare nothing: `--space` says it all."""


def run(context: Context, arguments: Namespace) -> None:  # noqa: ARG001  every verb has the same form
    """Write what was looked at and found."""
    findings = _look(context)
    sound = all(one.sound for one in findings)
    record = {"space": context.space, "sound": sound, "findings": findings}
    context.output.answer(record, draw=lambda: _draw(context, findings))
    if not sound:
        raise SystemExit(Exit.PROBLEM_FOUND)


def _look(context: Context) -> Sequence[Finding]:
    """Return what was found; that the space cannot be opened is a finding, too."""
    try:
        with context.memory() as memory:
            return memory.verify()
    except NotFound:
        raise
    except (StoreError, EmbedderError) as error:
        return [Finding(check="opens", sound=False, detail=str(error))]


def _draw(context: Context, findings: Sequence[Finding]) -> None:
    rows = [(one.check, "sound" if one.sound else "PROBLEM", one.detail) for one in findings]
    context.output.table(("check", "result", "detail"), rows)
