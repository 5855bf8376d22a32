"""Keep a small space in the present format of files, to be opened by later versions.

    python scripts/keep_format.py

Writes `tests/released/format-N.sqlite3.xz` and what it holds as JSON beside it. Run it on the
commit before the format changes; a file that is there stays.
"""

import json
import lzma
import subprocess
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from simonides import Memory, Person, ProposedMemory, Role, Settings
from simonides.storage.sqlite.meta import FORMAT
from simonides.version import __version__
from simonides_bench.testing.hashing import HashingEmbedder

FOLDER = Path(__file__).parents[1] / "tests" / "released"
START = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
NOTES = {
    "ferry": "The ferry leaves at nine.",
    "cafe": "Café Größe: naïve 東京 — a note in several scripts.",
    "long": "The lighthouse keeper writes a page for each storm. " * 12,
    "mistake": "Written by mistake.",
}
DID = (
    "add", "update", "forget", "background", "usage", "surrogates", "receipt", "remember",
    "proposal", "erase",
)  # fmt: skip


def ticking() -> Callable[[], datetime]:
    """Return a clock that goes on by a minute whenever it is asked."""
    minutes = count(1)
    return lambda: START + timedelta(minutes=next(minutes))


def fill(memory: Memory) -> dict[str, Any]:
    """Write one of everything into a space; return what it holds then."""
    for name, text in NOTES.items():
        memory.add(text, id=name, source="note")
    sarah = Person(name="Sarah Lee", address="sarah@example.com", role=Role.AUTHOR)
    memory.add(
        "Sarah sends the report for ALPHA-7.", id="mail", source="gmail", source_id="17",
        kind="email", title="The report", tags=("work",), people=(sarah,),
    )  # fmt: skip
    memory.update("ferry", content="The ferry leaves at ten.")
    memory.forget("mistake")
    memory.background.put("Ana plans a voyage.")
    memory.background.put("Ana is on a voyage.")
    memory.record_usage("ferry")
    memory.surrogates.build()
    brief = memory.brief("When does the ferry leave?", keep_receipt=True)
    memory.remember("Ana's favourite tea is mint.")
    memory.proposals.propose(
        ProposedMemory(text="Ana sails on Fridays.", evidence=("ferry",)), by="tester"
    )
    memory.add("A secret word.", id="secret")
    memory.erase("secret")
    items = {item.id: item.content for item in memory.list(limit=100).items}
    return {"items": items, "receipt": brief.receipt.id, "brief": brief.text, "did": DID}


def main() -> None:
    """Make the file of the present format, unless it is there."""
    file = FOLDER / f"format-{FORMAT}.sqlite3.xz"
    if file.exists():
        print(f"{file.name} is there already")
        return
    commit = subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], text=True)  # noqa: S607
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(embedder="none", timezone="UTC")
        with Memory(
            home, space="ana", settings=settings, embedder=HashingEmbedder(8), clock=ticking()
        ) as memory:
            held = fill(memory)
        data = (Path(home) / "spaces" / "ana.sqlite3").read_bytes()
    held |= {"format": FORMAT, "commit": commit.strip(), "version": __version__}
    file.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))
    text = json.dumps(held, ensure_ascii=False, indent=1, sort_keys=True)
    file.with_name(f"format-{FORMAT}.json").write_text(f"{text}\n", encoding="utf-8")
    print(f"{file.name}: {len(data):,} bytes, packed {file.stat().st_size:,}")


if __name__ == "__main__":
    main()
