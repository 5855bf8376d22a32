"""How connections are lent: kept, counted, closed when long unused, dropped when stale."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import apsw
import pytest

from simonides.errors import NotFound, StoreError
from simonides.storage.sqlite import pool as pool_module
from simonides.storage.sqlite.busy import Tuning
from simonides.storage.sqlite.connection import APPLICATION_ID
from simonides.storage.sqlite.pool import READERS_IDLE_MAX, Pool

Make = Callable[[str], Path]


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[Pool]:
    """A pool that keeps three connections."""
    made = Pool(tuning=Tuning(), connections_max=3)
    yield made
    for file in tmp_path.glob("*.sqlite3"):
        made.close(file)


@pytest.fixture
def make(pool: Pool, tmp_path: Path) -> Make:
    """Return a function that makes a database and lets go of it."""

    def made(name: str) -> Path:
        file = tmp_path / f"{name}.sqlite3"
        with pool.lend(file, writes=True, create=True) as loan:
            loan.handle.sqlite.execute(f"PRAGMA application_id={APPLICATION_ID}")
            loan.handle.sqlite.execute("CREATE TABLE t (a)")
        pool.close(file)
        return file

    return made


def test_a_connection_is_lent_again(pool: Pool, make: Make) -> None:
    file = make("a")
    with pool.lend(file, writes=False) as first:
        used = first.handle
    with pool.lend(file, writes=False) as second:
        assert second.handle is used

    assert pool.connections == 1


def test_no_reader_waits_for_another(pool: Pool, make: Make) -> None:
    file = make("a")
    with ExitStack() as stack:
        loans = [stack.enter_context(pool.lend(file, writes=False)) for _ in range(9)]

        assert len({id(loan.handle) for loan in loans}) == 9
        assert pool.connections == 9
    assert pool.connections == READERS_IDLE_MAX


def test_readers_and_writers_have_their_own(pool: Pool, make: Make) -> None:
    file = make("a")
    with pool.lend(file, writes=True) as writer, pool.lend(file, writes=False) as reader:
        assert writer.handle is not reader.handle


def test_the_space_used_longest_ago_is_closed_first(pool: Pool, make: Make) -> None:
    a, b, c, d = (make(name) for name in "abcd")
    used = {}
    for file in (a, b, c, a, d):
        with pool.lend(file, writes=False) as loan:
            used[file] = loan.handle

    assert pool.connections == 3
    for file, is_kept in ((a, True), (c, True), (b, False)):
        with pool.lend(file, writes=False) as loan:
            assert (loan.handle is used[file]) is is_kept


def test_a_space_in_use_is_never_closed_under_its_users(pool: Pool, make: Make) -> None:
    files = [make(f"{n}") for n in range(6)]
    with ExitStack() as stack:
        loans = [stack.enter_context(pool.lend(file, writes=False)) for file in files]

        assert pool.connections == 6
        for loan in loans:
            assert loan.handle.sqlite.execute("SELECT count(*) FROM t").get == 0
    with pool.lend(make("another"), writes=False):
        assert pool.connections <= 3


def test_closing_lets_users_finish_and_keeps_nothing(pool: Pool, make: Make) -> None:
    file = make("a")
    with pool.lend(file, writes=False) as loan:
        pool.close(file)

        assert loan.handle.sqlite.execute("SELECT count(*) FROM t").get == 0
    assert pool.connections == 0


def test_closing_folds_the_log_in(pool: Pool, make: Make) -> None:
    file = make("a")
    with pool.lend(file, writes=True) as loan, pool.lend(file, writes=False):
        loan.handle.sqlite.execute("INSERT INTO t VALUES (1)")
    pool.close(file)

    assert [one.name for one in file.parent.iterdir()] == ["a.sqlite3"]


def test_closing_empties_the_log_even_while_others_have_the_file(pool: Pool, make: Make) -> None:
    file = make("a")
    other = apsw.Connection(str(file))
    assert other.execute("SELECT count(*) FROM t").get == 0
    with pool.lend(file, writes=True) as loan:
        loan.handle.sqlite.execute("INSERT INTO t VALUES (1)")
    log = file.with_name("a.sqlite3-wal")
    before = log.stat().st_size

    pool.close(file)

    assert (before > 0, log.stat().st_size) == (True, 0)
    assert other.execute("SELECT count(*) FROM t").get == 1
    other.close()


def test_what_was_in_use_during_a_fork_stays_open_and_out_of_reach(pool: Pool, make: Make) -> None:
    file, idle = make("a"), make("idle")
    with pool.lend(idle, writes=False):
        pass
    with pool.lend(file, writes=False) as loan:
        inherited = loan.handle
        pool.before_fork()
        pool.after_fork_in_child()

        with pytest.raises(StoreError, match="forked"):
            loan.handle  # noqa: B018  the property raises
    assert inherited in pool_module._INHERITED
    assert inherited.sqlite.execute("SELECT count(*) FROM t").get == 0
    with pytest.raises(StoreError, match="forked"), pool.lend(file, writes=False):
        pass
    with pool.lend(idle, writes=False):
        assert pool.connections == 1
    pool_module._INHERITED.remove(inherited)
    inherited.close()


def test_closing_what_is_not_open_is_no_error(pool: Pool, tmp_path: Path) -> None:
    pool.close(tmp_path / "nothing.sqlite3")

    assert pool.connections == 0


def test_a_removed_file_is_not_read_from_an_old_connection(pool: Pool, make: Make) -> None:
    file = make("a")
    with pool.lend(file, writes=False):
        pass
    file.unlink()

    with pytest.raises(NotFound), pool.lend(file, writes=False):
        pass
    assert pool.connections == 0


def test_a_replaced_file_is_opened_anew_and_left_whole(pool: Pool, make: Make) -> None:
    old, new = make("old"), make("new")
    with pool.lend(old, writes=True) as loan:
        loan.handle.sqlite.execute("INSERT INTO t VALUES (1)")
    with pool.lend(new, writes=True) as loan:
        loan.handle.sqlite.execute("INSERT INTO t VALUES (2)")
    pool.close(new)
    for one in old.parent.glob("old*"):
        one.unlink()
    new.rename(old)

    with pool.lend(old, writes=True) as loan:
        assert loan.handle.sqlite.execute("SELECT a FROM t").get == 2


def test_a_file_that_cannot_be_opened_counts_for_nothing(pool: Pool, tmp_path: Path) -> None:
    (tmp_path / "a.sqlite3").mkdir()

    with pytest.raises(StoreError), pool.lend(tmp_path / "a.sqlite3", writes=False):
        pass
    assert pool.connections == 0
    assert not pool._shelves
