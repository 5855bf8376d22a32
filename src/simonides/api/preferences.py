"""`memory.preferences`: how the user wants things to be, of one space.

It decides nothing itself: `memories.preferences` has the rules, `assistant.preferences` keeps what
they give.
"""

from simonides.api.arguments import check_limit
from simonides.assistant.preferences import (
    forget_preference,
    kept_preferences,
    preferences_now,
    state_preference,
)
from simonides.errors import NotFound
from simonides.index.open_space import OpenSpace
from simonides.memories.preferences import faded, key_of, value_of
from simonides.model.chat import Origin, Preference


class Preferences:
    """How the user wants things to be, by key; how sure each is fades while it is not seen.

    They are memories (source `preference`, collection `preferences`, type `policy`): a search may
    find them, a chat is told them in its prompt instead.
    """

    def __init__(self, opened: OpenSpace) -> None:
        self._opened = opened

    def list(self, *, limit: int = 50) -> tuple[Preference, ...]:
        """Return the preferences, those that are surest now first, then by key.

        Raises:
            InvalidInput: The limit is below 1.
        """
        check_limit(limit)
        return preferences_now(self._opened)[:limit]

    def get(self, key: str, /) -> Preference:
        """Return one preference, as sure as it is now.

        Raises:
            NotFound: None is kept under that key.
        """
        name = key_of(key)
        for one in kept_preferences(self._opened):
            if one.key == name:
                return faded(one, now=self._opened.now())
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
        return forget_preference(key_of(key), self._opened)

    def _stated(self, key: str, value: str, origin: Origin) -> Preference:
        return state_preference(key_of(key), value_of(value), origin, self._opened)
