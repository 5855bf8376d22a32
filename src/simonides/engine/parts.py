"""The parts that all spaces of one home share, each made when first needed.

Picks the adapters; nothing else does.
"""

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from simonides.config import Settings, check_timezone
from simonides.errors import InvalidInput
from simonides.model.kept import NO_EMBEDDER, EmbedderIdentity
from simonides.ports import Clock, Embedder, Space, SpaceStore

if TYPE_CHECKING:
    from simonides.keeping.prepare import Preparer
    from simonides.view.space_view import SpaceView
    from simonides.view.warm import WarmViews


class Parts:
    """Store, embedder and warm views of one home; made lazily, shared by threads and spaces."""

    def __init__(
        self, home: Path, *, settings: Settings, embedder: Embedder | None, clock: Clock
    ) -> None:
        self.home = home
        self.settings = settings
        self.clock = clock
        self._lock = threading.RLock()
        self._embedder = embedder
        self._store: SpaceStore | None = None
        self._views: WarmViews | None = None

    @property
    def store(self) -> SpaceStore:
        """All spaces of the home."""
        with self._lock:
            if self._store is None:
                from simonides.store.sqlite import SQLiteStore

                self._store = SQLiteStore(
                    self.home,
                    durability=self.settings.durability,
                    timeout_s=self.settings.timeout_s,
                )
            return self._store

    @property
    def embedder(self) -> Embedder | None:
        """The embedder of the settings, or the one handed in; None for `none`."""
        with self._lock:
            if self._embedder is None:
                self._embedder = _embedder(self.settings)
            return self._embedder

    @property
    def identity(self) -> EmbedderIdentity:
        """What is stored with the vectors of new spaces."""
        embedder = self.embedder
        return NO_EMBEDDER if embedder is None else embedder.identity

    @property
    def timezone(self) -> str:
        """The time zone in whose days the user counts."""
        return self.settings.timezone or machine_timezone(os.environ)

    def view(self, space: Space) -> "SpaceView":
        """The warm view of a space."""
        with self._lock:
            if self._views is None:
                from simonides.view.warm import WarmViews

                self._views = WarmViews(
                    bytes_max=self.settings.view_bytes_max,
                    snapshot_path=self.store.snapshot_path,
                    approximate_above=_approximate_above(self.settings),
                )
        return self._views.of(space)

    def forget_view(self, space: Space) -> None:
        """Let the next question build the space's view from rows."""
        if self._views is not None:
            self._views.drop(space)

    def preparer(self) -> "Preparer":
        """How items are prepared, by the settings."""
        from simonides.keeping.prepare import Preparer

        return Preparer(
            identity=self.identity,
            embedder=self.embedder,
            language=self.settings.language,
            detect_language=self.settings.detect_language,
        )

    def close(self) -> None:
        """Write the snapshots of warm views, then close every open space."""
        with self._lock:
            if self._views is not None:
                self._views.save()
            if self._store is not None:
                self._store.close()
            self._store = self._views = None


def _embedder(settings: Settings) -> Embedder | None:
    """Return the embedder that the settings name; its model is loaded at its first text."""
    if settings.embedder == "minilm":
        from simonides.embedding.minilm import MiniLMEmbedder

        return MiniLMEmbedder(threads=settings.threads or None)
    if settings.embedder == "openai":
        from simonides.embedding.openai import OpenAIEmbedder

        return OpenAIEmbedder(
            base_url=settings.openai_base_url,
            model=settings.openai_model,
            dimension=settings.openai_dimension,
        )
    return None


def _approximate_above(settings: Settings) -> int:
    """Return the setting, if what it needs is installed."""
    if settings.approximate_above and find_spec("faiss") is None:
        problem = "needs faiss: pip install 'simonides[hnsw]', or set it to 0"
        raise InvalidInput("approximate_above", problem)
    return settings.approximate_above


LOCALTIME = Path("/etc/localtime")
"""A link into the zone files on Linux and macOS."""


def machine_timezone(environment: Mapping[str, str], *, localtime: Path = LOCALTIME) -> str:
    """Return the machine's IANA zone by `TZ` or the link that sets it, else UTC.

    A zone library would do more (Windows' registry), for a thirteenth dependency; there, set
    `timezone` in config.toml.
    """
    linked = str(localtime.resolve()).partition("zoneinfo/")[2] if localtime.is_symlink() else ""
    for name in (environment.get("TZ", "").lstrip(":"), linked):
        if name:
            with suppress(InvalidInput):
                check_timezone(name)
                return name
    return "UTC"
