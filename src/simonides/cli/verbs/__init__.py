"""The verbs, in the order in which `simonides --help` tells them: one table, one file each.

Verbs of plugins follow, by name.
"""

from argparse import ArgumentParser, Namespace
from importlib import import_module
from typing import Protocol, cast

from simonides.cli.context import Context
from simonides.cli.verbs import (
    add,
    audit,
    background,
    backup,
    brief,
    chat,
    compact,
    config,
    demo,
    diff,
    doctor,
    engage,
    entities,
    erase,
    explain,
    export,
    forget,
    get,
    history,
    import_,
    init,
    keys,
    list_,
    mcp,
    preferences,
    proposals,
    reembed,
    remember,
    repair,
    replay,
    restore,
    retrieve,
    search,
    serve,
    sessions,
    spaces,
    stats,
    surrogates,
    update,
    verify,
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
    "remember": remember,
    "import": import_,
    "search": search,
    "brief": brief,
    "explain": explain,
    "chat": chat,
    "retrieve": retrieve,
    "replay": replay,
    "diff": diff,
    "get": get,
    "list": list_,
    "update": update,
    "forget": forget,
    "erase": erase,
    "history": history,
    "restore": restore,
    "engage": engage,
    "background": background,
    "sessions": sessions,
    "preferences": preferences,
    "proposals": proposals,
    "surrogates": surrogates,
    "entities": entities,
    "stats": stats,
    "spaces": spaces,
    "doctor": doctor,
    "verify": verify,
    "repair": repair,
    "backup": backup,
    "export": export,
    "reembed": reembed,
    "compact": compact,
    "serve": serve,
    "mcp": mcp,
    "keys": keys,
    "audit": audit,
    "config": config,
    "demo": demo,
}


def plugin_verbs() -> dict[str, Verb]:
    """Return the verbs that plugins add, by name; one whose module does not load is warned of."""
    # Only a line that is not about a built-in verb needs it.
    from simonides.plugins import plugin_records, warn

    found: dict[str, Verb] = {}
    for name, verb in plugin_records(lambda plugin: plugin.verbs, built_in=VERBS).items():
        try:
            found[name] = cast("Verb", import_module(verb.module))
        except Exception as error:  # noqa: BLE001  whatever foreign code raises
            warn(f"the verb {name!r} is not loaded: {type(error).__name__}: {error}")
    return found
