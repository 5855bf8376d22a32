"""This store as the plugin of simonides that it is; the driver is loaded when one is made."""

from typing import TYPE_CHECKING

from simonides.plugins import Plugin, StoreFactory, StoreOptions

if TYPE_CHECKING:
    from simonides.ports.database import DatabaseStore


def _make(options: StoreOptions) -> "DatabaseStore":
    from simonides_postgres.store import PostgresStore

    return PostgresStore(
        options.address, durability=options.durability, timeout_s=options.timeout_s
    )


PLUGIN = Plugin(
    stores=(StoreFactory(name="postgres", schemes=("postgresql", "postgres"), make=_make),)
)
