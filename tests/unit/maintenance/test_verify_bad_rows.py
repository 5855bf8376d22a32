"""A row that says what no item can is a finding of `verify`, whatever it says."""

from pathlib import Path
from typing import Any

import apsw
import pytest

from simonides import Memory, Settings
from simonides.errors import StoreCorrupt
from simonides.storage.sqlite import pages

PLAIN = Settings(embedder="none", timezone="UTC", durability="relaxed")
TRAITS = (
    '{"scope":"user","type":"episodic","status":"active","confidence":0.7,"importance":%s,'
    '"half_life_hours":null,"entity":"","workspace_id":"","user_id":"","session_id":"",'
    '"source_run_id":"","expires_at":null}'
)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("happened_us", 2**63 - 1), ("stored_us", -(2**63)), ("born", -5), ("version", -1),
        ("traits", TRAITS % "1e999"), ("traits", TRAITS % ("9" * 400)), ("traits", TRAITS % '"x"'),
        ("traits", TRAITS % "7"), ("traits", "[]"), ("traits", '{"scope": 1}'),
        ("people", "[[1]]"), ("people", "5"), ("people", '[["", "", "author"]]'),
        ("tags", "5"), ("tags", "[1]"), ("metadata", "[]"), ("metadata", '{"a": 1}'),
        ("kind", "letter"), ("position", 2**63 - 1), ("metadata", "[" * 900 + "]" * 900),
    ],
)  # fmt: skip
def test_a_row_that_no_item_can_be_is_a_finding(tmp_path: Path, column: str, value: Any) -> None:
    with Memory(tmp_path, settings=PLAIN) as memory:
        memory.add([f"note {n} of the harbor" for n in range(3)])
    sqlite = pages.open_file(tmp_path / "spaces/default.sqlite3")
    try:
        sqlite.execute(f"UPDATE item SET {column} = ? WHERE key = 2", (value,))  # noqa: S608  ours
    except apsw.ConstraintError:
        pytest.skip("the schema refuses it")
    finally:
        sqlite.close()

    with Memory(tmp_path, settings=PLAIN) as memory:
        findings = memory.verify()
        try:
            memory.search("harbor")
        except StoreCorrupt as error:
            assert "run `simonides" in str(error)  # noqa: PT017  an answer is as good

    assert any(not one.sound for one in findings)
