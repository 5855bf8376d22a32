"""`Database`: the tables of a database that spaces are kept in.

Knows which store the setting names. Must not hold what an upgrade or a check does.
"""

from typing import TYPE_CHECKING, Self

from simonides.api.arguments import check_texts
from simonides.config import Settings
from simonides.errors import InvalidInput, StoreError
from simonides.plugins import StoreFactory, StoreOptions, make_by, plugin_records

if TYPE_CHECKING:
    from simonides.model.database import (
        DatabaseCheck,
        DatabaseDistribution,
        DatabaseIndexes,
        DatabaseUpgrade,
    )
    from simonides.ports.database import DatabaseStore

_OURS = ("postgresql", "postgres")
"""The schemes of simonides-postgres, to say which package is missing."""


def database_store(settings: Settings) -> "DatabaseStore":
    """Return the store at the address of the settings; nothing is connected yet.

    Raises:
        InvalidInput: No package that is installed keeps spaces at such an address.
    """
    factory = factory_of(settings.store, field="store")
    options = StoreOptions(
        address=settings.store, durability=settings.durability, timeout_s=settings.timeout_s
    )
    return make_by(factory.name, factory.make, options, failing=StoreError)


def factory_of(address: str, *, field: str) -> StoreFactory:
    """Return the plugin's record of stores at such an address, by its scheme.

    Raises:
        InvalidInput: No package that is installed keeps spaces at such an address.
    """
    scheme = address.partition("://")[0]
    for one in plugin_records(lambda plugin: plugin.stores, built_in=()).values():
        if scheme in one.schemes:
            return one
    if scheme in _OURS:
        raise InvalidInput(field, "needs simonides-postgres: pip install 'simonides[postgres]'")
    raise InvalidInput(field, f"must begin with postgresql://, got {scheme}://…")


INDEXED_CHUNKS_MIN = 50_000
"""From so many chunks on an index of vectors is worth its upkeep: exact comparison takes 25 ms
there, and the index 3 (measured: docs/explanation/capacity.md)."""


class Database:
    """The tables of a database: made, upgraded, distributed, indexed and checked.

    `address` is as in the setting `store`, without a password; `timeout_s` bounds how long it is
    waited for. To be used in a `with` block, or closed.
    """

    def __init__(self, address: str, *, timeout_s: float = 10.0) -> None:
        check_texts(address, field="store")
        if not address:
            problem = (
                "is empty: spaces are files of the home, and there are no tables to look after"
            )
            raise InvalidInput("store", f"{problem}; set it to postgresql://role@host/database")
        self._store = database_store(Settings(store=address, timeout_s=timeout_s))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def upgrade(self, *, grant: str = "") -> "DatabaseUpgrade":
        """Make the tables, or bring them to the present format; return the format before and now.

        Several servers may do so at once: one does it, the others find it done. `grant` names the
        role that serves, which gets what it needs: to read and write rows.

        Raises:
            NewerFormat: A newer engine made the tables.
            InvalidInput: There is no such role.
            StoreError: The role of the address may not do this; nothing was changed.
        """
        check_texts(grant, field="grant")
        return self._store.upgrade(grant_to=grant)

    def distribute(self, *, dry_run: bool = False) -> "DatabaseDistribution":
        """Distribute the tables over the nodes of Citus, the rows of a space on one of them.

        Tables that are distributed already are left as they are. With `dry_run` nothing is changed,
        and the answer holds the statements that would be run.

        Raises:
            StoreError: The server lacks Citus, or the tables are not of the present format; says
                what to do. Nothing was changed.
        """
        return self._store.distribute(dry_run=dry_run)

    def index(
        self, *, chunks_min: int = INDEXED_CHUNKS_MIN, dry_run: bool = False
    ) -> "DatabaseIndexes":
        """Make an index of vectors for each space of so many chunks or more.

        It serves questions that are answered in the database. Indexes of spaces that are smaller,
        gone or embedded anew are dropped. Spaces are read and written meanwhile. With `dry_run`
        nothing is changed, and the answer holds the statements that would be run.

        Raises:
            InvalidInput: `chunks_min` is less than 1.
            StoreError: The server lacks pgvector, the tables are not of the present format, or the
                role of the address may not do this; says what to do.
        """
        if chunks_min < 1:
            raise InvalidInput("chunks_min", f"must be at least 1, got {chunks_min}")
        return self._store.index(chunks_min=chunks_min, dry_run=dry_run)

    def check(self) -> "DatabaseCheck":
        """Return versions, and one finding each on tables, isolation and the role.

        Raises:
            NewerFormat: A newer engine made the tables.
            StoreError: The database cannot be reached.
        """
        return self._store.inspect()

    def close(self) -> None:
        """Close every connection. Closing twice is no error."""
        self._store.close()
