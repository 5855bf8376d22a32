"""The disk in memory: what is synced is safe, and what is not may be lost in every way."""

import random
from collections.abc import Iterable

import pytest

from simonides_bench.crash.disk import Change, Did, Disk, Keep
from simonides_bench.fault_vfs import Call, What


def opened(name: str) -> Call:
    return Call(what=What.OPEN, name=name)


def written(name: str, data: bytes, *, at: int = 0) -> Call:
    return Call(what=What.WRITE, name=name, offset=at, data=data)


def cut_to(name: str, size: int) -> Call:
    return Call(what=What.TRUNCATE, name=name, offset=size)


def synced(name: str, *, folder_too: bool = False) -> Call:
    return Call(what=What.SYNC, name=name, folder_too=folder_too)


def deleted(name: str, *, folder_too: bool = False) -> Call:
    return Call(what=What.DELETE, name=name, folder_too=folder_too)


def left(
    calls: Iterable[Call], keep: Keep, *, files: dict[str, bytes] | None = None, seed: int = 1
) -> dict[str, bytes]:
    """Return what a power cut leaves after some calls."""
    disk = Disk(files or {})
    for call in calls:
        disk.take(call)
    return disk.after_power_cut(keep, random.Random(seed))


def every(calls: list[Call], keep: Keep, *, files: dict[str, bytes]) -> set[bytes]:
    """Return what is found of the file `a` over many cuts."""
    return {left(calls, keep, files=files, seed=seed)["a"] for seed in range(200)}


@pytest.mark.parametrize("keep", Keep)
def test_what_was_synced_is_safe(keep: Keep) -> None:
    calls = [opened("a"), written("a", b"one"), synced("a", folder_too=True)]

    assert left(calls, keep) == {"a": b"one"}


@pytest.mark.parametrize("keep", Keep)
def test_files_of_the_beginning_are_safe(keep: Keep) -> None:
    assert left([], keep, files={"a": b"old"}) == {"a": b"old"}


def test_what_was_not_synced_is_kept_or_lost_as_asked() -> None:
    calls = [written("a", b"new"), written("a", b"er", at=3)]

    assert left(calls, Keep.ALL, files={"a": b"old"}) == {"a": b"newer"}
    assert left(calls, Keep.NONE, files={"a": b"old"}) == {"a": b"old"}


def test_unsynced_writes_survive_in_any_order() -> None:
    calls = [written("a", b"12"), written("a", b"34", at=2)]

    assert every(calls, Keep.HALF, files={"a": b"...."}) == {b"....", b"12..", b"..34", b"1234"}


def test_a_torn_write_is_there_in_part_or_with_junk_after_it() -> None:
    found = every([written("a", b"x" * 8)], Keep.TORN, files={"a": b"." * 8})

    assert {b"." * 8, b"x" * 8} <= found
    assert any(one.startswith(b"x") and one.endswith(b".") for one in found)
    assert any(set(one) - set(b"x.") for one in found)
    assert all(len(one) == 8 for one in found)


def test_a_write_behind_the_end_leaves_zeros_before_it() -> None:
    calls = [written("a", b"12"), written("a", b"34", at=2)]

    assert b"\0\0" + b"34" in every(calls, Keep.HALF, files={"a": b""})


def test_cutting_a_file_short_may_be_lost_too() -> None:
    calls = [cut_to("a", 1)]

    assert every(calls, Keep.HALF, files={"a": b"old"}) == {b"old", b"o"}
    assert left([cut_to("a", 5)], Keep.ALL, files={"a": b"old"}) == {"a": b"old\0\0"}


def test_a_new_name_is_safe_only_once_its_folder_is_synced() -> None:
    calls = [opened("a"), written("a", b"one"), synced("a")]

    assert left(calls, Keep.NONE) == {}
    assert left(calls, Keep.ALL) == {"a": b"one"}
    assert left([*calls, opened("b"), synced("b", folder_too=True)], Keep.NONE)["a"] == b"one"


def test_a_deleted_file_may_come_back_with_what_was_safe_of_it() -> None:
    calls = [written("a", b"new"), deleted("a")]

    assert left(calls, Keep.NONE, files={"a": b"old"}) == {"a": b"old"}
    assert left(calls, Keep.ALL, files={"a": b"old"}) == {}
    assert left([deleted("a", folder_too=True)], Keep.NONE, files={"a": b"old"}) == {}


def test_names_survive_in_their_order() -> None:
    calls = [opened("a"), opened("b"), deleted("a")]
    found = {tuple(left(calls, Keep.HALF, seed=seed)) for seed in range(100)}

    assert found == {(), ("a",), ("a", "b"), ("b",)}


def test_a_file_made_anew_is_another_one() -> None:
    calls = [deleted("a"), opened("a"), written("a", b"n"), synced("a")]

    assert left(calls, Keep.NONE, files={"a": b"old"}) == {"a": b"old"}
    assert left(calls, Keep.ALL, files={"a": b"old"}) == {"a": b"n"}


def test_a_file_that_is_there_is_opened_as_it_is() -> None:
    assert left([opened("a")], Keep.ALL, files={"a": b"old"}) == {"a": b"old"}


def change(did: Did, path: str, to: str = "", data: bytes = b"") -> Change:
    return Change(did=did, path=path, to=to, data=data)


WHOLE = [change(Did.CREATE, "f/t"), change(Did.WRITE, "f/t", data=b"all"), change(Did.SYNC, "f/t")]
"""A temporary file in the folder `f`, whose bytes are safe and whose name is not."""


def found(changes: list[Change], keep: Keep, *, seed: int = 1) -> dict[str, bytes]:
    disk = Disk({"f/old": b"before"}, folders=("f",))
    for one in changes:
        disk.take(one)
    return disk.after_power_cut(keep, random.Random(seed))


def test_a_name_is_safe_when_its_own_folder_is_synced() -> None:
    for folder, names in (("f", {"f/old", "f/t"}), ("", {"f/old"})):
        assert set(found([*WHOLE, change(Did.SYNC_FOLDER, folder)], Keep.NONE)) == names


def test_a_rename_is_there_or_not_but_never_both_names() -> None:
    changes = [*WHOLE, change(Did.SYNC_FOLDER, "f"), change(Did.RENAME, "f/t", "f/old")]
    seen = [found(changes, Keep.HALF, seed=seed) for seed in range(50)]

    assert {"f/old": b"all"} in seen
    assert {"f/old": b"before", "f/t": b"all"} in seen
    assert len({tuple(one.items()) for one in seen}) == 2


def test_a_link_gives_the_same_bytes_a_second_name() -> None:
    changes = [*WHOLE, change(Did.LINK, "f/t", "f/u"), change(Did.UNLINK, "f/t")]

    assert found(changes, Keep.ALL) == {"f/old": b"before", "f/u": b"all"}


def test_a_removal_that_was_not_synced_may_be_undone() -> None:
    changes = [change(Did.UNLINK, "f/old")]

    assert found(changes, Keep.NONE) == {"f/old": b"before"}
    assert found([*changes, change(Did.SYNC_FOLDER, "f")], Keep.NONE) == {}


def test_what_lies_in_a_folder_whose_name_is_lost_is_lost_with_it() -> None:
    made = [
        change(Did.MAKE_FOLDER, "g"), change(Did.CREATE, "g/a"), change(Did.SYNC_FOLDER, "g"),
    ]  # fmt: skip

    assert set(found(made, Keep.NONE)) == {"f/old"}
    assert set(found([*made, change(Did.SYNC_FOLDER, "")], Keep.NONE)) == {"f/old", "g/a"}


def test_what_lies_in_a_folder_that_is_gone_for_good_does_not_come_back() -> None:
    changes = [
        change(Did.MAKE_FOLDER, "g"), change(Did.SYNC_FOLDER, ""), change(Did.CREATE, "g/a"),
        change(Did.UNLINK, "g/a"), change(Did.REMOVE_FOLDER, "g"), change(Did.SYNC_FOLDER, ""),
    ]  # fmt: skip

    assert {tuple(found(changes, Keep.HALF, seed=seed)) for seed in range(50)} == {("f/old",)}


def test_renaming_a_file_to_another_of_its_names_does_nothing() -> None:
    changes = [*WHOLE, change(Did.LINK, "f/t", "f/u"), change(Did.RENAME, "f/t", "f/u")]

    assert set(found(changes, Keep.ALL)) == {"f/old", "f/t", "f/u"}
