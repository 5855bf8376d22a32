"""The one entry point of all formats: read a path, and run an import in batches.

Knows the order of files and how the outcome of each part is counted. Must not know a format
from inside.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from simonides.errors import ImportFailed, InvalidInput
from simonides.importers.folder import files_below
from simonides.importers.formats import looked_for
from simonides.importers.reading import read_file
from simonides.model.answer import ImportProgress, ImportReport, Skipped
from simonides.model.item import Item, Trust, digest, with_trust
from simonides.model.stored import Change, Outcome
from simonides.ports.importer import ImportEvent


def read(path: Path, *, source: str = "") -> Iterator[ImportEvent]:
    """Return the items at `path`, one by one, with skipped parts and the progress.

    Memory does not grow with the size of a mailbox. Items derive their ids from source and source
    id, so reading again, or going on after an interruption, changes nothing that is kept.

    Args:
        path: A file of any format, a Maildir, or a folder of these.
        source: Overrides the source that each reader gives its items; not that of attachments.

    Raises:
        ImportFailed: Nothing lies there (at once), or nothing there can be read (at the end,
            after the reports of what was passed over); says what was looked for.
    """
    if not _is_there(path):
        raise ImportFailed(f"{path}: there is no such file or folder; looked for {looked_for()}")
    return _steps(path, source)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name too long to be one, or a folder that may not be entered
        return False


def _steps(path: Path, source: str) -> Iterator[ImportEvent]:
    total = sum(found.file.size_bytes for found in files_below(path))
    done, known, first_reason = 0, 0, ""
    for found in files_below(path, source=source):
        steps: Iterable[ImportEvent]
        try:
            if found.problem:
                raise ImportFailed(found.problem)  # noqa: TRY301  one report for all reasons
            steps = read_file(found.file, importer=found.importer)
            known += 1
        except ImportFailed as error:
            first_reason = first_reason or str(error)
            steps = [found.file.passed_over(str(error))]
        for step in steps:
            so_far = min(done + step.bytes_done, total)
            yield replace(step, bytes_done=so_far, bytes_total=total)
        done += found.file.size_bytes
    if not known:
        reason = first_reason or f"there is no file; looked for {looked_for()}"
        raise ImportFailed(f"{path}: nothing to import: {reason}")


BATCH_ITEMS = 256
"""Items of one transaction at most; what was committed stays if the import is broken off."""

BATCH_CHARS = 2_000_000
"""Characters of one transaction at most, so that memory stays constant."""

Keep = Callable[[Sequence[Item]], Sequence[Outcome]]


class _Counts:
    """The outcome of every part so far, and a digest by id (0.2 KB a part)."""

    def __init__(self) -> None:
        self.by_change: Counter[Change] = Counter()
        self.skipped: list[Skipped] = []
        self._read: dict[str, bytes] = {}

    def firsts(self, batch: Sequence[ImportEvent]) -> list[tuple[str, Item]]:
        """Return the items to keep, each with its place, and count all else.

        Of several parts with one id the first stands, so that importing again changes nothing.
        """
        firsts = []
        for step in batch:
            if step.skipped is not None:
                self.skipped.append(step.skipped)
            if step.item is not None and self._is_first(step.item, where=step.where):
                firsts.append((step.where, step.item))
        return firsts

    def _is_first(self, item: Item, *, where: str) -> bool:
        own = digest(item)
        earlier = self._read.setdefault(item.id, own)
        if earlier is own:
            return True
        if earlier == own:
            self.by_change[Change.UNCHANGED] += 1
        else:
            reason = f"another part of this import has the same id, {item.source_id!r}"
            self.skipped.append(Skipped(where=_place(where, item), reason=reason))
        return False

    def progress(self, last: ImportEvent) -> ImportProgress:
        return ImportProgress(
            read=sum(self.by_change.values()) + len(self.skipped),
            added=self.by_change[Change.ADDED],
            unchanged=self.by_change[Change.UNCHANGED],
            updated=self.by_change[Change.UPDATED],
            skipped=len(self.skipped),
            bytes_done=last.bytes_done,
            bytes_total=last.bytes_total,
        )

    def keep(self, firsts: Sequence[tuple[str, Item]], keep: Keep) -> None:
        """Keep these items in one transaction; where one is refused, each in one of its own."""
        if not firsts:
            return
        try:
            self._take(firsts, keep([item for _, item in firsts]))
        except InvalidInput as error:
            if len(firsts) == 1:
                ((where, item),) = firsts
                self.skipped.append(Skipped(where=_place(where, item), reason=str(error)))
                return
            for one in firsts:
                self.keep([one], keep)

    def _take(self, firsts: Sequence[tuple[str, Item]], outcomes: Sequence[Outcome]) -> None:
        for (where, item), outcome in zip(firsts, outcomes, strict=True):
            if outcome.change is Change.FORGOTTEN:
                reason = "was forgotten here; add it yourself to bring it back"
                self.skipped.append(Skipped(where=_place(where, item), reason=reason))
            else:
                self.by_change[outcome.change] += 1


def import_path(
    path: Path,
    *,
    source: str,
    keep: Keep,
    on_progress: Callable[[ImportProgress], None] | None,
    trust: Trust | None = None,
) -> ImportReport:
    """Return the report of an import of `path`; every part read is counted exactly once.

    What is read is said to be trusted as far as `trust`, or less where it says less of itself.

    Raises:
        ImportFailed: The path cannot be read, or holds nothing that can be imported.
    """
    started = time.perf_counter()
    counts = _Counts()
    for batch in _batches(_trusted(read(path, source=source), trust)):
        counts.keep(counts.firsts(batch), keep)
        if on_progress is not None:
            on_progress(counts.progress(batch[-1]))
    return ImportReport(
        added=counts.by_change[Change.ADDED],
        unchanged=counts.by_change[Change.UNCHANGED],
        updated=counts.by_change[Change.UPDATED],
        skipped=tuple(counts.skipped),
        took_s=time.perf_counter() - started,
    )


def _place(where: str, item: Item) -> str:
    """Return `inbox.mbox: Re: Alpha`: the file, and the title of the item in it."""
    return f"{where}: {item.title or item.source_id}"


def _trusted(steps: Iterator[ImportEvent], trust: Trust | None) -> Iterator[ImportEvent]:
    """Yield the events, their items marked with the trust level `trust`."""
    for step in steps:
        if trust is None or step.item is None:
            yield step
        else:
            yield replace(step, item=with_trust(step.item, trust))


def _batches(steps: Iterator[ImportEvent]) -> Iterator[list[ImportEvent]]:
    """Yield runs of steps, each small enough for one transaction."""
    batch: list[ImportEvent] = []
    chars = 0
    for step in steps:
        batch.append(step)
        chars += 0 if step.item is None else len(step.item.content)
        if len(batch) >= BATCH_ITEMS or chars >= BATCH_CHARS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch
