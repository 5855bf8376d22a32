"""Plugins: importers, stores, models and verbs that other packages add.

A package names, under the entry point group `simonides.plugins`, a `Plugin` or a function that
returns one. Entry points are looked up when a name is not built in, when files are imported, for
`--help` and by the doctor.
Knows the records and how they are found. Must not know what any of them does.
"""

import warnings
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from simonides.errors import PluginWarning, SimonidesError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from simonides.ports.database import DatabaseStore
    from simonides.ports.importer import ImportEvent, SourceFile
    from simonides.ports.models import ChatModel, Embedder, Reranker

GROUP: Final = "simonides.plugins"
"""The entry point group that is looked up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """A file format: how a file of it is recognised and read.

    `detect` takes a path and the first 8192 bytes of a file that no format before it fits. `read`
    yields events in the order of the file: `file.keep(item, …)` or `file.skip(reason, …)`.
    `title` names the format in messages, such as "calendars (.ics)".

    `order` gives precedence: lower is asked first, of equal ones the first by name. What exact
    marks recognise comes before what a suffix does, and any text comes last. The built-in formats
    have 10 (calendars), 40 to 44 (chats in JSON Lines, Markdown, mboxes, mails, web pages) and, for
    any table and any text, 90 and 91; those of simonides-formats have 1 to 9, 11 to 33 and 45.

    `wrapped` reads such a file where it is attached to a mail in place of the mail's own contents,
    as winmail.dat is: from its bytes, the mail's parse budget and depth it makes a mail body, or
    None where it is none after all.
    """

    name: str
    detect: Callable[[Path, bytes], bool]
    read: "Callable[[SourceFile], Iterable[ImportEvent]]"
    title: str = ""
    order: int = 50
    wrapped: Callable[[bytes, Any, int], Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonReader:
    """A reader of JSON files of any size as a stream; without one they are read as a whole.

    `values` takes a file, the name of its Unicode encoding, and dotted paths at which a list of
    records may lie. It yields each record as a `simonides.importers.json_parts.JsonPart`.
    """

    name: str
    values: "Callable[[SourceFile, str, tuple[str, ...]], Iterator[Any]]"


def read_by(target: str) -> "Callable[[SourceFile], Iterable[ImportEvent]]":
    """Return the reader `MODULE:FUNCTION`, whose module is imported when it is first called."""

    def read(file: "SourceFile") -> "Iterable[ImportEvent]":
        found: Iterable[ImportEvent] = call_target(target, file)
        return found

    return read


def call_target(target: str, *arguments: object) -> Any:
    """Return the result of `MODULE:FUNCTION` for the arguments; its module is imported here."""
    module, _, function = target.partition(":")
    return getattr(import_module(module), function)(*arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOptions:
    """The settings of stores: `store` (the address), `durability` and `timeout_s`."""

    address: str
    durability: str
    timeout_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFactory:
    """A store of all spaces, by the schemes that the setting `store` may begin with.

    `make` returns it without connecting; nothing is asked of it before it is needed.
    """

    name: str
    schemes: tuple[str, ...]
    make: "Callable[[StoreOptions], DatabaseStore]"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderOptions:
    """The settings of embedders: `openai_base_url`, `openai_model`, `openai_dimension`, and more.

    `threads` is 0 for one per core, `language` that of texts that are too short to tell.
    """

    base_url: str
    model: str
    dimension: int
    threads: int
    language: str = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderFactory:
    """An embedder by the name that the setting `embedder` takes."""

    name: str
    make: "Callable[[EmbedderOptions], Embedder]"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """The settings of language models: `chat_model`, `chat_base_url` and `chat_model_path`."""

    model: str
    base_url: str
    model_path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatModelFactory:
    """A language model by the name that the setting `chat_provider` takes."""

    name: str
    make: "Callable[[ChatOptions], ChatModel]"


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerOptions:
    """The settings of rerankers: `reranker` (a path or an address) and `reranker_model`."""

    place: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerFactory:
    """A reranker by the name that the setting `reranker` takes."""

    name: str
    make: "Callable[[RerankerOptions], Reranker]"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerbModule:
    """A verb of the command line: its name, and the module that has what a verb has.

    That is `HELP`, `EXAMPLE`, `add_arguments(parser)` and `run(context, arguments)`.
    """

    name: str
    module: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """The extensions of one package."""

    importers: tuple[Importer, ...] = ()
    json_readers: tuple[JsonReader, ...] = ()
    stores: tuple[StoreFactory, ...] = ()
    embedders: tuple[EmbedderFactory, ...] = ()
    chat_models: tuple[ChatModelFactory, ...] = ()
    rerankers: tuple[RerankerFactory, ...] = ()
    verbs: tuple[VerbModule, ...] = ()

    def __post_init__(self) -> None:
        for field, kind in _KINDS.items():
            for record in getattr(self, field):
                if not isinstance(record, kind):
                    raise TypeError(f"{field} must hold {kind.__name__}, got {record!r}")


_KINDS: Final = {
    "importers": Importer,
    "json_readers": JsonReader,
    "stores": StoreFactory,
    "embedders": EmbedderFactory,
    "chat_models": ChatModelFactory,
    "rerankers": RerankerFactory,
    "verbs": VerbModule,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledPlugin:
    """An entry point of the group: its package, and the plugin or its load error."""

    name: str
    distribution: str
    version: str
    plugin: Plugin
    problem: str = ""

    def __str__(self) -> str:
        """Return `acme (acme-simonides 1.0): importers tsv`, or why it did not load."""
        names = (
            f"{field} {', '.join(record.name for record in records)}"
            for field in _KINDS
            if (records := getattr(self.plugin, field))
        )
        content = self.problem or "; ".join(names) or "adds nothing"
        return f"{self.name} ({self.distribution} {self.version}): {content}"


@cache
def find_installed() -> tuple[InstalledPlugin, ...]:
    """Return the installed plugins by name; one that fails to load causes one warning."""
    from importlib.metadata import entry_points  # 50 ms

    found = sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))
    return tuple(_load_installed(entry) for entry in found)


def _load_installed(entry: "EntryPoint") -> InstalledPlugin:
    plugin, problem = Plugin(), ""
    try:
        plugin = _load(entry)
    except (Exception, SystemExit) as error:  # noqa: BLE001  whatever foreign code raises
        problem = f"not loaded: {type(error).__name__}: {error}"
        warn(f"the plugin {entry.name!r} ({entry.value}) is {problem}")
    return InstalledPlugin(
        name=entry.name,
        distribution=entry.dist.name if entry.dist else "unknown",
        version=entry.dist.version if entry.dist else "",
        plugin=plugin,
        problem=problem,
    )


def _load(entry: "EntryPoint") -> Plugin:
    found = entry.load()
    plugin = found() if callable(found) else found
    if not isinstance(plugin, Plugin):
        raise TypeError(f"must be a simonides.plugins.Plugin, got {type(plugin).__name__}")
    return plugin


class _Named(Protocol):
    """A record with the name by which a setting selects it."""

    @property
    def name(self) -> str: ...


_Record = TypeVar("_Record", bound=_Named)


def plugin_records(
    records_of: Callable[[Plugin], Iterable[_Record]], *, built_in: Container[str]
) -> dict[str, _Record]:
    """Return the plugins' records of one kind, by name, sorted.

    A built-in name and the name of an earlier plugin stay; the other record is warned of.
    """
    added: dict[str, _Record] = {}
    for installed in find_installed():
        for record in records_of(installed.plugin):
            if record.name in built_in or record.name in added:
                whose = "built in" if record.name in built_in else "another plugin's"
                warn(f"the plugin {installed.name!r}: {record.name!r} is {whose}, and stays that")
            else:
                added[record.name] = record
    return dict(sorted(added.items()))


_Options = TypeVar("_Options")
_Made = TypeVar("_Made")


def make_by(
    name: str,
    make: Callable[[_Options], _Made],
    options: _Options,
    *,
    failing: type[SimonidesError],
) -> _Made:
    """Return the adapter that a record makes of its options.

    Raises:
        SimonidesError: The record failed or made nothing; `failing` where it says no more.
    """
    try:
        made = make(options)
    except SimonidesError:
        raise
    except Exception as error:
        raise failing(f"{name!r} cannot be made: {type(error).__name__}: {error}") from error
    if made is None:
        raise failing(f"{name!r} cannot be made: its plugin gave nothing")
    return made


def warn(problem: str) -> None:
    """Warn about a plugin, or a part of one, that is not used."""
    warnings.warn(problem, PluginWarning, stacklevel=2)
