"""Keys: what they look like, whom they let in, and that their secret is kept nowhere."""

import asyncio
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.access.callers import digest_of, id_of, new_key_id, new_secret, whole_key
from simonides.errors import AccessDenied, InvalidInput, InvalidSpaceName, NotFound
from simonides.model.access import ApiKey, AuditEntry, Permission

NOW = datetime(2026, 3, 6, 15, 30, tzinfo=UTC)


class Time:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def memory(tmp_path: Path, time: Time) -> Iterator[Memory]:
    with Memory(tmp_path / "home", settings=Settings(embedder="none"), clock=time) as made:
        yield made


def test_a_key_names_itself_and_holds_160_bits_of_chance() -> None:
    key = whole_key(new_key_id(), new_secret())

    assert re.fullmatch(r"sim_[0-9a-v]{8}_[0-9a-v]{32}", key)
    assert id_of(key) == key.split("_")[1]
    assert len({new_secret() for _ in range(100)}) == 100


@pytest.mark.parametrize("text", ["", "sim_", "sim_a_b", "SIM_00000000_" + "0" * 32, "x" * 10_000])
def test_what_has_not_the_form_of_a_key_has_no_id(text: str) -> None:
    assert id_of(text) == ""


def test_a_key_lets_its_bearer_in_as_what_it_is(memory: Memory) -> None:
    made = memory.keys.create(space="alice", shared=["team", "alice"], name="laptop")

    known = memory.keys.check(made.key)

    assert (known.id, known.space, known.shared, known.name) == (
        made.id, "alice", ("team",), "laptop",
    )  # fmt: skip
    assert known.permissions == (Permission.READ, Permission.WRITE)
    assert memory.keys.list() == (known,)


def test_the_secret_is_kept_nowhere(memory: Memory, tmp_path: Path) -> None:
    made = memory.keys.create(space="alice")
    memory.close()
    secret = made.key.rpartition("_")[2].encode()

    files = [one for one in (tmp_path / "home").rglob("*") if one.is_file()]

    assert {one.name for one in files} == {"access.sqlite3", "access.made"}
    assert {one.stat().st_mode & 0o777 for one in files} == {0o600}
    content = b"".join(one.read_bytes() for one in files)
    assert secret not in content
    assert digest_of(made.key) in content


def test_no_other_text_lets_anybody_in(memory: Memory) -> None:
    made = memory.keys.create(space="alice")
    other = memory.keys.create(space="bob")
    mixed = whole_key(made.id, other.key.rpartition("_")[2])

    for text in (mixed, made.key[:-1] + "x", made.key.upper(), made.key + " ", made.prefix, ""):
        with pytest.raises(AccessDenied) as reported:
            memory.keys.check(text)
        assert "unknown, revoked or expired" in str(reported.value)


def test_a_revoked_key_lets_nobody_in_and_stays_on_the_list(memory: Memory, time: Time) -> None:
    made = memory.keys.create(space="alice")
    gone = memory.keys.revoke(made.prefix)
    time.now += timedelta(days=1)
    again = memory.keys.revoke(made.id)

    with pytest.raises(AccessDenied):
        memory.keys.check(made.key)
    assert gone.revoked_at == again.revoked_at == NOW
    assert memory.keys.exist()


@pytest.mark.parametrize("expires", [2, NOW + timedelta(days=2)])
def test_a_key_expires_after_days_or_at_a_time(
    memory: Memory, time: Time, expires: float | datetime
) -> None:
    made = memory.keys.create(space="alice", expires=expires)
    time.now += timedelta(days=2) - timedelta(microseconds=1)
    assert memory.keys.check(made.key).expires_at == NOW + timedelta(days=2)

    time.now += timedelta(microseconds=1)

    with pytest.raises(AccessDenied):
        memory.keys.check(made.key)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"expires": 0}, "expires"), ({"expires": -1}, "expires"), ({"expires": 1e9}, "expires"),
        ({"expires": NOW}, "expires"), ({"permissions": []}, "permissions"),
        ({"permissions": ["fly"]}, "permission"), ({"name": "a\nb"}, "name"),
        ({"name": "x" * 101}, "name"), ({"shared": [f"s{n}" for n in range(101)]}, "shared"),
    ],
)  # fmt: skip
def test_what_does_not_fit_makes_no_key(memory: Memory, given: dict, field: str) -> None:  # type: ignore[type-arg]  # values of every sort
    with pytest.raises(InvalidInput) as reported:
        memory.keys.create(space="alice", **given)

    assert reported.value.field == field
    assert not memory.keys.exist()


@pytest.mark.parametrize("names", [("../etc", []), ("alice", ["Bob"]), ("", [])])
def test_a_key_opens_only_what_can_be_a_space(memory: Memory, names: tuple[str, list[str]]) -> None:
    with pytest.raises(InvalidSpaceName):
        memory.keys.create(space=names[0], shared=names[1])


def test_a_key_that_is_not_there_cannot_be_revoked(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.keys.revoke("nope")
    made = memory.keys.create(space="alice")
    with pytest.raises(NotFound) as reported:
        memory.keys.revoke(f"sim_00000000_{'0' * 32}")

    assert "0" * 32 not in str(reported.value)
    assert memory.keys.check(made.key).id == made.id


def test_admin_includes_the_other_permissions() -> None:
    def allows(*given: Permission) -> set[Permission]:
        key = ApiKey(id="k", prefix="p", space="s", created_at=NOW, permissions=given)
        return {one for one in Permission if key.allows(one)}

    assert allows(Permission.ADMIN) == set(Permission)
    assert allows(Permission.READ) == {Permission.READ}
    assert allows(Permission.ERASE) == {Permission.ERASE}


def test_looking_for_keys_makes_no_file(memory: Memory, tmp_path: Path) -> None:
    assert (memory.keys.list(), memory.keys.exist(), memory.keys.audit().entries) == ((), False, ())

    assert not (tmp_path / "home").exists()


def test_notes_come_back_latest_first_page_by_page(memory: Memory) -> None:
    notes = [
        AuditEntry(at=NOW + timedelta(seconds=n), verb="add", status=201, key_id=f"k{n % 2}",
                   space="alice", count=n)
        for n in range(5)
    ]  # fmt: skip
    memory.keys.note(*notes[:2])
    memory.keys.note(*notes[2:])
    memory.keys.note()

    seen, cursor = [], ""
    while True:
        page = memory.keys.audit(limit=2, cursor=cursor)
        seen += [one.count for one in page.entries]
        cursor = page.cursor
        if not cursor:
            break

    assert seen == [4, 3, 2, 1, 0]
    assert [one.count for one in memory.keys.audit(key_id="sim_k1").entries] == [3, 1]


@pytest.mark.parametrize("cursor", ["x", "-1", "²", "9" * 30])
def test_a_cursor_of_no_page_is_refused(memory: Memory, cursor: str) -> None:
    with pytest.raises(InvalidInput, match="cursor"):
        memory.keys.audit(cursor=cursor)


@pytest.fixture
def across(memory: Memory) -> Callable[..., list[tuple[str, str]]]:
    """Ask several spaces, and return where each hit was found, and its id."""

    def ask(query: str, *spaces: str, **how: Any) -> list[tuple[str, str]]:
        found = memory.search_across(query, spaces=spaces, **how)
        return [(one.space, one.hit.id) for one in found.hits]

    return ask


def test_a_question_to_several_spaces_is_answered_by_each_for_itself(
    memory: Memory, across: Callable[..., list[tuple[str, str]]]
) -> None:
    for space in ("b", "a"):
        memory.in_space(space).add("Alpha is due on Friday", id="x")
        memory.in_space(space).add("Beta is due on Monday", id="y")

    alone = memory.in_space("a").search("Alpha").hits[0]
    together = memory.search_across("Alpha", spaces=["b", "a"])

    assert across("Alpha", "b", "a", limit=2) == [("a", "x"), ("b", "x")]
    assert across("Alpha", "b", "a", limit=1) == [("a", "x")]
    assert together.hits[0].hit == alone
    assert list(together.results) == ["b", "a"]
    assert across("Alpha", "nowhere") == []
    assert "nowhere" not in memory.spaces()


@pytest.mark.parametrize("spaces", [[], [f"s{n}" for n in range(21)]])
def test_a_question_goes_to_one_space_at_least_and_to_twenty_at_most(
    memory: Memory, spaces: list[str]
) -> None:
    with pytest.raises(InvalidInput, match="spaces"):
        memory.search_across("x", spaces=spaces)


def test_keys_may_be_asked_for_from_async_code(memory: Memory) -> None:
    async def made_and_checked() -> str:
        made = await memory.aio.keys.create(space="alice")
        known: ApiKey = await memory.aio.keys.check(made.key)
        return known.space

    assert asyncio.run(made_and_checked()) == "alice"


@pytest.mark.parametrize(
    "text", ["\ud800", "sim_\udcff_x", "sim_" + "0" * 8 + "_\ud800", "\x00", "é"]
)
def test_a_text_that_no_file_could_hold_is_no_key(memory: Memory, text: str) -> None:
    memory.keys.create(space="alice")

    with pytest.raises(AccessDenied):
        memory.keys.check(text)


@pytest.mark.parametrize("given", [{"shared": "team"}, {"permissions": "read"}])
def test_one_text_is_no_list_of_names(memory: Memory, given: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match="must be a list"):
        memory.keys.create(space="alice", **given)  # the mistake itself

    assert not memory.keys.exist()


@pytest.mark.parametrize("form", [" {key}", "{key}\n", "SIM_{rest}"])
def test_a_key_that_is_pasted_carelessly_is_revoked_and_its_secret_told_nowhere(
    memory: Memory, form: str
) -> None:
    made = memory.keys.create(space="alice")
    pasted = form.format(key=made.key, rest=made.key.removeprefix("sim_"))
    unknown = form.format(key=f"sim_00000000_{'s' * 32}", rest=f"00000000_{'s' * 32}")

    gone = memory.keys.revoke(pasted)
    with pytest.raises(NotFound) as reported:
        memory.keys.revoke(unknown)

    assert (gone.id, gone.revoked_at) == (made.id, NOW)
    assert "s" * 32 not in str(reported.value)


def test_shared_spaces_are_each_named_once_and_never_the_keys_own(memory: Memory) -> None:
    made = memory.keys.create(space="alice", shared=["b", "a", "b", "alice"])

    assert made.shared == memory.keys.check(made.key).shared == ("b", "a")


def test_asking_several_spaces_writes_in_none_of_them(memory: Memory) -> None:
    memory.in_space("a").add("Alpha is due on Friday")
    before = memory.in_space("a").stats().revision

    memory.search_across("Alpha", spaces=["a", "nowhere"])

    assert memory.in_space("a").stats().revision == before
    assert memory.spaces() == ("a",)


def test_a_space_that_is_named_twice_is_asked_once(
    memory: Memory, across: Callable[..., list[tuple[str, str]]]
) -> None:
    memory.in_space("a").add("Alpha is due on Friday", id="x")

    assert across("Alpha", "a", "a") == [("a", "x")]
