"""The verbs that look after a space: count, examine, erase, export, back up, verify, repair.

`Memory` has them. They decide nothing themselves: the room `upkeep` does, and the store below it.
"""

import os
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from simonides.api.arguments import check_calls, check_is, check_texts, expanded
from simonides.api.space_handle import SpaceHandle
from simonides.errors import InvalidInput
from simonides.model.answer import Finding, ImportProgress, ImportReport, SpaceStats
from simonides.model.filter import FilterLike, as_filter
from simonides.model.item import Item
from simonides.model.stored import Outcome

if TYPE_CHECKING:
    from simonides.model.export import ExportReport
    from simonides.model.maintenance import BackupReport, ErasureReport, RepairReport, Scrub
    from simonides.ports.space import Space


class MaintenanceMixin(SpaceHandle):
    """What can be done to a space as a whole, and to what must be gone from it."""

    def stats(self) -> SpaceStats:
        """Return counts and sizes of the space.

        Raises:
            NotFound: Nothing was ever written to it.
        """
        return self._parts.store.open_any(self._space_name).stats()

    def spaces(self) -> tuple[str, ...]:
        """Return the names of all spaces under this home, sorted."""
        return tuple(self._parts.store.names())

    def doctor(self) -> tuple[Finding, ...]:
        """Return what a look through the whole space found, sound or not.

        An erasure that was broken off is finished, of the space or of another one of the home.

        Raises:
            NotFound: Nothing was ever written to it.
        """
        from simonides.maintenance.doctor import examine, plugins, rights

        space = self._parts.store.open_any(self._space_name)
        store = self._parts.store
        found = examine(space, space_view=self._parts.view(space), store=store)
        return (*found, *rights(self._parts.home), *plugins())

    def reembed(self, *, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Make every vector anew with the embedder in force; return how many items there are.

        Raises:
            NotFound: Nothing was ever written to the space.
            EmbedderError: The model failed; the old vectors stay.
        """
        from simonides.maintenance.reembed import reembed

        check_calls(on_progress=on_progress)
        space = self._parts.store.open_any(self._space_name)
        done = reembed(space, preparer=self._parts.preparer(), on_progress=on_progress)
        self._parts.forget_view(space)
        return done

    def erase(
        self,
        *item_ids: str,
        filter: FilterLike | None = None,  # noqa: A002  the word of the project
        everything: bool = False,
        prove: bool = False,
        answers: bool = False,
    ) -> "ErasureReport":
        """Erase items for good, by id or by filter, or the whole space; return what was done.

        Every version goes, and all that is made of them or names them, from rows, index, log and
        free pages; no import brings them back, an explicit `add` does. A filter takes each item
        of which any version passes, memories of every status unless it names some: then nothing but
        memories, unless it names kinds, too. `prove` has
        another process search the files' bytes for what was erased. Answers of chats that were made
        with what goes may repeat its words: `answers` takes them along, else the report names
        them. What an earlier erasure had to leave is finished.

        Raises:
            NotFound: Nothing was ever written to the space.
            InvalidInput: Not just one of ids, filter and everything is given, or the filter
                restricts nothing.
            StoreBusy: Another writer held the space past the time-out; nothing was erased.
        """
        from simonides.maintenance.erase import chosen, erase, erase_space

        if bool(item_ids) + (filter is not None) + everything != 1:
            raise InvalidInput("erase", "give ids, or a filter, or everything: just one of them")
        check_texts(*item_ids, field="item_ids")
        wanted = as_filter(filter, timezone=self._timezone)
        parts = self._parts
        parts.store.finish_erasures()
        if everything:
            return erase_space(
                self._space_name, store=parts.store, proves=prove, forget_caches=parts.forget_words
            )
        space = parts.store.open_any(self._space_name)
        return erase(
            item_ids if filter is None else chosen(wanted, space=space),
            space=space,
            at=parts.clock(),
            proves=prove,
            forget_caches=lambda: parts.forget_words(space),
            answers=answers,
        )

    def export(self, path: str | os.PathLike[str] | BinaryIO) -> "ExportReport":
        """Write everything that was kept in the space to a new file, or to a stream of bytes.

        In a folder, the file is called after the space. The format is documented, `import_` reads
        it, and what is derived is not in it.

        Raises:
            NotFound: Nothing was ever written to the space.
            InvalidInput: There is a file of that name.
            StoreFull: It cannot be written.
        """
        from simonides.codec.export import to_text
        from simonides.maintenance.export import export_space, new_file, target_of

        space = self._parts.store.open_any(self._space_name)
        if not isinstance(path, str | os.PathLike):
            return export_space(space, path, to_text=to_text)
        target = target_of(expanded(path, field="path"), name=self._space_name)
        with new_file(target) as stream:
            return export_space(space, stream, to_text=to_text, file=str(target))

    def backup(
        self,
        path: str | os.PathLike[str],
        *,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> "BackupReport":
        """Copy the space as it is to a new file, while others go on; return what is in it.

        `on_progress` is told (done, all) pages. To restore it, see `repair`.

        Raises:
            NotFound: Nothing was ever written to the space.
            InvalidInput: There is a file of that name, or no such folder.
            StoreFull: There is no room, or no right to write there.
        """
        from simonides.maintenance.backup import back_up

        space = self._parts.store.open_any(self._space_name)
        return back_up(space, expanded(path, field="path"), on_progress=on_progress)

    def verify(self) -> tuple[Finding, ...]:
        """Return what a look through the space to the last posting found, sound or not.

        `doctor` is the quick look. Both compare every page of the file with its checksum. This one
        compares every version with the hash that was written with it, too, every chunk with its
        item, and the index in memory and on disk with the rows.

        Raises:
            NotFound: Nothing was ever written to the space.
        """
        from simonides.maintenance.verify import verify

        space = self._parts.store.open_any(self._space_name)
        return tuple(verify(space, space_view=self._parts.view(space)))

    def scrub(
        self,
        *,
        go_on: Callable[[], bool] | None = None,
        every: timedelta | None = None,
    ) -> "Scrub | None":
        """Return what comparing every page of the space's file with its checksum found.

        When that was, and how many pages were damaged, is noted: `stats` says it. Others go on
        reading and writing. `go_on` is asked after each 256 pages (1 MiB) and may wait; where it
        says no, the look is broken off, nothing is noted and the answer is None. With `every`, no
        look is made where the last one is not as old as that: its time is the answer, and 0 pages.

        Raises:
            NotFound: Nothing was ever written to the space.
            StoreCorrupt: What the space says of itself cannot be read.
        """
        check_calls(go_on=go_on)
        if every is not None:
            check_is(every, timedelta, field="every")
        parts = self._parts
        now = parts.clock()
        space = parts.store.open_any(self._space_name)
        since = None if every is None else now - every
        return space.scrub(at=now, go_on=go_on or (lambda: True), unless_since=since)

    def repair(self, *, backup: str | os.PathLike[str] | None = None) -> "RepairReport":
        """Make the space's file anew of all that can be read of it; say what could not be.

        Everything derived that does not fit is made again, and what an erasure had to leave goes.
        A damaged file is kept aside. With `backup`, a copy of that file takes its place instead.
        Nobody else may have the space open.

        Raises:
            NotFound: There is no such space.
            InvalidInput: The backup is none, or is damaged itself.
            StoreBusy: Others have the space open; nothing was changed.
            StoreCorrupt: Nothing can be read of the file: put a backup in its place.
            WrongEmbedder: Vectors are to be made again, by another embedder than the configured.
        """
        from simonides.maintenance.repair import repair, repair_from

        parts, name = self._parts, self._space_name
        parts.forget_views()
        if backup is None:
            return repair(name, store=parts.store, preparer=parts.preparer())
        return repair_from(name, expanded(backup, field="backup"), store=parts.store)

    def _import_export(
        self, path: Path, *, on_progress: Callable[[ImportProgress], None] | None
    ) -> ImportReport:
        """Read an export in again: whole into an empty space, else beside what is kept."""
        from simonides.codec.export import from_text
        from simonides.ingest.background import Spoken, prepared_as
        from simonides.maintenance.import_export import ImportPorts, import_export

        parts = self._parts
        spoken = Spoken(language=parts.settings.language, detects=parts.settings.detect_language)
        ways = ImportPorts(
            open_space=self._open_new,
            preparer=parts.preparer(),
            prepare_background=lambda one: prepared_as(one, spoken=spoken),
            keep=self._keep_imported,
            from_text=from_text,
        )
        report = import_export(path, ways=ways, on_progress=on_progress)
        parts.forget_view(self._open_new())
        return report

    def _open_new(self) -> "Space":
        parts = self._parts
        return parts.store.open(self._space_name, embedder=parts.identity, create=True)

    def _keep_imported(self, items: Sequence[Item]) -> Sequence[Outcome]:
        from simonides.ingest.keep import keep

        parts = self._parts
        return keep(items, space=self._open_new(), preparer=parts.preparer(),
                    stored_at=parts.clock(), revive=False)  # fmt: skip

    def erasable(self, filter: FilterLike) -> tuple[str, ...]:  # noqa: A002  the word of the project
        """Return the ids that `erase` would take by a filter; nothing is erased.

        Raises:
            NotFound: Nothing was ever written to the space.
            InvalidInput: The filter restricts nothing.
        """
        from simonides.maintenance.erase import chosen

        wanted = as_filter(filter, timezone=self._timezone)
        return chosen(wanted, space=self._parts.store.open_any(self._space_name))
