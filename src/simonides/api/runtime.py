"""The parts that all spaces of one home share, each made when first needed.

Picks the adapters; nothing else does.
"""

import os
import shutil
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Self

from simonides.api.database import database_store
from simonides.config import Settings, check_timezone
from simonides.disk import process_folder, remove_left_in
from simonides.errors import InvalidInput, NotFound, StoreError
from simonides.maintenance.interrupted_erasures import finish_erasure
from simonides.model.bounds import INT64_MAX, NAME, Whole, show_value
from simonides.model.stored import NO_EMBEDDER, EmbedderIdentity
from simonides.ports.maintenance import ErasableSpace
from simonides.ports.models import Clock, Embedder, VersionedEmbedder
from simonides.ports.shared_state import SharedState, Sharing, imports_of
from simonides.ports.space import StoreLoad
from simonides.storage.names import UPLOADS
from simonides.working_memory.in_process import InProcessWorkingMemory

if TYPE_CHECKING:
    from simonides.api.extraction import ExtractionQueue
    from simonides.index.index_cache import IndexCache
    from simonides.index.open_space import OpenSpace
    from simonides.index.space_index import SpaceIndex
    from simonides.ports.access import AccessStore
    from simonides.ports.models import ChatModel, Reranker, WorkingMemory
    from simonides.ports.space import Space, SpaceStore


NOT_CLEARED = (
    "what servers share (setting redis) does not answer: answers that are kept there for a day may "
    "repeat what was erased; erase the same once more when it does"
)

_NUMBERS = {
    "dimension": Whole(low=0, high=INT64_MAX),
    "window_words": Whole(low=1, high=INT64_MAX),
}
"""What the numbers of an identity may be: one out of range would be written into the space."""


def _check_identity(identity: EmbedderIdentity) -> EmbedderIdentity:
    """Return the identity of an embedder, which may be anybody's, if a space can be made for it."""
    if not isinstance(identity, EmbedderIdentity):
        problem = f"must be an EmbedderIdentity, got {show_value(identity)}"
        raise InvalidInput("embedder.identity", problem)
    for name in ("model", "quantiser"):
        if not NAME.check(getattr(identity, name), field=f"embedder.identity.{name}"):
            raise InvalidInput(f"embedder.identity.{name}", "is empty")
    for name, bound in _NUMBERS.items():
        bound.check(getattr(identity, name), field=f"embedder.identity.{name}")
    return identity


class Runtime:
    """The store, models and warm indexes of one home (a `Home`), each made when first needed.

    Shared by threads and spaces.
    """

    def __init__(
        self,
        home: Path | None,
        *,
        settings: Settings,
        embedder: Embedder | None,
        clock: Clock,
        chat_model: "ChatModel | None" = None,
        reranker: "Reranker | None" = None,
        working: "WorkingMemory | None" = None,
        finds_owner: bool = False,
    ) -> None:
        self._home = home
        self.finds_owner = finds_owner
        self._private: weakref.finalize[..., Runtime] | None = None
        self.settings = settings
        self.clock = clock
        self._lock = threading.RLock()
        self._embedder = embedder
        self.has_given_embedder = embedder is not None
        self._given_chat_model = chat_model
        self._chat_model: ChatModel | None = None
        self._extraction: ExtractionQueue | None = None
        self._given_reranker = reranker
        self._reranker: Reranker | None = None
        self._working = working
        self._redis: SharedState | None = None
        self._store: SpaceStore | None = None
        self._access: AccessStore | None = None
        self._views: IndexCache | None = None
        self._at_work: list[Callable[[], object]] = []
        self._tended: dict[tuple[str, str], tuple[Space, int]] = {}
        self._looked_after: set[tuple[str, str]] = set()

    def __deepcopy__(self, _: object) -> Self:
        """Return the same: what lies in a home is not doubled by copying what holds it."""
        return self

    @property
    def is_in_memory(self) -> bool:
        """Whether nothing is left on disk once it is closed."""
        return self._home is None

    @property
    def path(self) -> Path:
        """The directory of all spaces: of one in memory a private one, made when first needed."""
        with self._lock:
            if self._home is not None:
                return self._home
            if self._private is None or not self._private.alive:
                folder = process_folder("memory")
                self._private = weakref.finalize(self, _remove, folder, process=os.getpid())
                self._folder = folder
            return self._folder

    @property
    def unpacking_path(self) -> Path:
        """The folder below which uploads and unpacked files lie while they are read."""
        return self.path / UPLOADS

    @property
    def store(self) -> "SpaceStore":
        """The store of all spaces of the home; what killed imports left there is removed first."""
        with self._lock:
            if self._store is None:
                remove_left_in(self.unpacking_path)
                self._store = self._make_store()
            return self._store

    def _make_store(self) -> "SpaceStore":
        settings = self.settings
        if settings.store and not self.is_in_memory:
            return database_store(settings)
        from simonides.storage.sqlite import SQLiteStore

        return SQLiteStore(
            self.path,
            durability="relaxed" if self.is_in_memory else settings.durability,
            timeout_s=settings.timeout_s,
            checksums=settings.page_checksums,
        )

    @property
    def access(self) -> "AccessStore":
        """The keys of the home, and the audit log."""
        with self._lock:
            if self._access is None:
                from simonides.storage.sqlite.access import SQLiteAccessStore

                self._access = SQLiteAccessStore(self.path, timeout_s=self.settings.timeout_s)
            return self._access

    @property
    def embedder(self) -> Embedder | None:
        """The embedder of the settings, or the given one; None for `none`."""
        with self._lock:
            if self._embedder is None:
                from simonides.api.model_factories import make_embedder

                self._embedder = make_embedder(self.settings)
            return self._embedder

    @property
    def working(self) -> "WorkingMemory":
        """The working memory: the given one, that of the settings, or one of this process."""
        with self._lock:
            if self._working is None:
                self._working = self._make_working_memory()
            return self._working

    def _make_working_memory(self) -> "WorkingMemory":
        if not self.settings.redis or self.is_in_memory:
            return InProcessWorkingMemory()
        if find_spec("redis") is None:
            raise InvalidInput("redis", "needs redis: pip install 'simonides[redis]'")
        from simonides.api.redis_state import redis_state

        self._redis = redis_state(self.settings.redis)
        return self._redis

    @property
    def chat_model(self) -> "ChatModel | None":
        """The given language model, or that of the settings; None for `none`."""
        if self._given_chat_model is not None:
            return self._given_chat_model
        with self._lock:
            if self._chat_model is None:
                from simonides.api.model_factories import make_chat_model

                self._chat_model = make_chat_model(self.settings)
            return self._chat_model

    @property
    def reranker(self) -> "Reranker | None":
        """The given reranker, or that of the settings; None for none."""
        if self._given_reranker is not None or not self.settings.reranker:
            return self._given_reranker
        with self._lock:
            if self._reranker is None:
                from simonides.api.model_factories import make_reranker

                self._reranker = make_reranker(self.settings)
            return self._reranker

    @property
    def identity(self) -> EmbedderIdentity:
        """The identity stored with the vectors of new spaces."""
        embedder = self.embedder
        return NO_EMBEDDER if embedder is None else _check_identity(embedder.identity)

    def embedder_for(self, identity: EmbedderIdentity) -> Embedder | None:
        """Return the embedder of these vectors, in an earlier version if need be."""
        embedder = self.embedder
        if embedder is None or embedder.identity == identity:
            return embedder if identity != NO_EMBEDDER else None
        return embedder.earlier(identity) if isinstance(embedder, VersionedEmbedder) else None

    @property
    def timezone(self) -> str:
        """The user's time zone."""
        return self.settings.timezone or machine_timezone(os.environ)

    def index(self, space: "Space") -> "SpaceIndex":
        """Return the warm index of a space."""
        with self._lock:
            if self._views is None:
                from simonides.index import index_cache, snapshot  # NumPy

                self._views = index_cache.IndexCache(
                    bytes_max=self.settings.view_bytes_max,
                    snapshot_path=self.store.snapshot_path,
                    approximate_above=_approximate_above(self.settings),
                    renewal=snapshot.Renewal(
                        writes=self.settings.snapshot_writes,
                        log_bytes=self.settings.snapshot_log_bytes,
                    ),
                    on_new_epoch=self._forget_remembered,
                    maps=self.settings.share_indexes and os.name == "posix",
                )
        return self._views.of(space)

    def read_load(self) -> tuple[StoreLoad, tuple[int, int]]:
        """Return the load of the store, and the number and bytes of warm indexes; opens nothing."""
        store, views = self._store, self._views
        load = StoreLoad(spaces=0, in_use=0, idle=0, waiting=0) if store is None else store.load()
        return load, (0, 0) if views is None else views.held

    def keep_index(self, space: "Space") -> None:
        """Write the snapshot of the index of a space, which is built first if it is cold."""
        with suppress(StoreError), space.read() as reader:
            self.index(space).renew(reader, written_bytes=space.written_bytes)

    def forget_index(self, space: "Space") -> None:
        """Drop the index of a space, so that the next question builds it from rows."""
        if self._views is not None:
            self._views.drop(space)

    def forget_indexes(self) -> None:
        """Drop every index, so that the next questions build them anew, ignoring snapshots."""
        with self._lock:
            self._views = None

    def forget_words(self, space: "Space") -> None:
        """Clear this process's caches of the words of a space, and of words in general."""
        self.forget_index(space)
        self._forget_remembered(space)

    def forget_shared(self, name: str, *, whole: bool) -> tuple[str, ...]:
        """Clear what is shared of erased items, or of the `whole` space; return what to note.

        That is what processes of servers keep for each other, also where this is none of them.
        """
        shared = self.working
        shared.clear(name)
        if whole:
            shared.clear(imports_of(name))
        is_lost = isinstance(shared, SharedState) and shared.sharing is Sharing.LOST
        return (NOT_CLEARED,) if is_lost else ()

    def _forget_remembered(self, space: "Space") -> None:
        """Clear the caches beside the view, also if another process erased data.

        Takes no lock: whoever builds a view calls it.
        """
        from simonides.index.index_cache import forget_words  # NumPy

        forget_words()
        embedder, working = self._embedder, self._working
        if isinstance(embedder, ErasableSpace):
            embedder.forget_questions()
        if working is not None:
            working.clear(space.name)

    def tend(self, space: "Space") -> None:
        """Maintain a space after a write: compact it for a moment, if that is due.

        That is asked after as many versions have left the present as the threshold says. And a warm
        index's snapshot is renewed, after as many writes as the settings say. With the first write,
        an erasure of before this process that was broken off is finished.
        """
        if self._views is not None:
            with suppress(StoreError):
                self._views.renew(space)
        key = (space.name, space.uuid)
        with self._lock:
            is_first = key not in self._looked_after
            self._looked_after.add(key)
        if is_first:
            with suppress(NotFound, StoreError):
                finish_erasure(space)
        if not self.settings.compaction_threshold:
            return
        with self._lock:
            since = self._tended.setdefault(key, (space, 0))[1]
            if space.departed - since < self.settings.compaction_threshold:
                return
            self._tended[key] = (space, space.departed)
        self._compact_if_due(space, at_close=False)

    def _compact_if_due(self, space: "Space", *, at_close: bool) -> None:
        """Compact for a short time, if it is possible now."""
        from simonides.maintenance import compact  # NumPy

        time_max_s = compact.AT_CLOSE_S if at_close else compact.AFTER_WRITE_S
        with suppress(NotFound, StoreError):
            compact.compact_if_due(
                space, retention=compact.Retention.of(self), time_max_s=time_max_s
            )

    def read_later(self, opened: "OpenSpace", session: str, ids: "Sequence[str]") -> None:
        """Let the language model find memories in new messages of a session, if that is set."""
        if self.settings.extraction != "off" and self.chat_model is not None:
            with self._lock:
                if self._extraction is None:
                    from simonides.api.extraction import ExtractionQueue  # the assistant's rooms

                    self._extraction = ExtractionQueue(self)
            self._extraction.put(opened, session, ids)

    def wait_for_reading(self, timeout_s: float | None) -> bool:
        """Return whether all that `read_later` was given was read, within `timeout_s` seconds."""
        return self._extraction is None or self._extraction.wait(timeout_s)

    def begin_work(self, stop: Callable[[], object]) -> None:
        """Register `stop`, called before anything is closed; it returns once the work has ended."""
        with self._lock:
            self._at_work.append(stop)

    def end_work(self, stop: Callable[[], object]) -> None:
        """Unregister a `stop`: its work has ended by itself."""
        with self._lock, suppress(ValueError):
            self._at_work.remove(stop)

    def close(self) -> None:
        """Stop background work, write the snapshots of warm views, close every open space."""
        with self._lock:
            at_work, self._at_work = self._at_work, []
        for stop in at_work:  # not under the lock: what is at work may want the store
            stop()
        with self._lock:
            for space, _ in self._tended.values():
                self._compact_if_due(space, at_close=True)
            self._tended.clear()
            if self._views is not None:
                self._views.save()
            if self._store is not None:
                self._store.close()
            if self._access is not None:
                self._access.close()
            if self._chat_model is not None:
                self._chat_model.close()
            if self._reranker is not None:
                self._reranker.close()
            if self._redis is not None:
                self._redis.close()
                self._redis = self._working = None
            self._chat_model = self._reranker = None
            self._store = self._views = self._access = None
            if self._private is not None:
                self._private()


def _remove(folder: Path, *, process: int) -> None:
    """Remove the temporary folder of a `":memory:"` home; a forked process leaves it alone."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


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
    try:
        target = str(localtime.readlink())
    except OSError:  # it is no link, or not there
        target = ""
    return _zone_of(environment.get("TZ", ""), localtime, target)


@lru_cache(maxsize=8)
def _zone_of(tz: str, localtime: Path, target: str) -> str:
    """Return the zone; a link is followed once for each place that it leads to."""
    linked = str(localtime.resolve()).partition("zoneinfo/")[2] if target else ""
    for name in (tz.lstrip(":"), linked):
        if name:
            with suppress(InvalidInput):
                check_timezone(name)
                return name
    return "UTC"
