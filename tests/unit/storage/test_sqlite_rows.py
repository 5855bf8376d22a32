"""Rows become items again, or say which of them was damaged."""

import pytest

from simonides.errors import StoreCorrupt
from simonides.storage.rows import unpack


@pytest.mark.parametrize(
    ("column", "damaged"),
    [("kind", "letter"), ("people", "[[1]]"), ("metadata", "{"), ("traits", '{"scope": "moon"}'),
     ("tags", "[")],
)  # fmt: skip
def test_a_damaged_row_is_told_by_its_id(column: str, damaged: str) -> None:
    columns = ["id", "version", "born", "stored_us", "digest", "kind", "source", "source_id",
               "collection", "session", "position", "happened_us", "language", "tags", "traits",
               "people", "metadata", "title", "summary", "content", "quoted"]  # fmt: skip
    sound = {"id": "a1", "version": 1, "born": 1, "stored_us": 0, "digest": b"", "kind": "email",
             "source": "mail", "source_id": "", "collection": "main", "session": "",
             "position": None, "happened_us": None, "language": "", "tags": "[]", "traits": None,
             "people": "[]", "metadata": "{}", "title": "", "summary": "", "content": "x",
             "quoted": ""}  # fmt: skip
    assert unpack(tuple(sound[name] for name in columns)).id == "a1"

    broken = {**sound, column: damaged}
    with pytest.raises(StoreCorrupt, match="item 'a1' cannot be read back"):
        unpack(tuple(broken[name] for name in columns))
