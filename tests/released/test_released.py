"""Spaces as each released format left them are opened, complete, sound, and can be worked with.

`scripts/keep_format.py` makes the file of the present format, to be kept before the next one
comes; those before were made by the code of the commits that their `.json` names. Format 3 never
left a commit: 3 and 4 came together.
"""

import json
import lzma
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from simonides import Memory, Settings
from simonides.errors import InvalidInput
from simonides.storage.sqlite.meta import FORMAT
from simonides_bench.testing.hashing import HashingEmbedder

HERE: Final = Path(__file__).parent
NEVER_RELEASED: Final = {3}
FORMATS: Final = sorted({*range(1, FORMAT + 1)} - NEVER_RELEASED)
SETTINGS: Final = Settings(embedder="none", timezone="UTC")
BYTES_MAX: Final = 200_000


def stored_fields(number: int) -> dict[str, Any]:
    """Return what the file of a format holds, as the code that made it said."""
    found: dict[str, Any] = json.loads((HERE / f"format-{number}.json").read_text("utf-8"))
    return found


@pytest.fixture(params=FORMATS)
def number(request: pytest.FixtureRequest) -> int:
    found: int = request.param
    return found


@pytest.fixture
def home(number: int, tmp_path: Path) -> Path:
    """A home with the file of a format, as it was left."""
    (tmp_path / "spaces").mkdir()
    packed = (HERE / f"format-{number}.sqlite3.xz").read_bytes()
    (tmp_path / "spaces" / "ana.sqlite3").write_bytes(lzma.decompress(packed))
    return tmp_path


@pytest.fixture
def opened(home: Path) -> Callable[[], Memory]:
    """Return a function that opens the space."""
    return lambda: Memory(home, space="ana", settings=SETTINGS, embedder=HashingEmbedder(8))


@pytest.fixture
def memory(opened: Callable[[], Memory]) -> Iterator[Memory]:
    with opened() as made:
        yield made


def contents(memory: Memory) -> dict[str, str]:
    return {item.id: item.content for item in memory.list(limit=100).items}


def test_the_files_are_small_and_each_is_of_its_format(home: Path, number: int) -> None:
    assert sum(file.stat().st_size for file in HERE.glob("format-*")) < BYTES_MAX
    with sqlite3.connect(home / "spaces" / "ana.sqlite3") as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (number,)
    connection.close()
    assert stored_fields(number)["format"] == number


def test_everything_is_there_and_sound(memory: Memory, number: int) -> None:
    assert contents(memory) == stored_fields(number)["items"]
    assert [finding for finding in memory.verify() if not finding.sound] == []
    assert memory.stats().waiting == 0
    mail = memory.get("mail")
    assert (mail.title, mail.source, mail.source_id) == ("The report", "gmail", "17")
    assert mail.tags == ("work",)
    assert mail.people[0].name == "Sarah Lee"


def test_history_is_kept_and_the_past_can_be_asked(memory: Memory) -> None:
    versions = memory.history("ferry")

    assert [one.item.content for one in versions] == [
        "The ferry leaves at nine.", "The ferry leaves at ten.",
    ]  # fmt: skip
    assert memory.get("ferry", as_of=versions[0].born).content == "The ferry leaves at nine."
    assert "mistake" not in contents(memory)
    assert memory.restore("mistake").content == "Written by mistake."


def test_what_is_kept_beside_the_items_is_there(memory: Memory, number: int) -> None:
    did = stored_fields(number)["did"]
    background = memory.background.get()

    assert (background.text if background else "") == (
        "Ana is on a voyage." if "background" in did else ""
    )
    used = memory.engagement("ferry")
    assert (used.count if used else 0) == int("usage" in did)
    assert len(memory.proposals.list().proposals) == int("proposal" in did)


def test_it_is_found_by_words_and_by_meaning(memory: Memory) -> None:
    for mode in ("text", "vector", "hybrid"):
        found = memory.search("When does the ferry leave?", mode=mode)

        assert found.hits[0].item.id == "ferry", mode
        assert found.diagnostics.mode_used == mode


def test_a_kept_brief_is_rebuilt_byte_for_byte_or_refused(memory: Memory, number: int) -> None:
    said = stored_fields(number)
    if "brief" not in said:
        pytest.skip("this format kept no receipts")
    if number == 2:  # its receipts had no id of their own yet
        with pytest.raises(InvalidInput, match=r"receipt\.id"):
            memory.replay(said["receipt"])
        return
    again = memory.replay(said["receipt"])

    assert (again.exact, again.text) == (True, said["brief"])


def test_it_is_written_to_and_opened_again(opened: Callable[[], Memory], number: int) -> None:
    with opened() as memory:
        memory.add("The ferry was sold.", id="new")
        memory.update("cafe", content="Closed.")
        memory.compact()
    with opened() as memory:
        assert contents(memory) == {
            **stored_fields(number)["items"], "new": "The ferry was sold.", "cafe": "Closed.",
        }  # fmt: skip
        assert memory.stats().page_checksums
        assert all(finding.sound for finding in memory.verify())


def test_what_is_erased_from_it_is_gone(memory: Memory) -> None:
    report = memory.erase("ferry", prove=True)

    assert report.complete
    assert report.proof is not None
    assert report.proof.left == 0


def test_its_export_makes_the_same_space_anew(memory: Memory, tmp_path: Path, number: int) -> None:
    file = tmp_path / "ana.simonides.jsonl"
    memory.export(file)
    again = memory.in_space("again")
    again.import_(file)

    assert contents(again) == stored_fields(number)["items"]
    assert [one.version for one in again.history("ferry")] == [1, 2]
