"""What a command is: help, an example, arguments, and the doing; and a command of several tasks.

Must not know any command.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from simonides.cli.context import Context
from simonides.cli.options import add_shared


class Verb(Protocol):
    """A command: a module of `cli.verbs` or of a plugin, or a record of `cli.commands`."""

    @property
    def HELP(self) -> str:  # noqa: N802  the names of a module's constants
        """What the command does."""
        ...

    @property
    def EXAMPLE(self) -> str:  # noqa: N802
        """A line that can be typed."""
        ...

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command's own arguments."""
        ...

    def run(self, context: Context, arguments: Namespace) -> None:
        """Do it and write the answer; errors rise to `main`, which names the exit status."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One thing that a command of several tasks can do."""

    HELP: str
    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Context, Namespace], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A command of several tasks, such as `background put`."""

    HELP: str
    EXAMPLE: str
    tasks: Mapping[str, Any]
    """Commands, or modules of the same form, by the names of the tasks."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what can be done; the one that is chosen is `arguments.task`."""
        group = parser.add_subparsers(title="tasks", dest="task", metavar="TASK", required=True)
        for name, task in self.tasks.items():
            one = group.add_parser(name, help=task.HELP, description=task.HELP)
            task.add_arguments(one)
            add_shared(one)

    def run(self, context: Context, arguments: Namespace) -> None:
        """Do one thing and write its answer."""
        self.tasks[arguments.task].run(context, arguments)
