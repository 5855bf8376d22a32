"""An import is killed at any moment: running it again ends with the space of one that was not."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from simonides import Memory
from simonides_bench.testing.hashing import HashingEmbedder

pytestmark = pytest.mark.slow

IMPORT = """
import sys
from datetime import UTC, datetime
from pathlib import Path

from simonides import Memory, Settings
from simonides.importers import run
from simonides.ingest import waiting
from simonides_bench.testing.hashing import HashingEmbedder

run.BATCH_ITEMS, waiting.SLICE_CHUNKS = 4, 5


class Telling(HashingEmbedder):
    def embed(self, texts):
        print("embedding", flush=True)
        return super().embed(texts)


home, mbox = sys.argv[1:]
now = datetime(2026, 3, 12, 9, tzinfo=UTC)
settings = Settings(timezone="UTC")
with Memory(Path(home), settings=settings, embedder=Telling(), clock=lambda: now) as memory:
    memory.import_(mbox, on_progress=lambda at: print(at.read, at.embedded, flush=True))
print("done", flush=True)
"""

MAIL = (
    "From a@b Thu Jan  1 00:00:00 2026\nFrom: a@x.example\nTo: b@x.example\n"
    "Message-ID: <{0}@x>\nDate: {1} Jan 2026 10:00:00 +0000\nSubject: Mail {0}\n\n{2}\n\n"
)
MAILS = 30


@pytest.fixture(scope="module")
def mbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A mailbox whose mails have one or several chunks, some the same words as others."""
    path = tmp_path_factory.mktemp("mail") / "all.mbox"
    bodies = [f"word{n % 20} harbor lunch. " * (1 + 200 * (n % 7 == 0)) for n in range(MAILS)]
    path.write_text("".join(MAIL.format(n, 1 + n % 28, body) for n, body in enumerate(bodies)))
    return path


def imported(home: Path, mbox: Path, *, killed_after: int | None = None) -> int:
    """Import in a process that is killed after so many lines; return how many it said."""
    command = [sys.executable, "-c", IMPORT, str(home), str(mbox)]
    said = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _line in process.stdout:
            said += 1
            if said == killed_after:
                process.kill()
    assert process.returncode == (0 if killed_after is None else -9)
    return said


def exported(home: Path) -> list[str]:
    """Return the lines of the space's export, without its random uuid and the hash over that.

    Nor the log of imports: it tells what each attempt read.
    """
    with Memory(home, embedder=HashingEmbedder()) as memory:
        assert all(one.sound for one in memory.verify())
        assert memory.stats().waiting == 0
        memory.export(home / "all.jsonl")
    head, *lines, _hash = (home / "all.jsonl").read_text("utf-8").splitlines()
    kept = [one for one in lines if not one.startswith('{"receipt":{"id":"import:')]
    return [head.replace(json.loads(head)["uuid"], ""), *kept]


@pytest.fixture(scope="module")
def undisturbed(mbox: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, list[str]]:
    """How many lines an import says that nobody kills, and what it exports."""
    home = tmp_path_factory.mktemp("undisturbed")
    return imported(home, mbox), exported(home)


@pytest.mark.parametrize("seed", range(5))
def test_an_import_that_was_killed_ends_like_one_that_was_not(
    tmp_path: Path, mbox: Path, undisturbed: tuple[int, list[str]], seed: int
) -> None:
    lines, wanted = undisturbed
    chance = random.Random(seed)
    for _ in range(2):
        imported(tmp_path, mbox, killed_after=1 + chance.randrange(lines // 2))
    imported(tmp_path, mbox)

    assert exported(tmp_path) == wanted
