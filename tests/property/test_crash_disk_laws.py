"""Laws of the disk in memory, over all sequences of calls."""

import random

from hypothesis import given
from hypothesis import strategies as st

from simonides_bench.crash.disk import Disk, Keep
from simonides_bench.fault_vfs import Call, What

NAMES = st.sampled_from(["a", "b"])
CALLS = st.lists(
    st.one_of(
        st.builds(Call, what=st.just(What.OPEN), name=NAMES),
        st.builds(
            Call, what=st.just(What.WRITE), name=NAMES, offset=st.integers(0, 20),
            data=st.binary(min_size=1, max_size=9),
        ),
        st.builds(Call, what=st.just(What.TRUNCATE), name=NAMES, offset=st.integers(0, 20)),
        st.builds(Call, what=st.just(What.SYNC), name=NAMES, folder_too=st.booleans()),
        st.builds(Call, what=st.just(What.DELETE), name=NAMES, folder_too=st.booleans()),
    ),
    max_size=20,
)  # fmt: skip


def allowed(calls: list[Call]) -> list[Call]:
    """Return the calls that can happen: only a file that is there is written, cut or synced."""
    there: set[str] = set()
    kept = []
    for call in calls:
        if call.what is not What.OPEN and call.name not in there:
            continue
        kept.append(call)
        if call.what is What.DELETE:
            there.discard(call.name)
        there |= {call.name} if call.what is What.OPEN else set()
    return kept


def disk_after(calls: list[Call]) -> Disk:
    disk = Disk({})
    for call in calls:
        disk.take(call)
    return disk


def plainly(calls: list[Call]) -> dict[str, bytes]:
    """Return what the calls make of files, by another way: each byte by its place."""
    files: dict[str, dict[int, int]] = {}
    sizes: dict[str, int] = {}
    for call in calls:
        if call.what is What.OPEN:
            files.setdefault(call.name, {})
            sizes.setdefault(call.name, 0)
        elif call.what is What.DELETE:
            del files[call.name], sizes[call.name]
        elif call.what is What.TRUNCATE:
            sizes[call.name] = call.offset
            files[call.name] = {n: b for n, b in files[call.name].items() if n < call.offset}
        elif call.what is What.WRITE:
            files[call.name] |= dict(enumerate(call.data, start=call.offset))
            sizes[call.name] = max(sizes[call.name], call.offset + len(call.data))
    return {
        name: bytes(places.get(n, 0) for n in range(sizes[name])) for name, places in files.items()
    }


@given(calls=CALLS)
def test_where_all_is_kept_files_are_as_they_were_written(calls: list[Call]) -> None:
    done = allowed(calls)

    assert disk_after(done).after_power_cut(Keep.ALL, random.Random(1)) == plainly(done)


@given(calls=CALLS, keep=st.sampled_from(Keep), seed=st.integers(0, 99))
def test_where_all_is_synced_no_cut_takes_anything(
    calls: list[Call], keep: Keep, seed: int
) -> None:
    done = allowed(calls)
    done += [Call(what=What.SYNC, name=name, folder_too=True) for name in sorted(plainly(done))]
    whole = plainly(done)
    disk = disk_after(done)

    if whole:  # without a file there is nobody to sync the folder
        assert disk.unsynced == 0
        assert disk.after_power_cut(keep, random.Random(seed)) == whole


@given(calls=CALLS, keep=st.sampled_from(Keep), seed=st.integers(0, 99))
def test_a_cut_changes_nothing_about_the_disk_itself(
    calls: list[Call], keep: Keep, seed: int
) -> None:
    disk = disk_after(allowed(calls))
    before = disk.after_power_cut(Keep.ALL, random.Random(1))
    disk.after_power_cut(keep, random.Random(seed))

    assert disk.after_power_cut(Keep.ALL, random.Random(1)) == before
