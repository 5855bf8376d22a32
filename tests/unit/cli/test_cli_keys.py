"""`simonides keys` and `simonides audit`, on a home of their own."""

import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.cli.main import run
from simonides.model.access import AuditEntry
from simonides.ports.models import Clock

NOW = "2026-03-06T15:30:00Z"
PAST = datetime(2026, 1, 1, tzinfo=UTC)


def opened(home: Path, *, space: str, settings: Settings, clock: Clock) -> Memory:
    return Memory(home, space=space, settings=settings, clock=clock)


def said(home: Path, *argv: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    status = run(
        [*argv, "--home", str(home), "--now", NOW], stdin=io.StringIO(), out=out, err=err,
        environment={"SIMONIDES_EMBEDDER": "none", "SIMONIDES_TIMEZONE": "UTC"}, open_memory=opened,
    )  # fmt: skip
    return status, out.getvalue(), err.getvalue()


def answer(home: Path, *argv: str) -> Any:
    status, out, err = said(home, *argv, "--json")

    assert (status, err) == (0, "")
    return json.loads(out)


def test_a_key_is_shown_whole_once(tmp_path: Path) -> None:
    made = answer(tmp_path, "keys", "create", "--space", "alice", "--name", "laptop")
    listed = answer(tmp_path, "keys", "list")["keys"]

    assert made["key"].startswith(f"sim_{made['id']}_")
    assert (made["space"], made["permissions"], made["expires_at"]) == (
        "alice", ["read", "write"], None,
    )  # fmt: skip
    assert [one["prefix"] for one in listed] == [made["prefix"]]
    assert made["key"] not in json.dumps(listed)


def test_a_key_is_told_what_it_allows_and_until_when(tmp_path: Path) -> None:
    made = answer(
        tmp_path, "keys", "create", "--space", "alice", "--shared", "team", "--shared", "family",
        "--permission", "read", "--permission", "erase", "--expires", "30",
    )  # fmt: skip
    until = answer(tmp_path, "keys", "create", "--expires", "2027-01-01")

    assert made["shared"] == ["team", "family"]
    assert made["permissions"] == ["read", "erase"]
    assert made["expires_at"] == "2026-04-05T15:30:00Z"
    assert (until["space"], until["expires_at"]) == ("default", "2027-01-01T00:00:00Z")


def test_keys_are_drawn_for_people(tmp_path: Path) -> None:
    empty = said(tmp_path, "keys", "list")
    _, out, err = said(tmp_path, "keys", "create", "--space", "alice", "--expires", "1")
    gone = said(tmp_path, "keys", "revoke", out.strip().rpartition("_")[0])
    listed = said(tmp_path, "keys", "list")

    assert "no key yet" in empty[2]
    assert "shown this once" in err
    assert gone[1] == f"revoked {out.strip().rpartition('_')[0]}\n"
    assert "revoked" in listed[1]
    assert out.strip().rpartition("_")[2] not in listed[1]


@pytest.mark.parametrize("expires", ["soon", "0", "2020-01-01", "nan"])
def test_a_time_that_is_none_or_past_makes_no_key(tmp_path: Path, expires: str) -> None:
    status, out, err = said(tmp_path, "keys", "create", "--expires", expires)

    assert (status, out) == (4, "")
    assert "[invalid_input]" in err
    assert answer(tmp_path, "keys", "list") == {"keys": []}


def test_a_key_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    assert said(tmp_path, "keys", "revoke", "nope")[0] == 3


def test_what_was_done_is_reported_latest_first(tmp_path: Path) -> None:
    with Memory(tmp_path, settings=Settings(embedder="none")) as memory:
        at = datetime(2026, 3, 6, tzinfo=UTC)
        for n, verb in enumerate(("add", "erase")):
            memory.keys.note(
                AuditEntry(at=at, verb=verb, status=200, key_id=f"k{n}", space="alice", count=n)
            )

    page = answer(tmp_path, "audit", "--limit", "1")
    rest = answer(tmp_path, "audit", "--cursor", page["cursor"])
    of_one = answer(tmp_path, "audit", "--key", "k1")
    of_alice = answer(tmp_path, "audit", "--of-space", "alice", "--space", "bob")
    drawn = said(tmp_path, "audit", "--limit", "1")

    assert [one["verb"] for one in page["entries"]] == ["erase"]
    assert [one["verb"] for one in rest["entries"]] == ["add"]
    assert [one["key_id"] for one in of_one["entries"]] == ["k1"]
    assert [one["verb"] for one in of_alice["entries"]] == ["erase", "add"]
    assert answer(tmp_path, "audit", "--of-space", "bob")["entries"] == []
    assert "erase" in drawn[1]
    assert "--cursor" in drawn[2]
    assert "nothing was noted" in said(tmp_path / "other", "audit")[2]


@pytest.mark.parametrize("argv", [("keys", "revoke"), ("audit", "--key")])
@pytest.mark.parametrize("key_id", ["", "ü", "a\udcff", "a\x00", "a\n"])
def test_what_can_be_no_id_of_a_key_is_refused(
    tmp_path: Path, argv: tuple[str, ...], key_id: str
) -> None:
    status, out, err = said(tmp_path, *argv, key_id)

    assert (status, out) == (2, "")
    assert "[usage]" in err


def test_a_whole_key_revokes_itself_and_no_error_repeats_it(tmp_path: Path) -> None:
    key = answer(tmp_path, "keys", "create")["key"]
    gone = answer(tmp_path, "keys", "revoke", key)
    wrong = key[:-4] + "zzzz"
    _, _, err = said(tmp_path, "keys", "revoke", wrong + "x")

    assert gone["revoked_at"] == NOW
    assert key.rpartition("_")[2][:8] not in err


@pytest.mark.parametrize(
    ("argv", "reported"),
    [
        (("--space", "../x"), "cannot be a space"),
        (("--space", "alice", "--shared", "A B"), "cannot be a space"),
        (("--name", "a\x1b[31m"), "printable"),
        (("--name", "n" * 101), "100"),
        (("--expires", "inf"), "36500"),
        (("--expires", "1e300"), "36500"),
        (("--expires", "-1"), "36500"),
    ],
)
def test_a_key_that_cannot_be_is_refused_in_words(
    tmp_path: Path, argv: tuple[str, ...], reported: str
) -> None:
    status, out, err = said(tmp_path, "keys", "create", *argv)

    assert (status, out) == (4, "")
    assert reported in err
    assert "\x1b" not in err


def test_an_expired_key_is_told_apart_from_one_that_holds(tmp_path: Path) -> None:
    with Memory(tmp_path, settings=Settings(embedder="none"), clock=lambda: PAST) as memory:
        memory.keys.create(space="old", expires=1)
        memory.keys.create(space="new")
    lines = said(tmp_path, "keys", "list")[1].splitlines()[1:]

    assert sorted((line.split()[1], line.split()[-1]) for line in lines) == [
        ("new", "valid"), ("old", "expired"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("argv", "status"),
    [(("--limit", "0"), 2), (("--limit", "x"), 2), (("--cursor", "nonsense"), 4),
     (("--cursor", "\udcff"), 4), (("more",), 2)],
)  # fmt: skip
def test_a_page_of_notes_that_cannot_be_is_refused(
    tmp_path: Path, argv: tuple[str, ...], status: int
) -> None:
    got, out, err = said(tmp_path, "audit", *argv)

    assert (got, out) == (status, "")
    assert err


def test_notes_of_nobody_and_of_no_one_space_are_drawn_with_a_dash(tmp_path: Path) -> None:
    with Memory(tmp_path, settings=Settings(embedder="none")) as memory:
        memory.keys.note(AuditEntry(at=PAST, verb="search", status=401))
    header, row = said(tmp_path, "audit")[1].splitlines()

    assert header.split() == ["time", "key", "verb", "space", "status", "count"]
    assert row.split()[3:] == ["-", "search", "401", "0"]
