"""The verbs, in the order in which `simonides --help` tells them: one table, one file each."""

from argparse import ArgumentParser, Namespace
from typing import Protocol

from simonides.cli.context import Context
from simonides.cli.verbs import (
    add,
    background,
    bench,
    brief,
    config,
    demo,
    doctor,
    entities,
    explain,
    forget,
    get,
    import_,
    init,
    list_,
    reembed,
    search,
    spaces,
    stats,
    update,
)


class Verb(Protocol):
    """What a file of this folder holds."""

    HELP: str
    EXAMPLE: str

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the verb's own arguments."""
        ...

    def run(self, context: Context, arguments: Namespace) -> None:
        """Do it and write the answer; errors rise to `main`, which names the exit status."""
        ...


VERBS: dict[str, Verb] = {
    "init": init,
    "add": add,
    "import": import_,
    "search": search,
    "brief": brief,
    "explain": explain,
    "get": get,
    "list": list_,
    "update": update,
    "forget": forget,
    "background": background,
    "entities": entities,
    "stats": stats,
    "spaces": spaces,
    "doctor": doctor,
    "reembed": reembed,
    "config": config,
    "bench": bench,
    "demo": demo,
}
