"""Reports of imports: the progress of one, what it read and skipped, and the log of a space.

Knows shapes only. Must not know how an import is run.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from simonides.model.result import Result, html_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped(Result):
    """One part of an import that could not be read: its place and the reason."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProgress(Result):
    """The progress of an import: outcomes of the parts read so far, and bytes.

    Once all is read and found by its words, vectors are made: `embedded` chunks have theirs since
    then, and `waiting` chunks wait for theirs.
    """

    read: int
    added: int
    unchanged: int
    updated: int
    skipped: int
    bytes_done: int
    bytes_total: int
    embedded: int = 0
    waiting: int = 0


EXAMPLES_MAX = 3
"""Most places that a group of skipped parts names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedGroup(Result):
    """The parts of an import that were skipped for one reason; `examples` are the first places."""

    reason: str
    count: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport(Result):
    """The report of an import; every part read is counted exactly once.

    `withdrawn` are items that their files no longer hold; they come back with those. `kinds`
    counts the items read by kind, those that did not change included; `languages` those that are
    kept, by ISO 639-1 code. After a dry run the counts say what would have been done, and nothing
    was. `owner` is the name and address of the person who takes part in most mails, if one stands
    out; `owner_maybe` are addresses that may be that person's too, and that nothing sets.
    `skipped_groups` are made from `skipped`. `waiting` is how many chunks of the space wait for
    their vectors: they are found by words until `embed` has made them.
    """

    added: int = 0
    unchanged: int = 0
    updated: int = 0
    withdrawn: int = 0
    skipped: tuple[Skipped, ...] = ()
    kinds: Mapping[str, int] = field(default_factory=dict)
    languages: Mapping[str, int] = field(default_factory=dict)
    dry_run: bool = False
    owner: tuple[str, ...] = ()
    owner_maybe: tuple[str, ...] = ()
    took_s: float = 0.0
    waiting: int = 0
    skipped_groups: tuple[SkippedGroup, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "skipped_groups", _group(self.skipped))

    @property
    def read(self) -> int:
        """The number of parts that were read."""
        return self.added + self.unchanged + self.updated + len(self.skipped)


def _group(skipped: Iterable[Skipped]) -> tuple[SkippedGroup, ...]:
    """Return the skipped parts by reason, the most frequent reason first."""
    places: dict[str, list[str]] = {}
    for one in skipped:
        places.setdefault(one.reason, []).append(one.where)
    groups = (
        SkippedGroup(reason=reason, count=len(found), examples=tuple(found[:EXAMPLES_MAX]))
        for reason, found in places.items()
    )
    return tuple(sorted(groups, key=lambda group: (-group.count, group.reason)))


def join_reports(reports: Sequence[ImportReport]) -> ImportReport:
    """Return the report of several imports as one."""
    kinds, languages = Counter[str](), Counter[str]()
    for one in reports:
        kinds.update(one.kinds)
        languages.update(one.languages)
    return ImportReport(
        added=sum(one.added for one in reports),
        unchanged=sum(one.unchanged for one in reports),
        updated=sum(one.updated for one in reports),
        withdrawn=sum(one.withdrawn for one in reports),
        skipped=tuple(part for one in reports for part in one.skipped),
        kinds=dict(sorted(kinds.items())),
        languages=dict(sorted(languages.items())),
        dry_run=any(one.dry_run for one in reports),
        owner=next((one.owner for one in reports if one.owner), ()),
        owner_maybe=next((one.owner_maybe for one in reports if one.owner), ()),
        took_s=sum(one.took_s for one in reports),
        waiting=max((one.waiting for one in reports), default=0),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRecord(Result):
    """The record of a past import, kept in its space: what came in, what was skipped and why.

    `files` are the names of the files and folders that were given, `skipped` is a number, and
    `skipped_groups` say why, for the most frequent reasons.
    """

    id: str
    kept_at: datetime
    files: tuple[str, ...] = ()
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    withdrawn: int = 0
    skipped: int = 0
    skipped_groups: tuple[SkippedGroup, ...] = ()
    kinds: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportLog(Result):
    """One page of past imports, latest first; `cursor` asks for the next one, empty at the end."""

    imports: tuple[ImportRecord, ...]
    cursor: str = ""

    def _repr_html_(self) -> str:
        rows = [
            (f"{one.kept_at:%Y-%m-%d %H:%M}", ", ".join(one.files), one.added, one.updated,
             one.skipped, "; ".join(f"{g.count} {g.reason}" for g in one.skipped_groups))
            for one in self.imports
        ]  # fmt: skip
        return html_table(("when", "files", "added", "updated", "skipped", "why"), rows)
