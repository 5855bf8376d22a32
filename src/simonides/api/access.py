"""What a memory has for those who come in by a key; and questions to several spaces.

Brings rooms together that are entered when first asked for; decides nothing itself.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from simonides.api.fields import SearchFields
from simonides.api.space_handle import SpaceHandle
from simonides.model.coercion import refuse_unknown

if TYPE_CHECKING:
    from simonides.api.keys import Keys
    from simonides.model.answer import MultiSpaceResult, SearchResult
    from simonides.ports.chat import WorkingMemory


class AccessMixin(SpaceHandle):
    """What a memory has for those who come in by a key."""

    @property
    def keys(self) -> "Keys":
        """The keys of the home: create, list, revoke, check; and audit, what was done by them."""
        from simonides.api.keys import Keys

        return Keys(self._parts)

    @property
    def working(self) -> "WorkingMemory":
        """Short-lived values of spaces: of this process, or where the settings say."""
        return self._parts.working

    def erasure_mark(self) -> str:
        """Return a mark of the space that changes with each erasure, by whichever process.

        Whoever remembers something of the space compares marks before saying it again. Compaction
        and repair change it as well. Empty while the space is not there.
        """
        with self._reading() as space:
            if space is None:
                return ""
            with space.read() as reader:
                return f"{space.uuid}:{reader.epoch}"

    def search_across(
        self,
        query: str,
        *,
        spaces: Sequence[str],
        limit: int = 10,
        **arguments: Unpack[SearchFields],
    ) -> "MultiSpaceResult":
        """Return what answers a question in several spaces, best first, each hit with its space.

        Each space answers by itself, as `search` does with the same arguments; nothing is written,
        and none sees another. Ties go by the space's name, then the id.

        Raises:
            InvalidInput: No space is named, or more than 20, or an argument is out of range.
        """
        from simonides.api.multi_space import search_across

        refuse_unknown(arguments, SearchFields.__annotations__)

        def search(space: str, **how: Any) -> "SearchResult":
            beside: Any = self
            found: SearchResult = beside.in_space(space).search(query, **how)
            return found

        return search_across(spaces, search, limit=limit, **arguments)
