"""`simonides demo`: import a small sample of mail, notes and chats, and ask questions."""

import os
import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote

from simonides.api.memory import Memory
from simonides.cli.context import Context
from simonides.cli.embedding import embed_rest
from simonides.cli.hits import draw_head, draw_passage, in_few_words
from simonides.cli.question_commands import cost
from simonides.cli.terminal_text import clip, question_words
from simonides.cli.verbs.import_ import draw_report, import_paths
from simonides.cli.verbs.settings import make_home
from simonides.config import Settings, load
from simonides.errors import NotFound
from simonides.model.answer import SearchResult
from simonides.model.brief import Brief
from simonides.model.import_report import ImportReport
from simonides.model.times import in_zone

HELP = "Import a sample desk and answer three questions about it, with the reasons."
EXAMPLE = "simonides demo --home .demo"

NOW = datetime(2026, 3, 12, 9, 0, tzinfo=UTC)
"""The morning on which the sample desk is asked, unless `--now` says otherwise."""

SPACE = "desk"
QUESTIONS = (
    "What did Sarah send me last week?",
    "When is Alpha due?",
    "When does the Harbor pilot start, and for how many users?",
)
OWNER = ("Mira Okafor", "mira@tidewater.example", "mira.okafor@post.example")
ZONE = "Europe/Berlin"
"""Whose desk it is, and where it stands."""

HITS_SHOWN = 3
BRIEF_LINES_SHOWN = 8
_CHECKOUT = Path(__file__).parents[4]
_PACKAGE = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoAnswer:
    """One question of the demo and its result."""

    query: str
    search: SearchResult
    brief: Brief


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the folder of the sample desk."""
    parser.add_argument(
        "--desk", type=Path, metavar="DIR", help="another folder than the sample data"
    )


def run(context: Context, arguments: Namespace) -> None:
    """Import the sample desk, answer the questions, and suggest next steps."""
    desk = _desk(arguments.desk)
    there = _in_own_home(context, arguments)
    with there.memory() as memory:
        report = embed_rest(there, memory, import_paths(there, memory, [desk]))
        answers = [_ask(memory, question) for question in QUESTIONS]
    record = {
        "home": there.home,
        "space": there.space,
        "now": there.clock(),
        "import": report,
        "answers": answers,
    }
    there.output.answer(record, draw=lambda: _draw(there, desk, report, answers))


def _desk(given: Path | None) -> Path:
    """Return the folder of the sample desk: the given one, a checkout's, or the package's own."""
    places = [given] if given else [root / "samples" / "desk" for root in (_CHECKOUT, _PACKAGE)]
    found = next((place for place in places if place.is_dir()), None)
    if found is None:
        raise NotFound("sample desk", str(given or "samples/desk"))
    return found


def _in_own_home(context: Context, arguments: Namespace) -> Context:
    """Return the context of the demo's own home, which leaves the user's memory untouched."""
    home = context.home if arguments.home else _cache() / "simonides" / "demo"
    options = {"embedder": arguments.embedder, "timezone": arguments.timezone}
    given = {name: value for name, value in options.items() if value}
    make_home(home, **{"owner": OWNER, "timezone": ZONE, **given})
    return replace(
        context,
        home=home,
        space=arguments.space or SPACE,
        settings=_settings(context, home, given),
        clock=context.clock if arguments.now else lambda: NOW,
    )


def _settings(context: Context, home: Path, given: dict[str, str]) -> Settings:
    """Return the demo's settings; a missing model is noted, unless the user's own have none."""
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        settings = load(home, {}, given)
    for warning in noted if context.settings.embedder != "none" else ():
        context.output.note(f"note: {warning.message}")
    return settings


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()


def _ask(memory: Memory, question: str) -> DemoAnswer:
    return DemoAnswer(
        query=question,
        search=memory.search(question, limit=HITS_SHOWN),
        brief=memory.brief(question),
    )


def _draw(there: Context, desk: Path, report: ImportReport, answers: Sequence[DemoAnswer]) -> None:
    now = in_zone(there.clock(), there.settings.timezone)
    there.output.line((f"A desk of mail, notes and chats ({desk}), kept in {there.home}", "bold"))
    draw_report(there, report)
    there.output.line(f"It is {now:%A, %d %B %Y, %H:%M}.")
    for answer in answers:
        _draw_answer(there, answer)
    _draw_next(there)


def _draw_answer(there: Context, answer: DemoAnswer) -> None:
    output, result = there.output, answer.search
    output.line()
    output.line(("? ", "bold cyan"), (answer.query, "bold"))
    words = question_words(answer.query)
    best = max((hit.score for hit in result.hits), default=0.0)
    for rank, hit in enumerate(result.hits, start=1):
        draw_head(there, hit, rank=rank, best=best)
        draw_passage(output, hit, words)
        output.line((f"      why: {in_few_words(hit)}", "dim"))
    output.line((f"  the brief for a model ({cost(answer.brief)}) begins:", "bold"))
    for line in answer.brief.text.splitlines()[:BRIEF_LINES_SHOWN]:
        output.line(("  | ", "dim"), clip(line, output.width - 4))


def _draw_next(there: Context) -> None:
    tail = f"--home {quote(str(there.home))} --space {quote(there.space)}"
    now = f"--now {there.clock().isoformat()}"
    output = there.output
    output.line()
    output.line(("Try next:", "bold"))
    for verb in (
        f'explain "When is Alpha due?" {tail} {now}',
        f'brief "prepare my call with Sarah" --budget 600 {tail} {now}',
        f"entities {tail}",
        f"web {tail} {now}",
    ):
        output.line(f"  {there.program} {verb}")
