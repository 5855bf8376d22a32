"""`simonides verify`: look through a space to the last posting."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from simonides.cli.context import Context
from simonides.cli.exit_codes import Exit
from simonides.errors import EmbedderError, NotFound, StoreError
from simonides.model.answer import Finding
from simonides.model.maintenance import Scrub

HELP = "Look through a space to the last posting; exit status 8 if something is wrong."
EXAMPLE = "simonides verify --space default"

SCRUB = "pages fit their checksums"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the quicker look, that at the pages alone."""
    told = "only compare every page with its checksum, and note when that was"
    parser.add_argument("--scrub", action="store_true", help=told)


def run(context: Context, arguments: Namespace) -> None:
    """Write what was looked at and found."""
    findings = _look(context, scrubs=arguments.scrub)
    sound = all(one.sound for one in findings)
    record = {"space": context.space, "sound": sound, "findings": findings}
    context.output.answer(record, draw=lambda: _draw(context, findings))
    if not sound:
        raise SystemExit(Exit.PROBLEM_FOUND)


def _look(context: Context, *, scrubs: bool) -> Sequence[Finding]:
    """Return what was found; that the space cannot be opened is a finding, too."""
    try:
        with context.memory() as memory:
            return [_scrubbed(memory.scrub())] if scrubs else memory.verify()
    except NotFound:
        raise
    except (StoreError, EmbedderError) as error:
        return [Finding(check="opens", sound=False, detail=str(error))]


def _scrubbed(scrub: Scrub | None) -> Finding:
    if scrub is None or not scrub.pages:
        detail = "pages have no checksums; run `simonides doctor` for what to do"
        return Finding(check=SCRUB, sound=True, detail=detail)
    if not scrub.damaged:
        return Finding(check=SCRUB, sound=True, detail=f"{scrub.pages:,} pages")
    detail = f"{len(scrub.damaged):,} of {scrub.pages:,} pages are damaged; run `simonides repair`"
    return Finding(check=SCRUB, sound=False, detail=detail)


def _draw(context: Context, findings: Sequence[Finding]) -> None:
    rows = [(one.check, "sound" if one.sound else "PROBLEM", one.detail) for one in findings]
    context.output.table(("check", "result", "detail"), rows)
