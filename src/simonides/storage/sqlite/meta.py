"""A space's format, and what it says of itself: its identity, its embedder and where it stands.

Knows the rows of `meta`, and the numbered scripts in `migrations/` by which an older file becomes
one of the present format. Must not know of items.
"""

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import apsw

from simonides.errors import NewerFormat, StoreCorrupt
from simonides.model.stored import (
    ANALYSIS_VERSION,
    FIRST_ANALYSIS,
    UNICODE_VERSION,
    Analysis,
    EmbedderIdentity,
)
from simonides.storage.space_facts import REEMBEDDING, SpaceFacts
from simonides.storage.sqlite.connection import APPLICATION_ID, Handle, pragma, writing
from simonides.storage.sqlite.pages import has_checksums
from simonides.storage.sqlite.queries import QUERIES


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta(SpaceFacts):
    """A space's own facts, and those of its file.

    `page_checksums` says that every page has one. All pages were last looked at `scrubbed_us`
    (None: never), and `pages_damaged` were found not to fit.
    """

    page_checksums: bool = False
    scrubbed_us: int | None = None
    backed_up_us: int | None = None
    pages_damaged: int = 0


def read_meta(sqlite: apsw.Connection) -> Meta:
    """Return the properties of the space; inside a transaction this fixes its state."""
    return _meta(tuple(sqlite.execute(QUERIES["meta"])))


@lru_cache(maxsize=64)
def _meta(rows: tuple[tuple[str, Any], ...]) -> Meta:
    """Return the `Meta` of rows, cached: most reads and writes find the same ones.

    Raises:
        StoreCorrupt: A fact is not there, or of another type.
    """
    said = {"floor": 0, **dict(rows)}
    for name, kind in FACTS.items():
        if not isinstance(said.get(name), kind):
            problem = f"the space does not say its {name}, or not as it should"
            raise StoreCorrupt(f"{problem}; run `simonides repair`, or restore a backup")
    return Meta(
        uuid=said["uuid"],
        embedder=EmbedderIdentity(
            model=said["model"],
            dimension=said["dimension"],
            window_words=said["window_words"],
            quantiser=said["quantiser"],
        ),
        revision=said["revision"],
        epoch=said["epoch"],
        floor=said["floor"],
        analysis=_analysis(said.get("analysis"), said.get("unicode")),
        page_checksums=said.get(PAGE_CHECKSUMS) == 1,
        scrubbed_us=said.get(SCRUBBED_US),
        backed_up_us=said.get(BACKED_UP_US),
        pages_damaged=said.get(PAGES_DAMAGED, 0),
        reembedding=str(said.get(REEMBEDDING, "")),
    )


def _analysis(version: object, unicode: object) -> Analysis:
    """Return the analysis version of the rows, the first one for spaces of older formats."""
    if isinstance(version, int) and isinstance(unicode, str):
        return Analysis(version=version, unicode=unicode)
    return FIRST_ANALYSIS


def check_pages(meta: Meta, handle: Handle) -> None:
    """Raise `StoreCorrupt` if pages have checksums, but the first page lost its flag."""
    if meta.page_checksums and not handle.has_checksums:
        problem = f"{handle.file} has lost the mark that its pages have checksums"
        raise StoreCorrupt(f"{problem}; run `simonides repair`, or restore a backup")


PAGE_CHECKSUMS = "page_checksums"
SCRUBBED_US = "scrubbed_us"
PAGES_DAMAGED = "pages_damaged"
BACKED_UP_US = "backed_up_us"
"""Facts that are of the file, not of what is kept in it: no export has them."""


FACTS: dict[str, type] = {
    "uuid": str,
    "model": str,
    "dimension": int,
    "window_words": int,
    "quantiser": str,
    "revision": int,
    "epoch": int,
    "floor": int,
}
"""What a space says of itself, and how."""


def write_first(sqlite: apsw.Connection, embedder: EmbedderIdentity) -> None:
    """Give a new space its identity, at revision and epoch 0."""
    set_meta(sqlite, "uuid", uuid.uuid4().hex)
    set_meta(sqlite, "created_us", time.time_ns() // 1000)
    set_meta(sqlite, "revision", 0)
    set_meta(sqlite, "epoch", 0)
    set_meta(sqlite, "analysis", ANALYSIS_VERSION)
    set_meta(sqlite, "unicode", UNICODE_VERSION)
    set_meta(sqlite, PAGE_CHECKSUMS, int(has_checksums(sqlite)))
    write_embedder(sqlite, embedder)


def write_embedder(sqlite: apsw.Connection, embedder: EmbedderIdentity) -> None:
    """Say whose vectors the space holds."""
    set_meta(sqlite, "model", embedder.model)
    set_meta(sqlite, "dimension", embedder.dimension)
    set_meta(sqlite, "window_words", embedder.window_words)
    set_meta(sqlite, "quantiser", embedder.quantiser)


def set_meta(sqlite: apsw.Connection, key: str, value: str | int) -> None:
    """Set one of the space's values."""
    sqlite.execute(QUERIES["set_meta"], {"key": key, "value": value})


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step: the script that turns format `number` - 1 into format `number`."""

    number: int
    script: str


def _load() -> tuple[Migration, ...]:
    scripts = sorted((files(__package__) / "migrations").iterdir(), key=lambda one: one.name)
    return tuple(
        Migration(number=int(one.name[:4]), script=one.read_text(encoding="utf-8"))
        for one in scripts
        if one.name.endswith(".sql")
    )


MIGRATIONS = _load()
"""Every step from an empty file to the present format, in order."""

FORMAT = MIGRATIONS[-1].number
"""The format that this engine reads and writes; SQLite's `user_version`."""


def check_format(handle: Handle, *, newest: int = FORMAT) -> int:
    """Return the file's format; 0 for one whose making was cut short.

    Raises:
        NewerFormat: A newer engine wrote it.
    """
    found = int(pragma(handle.sqlite, "user_version"))
    if found > newest:
        problem = f"{handle.file} has format {found}, this engine reads up to {newest}"
        raise NewerFormat(f"{problem}; use the newer simonides")
    return found


def migrate(
    handle: Handle,
    *,
    begin: Callable[[apsw.Connection], None],
    migrations: Sequence[Migration] = MIGRATIONS,
) -> None:
    """Bring the file to the newest format in one transaction, or leave it as it was.

    `begin` is called inside it after the steps of a file that was empty, to give a new space its
    first values. Of two processes that come at once, one does it and the other finds it done.
    """
    newest = migrations[-1].number
    with writing(handle) as sqlite:
        found = check_format(handle, newest=newest)
        for step in migrations[found:]:
            sqlite.execute(step.script)
        sqlite.execute(f"PRAGMA application_id={APPLICATION_ID}")
        sqlite.execute(f"PRAGMA user_version={newest}")
        if found == 0:
            begin(sqlite)
