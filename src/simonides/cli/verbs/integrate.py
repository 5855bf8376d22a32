"""`simonides integrate`: let a coding agent use this memory, and undo that."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from simonides.cli.agents.files import AGENTS, FileChange, apply, setups
from simonides.cli.context import Context
from simonides.cli.verbs.mcp import find_program, home_option

HELP = "Let a coding agent ask this memory before each prompt and keep each turn; --undo ends it."
EXAMPLE = "simonides integrate claude-code"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the agent, and where and whether its files are written."""
    add = parser.add_argument
    add("agent", choices=AGENTS, help="whose files are written")
    add("--project", metavar="DIR",
        help="write into this project's folder instead of the user's own")  # fmt: skip
    add("--undo", action="store_true", help="take out what was written, and nothing else")
    add("--print", action="store_true", dest="only_print",
        help="print the files instead of writing them")  # fmt: skip


def run(context: Context, arguments: Namespace) -> None:
    """Write, undo or print the files of an agent, and say what became of each."""
    command = [*find_program(sys.argv[0]), "--space", context.space, *home_option(context)]
    project = Path(arguments.project).expanduser() if arguments.project else None
    wanted = setups(
        arguments.agent, None if arguments.undo else command, home=Path.home(), project=project
    )
    changes = [apply(one, dry_run=arguments.only_print) for one in wanted]
    notes = [] if arguments.undo else [one.note for one in wanted if one.note]

    def draw() -> None:
        for one in changes:
            _draw(context, one, is_print=arguments.only_print)
        for note in notes:
            context.output.note(note)

    answer = {"agent": arguments.agent, "files": changes, "notes": notes}
    context.output.answer(answer, draw=draw)


def _draw(context: Context, change: FileChange, *, is_print: bool) -> None:
    if not is_print:
        context.output.line(f"{change.change} {change.file}")
        return
    context.output.line((change.file, "bold"))
    for line in change.content.splitlines():
        context.output.line(f"  {line}")
