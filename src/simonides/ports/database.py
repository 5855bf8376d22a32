"""The port of stores that keep all spaces in one database, which is made and upgraded on its own.

Must not know which database it is.
"""

from typing import Protocol

from simonides.model.database import (
    DatabaseCheck,
    DatabaseDistribution,
    DatabaseIndexes,
    DatabaseUpgrade,
)
from simonides.ports.space import SpaceStore


class DatabaseStore(SpaceStore, Protocol):
    """All spaces of one database, with its upgrade and its check."""

    def upgrade(self, *, grant_to: str = "") -> DatabaseUpgrade:
        """Make the tables, or bring them to the present format; let a role use them.

        Raises:
            NewerFormat: A newer engine made the tables.
            InvalidInput: There is no such role.
            StoreError: The role of the address may not do this; nothing was changed.
        """
        ...

    def distribute(self, *, dry_run: bool = False) -> DatabaseDistribution:
        """Distribute the tables by space over several servers; with `dry_run` only say how.

        Raises:
            StoreError: The server cannot, or the tables are not ready; nothing was changed.
        """
        ...

    def index(self, *, chunks_min: int, dry_run: bool = False) -> DatabaseIndexes:
        """Give each space of so many vectors an index of its own; with `dry_run` only say how.

        Raises:
            StoreError: The server cannot, or the tables are not ready.
        """
        ...

    def inspect(self) -> DatabaseCheck:
        """Return versions, and one finding each on tables, isolation and the role.

        Raises:
            NewerFormat: A newer engine made the tables.
            StoreError: The database cannot be reached.
        """
        ...
