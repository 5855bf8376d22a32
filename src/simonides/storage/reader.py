"""A consistent view of a space: present, as of a revision, or of every version.

The past and every version are the same reader, whose statements look into the archive, too. Knows
how rows become the records of the port, whatever database they lie in. Must not know how a
transaction is begun or ended: it is handed one.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from simonides import storage
from simonides.errors import StoreCorrupt, StoreError
from simonides.model.bounds import INT64_MAX
from simonides.model.item import Item
from simonides.model.metadata_keys import MOVED_KEY
from simonides.model.stored import Background, EmbedderIdentity, Engagement, Surrogate
from simonides.model.times import microseconds
from simonides.ports.maintenance import RevisionRow, VersionRow
from simonides.ports.space import ChunkRow, DeathRow, ItemRow, MentionRow, VectorRow
from simonides.storage import revisions, rows
from simonides.storage.space_facts import SpaceFacts, reembedding_mark
from simonides.storage.transaction import Transaction

if TYPE_CHECKING:
    from simonides.model.export import Kept, KeptReceipt
    from simonides.model.memories import Proposal, ProposalStatus
    from simonides.ports.lanes import Lanes

_T = TypeVar("_T")
_Row = tuple[Any, ...]


class StoredReader:
    """Answers as of one revision; an adapter of `ports.Reader`. Belongs to one thread."""

    def __init__(self, begin: Callable[[], Transaction], meta: SpaceFacts) -> None:
        self._begin = begin
        self._open_tx = begin()
        self._meta = meta
        self._is_closed = False
        self._pasts: list[StoredReader] = []

    @property
    def revision(self) -> int:
        """The number of writes committed so far."""
        return self._meta.revision

    @property
    def epoch(self) -> int:
        """Grows when rows were removed or rewritten without a trace."""
        return self._meta.epoch

    @property
    def lanes(self) -> "Lanes | None":
        """The lanes by which the store finds candidates itself; None where it has none."""
        return None

    @property
    def floor(self) -> int:
        """The oldest revision that `past` can show."""
        return self._meta.floor

    def past(self, revision: int) -> "StoredReader":
        """Return a view of the space as of a revision, inside this one.

        Raises:
            HistoryGone: It was compacted away.
            InvalidInput: The space has not reached it yet.
        """
        tx = self._tx()
        with tx.translate_errors():
            ceiling = revisions.check_ceiling(tx, self._meta, revision=revision)
        then = replace(self._meta, revision=revision)
        self._pasts.append(StoredPastReader(self._begin, then, ceiling=ceiling))
        return self._pasts[-1]

    def revision_at(self, when: datetime) -> int:
        """Return the last revision that was committed at or before a time; 0 if there is none.

        Raises:
            HistoryGone: It was compacted away.
            InvalidInput: `when` has no time zone.
        """
        tx = self._tx()
        with tx.translate_errors():
            return revisions.revision_at(tx, self._meta, when)

    def revision_row(self, revision: int) -> RevisionRow | None:
        """Return the record of a revision, or of the last recorded one before it."""
        tx = self._tx()
        with tx.translate_errors():
            return revisions.revision_row(tx, min(revision, self.revision))

    def late_death(self, when: datetime, *, until: int) -> int | None:
        """Return the first revision over the floor by which a version died after a time."""
        tx = self._tx()
        with tx.translate_errors():
            return revisions.late_death(tx, self._meta, when, until=until)

    def versions(self, item_id: str) -> list[VersionRow]:
        """Return every stored version of an id, oldest first."""
        tx = self._tx()
        with tx.translate_errors():
            return revisions.kept_versions(tx, item_id, revision=self.revision)

    def item_rows(self, since: int) -> Iterator[ItemRow]:
        """Yield the present items born after revision `since`, by rising key."""
        return self._stream("item_rows", self._above(since), rows.item_rows)

    def chunk_rows(self, since: int) -> Iterator[ChunkRow]:
        """Yield the chunks of the items born after `since`, by rising (item key, ordinal)."""
        return self._stream("chunk_rows", self._above(since), _chunk_rows)

    def late_vectors(self, since: int) -> Iterator[VectorRow]:
        """Yield the vectors that came after `since` to chunks of items born by then, by item."""
        values = {"since": since, **self._above(since)}
        return self._stream("late_vectors", values, lambda rows: map(VectorRow._make, rows))

    def waiting(self) -> Sequence[tuple[int, int]]:
        """Return (item key, ordinal) of the chunks that wait for vectors, of newest items first."""
        return [(key, ordinal) for key, ordinal in self._all("waiting", {})]

    def find_unstaged(self, identity: EmbedderIdentity) -> Sequence[int]:
        """Return the keys of present items without chunks of a re-embedding, last stored first."""
        is_begun = self._meta.reembedding == reembedding_mark(identity)
        return [key for (key,) in self._all("unstaged" if is_begun else "all_keys", {})]

    def waiting_count(self) -> int:
        """Return how many chunks of present items wait for their vectors."""
        row = self._one("count_waiting", {})
        return 0 if row is None else int(row[0])

    def mention_rows(self, since: int) -> Iterator[MentionRow]:
        """Yield the mentions of the present items born after `since`, by rising item key."""
        return self._stream("mention_rows", self._above(since), _mention_rows)

    def deaths(self, since: int) -> Sequence[DeathRow]:
        """Return the versions that were replaced or removed after revision `since`."""
        return [DeathRow._make(row) for row in self._all("deaths", {"since": since})]

    def items(self, keys: Sequence[int]) -> dict[int, Item]:
        """Return the present items of these keys; unknown keys are left out."""
        found = self._one_each("item_by_key", [{"key": key} for key in keys])
        return {
            key: rows.unpack(row) for key, row in zip(keys, found, strict=True) if row is not None
        }

    def chunk_spans(self, item_key: int) -> list[tuple[int, int]]:
        """Return (start, stop) of the item's chunks by ordinal, offsets into its content."""
        return [(start, stop) for start, stop in self._all("chunk_spans", {"key": item_key})]

    def passages(self, places: Sequence[tuple[int, int]]) -> list[tuple[Item, slice]]:
        """Return the items at these places (item key, ordinal), each with that chunk's span."""
        asked = [{"key": key, "ordinal": ordinal} for key, ordinal in places]
        found: list[tuple[Item, slice]] = []
        for item, span in self._each(("item_by_key", "chunk_span"), asked):
            if item is None or span is None:
                problem = "a chunk that the index knows is not there"
                raise StoreCorrupt(f"{problem}; run `simonides doctor`")
            found.append((rows.unpack(item), slice(*span)))
        return found

    def item(self, item_id: str) -> Item | None:
        """Return the present item of this id."""
        row = self._one("item_by_id", {"id": rows.lookup_text(item_id)})
        return None if row is None else rows.unpack(row)

    def keys(self, ids: Sequence[str]) -> list[int]:
        """Return the rising keys of those of these ids that are present."""
        found = self._one_each("key", [{"id": rows.lookup_text(one)} for one in set(ids)])
        return sorted(row[0] for row in found if row is not None)

    def digests(self, ids: Sequence[str]) -> dict[str, bytes]:
        """Return the digests of those of these ids that are present."""
        found = self._one_each("digest", [{"id": rows.lookup_text(one)} for one in ids])
        return {one: row[0] for one, row in zip(ids, found, strict=True) if row is not None}

    def metadata(self, name: str, after_key: int) -> Iterator[tuple[int, Any]]:
        """Yield (item key, value) of the present items that have this metadata key, by key.

        The database only finds where the key's JSON text stands; the value is read by the writer's
        own rules, so that any key is safe and true, 1 and large integers stay apart.
        """
        needle = rows.key_text(rows.lookup_text(name))
        values = {"floor": after_key, "needle": needle}
        return self._stream("metadata", values, partial(values_of, name))

    def read_moved(self) -> Iterator[Any]:
        """Yield what the present items whose file was moved say of that, by key."""
        found = self._stream("moved", {}, partial(values_of, MOVED_KEY))
        return (value for _, value in found)

    def documents_of(self, session: str) -> Sequence[tuple[int, str]]:
        """Return (key, id) of the present documents of a session, by key; none of no session."""
        found = self._all("documents_of", {"session": rows.lookup_text(session)})
        return [(key, item_id) for key, item_id in found]

    def containing(
        self, words: Sequence[str], *, among: Sequence[int] | None = None
    ) -> Iterator[tuple[int, int]]:
        """Yield (item key, number of these words in its title, content or summary).

        Letter case is ignored (Unicode case folding); a word never spans two of the three. Looks
        through all present items, or only through those whose keys are `among`.
        """
        folded = [word.casefold() for word in words if word]

        def read(found: Iterator[_Row]) -> Iterator[tuple[int, int]]:
            for key, *texts in found:
                held = _count_held(folded, [text.casefold() for text in texts])
                if held:
                    yield key, held

        if not folded:
            return iter(())
        if among is None:
            return self._stream("item_texts", {}, read)
        asked = [{"key": key} for key in sorted(set(among))]
        rows_found = self._one_each("item_texts_of", asked)
        return read(row for row in rows_found if row is not None)

    def version(self, item_id: str, version: int) -> Item | None:
        """Return one version of an item, present or archived; None if it is not stored."""
        if not 0 < version <= INT64_MAX:
            return None
        row = self._one("version", {"id": rows.lookup_text(item_id), "version": version})
        return None if row is None else rows.unpack(row)

    def background(self, collection: str, *, as_of: datetime | None = None) -> Background | None:
        """Return the latest snapshot of a collection, by (time, id); None if there is none.

        `as_of` leaves out what was put later. Snapshots due to go never show.

        Raises:
            InvalidInput: `as_of` has no time zone.
        """
        until = INT64_MAX if as_of is None else microseconds(as_of, field="as_of")
        if rows.lookup_text(collection) != collection:
            return None
        row = self._one("background", {"collection": collection, "until_us": until})
        return None if row is None else storage.side_tables.background(row)

    def backgrounds(
        self, collection: str, *, limit: int, before: str = ""
    ) -> Sequence[tuple[Background, bytes]]:
        """Return up to `limit` snapshots, latest first, each with its packed term list.

        `before` is the id of the snapshot after which to go on; one that does not show (any
        more) gives nothing.
        """
        if rows.lookup_text(collection) != collection:
            return []
        values = {"collection": collection, "limit": max(limit, 0)}
        if before:
            found = self._all("backgrounds_before", values | {"before": rows.lookup_text(before)})
        else:
            found = self._all("backgrounds", values)
        return [(storage.side_tables.background(tuple(row)), terms) for *row, terms in found]

    def engagements(
        self, ids: Sequence[str], *, revision: int | None = None
    ) -> dict[str, Engagement]:
        """Return the engagement with those of these ids that have any, up to a revision."""
        last = self.revision if revision is None else min(revision, self.revision)
        asked = [{"id": rows.lookup_text(one), "revision": last} for one in ids]
        found = self._one_each("engagement", asked)
        return storage.side_tables.engagements(zip(ids, found, strict=True))

    def surrogates(self, keys: Sequence[int], *, algorithm: str) -> dict[int, Surrogate]:
        """Return the surrogates of the present items of these keys that are not stale."""
        asked = rows.lookup_text(algorithm)
        found = self._one_each("surrogate", [{"key": one, "algorithm": asked} for one in keys])
        return {
            key: storage.side_tables.surrogate(row)
            for key, row in zip(keys, found, strict=True)
            if row is not None
        }

    def without_surrogates(
        self, *, algorithm: str, version: int, chars_min: int, after_key: int, limit: int
    ) -> Sequence[tuple[int, bytes, Item]]:
        """Return (key, digest, item) of present items that lack a surrogate, by rising key.

        Lacking: missing, stale or of another version. Items whose content has fewer than
        `chars_min` characters need none.
        """
        values = {
            "algorithm": rows.lookup_text(algorithm),
            "version": version,
            "bytes_min": chars_min,
        }
        lacking: list[tuple[int, bytes, Item]] = []
        while len(lacking) < limit:
            rest = {"floor": after_key, "limit": limit - len(lacking)}
            found = self._all("without_surrogates", values | rest)
            if not found:
                break
            after_key = found[-1][0]
            read = ((key, digest, rows.unpack(tuple(row))) for key, digest, *row in found)
            lacking += [one for one in read if len(one[2].content) >= chars_min]
        return lacking

    def receipt(self, receipt_id: str) -> str | None:
        """Return a stored receipt as its original JSON."""
        row = self._one("receipt", {"id": rows.lookup_text(receipt_id)})
        return None if row is None else row[0]

    def receipts(
        self, *, limit: int, before: str = "", imports: bool = False
    ) -> Sequence["KeptReceipt"]:
        """Return up to `limit` stored receipts of briefs or imports, last kept first."""
        asked = {"before": rows.lookup_text(before), "limit": limit, "imports": imports}
        return [storage.dump.kept_receipt(row) for row in self._all("receipts", asked)]

    def proposal(self, proposal_id: str) -> "Proposal | None":
        """Return one proposal; None if there is none of that id."""
        tx = self._tx()
        with tx.translate_errors():
            return storage.proposals.find(tx, proposal_id)

    def proposals(
        self, *, statuses: Sequence["ProposalStatus"] = (), limit: int, before: str = ""
    ) -> Sequence["Proposal"]:
        """Return up to `limit` proposals of some statuses (none named: all), latest first."""
        tx = self._tx()
        with tx.translate_errors():
            return storage.proposals.page(tx, statuses, limit=limit, before=before)

    def every(self) -> "StoredReader":
        """Return a view of every stored version, including past ones, inside this one."""
        dimension = self._meta.embedder.dimension
        self._pasts.append(AllVersions(self._begin, self._meta, dimension=dimension))
        return self._pasts[-1]

    def read_all(self) -> Iterator["Kept"]:
        """Yield all user data, in the order of an export."""

        def rows_of(query: str) -> Iterator[_Row]:
            tx = self._tx()
            with tx.translate_errors():
                yield from tx.rows(query)

        return storage.dump.export_records(rows_of)

    def close(self) -> None:
        """Close all reads; afterwards every method raises `StoreError`."""
        self._is_closed = True
        for past in self._pasts:
            past.close()
        self._open_tx.close()

    def _above(self, since: int) -> dict[str, int]:
        if not since:
            return {"floor": 0}
        row = self._one("floor_key", {"since": since})
        return {"floor": 0 if row is None else row[0]}

    def _tx(self) -> Transaction:
        if self._is_closed:
            raise StoreError("this look at the space is over; open a new one with read()")
        return self._open_tx

    def _statement(self, query: str, values: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the name of the statement and its values; views of the past have others."""
        return query, values

    def _one(self, query: str, values: dict[str, Any]) -> _Row | None:
        tx = self._tx()
        with tx.translate_errors():
            return tx.one(*self._statement(query, values))

    def _one_each(self, query: str, values: Sequence[dict[str, Any]]) -> list[_Row | None]:
        """Return the first row for each of several values."""
        return [row for (row,) in self._each((query,), values)]

    def _each(
        self, queries: Sequence[str], values: Sequence[dict[str, Any]]
    ) -> list[tuple[_Row | None, ...]]:
        """Return for each of several values the first row of each statement."""
        if not values:
            return []
        names: list[str] = []
        more: dict[str, Any] = {}
        for query in queries:
            name, more = self._statement(query, more)
            names.append(name)
        tx = self._tx()
        with tx.translate_errors():
            return tx.each(names, [one | more for one in values])

    def _all(self, query: str, values: dict[str, Any]) -> list[_Row]:
        tx = self._tx()
        with tx.translate_errors():
            return tx.all(*self._statement(query, values))

    def _stream(
        self, query: str, values: dict[str, Any], read: Callable[[Iterator[_Row]], Iterator[_T]]
    ) -> Iterator[_T]:
        tx = self._tx()
        with tx.translate_errors():
            yield from read(tx.rows(*self._statement(query, values)))


class StoredPastReader(StoredReader):
    """Answers as of an earlier revision; an adapter of `ports.Reader`."""

    def __init__(self, begin: Callable[[], Transaction], meta: SpaceFacts, *, ceiling: int) -> None:
        super().__init__(begin, meta)
        self._then = {"revision": meta.revision, "ceiling": ceiling}

    def without_surrogates(
        self, *, algorithm: str, version: int, chars_min: int, after_key: int, limit: int
    ) -> Sequence[tuple[int, bytes, Item]]:
        """Return an empty list: only present items have surrogates."""
        _ = algorithm, version, chars_min, after_key, limit
        return []

    def _above(self, since: int) -> dict[str, int]:
        return {"floor": revisions.ceiling(self._tx(), since)}

    def _statement(self, query: str, values: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        then = f"past.{query}"
        return (then, values | self._then) if self._tx().has(then) else (query, values)


class AllVersions(StoredReader):
    """Tells of past versions as if they were present; an adapter of `ports.Reader`."""

    def __init__(
        self, begin: Callable[[], Transaction], meta: SpaceFacts, *, dimension: int
    ) -> None:
        super().__init__(begin, meta)
        self._dimension = dimension

    def chunk_rows(self, since: int) -> Iterator[ChunkRow]:
        """Yield the chunks of every version born after `since`, by rising (item key, ordinal).

        Vectors of another model than the space's, which the archive empties, are zero.
        """
        none = bytes(self._dimension)
        for row in super().chunk_rows(since):
            yield row if row.vector else row._replace(vector=none)

    def deaths(self, since: int) -> Sequence[DeathRow]:
        """Return nothing: here, nobody has died."""
        _ = since
        return []

    def keys(self, ids: Sequence[str]) -> list[int]:
        """Return the rising keys of every version of these ids."""
        tx = self._tx()
        with tx.translate_errors():
            return sorted(
                key
                for one in set(ids)
                for key, *_ in tx.all("version_keys", {"id": rows.lookup_text(one)})
            )

    def _above(self, since: int) -> dict[str, int]:
        """Return the key above which to read; only everything can be asked for."""
        if since:
            raise ValueError(f"every version can only be read from the first on, got {since}")
        return {"floor": 0}

    def _statement(self, query: str, values: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        every = f"every.{query}"
        return (every if self._tx().has(every) else query), values


def _chunk_rows(found: Iterator[_Row]) -> Iterator[ChunkRow]:
    return map(ChunkRow._make, found)


def _mention_rows(found: Iterator[_Row]) -> Iterator[MentionRow]:
    return (MentionRow._make(row[:5]) for row in found)  # of then, the order comes along


def values_of(name: str, found: Iterator[_Row]) -> Iterator[tuple[int, Any]]:
    """Yield (item key, value) of the rows whose metadata has this key."""
    for key, text in found:
        metadata = json.loads(text)
        if name in metadata:
            yield key, metadata[name]


def _count_held(words: Sequence[str], texts: Sequence[str]) -> int:
    return sum(any(word in text for text in texts) for word in words)
