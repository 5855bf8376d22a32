"""A file as an engine of format 1 left it, with a few items, to be brought up to date.

Knows the columns of format 1, which change no more. Must not know later formats.
"""

import json
from typing import Any

from simonides.ingest.languages import Spoken
from simonides.ingest.prepare import Preparer
from simonides.model.stored import Prepared
from simonides.storage.sqlite.busy import Tuning
from simonides.storage.sqlite.connection import connect
from simonides.storage.sqlite.file_names import space_file
from simonides.storage.sqlite.meta import MIGRATIONS, migrate, write_first
from simonides_bench.crash import words
from simonides_bench.crash.found import EMBEDDER, SPACE
from simonides_bench.crash.scratch import scratch
from simonides_bench.crash.state import State

_PAIRS = tuple((f"s0-{n}", words.word(90_000 + n)) for n in range(1, 6))

_ITEM = """
INSERT INTO item (version, born, stored_us, id, digest, kind, source, source_id, collection,
                  session, language, tags, people, metadata, title, summary, content, quoted)
VALUES (1, 1, 0, ?, ?, ?, ?, '', ?, '', ?, ?, ?, ?, ?, '', ?, '')
"""
_CHUNK = """
INSERT INTO chunk (item_key, ordinal, start, stop, words, dated, length, terms, vector)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_MENTION = """
INSERT INTO mention (item_key, ordinal, entity, kind, name, role) VALUES (?, ?, ?, ?, ?, ?)
"""


def first_format() -> tuple[dict[str, bytes], State]:
    """Return a space's file in format 1 by its name, and what it holds."""
    with scratch() as folder:
        file = space_file(folder, SPACE)
        file.parent.mkdir()
        handle = connect(file, tuning=Tuning(checksums=False), writes=True, create=True)
        migrate(handle, begin=_fill, migrations=MIGRATIONS[:1])
        handle.close()
        return {file.name: file.read_bytes()}, State().put(_PAIRS)


def _fill(sqlite: Any) -> None:
    write_first(sqlite, EMBEDDER.identity)
    sqlite.execute("UPDATE meta SET value = 1 WHERE key = 'revision'")
    preparer = Preparer(identity=EMBEDDER.identity, embedder=EMBEDDER, spoken=Spoken(detects=False))
    for one in preparer.prepare([words.item(*pair) for pair in _PAIRS]):
        sqlite.execute(_ITEM, _columns(one))
        key = sqlite.last_insert_rowid()
        for n, c in enumerate(one.chunks):
            row = (key, n, c.start, c.stop, c.words, c.dated, c.length, c.terms, c.vector)
            sqlite.execute(_CHUNK, row)
        for n, m in enumerate(one.mentions):
            sqlite.execute(_MENTION, (key, n, m.entity, m.kind.value, m.name, m.role.value))


def _columns(one: Prepared) -> tuple[Any, ...]:
    item = one.item
    people = [[person.name, person.address, person.role.value] for person in item.people]
    return (
        item.id, one.digest, item.kind.value, item.source, item.collection, item.language,
        json.dumps(list(item.tags)), json.dumps(people), json.dumps(dict(item.metadata)),
        item.title, item.content,
    )  # fmt: skip
