"""What a space in PostgreSQL does to be looked after: erase, fill, copy, count, check.

Files, pages and their checksums are the server's: it sweeps them with `VACUUM`, compares them where
it was made with checksums, and is backed up by its own tools. A backup of one space is a portable
file, filled from its export. Must not know the statements.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from simonides.errors import InvalidInput
from simonides.model.answer import Finding, SpaceStats
from simonides.model.export import ExportHead, Kept
from simonides.model.maintenance import Erased, WipeResult
from simonides.model.scrub import Scrub
from simonides.model.stored import EmbedderIdentity
from simonides.model.times import microseconds, moment
from simonides.ports.maintenance import Made, SearchedFiles
from simonides.storage.erase import Erase
from simonides.storage.restore_export import ExportRestorer, Refuse, filled_until
from simonides.storage.rows import lookup_text
from simonides.storage.space_facts import SWEEP_DUE, SpaceFacts

if TYPE_CHECKING:
    from simonides.storage.reader import StoredReader
    from simonides.storage.transaction import Transaction
    from simonides.storage.writer import Write
    from simonides_postgres.transaction import PostgresTransaction

NO_FILE = SearchedFiles(problem="cannot be made: they are those of the database server")
"""What is said of files to be searched for what was erased."""

SERVER = (
    "removed rows lie in the server's files until it vacuums them, in its log until that is "
    "recycled, and in its backups; the how-to on PostgreSQL says how to take them away"
)


class Maintenance:
    """The part of `PostgresSpace` for maintenance."""

    _name: str
    _uuid: str
    _embedder: EmbedderIdentity

    if TYPE_CHECKING:  # the space itself has these

        def _submit(self, write: "Write") -> Any: ...
        def _alone(self, write: Callable[[PostgresTransaction, SpaceFacts], None]) -> None: ...
        def _looking(self) -> AbstractContextManager[tuple[StoredReader, Transaction]]: ...

    @property
    def files(self) -> SearchedFiles:
        """No file: what the server writes is not ours to search."""
        return NO_FILE

    @property
    def written_bytes(self) -> int:
        """The number of bytes added to a log of the space, which has none."""
        return 0

    def own_texts(self) -> Sequence[str]:
        """Return the texts that every file contains: there is no file."""
        return ()

    def erase(self, ids: Sequence[str], *, at: datetime) -> Erased:
        """Remove every version of items, and all references to them, in one transaction.

        Also the snapshots of backgrounds that had been deleted and are due. The epoch grows.

        Raises:
            StoreBusy: Another writer held the space past the time-out; nothing was erased.
        """
        asked = tuple(one for one in ids if lookup_text(one) == one)
        write = Erase(ids=asked, at_us=microseconds(at, field="at"))
        return cast("Erased", self._submit(write))

    def sweep(self) -> WipeResult:
        """Return that the bytes are the server's to wipe, and how."""

        def write(tx: "PostgresTransaction", _facts: SpaceFacts) -> None:
            tx.set_fact(SWEEP_DUE, 0)

        self._alone(write)
        return WipeResult(
            rewritten=False, log_emptied=False, bytes_before=0, bytes_after=0, problem=SERVER
        )

    @contextmanager
    def making_way(self) -> Iterator[None]:
        """Do nothing: an erasure waits for no reader here."""
        yield

    def scrub(
        self,
        *,
        at: datetime,
        go_on: Callable[[], bool] = lambda: True,
        unless_since: datetime | None = None,
    ) -> Scrub | None:
        """Return a look at no page: they are the server's, which compares them itself."""
        _ = go_on, unless_since
        return Scrub(at=at)

    def clear(self) -> tuple[str, ...]:
        """Remove nothing: there are no derived files."""
        return ()

    def is_sweep_due(self) -> bool:
        """Return whether what an erasure left to wipe was not reported yet."""
        with self._looking() as (_reader, tx), tx.translate_errors():
            return bool(tx.value("sweep_due"))

    def fill(
        self, head: ExportHead, records: Iterable[tuple[Kept, Made]], *, refuse: Refuse
    ) -> int:
        """Import an export into an empty space or an earlier copy; return the number of records.

        Raises:
            InvalidInput: The space holds something; nothing was written.
        """
        done: list[int] = []

        def write(tx: "PostgresTransaction", _facts: SpaceFacts) -> None:
            since, dimension = filled_until(tx, head), self._embedder.dimension
            filling = ExportRestorer(tx, head, dimension=dimension, since=since)
            done.append(filling.fill(records, refuse=refuse))

        self._alone(write)
        self._uuid = head.uuid
        return done[0]

    def backup(
        self,
        target: str,
        *,
        at: datetime,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> tuple[int, int]:
        """Refuse: the server's own tools back up a database, and an export one space.

        Raises:
            InvalidInput: Always.
        """
        _ = target, at, on_progress
        raise InvalidInput("space", "is in PostgreSQL: back it up with pg_dump, or export it")

    def give_back(self, *, pages: int) -> int:
        """Return that no page is free for us to cut off."""
        _ = pages
        return 0

    def is_loose(self) -> bool:
        """Return False: the server keeps its own files."""
        return False

    def write_anew(self) -> None:
        """Do nothing: the server vacuums by itself."""

    def stats(self) -> SpaceStats:
        """Return counts and sizes."""
        with self._looking() as (_reader, tx), tx.translate_errors():
            facts = tx.facts()
            (counts,) = tx.all("counts")
            items, chunks, archived, first, last = counts
            since = tx.value("history_since", {"floor": facts.floor})
            return SpaceStats(
                space=self._name,
                revision=facts.revision,
                items=items,
                chunks=chunks,
                archived=archived,
                by_kind=dict(cast("list[tuple[str, int]]", tx.all("by_kind"))),
                by_source=dict(cast("list[tuple[str, int]]", tx.all("by_source"))),
                by_language=dict(cast("list[tuple[str, int]]", tx.all("by_language"))),
                oldest=None if first is None else moment(first),
                newest=None if last is None else moment(last),
                bytes_on_disk=int(tx.value("bytes_stored") or 0),
                embedder=facts.embedder.model,
                waiting=tx.value("count_waiting"),
                history_since=None if since is None else moment(since),
            )

    def check(self) -> list[Finding]:
        """Return one finding for each thing looked at, sound or not."""
        with self._looking() as (_reader, tx), tx.translate_errors():
            facts = tx.facts()
            dimension = {"dimension": facts.embedder.dimension}
            broken = {
                "rows belong together": tx.value("orphans") + tx.value("keys_in_both"),
                "revisions rise": tx.value("late_rows", {"revision": facts.revision}),
                "chunks lie in their content": tx.value("gaps"),
                "blobs have their sizes": tx.value("odd_terms")
                + tx.value("odd_vectors", dimension)
                + tx.value("odd_waiting"),
                "what lies beside items reads back": _odd_receipts(tx),
            }
        return [
            Finding(check=name, sound=not count, detail=f"{count} rows do not" if count else "")
            for name, count in broken.items()
        ]


def _odd_receipts(tx: "Transaction") -> int:
    """Return how many receipts are no JSON, which PostgreSQL can tell only since its version 16."""
    odd = 0
    for _, text in tx.rows("receipt_texts"):
        try:
            json.loads(text)
        except ValueError:
            odd += 1
    return odd
