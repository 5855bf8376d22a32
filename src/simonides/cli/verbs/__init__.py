"""The commands, in the order in which `simonides --help` lists them; plugins' follow, by name.

Each is imported when it is asked for: a line of one command does not pay for the others.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, cast

from simonides.cli.options import Verb

_PLACES = {
    "init": "verbs.settings:INIT",
    "add": "verbs.add:ADD",
    "remember": "commands:REMEMBER",
    "import": "verbs.import_",
    "import-log": "commands:IMPORT_LOG",
    "search": "question_commands:SEARCH",
    "brief": "question_commands:BRIEF",
    "explain": "question_commands:EXPLAIN",
    "story": "question_commands:STORY",
    "chat": "verbs.chat",
    "retrieve": "question_commands:RETRIEVE",
    "agenda": "agenda:AGENDA",
    "receipts": "commands:RECEIPTS",
    "replay": "verbs.receipts:REPLAY",
    "diff": "verbs.receipts:DIFF",
    "get": "commands:GET",
    "list": "commands:LIST",
    "counts": "commands:COUNTS",
    "update": "commands:UPDATE",
    "forget": "commands:FORGET",
    "erase": "verbs.erase:ERASE",
    "preview-erase": "commands:PREVIEW_ERASE",
    "history": "commands:HISTORY",
    "restore": "commands:RESTORE",
    "record-usage": "commands:RECORD_USAGE",
    "engagement": "commands:ENGAGEMENT",
    "background": "commands:BACKGROUND",
    "sessions": "commands:SESSIONS",
    "preferences": "commands:PREFERENCES",
    "proposals": "commands:PROPOSALS",
    "surrogates": "commands:SURROGATES",
    "entities": "entities:ENTITIES",
    "embed": "commands:EMBED",
    "stats": "commands:STATS",
    "spaces": "commands:SPACES",
    "doctor": "verbs.soundness:DOCTOR",
    "verify": "verbs.soundness:VERIFY",
    "repair": "commands:REPAIR",
    "backup": "commands:BACKUP",
    "export": "verbs.export",
    "move": "verbs.move",
    "reembed": "verbs.soundness:REEMBED",
    "compact": "commands:COMPACT",
    "serve": "verbs.serve",
    "web": "verbs.web",
    "mcp": "verbs.mcp",
    "integrate": "verbs.integrate",
    "hook": "verbs.hook",
    "db": "verbs.db:DB",
    "keys": "verbs.keys:KEYS",
    "audit": "commands:AUDIT",
    "config": "verbs.settings:CONFIG",
    "demo": "verbs.demo",
}
"""The module of each command, or the record in it."""


@cache
def _verb(place: str) -> Verb:
    module, _, name = place.partition(":")
    found: Any = import_module(f"simonides.cli.{module}")
    return cast("Verb", getattr(found, name) if name else found)


class _Verbs(Mapping[str, Verb]):
    """The commands by name."""

    def __getitem__(self, name: str) -> Verb:
        return _verb(_PLACES[name])

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)


VERBS: Mapping[str, Verb] = _Verbs()


def plugin_verbs() -> dict[str, Verb]:
    """Return the verbs of plugins, by name; a module that does not load causes a warning."""
    # Only a line that is not about a built-in verb needs it.
    from simonides.plugins import plugin_records, warn

    found: dict[str, Verb] = {}
    for name, verb in plugin_records(lambda plugin: plugin.verbs, built_in=VERBS).items():
        try:
            found[name] = cast("Verb", import_module(verb.module))
        except Exception as error:  # noqa: BLE001  whatever foreign code raises
            warn(f"the verb {name!r} is not loaded: {type(error).__name__}: {error}")
    return found
