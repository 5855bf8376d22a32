"""What is reported of files is all that happened to them: replayed, it makes the same files."""

import os
import random
import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from simonides_bench.crash.disk import Disk, Keep
from simonides_bench.crash.whole.bytes_left import files_below
from simonides_bench.crash.whole.file_calls import changes_watched
from simonides_bench.crash.whole.recorded import ChangeRecorder

NAMES = st.sampled_from(["a", "b", "f/a", "f/b", "g/a"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), NAMES, st.sampled_from(["wb", "ab", "xb", "r+b"])),
        st.tuples(st.just("rename"), NAMES, NAMES),
        st.tuples(st.just("link"), NAMES, NAMES),
        st.tuples(st.just("truncate"), NAMES, st.integers(0, 9)),
        st.tuples(st.just("unlink"), NAMES, st.none()),
    ),
    max_size=15,
)  # fmt: skip


def do(root: Path, step: tuple[str, str, object], content: bytes) -> None:
    """Do one step, if it can be done: what is not there is not renamed."""
    name, path, more = step[0], root / step[1], step[2]
    if name == "write":
        with path.open(str(more)) as file:
            file.write(content)
    elif name == "truncate":
        os.truncate(path, int(str(more)))
    elif name == "unlink":
        path.unlink()
    elif name == "link":
        os.link(path, root / str(more))
    elif path != root / str(more):
        path.rename(root / str(more))


@given(steps=STEPS)
def test_the_reports_replayed_make_the_same_files(
    steps: list[tuple[str, str, object]],
) -> None:
    recorder = ChangeRecorder()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        with changes_watched(root, recorder):
            for name in ("f", "g"):
                (root / name).mkdir()
            for number, step in enumerate(steps):
                with suppress(OSError):
                    do(root, step, b"%d" % number * (number + 1))
        there = {name: path.read_bytes() for name, path in files_below(root)}
    disk = Disk({})
    for change in recorder.changes:
        disk.take(change)

    assert disk.after_power_cut(Keep.ALL, random.Random(1)) == there
