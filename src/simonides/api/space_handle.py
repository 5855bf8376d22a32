"""What the verbs of one space share: its name, the parts of the home, and how it is opened."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from simonides.api.runtime import Runtime
from simonides.errors import NotFound

if TYPE_CHECKING:
    from simonides.ports.space import Space


class SpaceHandle:
    """Bound to one space of a home; the verbs stand in the classes that build on it."""

    _parts: Runtime
    _space_name: str

    def _timezone(self) -> str:
        """Return the zone that times without one are read in."""
        return self._parts.timezone

    @contextmanager
    def _reading(self) -> Iterator["Space | None"]:
        """Open the space for reading; None where nothing was ever written to it."""
        try:
            space = self._parts.store.open(
                self._space_name, embedder=self._parts.identity, create=False
            )
        except NotFound:
            space = None
        yield space
