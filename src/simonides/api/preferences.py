"""`memory.preferences`: how the user wants things to be, of one space.

It decides nothing itself: `memories.preferences` has the rules, `assistant.preferences` keeps what
they give.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from simonides.api.arguments import check_limit
from simonides.api.runtime import Runtime
from simonides.errors import NotFound
from simonides.model.chat import Origin, Preference
from simonides.ports.space import Space

if TYPE_CHECKING:
    from simonides.assistant.working_state import WorkingState

Reading = Callable[[], AbstractContextManager[Space | None]]
"""Opens the space for reading; None where nothing was ever written to it."""


class Preferences:
    """How the user wants things to be, by key; how sure each is fades while it is not seen.

    They are memories (source `preference`, collection `preferences`, type `policy`): a search may
    find them, a chat is told them in its prompt instead.
    """

    def __init__(self, parts: Runtime, space_name: str, *, reading: Reading) -> None:
        self._parts = parts
        self._space_name = space_name
        self._reading = reading

    def list(self, *, limit: int = 50) -> tuple[Preference, ...]:
        """Return the preferences, those that are surest now first, then by key.

        Raises:
            InvalidInput: The limit is below 1.
        """
        from simonides.memories.preferences import faded, strongest

        check_limit(limit)
        now = self._parts.clock()
        return tuple(strongest(faded(one, now=now) for one in self._kept())[:limit])

    def get(self, key: str, /) -> Preference:
        """Return one preference, as sure as it is now.

        Raises:
            NotFound: None is kept under that key.
        """
        from simonides.memories.preferences import faded, key_of

        name = key_of(key)
        for one in self._kept():
            if one.key == name:
                return faded(one, now=self._parts.clock())
        raise NotFound("preference", name)

    def set(self, key: str, value: str, /) -> Preference:
        """Keep what the user says; it takes the place of any other value. Return the preference.

        Raises:
            InvalidInput: The key (at most 64 characters) or the value (300) is empty or too long.
            StoreError: The commit failed; nothing was written.
        """
        return self._stated(key, value, Origin.EXPLICIT)

    def infer(self, key: str, value: str, /) -> Preference:
        """Note what the user seems to want, and return what is preferred after it.

        The same value makes a preference surer, another one less sure; only once it is hardly sure
        any more the other takes its place. What was forgotten does not come back by it.

        Raises:
            InvalidInput: The key (at most 64 characters) or the value (300) is empty or too long.
            NotFound: The user had the preference forgotten: only `set` brings it back.
            StoreError: The commit failed; nothing was written.
        """
        return self._stated(key, value, Origin.INFERRED)

    def forget(self, key: str, /) -> bool:
        """Take a preference out of the present; return whether it was there."""
        from simonides.memories.preferences import id_of, key_of

        item_id = id_of(key_of(key))
        self._working.drop_preferences()
        with self._reading() as space:
            if space is None:
                return False
            gone = space.forget([item_id], at=self._parts.clock())
            self._parts.tend(space)
            return bool(gone)

    def _stated(self, key: str, value: str, origin: Origin) -> Preference:
        from simonides.assistant.preferences import state_preference
        from simonides.memories.preferences import key_of, value_of

        name, said, parts = key_of(key), value_of(value), self._parts
        space = parts.store.open(self._space_name, embedder=parts.identity, create=True)
        stated = state_preference(
            name, said, origin, space=space, preparer=parts.preparer(), now=parts.clock(),
            working=self._working,
        )  # fmt: skip
        parts.tend(space)
        return stated

    def _kept(self) -> tuple[Preference, ...]:
        from simonides.assistant.preferences import kept_preferences

        with self._reading() as space:
            if space is None:
                return ()
            view = self._parts.view(space)
            return kept_preferences(space=space, space_view=view, working=self._working)

    @property
    def _working(self) -> "WorkingState":
        from simonides.assistant.working_state import WorkingState

        return WorkingState(working=self._parts.working, space=self._space_name)
