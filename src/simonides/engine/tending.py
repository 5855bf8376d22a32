"""The verbs that look after a space: erase, export, back up, verify, repair.

`Memory` has them. They decide nothing themselves: the room `upkeep` does, and the store below it.
"""

from simonides.engine.bound import Bound
from simonides.errors import InvalidInput
from simonides.model.filter import Filter
from simonides.model.upkeep import ErasureReport


class TendingVerbs(Bound):
    """What can be done to a space as a whole, and to what must be gone from it."""

    def erase(
        self,
        *item_ids: str,
        filter: Filter | None = None,  # noqa: A002  the word of the project
        everything: bool = False,
        prove: bool = False,
    ) -> ErasureReport:
        """Erase items for good, by id or by filter, or the whole space; return what was done.

        Every version goes, and all that is made of them or names them, from rows, index, log and
        free pages; no import brings them back, an explicit `add` does. A filter takes each item
        of which any version passes, memories of every status unless it names some. `prove` has
        another process search the files' bytes for what was erased. What an earlier erasure had
        to leave is finished.

        Raises:
            NotFound: Nothing was ever written to the space.
            InvalidInput: Not just one of ids, filter and everything is given, or the filter
                restricts nothing.
            StoreBusy: Another writer held the space past the time-out; nothing was erased.
        """
        from simonides.upkeep.erase import chosen, erase, erase_space

        if bool(item_ids) + (filter is not None) + everything != 1:
            raise InvalidInput("erase", "give ids, or a filter, or everything: just one of them")
        parts = self._parts
        if everything:
            return erase_space(
                self._space_name, store=parts.store, proves=prove, forget_caches=parts.forget_words
            )
        space = parts.store.open_any(self._space_name)
        return erase(
            item_ids if filter is None else chosen(filter, space=space),
            space=space,
            at=parts.clock(),
            proves=prove,
            forget_caches=lambda: parts.forget_words(space),
        )

    def erasable(self, filter: Filter) -> tuple[str, ...]:  # noqa: A002  the word of the project
        """Return the ids that `erase` would take by a filter; nothing is erased.

        Raises:
            NotFound: Nothing was ever written to the space.
            InvalidInput: The filter restricts nothing.
        """
        from simonides.upkeep.erase import chosen

        return chosen(filter, space=self._parts.store.open_any(self._space_name))
