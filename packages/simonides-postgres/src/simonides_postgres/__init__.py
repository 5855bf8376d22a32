"""All spaces in one PostgreSQL database, through psycopg.

Must not be imported before a store in PostgreSQL is needed: it loads the driver.
"""

from simonides_postgres.store import PostgresStore

__all__ = ["PostgresStore"]
