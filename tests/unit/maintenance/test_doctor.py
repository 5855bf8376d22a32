"""What a look through a space finds: sound, or what is wrong and what to do."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from simonides import Memory, Settings
from simonides.errors import NotFound
from simonides.index.build import STATISTICS
from simonides.index.space_index import SpaceIndex
from simonides.maintenance.verify import index_agrees
from simonides.model.answer import Finding
from simonides_bench.testing.hashing import HashingEmbedder

SETTINGS: Final = Settings(timezone="UTC", durability="relaxed")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A space in which something was also replaced and forgotten."""
    with Memory(tmp_path, settings=SETTINGS, embedder=HashingEmbedder(16)) as opened:
        opened.add([f"alpha number {n}" for n in range(5)])
        opened.add("old", id="a")
        opened.add("new", id="a")
        opened.add("gone", id="b")
        opened.forget("b")
        yield opened


def index(findings: tuple[Finding, ...]) -> Finding:
    return next(finding for finding in findings if finding.check == "index")


def test_a_sound_space_is_sound_in_every_point(memory: Memory) -> None:
    findings = memory.doctor()

    assert all(finding.sound for finding in findings)
    own = [finding.check for finding in findings if finding.check != "plugin"]
    assert len(set(own)) == len(own) > 3
    assert index(findings).detail == "6 items, 6 chunks at revision 5"


def test_a_warm_index_is_looked_at_as_it_is(memory: Memory) -> None:
    memory.search("alpha")
    memory.forget("a")

    assert index(memory.doctor()).sound


@pytest.mark.parametrize("name", [name for name in STATISTICS if name != "revision"])
def test_an_index_that_disagrees_with_the_rows_is_found(memory: Memory, name: str) -> None:
    memory.search("alpha")
    space = memory._runtime.store.open_any("default")
    view = memory._runtime.index(space)._view
    assert view is not None
    wrong = np.asarray(getattr(view, name)) + 1
    object.__setattr__(view, name, wrong if wrong.shape else int(wrong))
    finding = index(memory.doctor())

    assert not finding.sound
    assert f"differs in {name}; close and open the space again" in finding.detail


def test_the_index_of_a_space_of_another_embedder_can_be_looked_at(
    memory: Memory, tmp_path: Path
) -> None:
    memory.close()
    with Memory(tmp_path, settings=SETTINGS, embedder=HashingEmbedder(8)) as other:
        assert all(finding.sound for finding in other.doctor())


def test_a_damaged_file_is_reported_with_what_to_do(memory: Memory, tmp_path: Path) -> None:
    memory._runtime.store.close()
    file = next((tmp_path / "spaces").glob("*.sqlite3"))
    content = bytearray(file.read_bytes())
    content[4096 * 3 + 8 : 4096 * 3 + 400] = bytes(392)
    file.write_bytes(content)
    with Memory(tmp_path, settings=SETTINGS, embedder=HashingEmbedder(16)) as again:
        space = again._runtime.store.open_any("default")
        unsound = [finding for finding in space.check() if not finding.sound]

    assert unsound
    assert all("restore a backup" in finding.detail for finding in unsound)


def test_a_space_that_was_never_written_to_cannot_be_looked_at(tmp_path: Path) -> None:
    with (
        Memory(tmp_path, settings=SETTINGS, embedder=HashingEmbedder(16)) as memory,
        pytest.raises(NotFound),
    ):
        memory.doctor()


def test_a_cold_view_agrees_with_itself(memory: Memory) -> None:
    space = memory._runtime.store.open_any("default")

    assert index_agrees(space, space_view=SpaceIndex(16)).sound


@pytest.mark.parametrize("damage", [b"no database", b""])
def test_a_damaged_file_of_keys_is_found_and_no_repair_of_spaces_advised(
    memory: Memory, tmp_path: Path, damage: bytes
) -> None:
    memory.keys.create(space="default")
    memory.close()
    for left in tmp_path.glob("access.sqlite3-*"):
        left.unlink()
    (tmp_path / "access.sqlite3").write_bytes(damage)

    with Memory(tmp_path, settings=SETTINGS, embedder=HashingEmbedder(16)) as again:
        (found,) = (finding for finding in again.doctor() if not finding.sound)

    assert (found.check, "repair" in found.detail) == ("keys", False)
    assert "access.sqlite3" in found.detail
