"""`Database`: the tables of a PostgreSQL database that spaces are kept in.

Knows which store the setting names. Must not hold what an upgrade or a check does.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Self

from simonides.api.arguments import check_texts
from simonides.config import Settings
from simonides.errors import InvalidInput

if TYPE_CHECKING:
    from simonides.model.database import DatabaseCheck, DatabaseUpgrade
    from simonides.storage.postgres import PostgresStore


def postgres_store(settings: Settings) -> "PostgresStore":
    """Return the store at the address of the settings; nothing is connected yet.

    Raises:
        InvalidInput: The driver is not installed.
    """
    if find_spec("psycopg") is None:
        raise InvalidInput("store", "needs psycopg: pip install 'simonides[postgres]'")
    from simonides.storage.postgres import PostgresStore

    return PostgresStore(
        settings.store, durability=settings.durability, timeout_s=settings.timeout_s
    )


class Database:
    """The tables of a PostgreSQL database: made, upgraded and checked.

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
        self._store = postgres_store(Settings(store=address, timeout_s=timeout_s))

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

    def check(self) -> "DatabaseCheck":
        """Return versions, and one finding each on tables, walls between spaces and the role.

        Raises:
            NewerFormat: A newer engine made the tables.
            StoreError: The database cannot be reached.
        """
        return self._store.inspect()

    def close(self) -> None:
        """Close every connection. Closing twice is no error."""
        self._store.close()
