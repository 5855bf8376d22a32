"""A file of arrays is read back to the last bit, or is as good as none."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simonides.index import growing
from simonides.index.growing import MAGIC, Growing

HEAD = {"space": "größe", "epoch": 3}


def arrays() -> dict[str, Any]:
    return {
        "numbers": np.arange(7, dtype=np.int64),
        "rows": np.arange(12, dtype=np.int8).reshape(3, 4),
        "names": np.array([b"a", b"longer"], dtype="S26"),
        "flags": np.array([True, False]),
        "none": np.empty((0, 4), dtype=np.float64),
        "no names": np.empty(0, dtype="S26"),
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.index"
    with path.open("wb") as file:
        growing.write(file, HEAD, arrays())
    return path


def read(path: Path, *, maps: bool = False, **wanted: Any) -> Any:
    return growing.read(
        path, fits=lambda head: all(head[n] == v for n, v in wanted.items()), maps=maps
    )


def test_head_and_arrays_come_back_with_their_types_and_shapes(path: Path) -> None:
    head, back = read(path)

    assert {name: head[name] for name in HEAD} == HEAD
    assert list(back) == list(arrays())
    for name, array in arrays().items():
        assert back[name].dtype == array.dtype
        assert back[name].shape == array.shape
        assert back[name].tolist() == array.tolist()


def test_each_array_owns_its_memory_and_can_be_written(path: Path) -> None:
    _, back = read(path)
    for array in back.values():
        assert array.base is None
        array.fill(0)


def test_a_head_without_its_arrays_is_none_whether_it_fits_or_not(path: Path) -> None:
    head, _ = read(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: -sum(a.nbytes for a in arrays().values())])

    assert growing.read(path, fits=lambda found: found != head) is None
    assert growing.read(path, fits=lambda found: found == head) is None


def test_mapped_arrays_are_the_same_and_what_is_written_there_stays_with_the_writer(
    path: Path,
) -> None:
    whole = path.read_bytes()
    _, back = read(path, maps=True)
    for name, array in arrays().items():
        assert (back[name].dtype, back[name].shape) == (array.dtype, array.shape)
        assert back[name].tolist() == array.tolist()
        assert back[name].flags.aligned
        back[name].fill(0)

    assert path.read_bytes() == whole


def test_a_growing_array_has_room_behind_it_where_it_is_mapped(tmp_path: Path) -> None:
    path, numbers = tmp_path / "a.index", np.arange(80, dtype=np.int64).reshape(40, 2)
    with path.open("wb") as file:
        growing.write(file, {}, {"a": numbers, "b": numbers}, growing=["a"])
    _, plain = read(path)
    _, mapped = read(path, maps=True)
    column = Growing(np.int64, width=2)
    column.adopt(mapped["a"], length=40)
    before = column.rows(40)
    column.extend([[1, 2]] * 5)

    assert (len(plain["a"]), len(mapped["a"]), len(mapped["b"])) == (40, 45, 40)
    assert np.shares_memory(before, column.rows(45))
    assert column.rows(45).tolist() == [*numbers.tolist(), *([[1, 2]] * 5)]
    assert mapped["b"].tolist() == numbers.tolist()

    column.extend([[3, 4]])
    assert not np.shares_memory(before, column.rows(46))


@pytest.mark.parametrize("name", list(arrays()))
def test_a_wrong_bit_in_a_mapped_array_is_none(path: Path, name: str) -> None:
    head, _ = read(path)
    [place] = [
        one for one in growing._places(head["arrays"], _end_of_head(path)) if one.name == name
    ]
    whole = path.read_bytes()
    for at in range(place.start, place.start + place.size):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])

        assert read(path, maps=True) is None, at


def _end_of_head(path: Path) -> int:
    return 16 + int.from_bytes(path.read_bytes()[8:16], "little") + growing.DIGEST_BYTES


def test_one_wrong_bit_anywhere_is_none(path: Path) -> None:
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])

        assert read(path) is None, at


def test_a_file_cut_short_anywhere_or_longer_is_none(path: Path) -> None:
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])

        assert read(path) is None, length
    path.write_bytes(whole + b"\0")
    assert read(path) is None


def test_arrays_that_changed_places_are_none(tmp_path: Path) -> None:
    path = tmp_path / "a.index"
    with path.open("wb") as file:
        growing.write(file, {}, {"one": np.arange(3), "two": np.arange(3) + 5})
    whole = path.read_bytes()
    path.write_bytes(whole[:-48] + whole[-24:] + whole[-48:-24])

    assert read(path) is None


@pytest.mark.parametrize("length", [1 << 40, (1 << 64) - 1])
def test_a_wrong_length_asks_for_no_memory(path: Path, length: int) -> None:
    path.write_bytes(MAGIC + length.to_bytes(8, "little") + b"{}" + bytes(40))

    assert read(path) is None


def test_a_file_that_is_not_there_and_a_folder_are_none(tmp_path: Path) -> None:
    assert read(tmp_path / "missing") is None
    assert read(tmp_path) is None


def test_the_head_is_json_behind_its_length(path: Path) -> None:
    raw = path.read_bytes()
    length = int.from_bytes(raw[8:16], "little")

    assert raw[:8] == MAGIC
    assert json.loads(raw[16 : 16 + length])["arrays"][0][:3] == ["numbers", "<i8", [7]]
