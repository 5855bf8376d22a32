"""What `admin` allows over HTTP: to check, repair and copy a space, and to look after its keys."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.http.routes import ROUTES
from simonides.model.access import Permission

ADMIN = [one for one in ROUTES if one.permission is Permission.ADMIN]


@pytest.fixture
def admin(site: Any) -> str:
    """A key for everything in the space `alice`, which holds two items."""
    site.add("Alpha is due on Friday", "Tom sails on Sunday", space="alice")
    key: str = site.key("alice", "admin")
    return key


def test_a_space_is_checked_from_elsewhere_and_no_folder_is_named(site: Any, admin: str) -> None:
    home = str(site.server.uploads.parent)
    (site.server.uploads.parent / "spaces" / "alice.sqlite3").chmod(0o644)

    quick = site.answer("POST", "/v1/doctor", {}, key=admin)["findings"]
    whole = site.answer("POST", "/v1/verify", {}, key=admin)["findings"]

    assert {one["check"]: one["sound"] for one in quick}["rights"] is False
    assert all(one["sound"] for one in whole)
    assert home not in str((quick, whole))


def test_a_space_is_repaired_and_goes_on_being_asked(site: Any, admin: str) -> None:
    report = site.answer("POST", "/v1/repair", {}, key=admin)
    found = site.answer("POST", "/v1/search", {"query": "Alpha"}, key=admin)

    assert (report["items"], report["lost"], report["aside"]) == (2, [], "")
    assert len(found["entries"]) == 1
    assert len(site.answer("POST", "/v1/items", {"content": "New"}, key=admin)["outcomes"]) == 1


def test_of_a_damaged_space_the_file_that_is_set_aside_is_told_by_its_name(site: Any) -> None:
    site.add("Alpha " * 3_000, space="alice")
    site.memory.close()
    file = site.server.uploads.parent / "spaces" / "alice.sqlite3"
    held = bytearray(file.read_bytes())
    held[-4096:] = b"\xff" * 4096
    file.write_bytes(held)

    report = site.answer("POST", "/v1/repair", {}, key=site.key("alice", "admin"))

    assert report["aside"].startswith("alice.sqlite3")
    assert str(file.parent) not in str(report)


def test_no_file_of_the_machine_takes_the_place_of_a_space(site: Any, admin: str) -> None:
    refusal = site.problem("POST", "/v1/repair", {"backup": "/etc/passwd"}, key=admin)

    assert (refusal["status"], refusal["errors"][0]["field"]) == (422, "backup")


def test_all_vectors_are_made_again(site: Any, admin: str) -> None:
    assert site.answer("POST", "/v1/reembed", {}, key=admin) == {"embedded": 2}


def test_a_backup_is_sent_whole_and_nothing_of_it_stays(
    site: Any, admin: str, tmp_path: Path
) -> None:
    head = site.ask("HEAD", "/v1/backup", key=admin)
    got = site.ask("GET", "/v1/backup", key=admin)

    assert (head.status_code, head.content) == (200, b"")
    assert got.headers["content-type"] == "application/vnd.sqlite3"
    assert got.headers["content-disposition"] == 'attachment; filename="alice.backup.sqlite3"'
    assert list(site.server.uploads.iterdir()) == []
    (tmp_path / "copy.sqlite3").write_bytes(got.content)
    settings = Settings(embedder="none", durability="relaxed")
    with Memory(tmp_path / "other", space="alice", settings=settings) as memory:
        memory.repair(backup=tmp_path / "copy.sqlite3")
        assert {one.content for one in memory.list().items} == {
            "Alpha is due on Friday", "Tom sails on Sunday",
        }  # fmt: skip


def test_a_backup_of_a_space_that_is_not_there_is_a_problem(site: Any) -> None:
    key = site.key("nowhere", "admin")

    assert site.problem("GET", "/v1/backup", key=key)["status"] == 404
    assert site.ask("HEAD", "/v1/backup", key=key).status_code == 404
    assert site.memory.spaces() == ()


def test_a_copy_that_cannot_be_made_leaves_nothing(
    site: Any, admin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Memory, path: Path) -> None:
        path.write_bytes(b"half of a page")
        raise sqlite3.OperationalError(str(path))

    monkeypatch.setattr(Memory, "backup", fail)
    refusal = site.problem("GET", "/v1/backup", key=admin)

    assert refusal["status"] == 500
    assert str(site.server.uploads) not in str(refusal)
    assert list(site.server.uploads.iterdir()) == []


# ── keys ─────────────────────────────────────────────────────────────────────────────────────


def test_a_key_is_created_for_the_own_space_and_told_once(site: Any, admin: str) -> None:
    body = {"name": "laptop", "permissions": ["read"], "expires": 30}

    got = site.ask("POST", "/v1/keys", body, key=admin)
    listed = site.answer("GET", "/v1/keys", key=admin)["keys"]

    made = got.json()
    assert (got.status_code, made["space"], made["permissions"]) == (201, "alice", ["read"])
    assert made["expires_at"] == "2026-04-05T15:30:00Z"
    assert {one["name"] for one in listed} == {"", "laptop"}
    assert made["key"] not in str(listed)
    assert len(site.answer("GET", "/v1/items", key=made["key"])["items"]) == 2


@pytest.mark.parametrize("more", [{"shared": ["bob"]}, {"spaces": ["bob"]}])
def test_no_key_is_created_that_sees_another_space(site: Any, admin: str, more: Any) -> None:
    site.add("the vault code is 4711", space="bob")
    named = site.answer("POST", "/v1/keys", {"space": "bob"}, key=admin)

    assert named["space"] == "alice"
    assert site.problem("POST", "/v1/keys", more, key=admin)["status"] == 422
    assert {one.space for one in site.memory.keys.list()} == {"alice"}


def test_the_first_key_is_not_created_by_somebody_without_one(site: Any) -> None:
    refusal = site.problem("POST", "/v1/keys", {})

    assert (refusal["status"], refusal["code"]) == (403, "access_denied")
    assert "simonides keys create" in refusal["detail"]
    assert not site.memory.keys.exist()


@pytest.fixture
def bob(site: Any) -> Iterator[Any]:
    """A key of another space, which stays as it is."""
    made = site.memory.keys.create(space="bob")
    yield made
    [still] = [one for one in site.memory.keys.list() if one.id == made.id]

    assert still.revoked_at is None


def test_a_key_of_another_space_is_neither_listed_nor_revoked(
    site: Any, admin: str, bob: Any
) -> None:
    for name in (bob.id, bob.prefix, bob.key):
        refusal = site.problem("DELETE", f"/v1/keys/{name}", key=admin)
        assert (refusal["status"], refusal["code"]) == (404, "not_found")
        assert bob.key not in refusal["detail"]

    assert bob.id not in site.ask("GET", "/v1/keys", key=admin).text
    assert site.problem("DELETE", "/v1/keys/nope", key=admin)["status"] == 404


@pytest.mark.parametrize("by", ["id", "prefix", "key"])
def test_a_key_of_the_own_space_is_revoked_by_any_of_its_names(
    site: Any, admin: str, by: str
) -> None:
    made = site.answer("POST", "/v1/keys", {}, key=admin)

    gone = site.answer("DELETE", f"/v1/keys/{made[by]}", key=admin)

    assert (gone["id"], gone["revoked_at"]) == (made["id"], "2026-03-06T15:30:00Z")
    assert site.problem("GET", "/v1/items", key=made["key"])["status"] == 401


def test_the_audit_log_of_a_key_is_that_of_its_space(site: Any, admin: str, bob: Any) -> None:
    for key in (admin, bob.key):
        for text in ("one", "two"):
            site.answer("POST", "/v1/items", {"content": text}, key=key)
    site.server.audit.close()

    first = site.answer("GET", "/v1/audit?limit=1", key=admin)
    rest = site.answer("GET", f"/v1/audit?cursor={first['cursor']}", key=admin)
    of_bob = site.answer("GET", f"/v1/audit?key_id={bob.id}", key=admin)

    entries = first["entries"] + rest["entries"]
    assert [(one["verb"], one["space"]) for one in entries] == [("add", "alice")] * 2
    assert of_bob["entries"] == []
    assert len(site.memory.keys.audit().entries) == 4
    assert site.problem("GET", "/v1/audit?space=bob&limt=3", key=admin)["status"] == 422


@pytest.mark.parametrize("route", ADMIN, ids=lambda one: f"{one.method} {one.path}")
def test_what_is_administered_is_in_the_audit_log(site: Any, admin: str, route: Any) -> None:
    made = site.memory.keys.create(space="alice").id

    site.ask(route.method, route.path.replace("{id}", made), route.example, key=admin)
    site.server.audit.close()

    [noted] = site.memory.keys.audit(space="alice").entries
    assert (noted.verb, noted.space) == (route.verb, "alice")
    assert noted.status < 300
