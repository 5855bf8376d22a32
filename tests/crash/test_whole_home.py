"""Every file of a home under power cuts, kills and failing disks, and what the trials see.

Must not know how the engine lays out its files, but for those that a test plants itself.
"""

import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from simonides_bench.crash.disk import Did
from simonides_bench.crash.judge import Wrong
from simonides_bench.crash.tally import Tally
from simonides_bench.crash.whole.bytes_left import bytes_left, files_left
from simonides_bench.crash.whole.disk_errors import fail_home_disks
from simonides_bench.crash.whole.facts import Facts, item_of, open_memory
from simonides_bench.crash.whole.judged import Judged, judge
from simonides_bench.crash.whole.kills import kill_verbs
from simonides_bench.crash.whole.power import cut_home_power, prepare, try_home_cuts
from simonides_bench.crash.whole.recorded import Recorded
from simonides_bench.crash.whole.scenarios import SCENARIOS, WORDS

pytestmark = pytest.mark.slow

BY_NAME = {one.name: one for one in SCENARIOS}
SEED = 20

ERASING = ["erase", "erase everything", "repair", "upload"]
"""Scenarios in which erasures meet copies, snapshots and uploads."""

STEADY = [name for name in BY_NAME if name not in ERASING]


def items(*names: str) -> dict[str, str]:
    return {name: WORDS[name] for name in names}


@pytest.mark.parametrize("name", STEADY)
def test_a_power_cut_leaves_every_file_whole_or_absent(name: str) -> None:
    tally = cut_home_power(5, seed=SEED, scenarios=[BY_NAME[name]])

    assert tally.examples == []
    assert tally.trials == 5


@pytest.mark.parametrize("name", ERASING)
def test_a_power_cut_brings_nothing_back_that_was_erased(name: str) -> None:
    assert cut_home_power(5, seed=SEED, scenarios=[BY_NAME[name]]).examples == []


@pytest.mark.parametrize("name", ["copies", "keys"])
def test_a_verb_killed_between_two_changes_loses_nothing(name: str) -> None:
    tally = kill_verbs(1, seed=SEED, scenarios=[BY_NAME[name]])

    assert tally.examples == []
    assert tally.trials == 1


def test_a_disk_that_fails_under_a_verb_is_reported_and_nothing_is_left() -> None:
    steady = [BY_NAME[name] for name in ("copies", "keys", "first steps")]
    tally = fail_home_disks(9, seed=SEED, scenarios=steady)

    assert tally.examples == []
    assert tally.refused > 3


def test_the_same_seed_makes_the_same_trials(tmp_path: Path) -> None:
    runs = [prepare(BY_NAME["keys"], tmp_path / name) for name in ("one", "two")]

    assert [one.did for one in runs[0].changes] == [one.did for one in runs[1].changes]


@pytest.fixture(scope="module")
def first_steps(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return prepare(BY_NAME["first steps"], tmp_path_factory.mktemp("home"))


def lying(run: Recorded, folder: Path, did: Did) -> Tally:
    """Return what power cuts do on a disk that does not do what it says."""
    honest = tuple(one for one in run.changes if one.did is not did)
    ends = tuple(replace(one, began=0, ended=len(honest)) for one in run.done)
    tally = Tally()
    lied = replace(run, changes=honest, done=ends)
    try_home_cuts(lied, 12, folder=folder, seed=SEED, tally=tally)
    return tally


@pytest.mark.parametrize("did", [Did.SYNC, Did.SYNC_FOLDER])
def test_a_disk_that_does_not_sync_loses_files(
    first_steps: Recorded, tmp_path: Path, did: Did
) -> None:
    tally = lying(first_steps, tmp_path, did)

    assert tally.wrong[Wrong.LOST] + tally.wrong[Wrong.TORN] > 0


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with two items and one that was erased."""
    (tmp_path / "out").mkdir()
    with open_memory(tmp_path) as memory:
        memory.add([item_of(one, word) for one, word in items("a", "b", "c").items()])
        memory.erase("c")
    return tmp_path


FACTS = Facts(items=items("a", "b"), erased=frozenset({WORDS["c"]}))


def seen(home: Path, facts: Facts = FACTS) -> set[Wrong]:
    return {one.wrong for one in judge(home, Judged(sure=facts))}


def test_a_sound_home_is_found_sound_and_empty_at_the_end(home: Path) -> None:
    assert judge(home, Judged(sure=FACTS)) == []
    assert [*bytes_left(home, FACTS.all_words, when="now")] == []


def test_the_trials_see_what_is_lost(home: Path) -> None:
    with open_memory(home) as memory:
        memory.forget("a")

    assert seen(home) == {Wrong.LOST}


def test_the_trials_see_what_came_back(home: Path) -> None:
    with open_memory(home) as memory:
        memory.add(item_of("c", WORDS["c"]))

    assert {Wrong.RESURRECTED, Wrong.LEFT_BYTES} <= seen(home)


def test_the_trials_see_bytes_in_whichever_file(home: Path) -> None:
    planted = home / "home/spaces/s.index"
    planted.write_bytes(b"\0" * 99 + WORDS["c"].upper().encode())

    assert Wrong.LEFT_BYTES in seen(home)


@pytest.mark.parametrize("has_set_aside", [True, False])
def test_what_a_repair_set_aside_may_hold_words_until_the_whole_space_is_erased(
    home: Path, *, has_set_aside: bool
) -> None:
    (home / "home/spaces/s.sqlite3.damaged-1").write_bytes(WORDS["c"].encode())
    faults = judge(home, Judged(sure=replace(FACTS, has_set_aside=has_set_aside)))

    assert {one.wrong for one in faults} == (set() if has_set_aside else {Wrong.LEFT_BYTES})


def test_the_trials_see_what_nobody_ever_removes(home: Path) -> None:
    (home / "home/spaces/.nobody-knows-this").write_bytes(b"x")

    assert [one.wrong for one in files_left(home, frozenset(), when="now")] == [Wrong.LEFT_FILES]
    assert [*files_left(home, frozenset({"spaces/.nobody-knows-this"}), when="now")] == []


def test_the_trials_see_a_copy_that_is_not_whole(home: Path) -> None:
    path = home / "out/one.simonides.jsonl"
    with open_memory(home) as memory:
        memory.export(path)
    facts = replace(FACTS, copies={"out/one.simonides.jsonl": FACTS.items})
    whole = path.read_bytes()
    assert seen_copies(home, facts) == set()
    path.write_bytes(whole[: len(whole) // 2])
    assert seen_copies(home, facts) == {Wrong.TORN}
    path.unlink()

    assert seen_copies(home, facts) == {Wrong.LOST}
    assert seen_copies(home, replace(FACTS), possible=facts) == set()


def seen_copies(home: Path, facts: Facts, *, possible: Facts | None = None) -> set[Wrong]:
    """Return what is wrong with a copy of a home, which is erased by the look."""
    twin = home.parent / f"twin-{random.Random(1).random()}"
    shutil.copytree(home, twin)
    try:
        return {one.wrong for one in judge(twin, Judged(sure=facts, possible=possible))}
    finally:
        shutil.rmtree(twin)


def test_the_trials_see_keys_that_do_not_do_as_they_should(home: Path) -> None:
    with open_memory(home) as memory:
        valid, revoked = (memory.keys.create(space="s") for _ in range(2))
        memory.keys.revoke(revoked.id)

    assert seen(home, replace(FACTS, keys={valid.key: True, revoked.key: False})) == set()
    (home / "home").rename(home / "before")
    (home / "home").mkdir()
    shutil.copy(home / "before/access.sqlite3", home / "home")
    wrong = seen(home, Facts(keys={valid.key: False, revoked.key: True}))
    assert wrong == {Wrong.LOST, Wrong.RESURRECTED}


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"unknown = 1\n"])
def test_the_trials_see_settings_that_are_torn(home: Path, content: bytes) -> None:
    (home / "home/config.toml").write_bytes(content)
    facts = replace(FACTS, exact={"home/config.toml": b'timezone = "UTC"\n'})

    assert seen(home, facts) & {Wrong.TORN, Wrong.UNOPENABLE}
