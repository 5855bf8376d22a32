"""A process is killed while it writes what lies beside items: what it was told is kept."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from simonides.storage.sqlite import SQLiteStore

WRITER: Final = """
import sys, threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

from simonides.model.stored import PreparedBackground
from simonides.model.stored import Engaged, Surrogate
from simonides.model.item import Item, digest
from simonides.model.stored import NO_EMBEDDER, Prepared
from simonides.storage.sqlite import SQLiteStore

home, who, threads = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
noon = datetime(2026, 3, 6, tzinfo=UTC)
space = SQLiteStore(home, timeout_s=60.0).open("s", embedder=NO_EMBEDDER, create=True)
said = threading.Lock()


def tell(*words):
    with said:
        print(*words, flush=True)


def keep(name, text):
    item = Item(id=name, content=text)
    one = Prepared(item=item, digest=digest(item), chunks=(), mentions=())
    space.commit([one], stored_at=noon)
    with space.read() as reader:
        (key,) = reader.keys([name])
    made = dict(item_key=key, algorithm="x", version=1, source_hash=one.digest)
    space.put_surrogates([Surrogate(**made, full=text * 50, gist=text, micro="")])


def write(thread):
    mine = f"{who}.{thread}"
    for n in range(10**6):
        name, at = f"{mine}.{n}", noon + timedelta(seconds=n)
        keep(mine, f"{n:06d}")
        tell("gist", mine, n)
        space.record_usage([mine], how=Engaged.USED, at=at)
        tell("count", mine, n + 1)
        one = PreparedBackground(id=name, collection=mine, text="x" * 500, terms=b"")
        space.put_background(one, at=at)
        tell("put", name)
        if n % 3 == 2:
            space.delete_background(name, due=at)
            tell("hidden", name)
        space.keep_receipt(name, '{"n": 1}', at=at)
        tell("receipt", name)


for thread in range(threads):
    threading.Thread(target=write, args=(thread,), daemon=True).start()
threading.Event().wait()
"""


def reported_until_killed(home: Path, who: str, *, threads: int, count: int) -> list[list[str]]:
    """Run a writing process, kill it once it said `count` lines; return all that it said."""
    command = [sys.executable, "-c", WRITER, str(home), who, str(threads)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(count)]
        process.kill()
        lines += [line for line in process.stdout if line.endswith("\n")]
    return [line.split() for line in lines]


def wrong(home: Path, reported: list[list[str]]) -> list[str]:
    """Return what was acknowledged and is not so."""
    store = SQLiteStore(home)
    space = store.open_any("s")
    problems = [one.detail for one in space.check() if not one.sound]
    hidden = {name for what, name, *_ in reported if what == "hidden"}
    with space.read() as reader:
        for what, name, *more in reported:
            own = name.rsplit(".", 1)[0]
            if what == "gist":
                item = reader.item(name)
                assert item is not None
                served = reader.surrogates(reader.keys([name]), algorithm="x").values()
                is_newer = int(item.content) > int(more[0])  # and its surrogate not yet told
                is_kept = is_newer or [one.gist for one in served] == [item.content]
            elif what == "count":
                is_kept = reader.engagements([name])[name].count >= int(more[0])
            elif what == "receipt":
                is_kept = reader.receipt(name) == '{"n": 1}'
            else:
                shown = {one.id for one, _ in reader.backgrounds(own, limit=10**6)}
                may_go = name in hidden or int(name.split(".")[2]) % 3 == 2
                is_kept = name not in shown if what == "hidden" else name in shown or may_go
            if not is_kept:
                problems.append(f"{what} {name}")
    store.close()
    return problems


@pytest.mark.parametrize("threads", [1, 3])
def test_what_was_acknowledged_beside_items_survives_a_kill(tmp_path: Path, threads: int) -> None:
    reported: list[list[str]] = []
    for round_number, count in enumerate((5, 37, 90)):
        reported += reported_until_killed(
            tmp_path, f"r{round_number}", threads=threads, count=count
        )

        assert wrong(tmp_path, reported) == []
    assert {words[0] for words in reported} == {"gist", "count", "put", "hidden", "receipt"}
