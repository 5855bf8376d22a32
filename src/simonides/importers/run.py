"""The one entry point of all formats: read paths, and run an import in batches.

Knows the order of files, which state of an item is the latest, and how the outcome of each part is
counted. Must not know a format from inside.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from simonides.errors import ImportFailed, InvalidInput
from simonides.importers import event_states
from simonides.importers.folder import WalkedFile
from simonides.importers.formats import SEE_FORMATS
from simonides.importers.mail_copies import SentMail, move_along, set_apart
from simonides.importers.moved import at_first_place, find_moved, first_place
from simonides.importers.owner import OwnerFinder
from simonides.importers.quoting import QuotingMails
from simonides.importers.reading import read_file
from simonides.importers.roots import Names, files_of, name_roots
from simonides.importers.stale import PartsRead
from simonides.index.open_space import OpenSpace
from simonides.ingest.at_work import in_turn
from simonides.ingest.keep import keep, preview, withdraw
from simonides.ingest.languages import settle
from simonides.model.event_makers import addresses, is_of_another, senders
from simonides.model.import_report import ImportProgress, ImportReport, Skipped
from simonides.model.item import Item, Kind, Trust, digest, with_trust
from simonides.model.lease import Work
from simonides.model.metadata_keys import ATTACHED_KEY
from simonides.model.stored import Change, Outcome
from simonides.plugins import Importer
from simonides.ports.importer import ImportEvent

REVISED_KEY = "_revised_at"
"""The metadata key by which an item says when its present state began, as ISO 8601 UTC text.

Of the states of one item the latest stands, whatever the order in which they are read: an older
one than what is kept changes nothing.
"""


def read(
    *paths: Path, source: str = "", mapped: Importer | None = None, timezone: str = ""
) -> Iterator[ImportEvent]:
    """Return the items at `paths`, one by one, with skipped parts and the progress.

    Memory does not grow with the size of a mailbox. Items derive their ids from source and source
    id, so reading again, or going on after an interruption, changes nothing that is kept.

    Args:
        paths: Files of any format, archives, Maildirs, or folders of these.
        source: Overrides the source that each reader gives its items; not that of attachments.
        mapped: The format of the files that it detects, whatever else recognises them.
        timezone: IANA name of the user's zone: that of times which name none (UTC where it is
            empty), and that in which events in UTC are shown whose calendar names none.

    Raises:
        ImportFailed: Nothing lies at one of them (at once), or nothing there can be read (at the
            end, after the reports of what was passed over); says what was looked for.
    """
    names = name_roots(paths, {})
    steps = _steps(paths, source, mapped, names, moved={}, scratch=None, timezone=timezone)
    seen = QuotingMails(had_items=False)
    return (one for one in steps if one.item is None or not seen.read_before(one.item))


def _steps(
    paths: Sequence[Path],
    source: str,
    mapped: Importer | None,
    names: Names,
    *,
    moved: Mapping[str, str],
    scratch: Path | None,
    timezone: str,
) -> Iterator[ImportEvent]:
    total = sum(found.file.size_bytes for found in files_of(paths, names, source=source))
    done, known, first_reason = 0, 0, ""
    for found in files_of(paths, names, source=source):
        steps: Iterable[ImportEvent]
        try:
            steps = read_walked(found, mapped, moved=moved, scratch=scratch, timezone=timezone)
            known += 1
        except ImportFailed as error:
            first_reason = first_reason or str(error)
            steps = [found.file.skip(str(error))]
        for step in steps:
            so_far = min(done + step.bytes_done, total)
            yield replace(step, bytes_done=so_far, bytes_total=total)
        done += found.file.size_bytes
    if not known:
        places = ", ".join(map(str, paths))
        reason = first_reason or "there is no file"
        raise ImportFailed(f"{places}: nothing to import: {reason}; {SEE_FORMATS}")


def read_walked(
    found: WalkedFile,
    mapped: Importer | None = None,
    *,
    moved: Mapping[str, str],
    scratch: Path | None,
    timezone: str,
) -> Iterator[ImportEvent]:
    """Return the events of one file; those of a `moved` one as if it lay where it first did.

    Raises:
        ImportFailed: It is not read; says why.
    """
    if found.problem:
        raise ImportFailed(found.problem)
    is_mapped = mapped is not None and mapped.detect(found.file.path, b"")
    file = replace(found.file, scratch=scratch, timezone=timezone)
    steps = read_file(file, importer=mapped if is_mapped else found.importer)
    where, first = found.file.where, first_place(found, moved)
    if first == where:
        return steps
    return (at_first_place(step, where, first) for step in steps)


BATCH_ITEMS = 256
"""Items of one transaction at most; what was committed stays if the import is broken off."""

BATCH_CHARS = 2_000_000
"""Characters of one transaction at most, so that memory stays constant."""

Placed = tuple[str, Item]
"""An item with the file that it was read from."""


def import_paths(
    paths: Sequence[Path],
    opened: OpenSpace,
    *,
    source: str,
    trust: Trust | None,
    dry_run: bool,
    on_progress: Callable[[ImportProgress], None] | None,
    names: Names,
    mapped: Importer | None = None,
) -> ImportReport:
    """Return the report of an import of `paths`; every part read is counted exactly once.

    `names` are those under which what lies there is known.

    What is read is trusted as far as `trust`, or less where it says less of itself. A dry run
    reads everything and keeps nothing.

    Raises:
        ImportFailed: No path holds anything that can be imported.
    """
    moved, scratch = find_moved(opened), opened.home.unpacking_path
    zone = opened.timezone
    return import_steps(
        _steps(paths, source, mapped, names, moved=moved, scratch=scratch, timezone=zone),
        opened,
        source=source,
        trust=trust,
        dry_run=dry_run,
        on_progress=on_progress,
    )


def import_steps(
    steps: Iterator[ImportEvent],
    opened: OpenSpace,
    *,
    source: str,
    trust: Trust | None,
    dry_run: bool = False,
    on_progress: Callable[[ImportProgress], None] | None = None,
) -> ImportReport:
    """Return the report of an import of what was read: `import_paths` for chosen files.

    Raises:
        WorkTaken: Another process imports into the space, or has taken this import over.
    """
    started = time.perf_counter()
    with ExitStack() as holding:
        parts = PartsRead(source=source or "file")
        run = _Run(opened=opened, dry_run=dry_run, parts=parts, holding=holding)
        try:
            for batch in _batches(_with_trust(steps, trust)):
                run.take(batch)
                if on_progress is not None:
                    on_progress(run.progress(batch[-1]))
        except KeyboardInterrupt:
            run.keep_quotes()  # an import that goes on will find these mails unchanged
            raise
        run.keep_quotes()
        run.withdraw_stale()
    return run.report(took_s=time.perf_counter() - started)


@dataclass(slots=True, kw_only=True)
class _Run:
    """One import: the outcome of every part so far, and what was read of each item."""

    opened: OpenSpace
    dry_run: bool
    parts: PartsRead
    holding: ExitStack
    is_in_turn: bool = False
    withdrawn: int = 0
    by_change: Counter[Change] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    skipped: list[Skipped] = field(default_factory=list)
    _read: "dict[str, _State]" = field(default_factory=dict)
    _mails: "dict[str, SentMail | None]" = field(default_factory=dict)
    _apart: tuple[Item, Item] | tuple[()] = ()
    _owner: OwnerFinder = field(default_factory=OwnerFinder)
    _quoting: QuotingMails = field(init=False)

    def __post_init__(self) -> None:
        """Look up once whether there are items."""
        self._quoting = QuotingMails(had_items=self.opened.find() is not None)

    def take(self, batch: Sequence[ImportEvent]) -> None:
        """Keep the items of a batch in one transaction, and count all parts of it.

        A second state of an item begins a transaction of its own, so that both become versions.
        """
        items: list[Placed] = []
        ids: set[str] = set()
        kept = self._read_kept_mails(batch)
        for one in batch:
            step = self._set_apart(one, kept)
            self.parts.add(step)
            if step.skipped is not None:
                self.skipped.append(step.skipped)
            if step.item is None or self._quoting.read_before(step.item):
                continue
            if not self._is_latest(step.item, where=step.where):
                continue
            if step.item.id in ids:
                self._keep(items)
                items, ids = [], set()
            self._owner.add(step.item)
            items.append((step.where, self._complete(step.item)))
            ids.add(step.item.id)
        self._keep(items)

    def _read_kept_mails(self, batch: Sequence[ImportEvent]) -> dict[str, SentMail]:
        """Return the mails that the space has under the ids of a batch."""
        space = self.opened.find()
        mails = [one.item for one in batch if one.item and one.item.kind is Kind.EMAIL]
        if space is None or not mails:
            return {}
        with space.read() as reader:
            found = reader.items(reader.keys(tuple(one.id for one in mails))).values()
        return {item.id: SentMail.of(item) for item in found}

    def _set_apart(self, step: ImportEvent, kept: Mapping[str, SentMail]) -> ImportEvent:
        """Return a step whose mail has an id of its own, where another one has its Message-ID.

        What that mail brought follows it, and has ids of its own, too.
        """
        if step.item is None:
            return step
        if step.item.kind is not Kind.EMAIL:
            return replace(step, item=move_along(step.item, *self._apart)) if self._apart else step
        known = self._mails.setdefault(step.item.id, kept.get(step.item.id))
        item = set_apart(step.item, known)
        if known is None:
            self._mails[item.id] = SentMail.of(item)
        self._apart = (step.item, item) if item is not step.item else ()
        return step if item is step.item else replace(step, item=item)

    def keep_quotes(self) -> None:
        """Keep what mails quote of mails that are not there; forget the quotes of those that came.

        A dry run, which keeps no mail, does not know of them.
        """
        if self.dry_run:
            return
        self.withdrawn += len(withdraw(self._quoting.find_outdated(self.opened), self.opened))
        for items in self._quoting.missing(self.opened):
            self.kinds[Kind.DOCUMENT.value] += len(items)
            self._keep([("", item) for item in items])

    def withdraw_stale(self) -> None:
        """Forget the parts that the files of this import no longer have."""
        stale = self.parts.stale(self.opened, read=self._read)
        if stale and not self.dry_run:
            self._take_turn()
        self.withdrawn += len(stale if self.dry_run else withdraw(stale, self.opened))

    def _take_turn(self) -> None:
        """Be the one that imports into the space, from the first write to the end."""
        if not self.is_in_turn:
            space, wait_s = self.opened.make(), self.opened.settings.timeout_s
            self.holding.enter_context(in_turn(space, Work.IMPORT, wait_s=wait_s))
            self.is_in_turn = True

    def _is_latest(self, item: Item, *, where: str) -> bool:
        """Return whether the item is to be kept; count it where it is not.

        Of several parts with one id the first stands, so that importing again changes nothing;
        of those that say when they were revised, the latest. Of two at one time that one stands
        which came from its own source: a copy in a mail says less of it. Of events of others a
        copy changes nothing, and never stands before their own calendar.
        """
        self.kinds[item.kind.value] += 1
        own = _State.of(item)
        earlier = self._read.get(item.id) or self._read_kept_state(item.id, own)
        if earlier is None or own.stands_before(earlier):
            makers = self._foreign_makers(item, own)
            if makers is None:
                self._read[item.id] = own
                return True
            reason = event_states.refusal(item, makers)
            self.skipped.append(Skipped(where=_place(where, item), reason=reason))
            return False
        is_older = own.rank < earlier.rank or (own.revised_at and own.is_copy)
        if own.digest == earlier.digest or is_older:
            self.by_change[Change.UNCHANGED] += 1
        else:
            reason = f"another part of this import has the same id, {item.source_id!r}"
            self.skipped.append(Skipped(where=_place(where, item), reason=reason))
        return False

    def _read_kept_state(self, item_id: str, own: "_State") -> "_State | None":
        """Return the state of the item that the space holds, if it says when it was revised."""
        kept = self._read_kept_item(item_id) if own.revised_at else None
        if kept is None or not kept.metadata.get(REVISED_KEY):
            return None
        return replace(_State.of(kept), digest=None)

    def _read_kept_item(self, item_id: str) -> Item | None:
        space = self.opened.find()
        if space is None:
            return None
        with space.read() as reader:
            return reader.item(item_id)

    def _foreign_makers(self, item: Item, own: "_State") -> frozenset[str] | None:
        """Return the makers of the event that a mail of others is about; None if there is none."""
        if own.senders is None:
            return None
        for item_id in event_states.ids_ruled(item):
            state = self._read.get(item_id)
            kept = None if state else self._read_kept_item(item_id)
            state = _State.of(kept) if kept else state
            if state and is_of_another(own.senders, state.makers):
                return state.makers
        return None

    def _complete(self, item: Item) -> Item:
        """Return the item; what cancels an event without its times, with those that are kept."""
        kept = self._read_kept_item(item.id) if event_states.lacks_times(item) else None
        return item if kept is None else event_states.with_times(item, kept)

    def _keep(self, items: Sequence[Placed]) -> None:
        """Keep these items in one transaction; where one is refused, each in one of its own."""
        if not items:
            return
        settled = settle([item for _, item in items], self.opened)
        placed = [(where, item) for (where, _), item in zip(items, settled, strict=True)]
        try:
            outcomes = self._outcomes(settled)
        except InvalidInput as error:
            if len(placed) > 1:
                for one in placed:
                    self._keep([one])
            else:
                ((where, item),) = placed
                self.skipped.append(Skipped(where=_place(where, item), reason=str(error)))
            return
        for (where, item), outcome in zip(placed, outcomes, strict=True):
            self._count(where, item, outcome)
            self.languages[item.language] += 1

    def _outcomes(self, items: Sequence[Item]) -> Sequence[Outcome]:
        if self.dry_run:
            return preview(items, self.opened)
        self._take_turn()
        return keep(items, self.opened, revive=False, vectors=False)

    def _count(self, where: str, item: Item, outcome: Outcome) -> None:
        if outcome.change is Change.FORGOTTEN:
            reason = "was forgotten here; add it yourself to bring it back"
            self.skipped.append(Skipped(where=_place(where, item), reason=reason))
        else:
            self.by_change[outcome.change] += 1
            self._quoting.add(item, outcome.change)

    def progress(self, last: ImportEvent) -> ImportProgress:
        """Return how far the import has come with its last step."""
        return ImportProgress(
            read=sum(self.by_change.values()) + len(self.skipped),
            added=self.by_change[Change.ADDED],
            unchanged=self.by_change[Change.UNCHANGED],
            updated=self.by_change[Change.UPDATED],
            skipped=len(self.skipped),
            bytes_done=last.bytes_done,
            bytes_total=last.bytes_total,
        )

    def report(self, *, took_s: float) -> ImportReport:
        """Return the report of the whole import."""
        return ImportReport(
            added=self.by_change[Change.ADDED],
            unchanged=self.by_change[Change.UNCHANGED],
            updated=self.by_change[Change.UPDATED],
            withdrawn=self.withdrawn,
            skipped=tuple(self.skipped),
            kinds=dict(sorted(self.kinds.items())),
            languages=dict(sorted(self.languages.items())),
            dry_run=self.dry_run,
            owner=self._owner.conclude(),
            owner_maybe=self._owner.maybe(),
            took_s=took_s,
        )


@dataclass(frozen=True, slots=True)
class _State:
    """One state of an item (0.3 KB each): its digest, and when it began, if it says so.

    Of an event also who made it, and of one that came with a mail, who sent it.
    """

    digest: bytes | None
    revised_at: str
    is_copy: bool
    makers: frozenset[str] = frozenset()
    senders: frozenset[str] | None = None

    @classmethod
    def of(cls, item: Item) -> "_State":
        """Return the state of an item."""
        is_copy = ATTACHED_KEY in item.metadata
        revised_at = str(item.metadata.get(REVISED_KEY, ""))
        if item.kind is not Kind.EVENT:
            return cls(digest(item), revised_at, is_copy)
        makers, sent_by = addresses(item), senders(item)
        return cls(digest(item), revised_at, is_copy, makers, sent_by)

    def stands_before(self, earlier: "_State") -> bool:
        """Return whether this state stands, though another of the same item was read before."""
        if self.revised_at and self.rank > earlier.rank:
            return True
        if self.is_copy:
            return False
        is_from_before = earlier.digest is None and self.rank == earlier.rank
        return is_from_before or is_of_another(earlier.senders, self.makers)

    @property
    def rank(self) -> tuple[str, bool]:
        """Return the sort key of a state: the highest one holds."""
        return self.revised_at, bool(self.revised_at) and not self.is_copy


def _place(where: str, item: Item) -> str:
    """Return `inbox.mbox: Re: Alpha`: the file, and the title of the item in it."""
    return f"{where}: {item.title or item.source_id}"


def _with_trust(steps: Iterator[ImportEvent], trust: Trust | None) -> Iterator[ImportEvent]:
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
