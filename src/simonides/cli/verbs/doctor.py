"""`simonides doctor`: look whether everything is sound."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence

from simonides.cli.context import Context
from simonides.cli.exit_codes import Exit
from simonides.errors import EmbedderError, NotFound, StoreError
from simonides.model.answer import Finding

HELP = "Look whether every space is sound, or the one of --space; exit status 8 if not."
EXAMPLE = "simonides doctor --space default"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare nothing: without `--space` all spaces are looked at."""


def run(context: Context, arguments: Namespace) -> None:
    """Write what was looked at and found."""
    found = (
        {arguments.space: _look(context, arguments.space)}
        if arguments.space
        else {name: _look_at_listed(context, name) for name in _names(context)}
    )
    sound = all(one.sound for findings in found.values() for one in findings)
    spaces = [
        {"space": name, "sound": all(one.sound for one in findings), "findings": findings}
        for name, findings in found.items()
    ]
    context.output.answer({"sound": sound, "spaces": spaces}, draw=lambda: _draw(context, found))
    if not sound:
        raise SystemExit(Exit.PROBLEM_FOUND)


def _names(context: Context) -> Sequence[str]:
    with context.memory() as memory:
        return memory.spaces()


def _look_at_listed(context: Context, name: str) -> Sequence[Finding]:
    """Return what a space's doctor found; one that was never finished holds nothing to damage."""
    try:
        return _look(context, name)
    except NotFound:
        detail = "empty: its making was cut short, or its file was emptied"
        return [Finding(check="opens", sound=True, detail=detail)]


def _look(context: Context, name: str) -> Sequence[Finding]:
    """Return what one space's doctor found; that it cannot be opened is a finding, too."""
    try:
        with context.memory(name) as memory:
            return memory.doctor()
    except (StoreError, EmbedderError) as error:
        return [Finding(check="opens", sound=False, detail=str(error))]


def _draw(context: Context, found: Mapping[str, Sequence[Finding]]) -> None:
    if not found:
        context.output.note("no space yet; nothing to look at")
        return
    rows = [
        (name, one.check, "sound" if one.sound else "PROBLEM", one.detail)
        for name, findings in found.items()
        for one in findings
    ]
    context.output.table(("space", "check", "result", "detail"), rows)
