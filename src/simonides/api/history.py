"""The verbs on what changes and what was: update, get, history, restore, compact.

`Memory` has them. They decide nothing themselves: `keeping.change` replaces what is present,
`retrieval.past` reads which state is meant, `upkeep.history` and `upkeep.compact` do the rest.
"""

from typing import TYPE_CHECKING, Unpack

from simonides.api.arguments import as_state, check_texts, with_times
from simonides.api.fields import ChangedFields, StateLike
from simonides.api.space_handle import SpaceHandle
from simonides.errors import NotFound
from simonides.model.item import Item
from simonides.model.maintenance import Compaction, Version

if TYPE_CHECKING:
    from simonides.ports.space import Space


class HistoryMixin(SpaceHandle):
    """What can be done with the versions of items and the revisions of a space."""

    def update(
        self, item_id: str, /, *, if_version: int | None = None, **fields: Unpack[ChangedFields]
    ) -> Item:
        """Replace some fields of an item and return its new version.

        What changes nothing makes no new version. Updates at the same time are all made, one on
        top of the other. With `if_version` nothing is written unless that version is present.

        Raises:
            NotFound: No item has that id.
            Conflict: Another version is present than `if_version`.
            InvalidInput: A field is unknown, fixed or out of range.
        """
        from simonides.ingest.change import change

        check_texts(item_id, field="item_id")
        changed = with_times(fields, timezone=self._timezone)
        with self._reading() as space:
            if space is None:
                raise NotFound("item", item_id)
            item = change(item_id, changed, space=space, preparer=self._parts.preparer(),
                          clock=self._parts.clock, if_version=if_version)  # fmt: skip
            self._parts.tend(space)
            return item

    def get(self, item_id: str, /, *, as_of: StateLike | None = None) -> Item:
        """Return the present version of an item, or the one at a time or revision.

        Raises:
            NotFound: No item has that id, or had it then.
            HistoryGone: That state was compacted away.
        """
        from simonides.retrieval.as_of import as_it_was, check_as_of

        check_texts(item_id, field="item_id")
        state = as_state(as_of, timezone=self._timezone)
        check_as_of(state)
        with self._reading() as space:
            if space is not None:
                with space.read() as reader:
                    item = as_it_was(reader, state).item(item_id)
                if item is not None:
                    return item
        raise NotFound("item", item_id)

    def history(self, item_id: str, /) -> tuple[Version, ...]:
        """Return every version of an item that is kept, the first first, forgotten ones too.

        Each says between which revisions it was the present one, why it left, and what changed.

        Raises:
            NotFound: Nothing is kept of such an item.
        """
        from simonides.maintenance.item_history import history

        check_texts(item_id, field="item_id")
        with self._reading() as space:
            if space is None:
                raise NotFound("item", item_id)
            with space.read() as reader:
                return history(item_id, reader=reader)

    def restore(self, item_id: str, /, *, version: int | None = None) -> Item:
        """Bring back a forgotten item, or an earlier version of one, as a new version; return it.

        Without `version` it is the last one of a forgotten item. No version is lost by it.

        Raises:
            NotFound: Nothing is kept of such an item, or of that version of it.
            Conflict: It was changed meanwhile; nothing was written.
            InvalidInput: The item is present and no version was named.
        """
        from simonides.maintenance.item_history import restore

        check_texts(item_id, field="item_id")
        with self._reading() as space:
            if space is None:
                raise NotFound("item", item_id)
            return restore(
                item_id, version=version, space=space, preparer=self._parts.preparer(),
                stored_at=self._parts.clock(),
            )  # fmt: skip

    def compact(self, *, before: StateLike | None = None) -> Compaction:
        """Remove history that is past retention, make the file small, and say what was done.

        `before` is the oldest time or revision that is to stay askable; unless given, the
        setting `retention_days` says so, and where that is 0 all history stays. Writers may go
        on in between, except while the file is written anew.

        Raises:
            NotFound: Nothing was ever written to the space.
            InvalidInput: `before` is no time or revision, or the space has not reached it yet.
        """
        from simonides.maintenance.compact import compact
        from simonides.retrieval.as_of import check_as_of

        oldest = as_state(before, timezone=self._timezone, field="before")
        check_as_of(oldest, field="before")
        space = self._parts.store.open_any(self._space_name)
        done = compact(space, retention=self._parts.retention(), before=oldest)
        if done.versions:
            self._renew(space)
        return done

    def _renew(self, space: "Space") -> None:
        """Build the view of a space anew from its rows, and write its snapshot."""
        from simonides.retrieval.search import look

        self._parts.forget_view(space)
        view = self._parts.view(space)
        with look(space, view):
            view.save()
