"""The port of stores: spaces, reads at a revision, and writes.

Must not know any adapter.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from simonides.model.answer import Finding, SpaceStats
from simonides.model.item import Item
from simonides.model.stored import (
    Analysis,
    Background,
    EmbedderIdentity,
    Engaged,
    Engagement,
    LateVector,
    Outcome,
    Prepared,
    PreparedBackground,
    Surrogate,
)
from simonides.ports.lanes import Lanes
from simonides.ports.leases import LeasableSpace
from simonides.ports.maintenance import (
    CompactableSpace,
    MaintainedSpace,
    MaintainedStore,
    PastReader,
)
from simonides.ports.memories import DecidingSpace, ProposalReader
from simonides.ports.requests import OnceSpace

if TYPE_CHECKING:
    from simonides.model.export import Kept, KeptReceipt


class ItemRow(NamedTuple):
    """The row of a present item for the index. Times are microseconds since 1970, None undated.

    `key` names one version of one item and grows with every write; it is never used again.
    Memory fields are None for what is not a memory.
    """

    key: int
    id: str
    kind: str
    source: str
    collection: str
    session: str
    position: int | None
    happened_us: int | None
    stored_us: int
    born: int
    language: str
    tags: str
    """JSON list."""
    scope: str | None
    type: str | None
    status: str | None
    importance: float | None
    half_life_hours: float | None
    workspace_id: str | None
    user_id: str | None
    session_id: str | None
    expires_us: int | None = None


class ChunkRow(NamedTuple):
    """What the index keeps of a present chunk; the fields of `PreparedChunk`, with its item.

    `embedded` is None where the vector came with the item, 0 where the chunk waits for it, else
    the revision at which it came. A vector that is waited for is all zeros.
    """

    item_key: int
    ordinal: int
    words: int
    dated: int
    length: int
    terms: bytes
    vector: bytes
    embedded: int | None = None


class VectorRow(NamedTuple):
    """The vector that came to a chunk of a present item at revision `embedded`."""

    item_key: int
    ordinal: int
    vector: bytes
    embedded: int


class MentionRow(NamedTuple):
    """One mention of a present item."""

    item_key: int
    entity: str
    kind: str
    name: str
    role: str


class DeathRow(NamedTuple):
    """One version that was replaced or removed at revision `died`."""

    item_key: int
    died: int


class Reader(PastReader, ProposalReader, Protocol):
    """A consistent view of a space: every method answers as of `revision`.

    Cheap to open; must be closed soon, because an open one keeps the log from being folded in.
    """

    @property
    def revision(self) -> int:
        """The number of writes committed so far."""
        ...

    @property
    def epoch(self) -> int:
        """The epoch, which grows when rows were erased or rewritten (erasure, re-embedding)."""
        ...

    @property
    def lanes(self) -> Lanes | None:
        """The lanes by which the store finds candidates itself; None where it has none."""
        ...

    def every(self) -> "Reader":
        """Return a view of every stored version, which is closed with this one.

        `item_rows`, `chunk_rows`, `mention_rows`, `metadata`, `read_moved`, `documents_of`,
        `items` and `keys` tell of past
        versions, forgotten ones too, as if they were present.
        """
        ...

    def read_all(self) -> "Iterator[Kept]":
        """Yield all user data, in an order that is always the same.

        Marks of what was erased, backgrounds, versions by rising key, engagement, receipts,
        proposals.
        """
        ...

    def item_rows(self, since: int) -> Iterator[ItemRow]:
        """Yield the present items born after revision `since`, by rising key."""
        ...

    def chunk_rows(self, since: int) -> Iterator[ChunkRow]:
        """Yield the chunks of the items born after `since`, by rising (item key, ordinal)."""
        ...

    def late_vectors(self, since: int) -> Iterator[VectorRow]:
        """Yield the vectors that came after `since` to chunks of items born by then, by item."""
        ...

    def waiting(self) -> Sequence[tuple[int, int]]:
        """Return (item key, ordinal) of the chunks that wait for vectors, of newest items first.

        Newest is what happened last; what is undated counts from when it was stored.
        """
        ...

    def find_unstaged(self, identity: EmbedderIdentity) -> Sequence[int]:
        """Return the keys of present items that `stage_vectors` kept nothing of for this embedder.

        The last stored first.
        """
        ...

    def waiting_count(self) -> int:
        """Return how many chunks of present items wait for their vectors."""
        ...

    def mention_rows(self, since: int) -> Iterator[MentionRow]:
        """Yield the mentions of the present items born after `since`, by rising item key."""
        ...

    def deaths(self, since: int) -> Sequence[DeathRow]:
        """Return the versions that were replaced or removed after revision `since`."""
        ...

    def items(self, keys: Sequence[int]) -> dict[int, Item]:
        """Return the present items of these keys; unknown keys are left out."""
        ...

    def chunk_spans(self, item_key: int) -> list[tuple[int, int]]:
        """Return (start, stop) of the item's chunks by ordinal, offsets into its content."""
        ...

    def passages(self, places: Sequence[tuple[int, int]]) -> list[tuple[Item, slice]]:
        """Return the items at these places (item key, ordinal), each with that chunk's span.

        Raises:
            StoreCorrupt: There is no chunk at one of them.
        """
        ...

    def item(self, item_id: str) -> Item | None:
        """Return the present item of this id."""
        ...

    def keys(self, ids: Sequence[str]) -> list[int]:
        """Return the rising keys of those of these ids that are present."""
        ...

    def digests(self, ids: Sequence[str]) -> dict[str, bytes]:
        """Return the digests of those of these ids that are present."""
        ...

    def metadata(self, name: str, after_key: int) -> Iterator[tuple[int, Any]]:
        """Yield (item key, value) of the present items that have this metadata key, by key."""
        ...

    def read_moved(self) -> Iterator[Any]:
        """Yield the values of `MOVED_KEY` of the present items that have it, by key.

        As `metadata` does, but without a look at the others.
        """
        ...

    def documents_of(self, session: str) -> Sequence[tuple[int, str]]:
        """Return (item key, id) of the present documents of a session, by key; none of no session.

        Without a look at the others.
        """
        ...

    def containing(
        self, words: Sequence[str], *, among: Sequence[int] | None = None
    ) -> Iterator[tuple[int, int]]:
        """Yield (item key, number of these words in its title, content or summary).

        Letter case is ignored; items that hold none are left out; in the order of keys. Looks
        through all present items, or only through those whose keys are `among`.
        """
        ...

    def version(self, item_id: str, version: int) -> Item | None:
        """Return one version of an item, present or archived; None if it is not stored."""
        ...

    def background(self, collection: str, *, as_of: datetime | None = None) -> Background | None:
        """Return the latest snapshot of a collection, by (time, id); None if there is none.

        `as_of` leaves out what was put later. Snapshots that are deleted or due to be never show,
        here and in `backgrounds`.
        """
        ...

    def backgrounds(
        self, collection: str, *, limit: int, before: str = ""
    ) -> Sequence[tuple[Background, bytes]]:
        """Return up to `limit` snapshots, latest first, each with its packed term list.

        `before` is the id of the snapshot after which to go on; an unknown one gives nothing.
        """
        ...

    def engagements(
        self, ids: Sequence[str], *, revision: int | None = None
    ) -> dict[str, Engagement]:
        """Return the engagement with those of these ids that have any, up to a revision."""
        ...

    def surrogates(self, keys: Sequence[int], *, algorithm: str) -> dict[int, Surrogate]:
        """Return the surrogates of the present items of these keys that are not stale."""
        ...

    def without_surrogates(
        self, *, algorithm: str, version: int, chars_min: int, after_key: int, limit: int
    ) -> Sequence[tuple[int, bytes, Item]]:
        """Return (key, digest, item) of present items whose surrogate is missing or outdated.

        Those whose content has at least `chars_min` characters, and which have none of this
        version, or a stale one; by rising key.
        """
        ...

    def receipt(self, receipt_id: str) -> str | None:
        """Return a stored receipt as its original JSON."""
        ...

    def receipts(
        self, *, limit: int, before: str = "", imports: bool = False
    ) -> "Sequence[KeptReceipt]":
        """Return up to `limit` stored receipts, last kept first, after the one of an id.

        Those of briefs, or those of `imports`, whose ids begin with `IMPORT_PREFIX`.
        """
        ...


IMPORT_PREFIX = "import:"
"""How the ids of receipts of imports begin; those of briefs have no colon."""


class Space(MaintainedSpace, CompactableSpace, DecidingSpace, LeasableSpace, OnceSpace, Protocol):
    """One open space of one store.

    Each write is one transaction: it happens whole or not at all, and once the method returns, a
    crash or power cut loses nothing of it. Any number of threads may call; other processes may
    have the same space open. Readers never wait; a writer waits at most the store's time-out.
    """

    @property
    def name(self) -> str:
        """The space's name."""
        ...

    @property
    def uuid(self) -> str:
        """A random name made with the space; a copy of the file has the same."""
        ...

    @property
    def embedder(self) -> EmbedderIdentity:
        """The identity of the embedder whose vectors the space holds."""
        ...

    @property
    def analysis(self) -> Analysis:
        """The analysis version of the space's terms, chunks and mentions."""
        ...

    def read(self) -> AbstractContextManager[Reader]:
        """Open a consistent view of the space."""
        ...

    def commit(
        self,
        prepared: Sequence[Prepared],
        *,
        stored_at: datetime,
        revive: bool = True,
        expected: Mapping[str, int] | None = None,
        forget: Sequence[str] = (),
    ) -> tuple[Outcome, ...]:
        """Add or replace items by id and `forget` others, in one transaction and one revision.

        An equal digest changes nothing; a commit that changes nothing takes no revision. What was
        forgotten comes back only if `revive`. `expected` are the versions that must be present,
        by id, 0 standing for none, compared under the lock. Outcomes of what was forgotten are
        last; of what does not exist there is none.

        Raises:
            Conflict: Another version is present than the one expected; nothing was written.
            StoreBusy: Another writer held the space past the time-out.
            StoreFull: The disk is full or read-only.
        """
        ...

    def put_vectors(
        self, vectors: Sequence[LateVector], *, identity: EmbedderIdentity, at: datetime
    ) -> int:
        """Give chunks the vectors that they wait for, in one revision; return how many got one.

        A chunk that waits no more, or whose item is not present, is passed over; a write that
        changes nothing takes no revision.

        Raises:
            WrongEmbedder: The space has another embedder than `identity` by now.
            InvalidInput: A vector has not the space's length; nothing was written.
        """
        ...

    def forget(
        self,
        ids: Sequence[str],
        *,
        at: datetime,
        expected: Mapping[str, int] | None = None,
        import_may_revive: bool = False,
    ) -> tuple[str, ...]:
        """Remove items from the present; return the ids that existed. The archive keeps them.

        They come back by a `commit` with `revive`, or by any if an `import_may_revive` them.

        Raises:
            Conflict: Another version is present than the one `expected`, by id; none was taken.
        """
        ...

    def put_background(self, prepared: PreparedBackground, *, at: datetime) -> Background:
        """Add a snapshot; an existing id changes nothing and returns the existing snapshot.

        It comes back also where it is due to go: putting it again takes that back.
        """
        ...

    def delete_background(self, background_id: str, *, due: datetime) -> bool:
        """Hide a snapshot at once; it may be removed from the file once `due` has passed.

        Returns whether one was there that was not hidden before.
        """
        ...

    def record_usage(self, ids: Sequence[str], *, how: Engaged, at: datetime) -> tuple[str, ...]:
        """Record usage of items; return the ids that are present, each once.

        Takes a revision if there are any.
        """
        ...

    def put_surrogates(self, surrogates: Sequence[Surrogate]) -> int:
        """Store surrogates of present versions and return how many were stored.

        Derived rows: no revision is taken. An archived version's surrogates go with it.
        """
        ...

    def keep_receipt(self, receipt_id: str, text: str, *, at: datetime) -> None:
        """Store a receipt (JSON) by its id, without a new revision; a duplicate is no error."""
        ...

    def stage_vectors(self, identity: EmbedderIdentity, prepared: Sequence[Prepared]) -> int:
        """Keep chunks for a re-embedding beside those in force; return of how many items.

        Nobody sees them, and no revision is taken. What is not present as it was prepared is passed
        over, what was staged for another embedder goes, an item that leaves takes its own along.
        """
        ...

    def replace_vectors(self, identity: EmbedderIdentity, prepared: Iterable[Prepared]) -> int:
        """Replace the chunks of every present item and the space's embedder, in one transaction.

        By those that were staged for `identity`; `prepared` must hold every other present item,
        unchanged. Returns how many there are. Grows the epoch.
        """
        ...

    def stats(self) -> SpaceStats:
        """Return counts and sizes."""
        ...

    def check(self) -> list[Finding]:
        """Return the findings of a check of the whole file (structure, counts, orphans)."""
        ...

    def close(self) -> None:
        """Checkpoint the log and close the file. Closing twice is no error."""
        ...


class StoreLoad(NamedTuple):
    """How much a store has open: spaces, connections lent and idle, callers that wait for one."""

    spaces: int
    in_use: int
    idle: int
    waiting: int


class SpaceStore(MaintainedStore, Protocol):
    """All spaces of one home."""

    def open(self, name: str, *, embedder: EmbedderIdentity, create: bool) -> Space:
        """Return the space, the same object while it stays open.

        Raises:
            InvalidSpaceName: The name is not safe.
            NotFound: There is no such space and `create` is false.
            NotASpace: Something else lies there.
            NewerFormat: A newer engine wrote it.
            WrongEmbedder: Its vectors come from another model; says how to re-embed.
        """
        ...

    def open_any(self, name: str) -> Space:
        """Return an existing space whatever its embedder, as re-embedding and `doctor` need."""
        ...

    def reading(self, name: str) -> AbstractContextManager[tuple[Space, Reader]]:
        """Open an existing space, whatever its embedder, and a view of it, in one go."""
        ...

    def names(self) -> list[str]:
        """Return the names of all spaces, sorted."""
        ...

    def snapshot_path(self, name: str) -> str:
        """Return the path of the disposable index snapshot; empty if there may be none."""
        ...

    def load(self) -> StoreLoad:
        """Return the number of open spaces and connections, without waiting for anybody."""
        ...

    def close(self) -> None:
        """Close every open space."""
        ...
