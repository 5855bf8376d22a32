"""`OpenSpace`: one space of a home, with everything that a question or a write needs.

The one bag of dependencies: functions of every room above take it, and nothing else is handed on.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from simonides.config import Settings
from simonides.errors import AccessDenied, InvalidInput, NotFound
from simonides.model.coercion import tuple_of
from simonides.model.stored import EmbedderIdentity
from simonides.ports.models import ChatModel, Clock, Embedder, Reranker, WorkingMemory
from simonides.ports.space import Reader, Space, SpaceStore

if TYPE_CHECKING:  # who counts items waits for no NumPy
    from simonides.index.space_index import SpaceIndex


SPACES_MAX = 20
"""Spaces that one question may go to."""


class Home(Protocol):
    """The shared parts of all spaces of one directory. Only the room `api` picks its adapters."""

    settings: Settings
    clock: Clock

    @property
    def path(self) -> Path:
        """The directory."""
        ...

    @property
    def unpacking_path(self) -> Path:
        """The folder below which uploads and unpacked files lie while they are read."""
        ...

    @property
    def store(self) -> SpaceStore:
        """The store of all spaces of the home."""
        ...

    @property
    def embedder(self) -> Embedder | None:
        """The embedding model; None if vectors are not used."""
        ...

    @property
    def identity(self) -> EmbedderIdentity:
        """The identity of the embedding model, which is stored with its vectors."""
        ...

    def embedder_for(self, identity: EmbedderIdentity) -> Embedder | None:
        """Return the embedding model of these vectors, in an earlier version if need be.

        None if the configured one has no such version, and if vectors are not used.
        """
        ...

    @property
    def chat_model(self) -> ChatModel | None:
        """The language model; None if chats are answered by cited lines."""
        ...

    @property
    def reranker(self) -> Reranker | None:
        """The model that reads the best passages of a search; None if none does."""
        ...

    @property
    def working(self) -> WorkingMemory:
        """The working memory, of short-lived values."""
        ...

    @property
    def timezone(self) -> str:
        """The user's time zone."""
        ...

    def index(self, space: Space) -> "SpaceIndex":
        """Return the warm index of a space."""
        ...

    def keep_index(self, space: Space) -> None:
        """Write the snapshot of the index of a space, which is built first if it is cold."""
        ...

    def forget_index(self, space: Space) -> None:
        """Drop the index of a space, so that the next question builds it from rows."""
        ...

    def forget_indexes(self) -> None:
        """Drop every index, so that the next questions build them anew, ignoring snapshots."""
        ...

    def forget_words(self, space: Space) -> None:
        """Clear this process's caches of the words of a space, and of words in general."""
        ...

    def forget_shared(self, name: str, *, whole: bool) -> tuple[str, ...]:
        """Clear what is shared of erased items, or of the `whole` space.

        Returns a note where it could not be cleared, for the report of an erasure.
        """
        ...

    def tend(self, space: Space) -> None:
        """Maintain a space after a write: renew its snapshot, compact it if that is due."""
        ...

    def read_later(self, opened: "OpenSpace", session: str, ids: Sequence[str]) -> None:
        """Let the language model find memories in new messages of a session, if that is set."""
        ...

    def wait_for_reading(self, timeout_s: float | None) -> bool:
        """Return whether all that `read_later` was given was read, within `timeout_s` seconds."""
        ...

    def begin_work(self, stop: Callable[[], object]) -> None:
        """Register `stop`, called before anything is closed; it returns once the work has ended."""
        ...

    def end_work(self, stop: Callable[[], object]) -> None:
        """Unregister a `stop`: its work has ended by itself."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSpace:
    """One space by its name: its store, index, models, settings and clock.

    The store gives the same space object for as long as the space stays open, so it may be asked
    for at every step. `shared` are the other spaces that may be read from here: those that a key
    grants, or None for all of the home.
    """

    name: str
    home: Home
    shared: frozenset[str] | None = None

    def readable(self, names: Iterable[str]) -> "tuple[OpenSpace, ...]":
        """Return the spaces of these names, each once: the one way from a space to others.

        Raises:
            InvalidInput: There are too many, or none.
            AccessDenied: One of them may not be read from here; it is not said which.
        """
        named = tuple(dict.fromkeys(tuple_of(str, names, field="spaces")))
        if not 1 <= len(named) <= SPACES_MAX:
            raise InvalidInput("spaces", f"must be 1 to {SPACES_MAX}, got {len(named)}")
        if self.shared is not None and not self.shared.issuperset(set(named) - {self.name}):
            raise AccessDenied("spaces: this key may not read all of them; see /v1/spaces")
        return tuple(replace(self, name=one) for one in named)

    def with_spaces(self, names: Iterable[str]) -> "tuple[OpenSpace, ...]":
        """Return this space and behind it the others of these names; raises as `readable`."""
        return self.readable((self.name, *tuple_of(str, names, field="spaces")))

    @property
    def settings(self) -> Settings:
        """The settings."""
        return self.home.settings

    @property
    def embedder(self) -> Embedder | None:
        """The embedding model of the space's vectors; None if vectors are not used."""
        return self.home.embedder_for(self.identity)

    @property
    def identity(self) -> EmbedderIdentity:
        """The identity of the space's embedding model; of the configured one for a new space."""
        space = self.find()
        return self.home.identity if space is None else space.embedder

    @property
    def working(self) -> WorkingMemory:
        """The working memory, of short-lived values."""
        return self.home.working

    @property
    def timezone(self) -> str:
        """The user's time zone."""
        return self.home.timezone

    @property
    def index(self) -> "SpaceIndex":
        """The warm index of the space, which must exist."""
        return self.home.index(self.space)

    def now(self) -> datetime:
        """Return the time by the clock of the home."""
        return self.home.clock()

    def find(self) -> Space | None:
        """Return the space; None if nothing was ever written to it.

        Raises:
            WrongEmbedder: Its vectors come from another model than the configured one.
        """
        try:
            return self.space
        except NotFound:
            return None

    def find_of_any_embedder(self) -> Space | None:
        """Return the space whatever its vectors come from; None if nothing was ever written."""
        try:
            return self.space_of_any_embedder
        except NotFound:
            return None

    @property
    def space(self) -> Space:
        """The space, which must exist.

        Raises:
            NotFound: Nothing was ever written to it.
            WrongEmbedder: Its vectors come from another model than the configured one, and from
                none of its earlier versions.
        """
        wanted = self.home.identity  # asked for first: it says where a model is not installed
        return self._fitting(self.space_of_any_embedder, wanted)

    @contextmanager
    def reading(self) -> Iterator[tuple[Space, Reader]]:
        """Open the space, which must exist, and a view of it; raises as `space`."""
        wanted = self.home.identity
        with self.home.store.reading(self.name) as (space, reader):
            self._fitting(space, wanted)
            yield space, reader

    def _fitting(self, found: Space, wanted: EmbedderIdentity) -> Space:
        """Return a space whose vectors the home can make."""
        if found.embedder == wanted or self.home.embedder_for(found.embedder) is not None:
            return found
        return self.home.store.open(self.name, embedder=wanted, create=False)

    @property
    def space_of_any_embedder(self) -> Space:
        """The space, which must exist, whatever model its vectors come from.

        Raises:
            NotFound: Nothing was ever written to it.
        """
        return self.home.store.open_any(self.name)

    def make(self) -> Space:
        """Return the space; create it if nothing was ever written to it.

        Raises:
            WrongEmbedder: As for `space`.
        """
        store, wanted = self.home.store, self.home.identity
        return self.find() or store.open(self.name, embedder=wanted, create=True)
