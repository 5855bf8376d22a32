"""How the server goes about what a store in PostgreSQL asks of it."""

from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from typing import Any, cast

import psycopg
import pytest
from psycopg import sql

from simonides.model.stored import EmbedderIdentity, Prepared
from simonides_postgres import PostgresStore
from simonides_postgres.for_each import for_each
from simonides_postgres.queries import STATEMENTS
from simonides_postgres.space import PostgresSpace

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


PLACE = {"key": 1, "ordinal": 0}


@pytest.mark.parametrize(
    ("names", "value"),
    [
        (("item_by_key",), {"key": 1}),
        (("item_by_key", "chunk_span"), PLACE),
        (("past.item_by_key", "past.chunk_span"), PLACE | {"revision": 1, "ceiling": 9}),
        (("every.item_by_key", "every.chunk_span"), PLACE),
        (("key",), {"id": "x"}),
        (("surrogate",), {"key": 1, "algorithm": "a"}),
        (("engagement",), {"id": "x", "revision": 1}),
    ],
)
def test_several_are_looked_up_by_their_keys_within_the_space(
    served_dsn: str,
    tiny: EmbedderIdentity,
    prepare: Prepare,
    noon: datetime,
    *,
    names: tuple[str, ...],
    value: dict[str, int | str],
) -> None:
    with closing(PostgresStore(served_dsn)) as store:
        space = store.open("ana", embedder=tiny, create=True)
        space.commit([prepare(f"one {n}", id=f"x{n}") for n in range(50)], stored_at=noon)
        assert isinstance(space, PostgresSpace)
        begin = space._reading()
        asked = {name: [one] * 10 for name, one in value.items()} | {"space": space._id}
    with psycopg.connect(served_dsn, autocommit=True) as connection:
        connection.execute(begin.encode())
        explain = sql.SQL("EXPLAIN {}").format(sql.SQL(cast("Any", for_each(names, [value] * 10))))
        plan = [row[0] for row in connection.execute(explain, asked)]
        connection.execute("ROLLBACK")

    scans = [line for line in plan if "Scan" in line and "Function" not in line]
    conditions = [line for line in plan if "Index Cond" in line]
    assert scans
    assert not [line for line in scans if "Seq Scan" in line], plan
    assert all("space_id = " in line for line in conditions), plan
    assert len([line for line in plan if "asked" in line]) > 1, plan
