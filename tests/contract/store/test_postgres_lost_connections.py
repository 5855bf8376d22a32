"""What a store in PostgreSQL promises where connections are cut."""

from collections.abc import Callable
from datetime import datetime

from simonides.model.stored import EmbedderIdentity, Prepared
from simonides.storage.postgres import PostgresStore
from simonides_bench.testing.servers.postgres import PostgresServer

Prepare = Callable[..., Prepared]


def test_a_write_outlives_the_cut_of_every_idle_connection(
    postgres_server: PostgresServer,
    served_dsn: str,
    tiny: EmbedderIdentity,
    prepare: Prepare,
    noon: datetime,
) -> None:
    store = PostgresStore(served_dsn)
    space = store.open("ana", embedder=tiny, create=True)
    space.commit([prepare("before the cut", id="x")], stored_at=noon)
    postgres_server.cut_connections(served_dsn.rpartition("/")[2])

    space.commit([prepare("after the cut", id="y")], stored_at=noon)

    with space.read() as reader:
        assert reader.revision == 2
    store.close()
