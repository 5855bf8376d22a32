"""How the server goes about what a store in PostgreSQL asks of it."""

from collections.abc import Callable
from datetime import datetime

import psycopg
from psycopg import sql

from simonides.model.stored import EmbedderIdentity, Prepared
from simonides.storage.postgres import PostgresStore
from simonides.storage.postgres.queries import STATEMENTS
from simonides.storage.postgres.space import PostgresSpace

Prepare = Callable[..., Prepared]


def test_rows_come_in_order_before_the_server_has_counted_them(
    postgres_dsn: str, tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> None:
    store = PostgresStore(postgres_dsn)
    space = store.open("ana", embedder=tiny, create=True)
    space.commit([prepare("one two\nthree", id="x")], stored_at=noon)
    assert isinstance(space, PostgresSpace)
    begin = space._reading()
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute(begin.encode())
        explain = sql.SQL("EXPLAIN {}").format(sql.SQL(STATEMENTS["chunk_rows"]))
        plan = " ".join(row[0] for row in connection.execute(explain, {"space": 1, "floor": 0}))
        connection.execute("ROLLBACK")
    store.close()

    assert "Merge Join" in plan
    assert "Nested Loop" not in plan
