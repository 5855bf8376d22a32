"""`simonides doctor`, `verify` and `reembed`: checks of a space, and new vectors for it."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence

from simonides.api.memory import Memory
from simonides.cli.context import Context
from simonides.cli.drawing import PAGES_OF_SERVER, draw_findings, finding
from simonides.cli.options import CustomCommand, Exit
from simonides.cli.output import Meter
from simonides.errors import EmbedderError, NotFound, StoreError
from simonides.model.answer import Finding
from simonides.model.scrub import Scrub


def _run_doctor(context: Context, arguments: Namespace) -> None:
    """Write the findings of each space."""
    if arguments.space:
        found = {
            arguments.space: _inspect(context, arguments.space, lambda memory: memory.doctor())
        }
    else:
        with context.memory() as memory:
            names = memory.spaces()
        found = {name: _look_at_listed(context, name) for name in names}
    sound = all(one.sound for findings in found.values() for one in findings)
    spaces = [
        {"space": name, "sound": all(one.sound for one in findings), "findings": findings}
        for name, findings in found.items()
    ]
    context.output.answer(
        {"sound": sound, "spaces": spaces}, draw=lambda: _draw_doctor(context, found)
    )
    if not sound:
        raise SystemExit(Exit.PROBLEM_FOUND)


def _look_at_listed(context: Context, name: str) -> Sequence[Finding]:
    """Return the doctor's findings on a listed space; an unfinished space has nothing to damage."""
    try:
        return _inspect(context, name, lambda memory: memory.doctor())
    except NotFound:
        detail = "empty: its making was cut short, or its file was emptied"
        return [Finding(check="opens", sound=True, detail=detail)]


def _inspect(
    context: Context, name: str, look: Callable[[Memory], Sequence[Finding]]
) -> Sequence[Finding]:
    """Return the findings of a look at a space; a space that cannot be opened is a finding."""
    try:
        with context.memory(name) as memory:
            return look(memory)
    except (StoreError, EmbedderError) as error:
        return [Finding(check="opens", sound=False, detail=str(error))]


def _draw_doctor(context: Context, found: Mapping[str, Sequence[Finding]]) -> None:
    if not found:
        context.output.note("no space yet; nothing to look at")
        return
    rows = [(name, *finding(one)) for name, findings in found.items() for one in findings]
    context.output.table(("space", "check", "result", "detail"), rows)


DOCTOR = CustomCommand(
    HELP="Check all spaces quickly, or that of --space; exit status 8 if there is a problem.",
    EXAMPLE="simonides doctor --space default",
    run=_run_doctor,
)


SCRUB = "pages fit their checksums"


def _declare_verify(parser: ArgumentParser) -> None:
    """Declare the option for a quicker check, of the pages alone."""
    help_text = "only compare every page with its checksum, and note when that was"
    parser.add_argument("--scrub", action="store_true", help=help_text)


def _run_verify(context: Context, arguments: Namespace) -> None:
    """Write the findings of a complete check."""

    def scrub(memory: Memory) -> Sequence[Finding]:
        return [_draw_scrub(context, memory.scrub())]

    findings = _inspect(context, "", scrub if arguments.scrub else lambda memory: memory.verify())
    sound = all(one.sound for one in findings)
    record = {"space": context.space, "sound": sound, "findings": findings}
    context.output.answer(record, draw=lambda: draw_findings(context, findings))
    if not sound:
        raise SystemExit(Exit.PROBLEM_FOUND)


def _draw_scrub(context: Context, scrub: Scrub | None) -> Finding:
    if context.settings.store:
        return Finding(check=SCRUB, sound=True, detail=PAGES_OF_SERVER)
    if scrub is None or not scrub.pages:
        detail = "pages have no checksums; run `simonides doctor` for what to do"
        return Finding(check=SCRUB, sound=True, detail=detail)
    if not scrub.damaged:
        return Finding(check=SCRUB, sound=True, detail=f"{scrub.pages:,} pages")
    detail = f"{len(scrub.damaged):,} of {scrub.pages:,} pages are damaged; run `simonides repair`"
    return Finding(check=SCRUB, sound=False, detail=detail)


VERIFY = CustomCommand(
    HELP="Check a space completely; exit status 8 if there is a problem.",
    EXAMPLE="simonides verify --space default",
    add_arguments=_declare_verify,
    run=_run_verify,
)


def _run_reembed(context: Context, arguments: Namespace) -> None:  # noqa: ARG001  every verb has the same form
    """Embed all items again with progress, and write their number."""
    with context.memory() as memory, Meter(context.output, label="reembed") as meter:
        count = memory.reembed(on_progress=meter.share)
    record = {"space": context.space, "embedder": context.settings.embedder, "items": count}
    sentence = f"{count:,} items of {context.space} embedded by {context.settings.embedder}"
    context.output.answer(record, draw=lambda: context.output.line(sentence))


REEMBED = CustomCommand(
    HELP="Make all vectors of a space again after the embedder changed.",
    EXAMPLE="simonides reembed --space default --embedder minilm",
    run=_run_reembed,
)
