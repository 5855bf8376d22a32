"""Import of an export: complete into an empty space, or merged with stored data.

Into an empty space everything comes back as it was: versions, times, revisions. Elsewhere the
present versions are kept as any import's: what is the same changes nothing, what was kept here
later stays, what was forgotten or erased here stays away.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path

from simonides.errors import ImportFailed
from simonides.index.open_space import OpenSpace
from simonides.ingest.at_work import in_turn
from simonides.ingest.background import prepare_kept
from simonides.ingest.keep import keep
from simonides.ingest.languages import Spoken
from simonides.ingest.prepare import preparer_of
from simonides.maintenance.export import Lines
from simonides.model.export import (
    ErasedMark,
    ExportHead,
    Kept,
    KeptBackground,
    KeptEngagement,
    KeptVersion,
)
from simonides.model.import_report import ImportProgress, ImportReport, Skipped
from simonides.model.item import digest
from simonides.model.lease import Work
from simonides.model.stored import Change
from simonides.ports.maintenance import Made
from simonides.ports.space import Reader, Space

MARK = b'{"simonides_export":'
"""How an export begins."""

BATCH_RECORDS = 64
"""Records made ready at once: enough for every thread of an embedder."""


def is_export(path: Path) -> bool:
    """Return whether a file begins as an export does; false for one that is read only once."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            return stream.read(len(MARK)) == MARK
    except OSError:
        return False


def import_export(
    path: Path,
    opened: OpenSpace,
    *,
    on_progress: Callable[[ImportProgress], None] | None = None,
) -> ImportReport:
    """Import an export, complete into an empty space, else merged; return the report.

    Every line of it but the first and last counts once.

    Raises:
        ImportFailed: It cannot be read, or is of a later format.
    """
    started = time.perf_counter()
    try:
        with path.open("rb") as stream:
            account = _Account(path.name, size_bytes=path.stat().st_size, on_progress=on_progress)
            lines = Lines(stream, skip=account.skip, passed=account.count_bytes)
            _import_lines(lines, account, opened)
    except OSError as error:
        raise ImportFailed(f"{path} can not be read: {error.strerror}") from error
    opened.home.forget_index(opened.space)
    return account.report(took_s=time.perf_counter() - started)


def _import_lines(lines: Lines, account: "_Account", opened: OpenSpace) -> None:
    head = lines.head()
    space = opened.make()
    with in_turn(space, Work.IMPORT, wait_s=opened.settings.timeout_s):
        _import_records(head, lines, account, opened)


def _import_records(head: ExportHead, lines: Lines, account: "_Account", opened: OpenSpace) -> None:
    space = opened.space
    if space.is_empty():
        records = _prepare(lines.records(), opened)
        added = space.fill(head, account.watch(records), refuse=account.refuse)
        account.by_change[Change.ADDED] += added
    else:
        for batch in _batches(lines.records()):
            _merge(batch, space=space, account=account, opened=opened)
            account.tell()
        account.report_unmerged()


class _Account:
    """Counts of the lines so far by their fate."""

    def __init__(
        self, name: str, *, size_bytes: int, on_progress: Callable[[ImportProgress], None] | None
    ) -> None:
        self.by_change: Counter[Change] = Counter()
        self.bytes_done = 0
        self._name = name
        self._size_bytes = size_bytes
        self._on_progress = on_progress
        self._skipped: list[Skipped] = []
        self._past = 0
        self._seen = 0

    def count_bytes(self, size_bytes: int) -> None:
        """Count bytes that were read."""
        self.bytes_done += size_bytes

    def skip(self, part: str, reason: str) -> None:
        self._skipped.append(Skipped(where=f"{self._name}: {part}", reason=reason))

    def refuse(self, record: Kept, reason: str) -> None:
        self.skip(_describe(record), reason)

    def count_unmerged(self) -> None:
        """Count a past version that is not merged."""
        self._past += 1

    def report_unmerged(self) -> None:
        if self._past:
            reason = "are not merged: history comes back only into an empty space"
            self.skip(f"{self._past:,} past versions", reason)

    def watch(self, records: Iterable[tuple[Kept, Made]]) -> Iterator[tuple[Kept, Made]]:
        """Yield records and report the progress now and then."""
        for record in records:
            yield record
            self._seen += 1
            if self._seen % BATCH_RECORDS == 0:
                self.tell()

    def tell(self) -> None:
        if self._on_progress is None:
            return
        done = sum(self.by_change.values())
        self._on_progress(
            ImportProgress(
                read=max(done, self._seen) + len(self._skipped),
                added=max(self.by_change[Change.ADDED], self._seen),
                unchanged=self.by_change[Change.UNCHANGED],
                updated=self.by_change[Change.UPDATED],
                skipped=len(self._skipped),
                bytes_done=self.bytes_done,
                bytes_total=self._size_bytes,
            )
        )

    def report(self, *, took_s: float) -> ImportReport:
        return ImportReport(
            added=self.by_change[Change.ADDED],
            unchanged=self.by_change[Change.UNCHANGED],
            updated=self.by_change[Change.UPDATED],
            skipped=tuple(self._skipped),
            took_s=took_s,
        )


def _describe(record: Kept) -> str:
    if isinstance(record, KeptVersion):
        return f"version {record.item.version} of item {record.item.id!r}"
    if isinstance(record, KeptEngagement):
        return f"engagement with item {record.item_id!r}"
    if isinstance(record, ErasedMark):
        return f"mark {record.id_hash.hex()}"
    return f"{type(record).__name__.removeprefix('Kept').lower()} {record.id!r}"


def _prepare(records: Iterable[Kept], opened: OpenSpace) -> Iterator[tuple[Kept, Made]]:
    """Yield records in order, each with its derived data."""
    for batch in _batches(records):
        yield from _make(batch, opened)


def _make(batch: Sequence[Kept], opened: OpenSpace) -> Iterator[tuple[Kept, Made]]:
    versions = [one.item for one in batch if isinstance(one, KeptVersion)]
    prepared = iter(preparer_of(opened).prepare(versions) if versions else ())
    for one in batch:
        if isinstance(one, KeptVersion):
            yield one, next(prepared)
        elif isinstance(one, KeptBackground):
            yield one, prepare_kept(one, spoken=Spoken.by(opened.settings))
        else:
            yield one, None


def _batches(records: Iterable[Kept]) -> Iterator[list[Kept]]:
    rest = iter(records)
    while batch := list(islice(rest, BATCH_RECORDS)):
        yield batch


def _merge(batch: Sequence[Kept], *, space: Space, account: _Account, opened: OpenSpace) -> None:
    """Merge records with stored data; versions, and data of items, in order."""
    for is_version, run in groupby(batch, key=lambda one: isinstance(one, KeptVersion)):
        if is_version:
            versions = [one for one in run if isinstance(one, KeptVersion)]
            _merge_versions(versions, space=space, account=account, opened=opened)
        else:
            ready = list(_make(list(run), opened))
            for (record, _), said in zip(ready, space.merge_aside(ready), strict=True):
                if said in (Change.ADDED, Change.UNCHANGED):
                    account.by_change[Change(said)] += 1
                else:
                    account.refuse(record, said)


def _merge_versions(
    versions: Sequence[KeptVersion], *, space: Space, account: _Account, opened: OpenSpace
) -> None:
    with space.read() as reader:
        wanted = [one for one in versions if _is_wanted(one, reader=reader, account=account)]
    outcomes = keep([one.item for one in wanted], opened, revive=False)
    for one, outcome in zip(wanted, outcomes, strict=True):
        if outcome.change is Change.FORGOTTEN:
            account.refuse(one, "was forgotten or erased here; add it yourself to bring it back")
        else:
            account.by_change[outcome.change] += 1


def _is_wanted(one: KeptVersion, *, reader: Reader, account: _Account) -> bool:
    """Return whether a version is wanted; count it if it is not."""
    kept, present = reader.version(one.item.id, one.item.version), reader.item(one.item.id)
    is_known = kept is not None and digest(kept) == digest(one.item)
    if is_known and (one.died is not None or present is not None):
        account.by_change[Change.UNCHANGED] += 1
        return False
    if one.died is not None:
        account.count_unmerged()
        return False
    if present is None or digest(present) == digest(one.item):
        return True
    here, there = present.stored_at, one.item.stored_at
    if here is not None and there is not None and here > there:
        account.refuse(one, "another version was kept here later, and stays")
        return False
    return True
