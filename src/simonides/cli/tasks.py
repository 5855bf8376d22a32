"""A verb of several tasks, such as `background put`: one table, one parser for each.

Knows how tasks are declared and run. Must not know what any of them does.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from simonides.cli.context import Context
from simonides.cli.options import add_shared


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One thing that a verb can do: what its help says, its arguments, and the doing."""

    told: str
    declare: Callable[[ArgumentParser], None]
    run: Callable[[Context, Namespace], None]


def add_tasks(parser: ArgumentParser, tasks: Mapping[str, Task]) -> None:
    """Declare what can be done; the one that is chosen is `arguments.task`."""
    group = parser.add_subparsers(title="tasks", dest="task", metavar="TASK", required=True)
    for name, task in tasks.items():
        one = group.add_parser(name, help=task.told, description=task.told)
        task.declare(one)
        add_shared(one)
