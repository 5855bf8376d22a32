"""The spaces in which the questions of labelled data are asked: new ones, or those kept before.

Knows where a home is kept and when it is made anew. Must not know the formats of the data.
"""

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides.errors import InvalidInput
from simonides.ports.models import Embedder
from simonides_bench.neutral import Question
from simonides_bench.recall import open_throwaway


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One space with its questions; `names` are those of its items, by id, in the labels.

    `now` is the clock of questions without a time.
    """

    space: Memory
    questions: Sequence[Question]
    names: Mapping[str, frozenset[str]]
    now: datetime


class LabelledData(Protocol):
    """One set of items with questions about them."""

    @property
    def name(self) -> str:
        """What the set is called."""

    @property
    def count(self) -> int:
        """How many questions there are."""

    def files(self) -> Iterable[Path]:
        """Return the files that the memory is made of."""

    def fill(self, memory: Memory) -> None:
        """Add all that the questions are about."""

    def parts(self, memory: Memory) -> Iterator[Part]:
        """Yield the spaces of a memory that was filled."""


@contextmanager
def fill(
    data: LabelledData,
    *,
    settings: Settings,
    keep: Path | None,
    embedder: Embedder | None = None,
) -> Iterator[Memory]:
    """Open a memory that holds the data; below `keep` it stays for the next time.

    Raises:
        InvalidInput: The place of the kept home is taken by something else.
    """
    if keep is None:
        with open_throwaway(settings) as memory:
            data.fill(memory)
            yield memory
        return
    home, note = keep / data.name, keep / f"{data.name}.json"
    if not _is_kept(home, note, data):
        _make(home, note, data, settings, embedder)
    owner = tuple(_note(note).get("owner", ()))
    with _memory(home, replace(settings, owner=owner), embedder) as memory:
        yield memory


def _is_kept(home: Path, note: Path, data: LabelledData) -> bool:
    return home.exists() and _note(note).get("data") == _digest(data)


def _memory(home: Path, settings: Settings, embedder: Embedder | None) -> Memory:
    """Return the memory of a home, by the embedder of the settings unless one is given."""
    if embedder is None:
        return Memory(home, settings=settings)
    return Memory(home, settings=settings, embedder=embedder)


def _make(
    home: Path, note: Path, data: LabelledData, settings: Settings, embedder: Embedder | None
) -> None:
    """Fill a new home; the note is whole only once the home is."""
    if home.exists() and not note.exists():
        raise InvalidInput(str(home), "is there already, and was not kept by this bench")
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    note.write_text("{}", "utf-8")
    with _memory(home, settings, embedder) as memory:
        data.fill(memory)
        owner = list(memory.owner)
    note.write_text(json.dumps({"data": _digest(data), "owner": owner}), "utf-8")


def _note(note: Path) -> dict[str, Any]:
    try:
        found = json.loads(note.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _digest(data: LabelledData) -> str:
    """Return a hash of the files' names and bytes."""
    seen = hashlib.blake2b(digest_size=16)
    for path in data.files():
        content = path.read_bytes()
        seen.update(f"{path.name} {len(content)}\n".encode() + content)
    return seen.hexdigest()
