"""`/v1/imports`: an upload, how far it is, and how it is stopped; nothing of it stays on disk."""

import errno
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from simonides.http.imports import Imports, State, safe_name

NOTES = b"# Alpha\n\nThe deadline moved to Friday.\n"


def upload(
    site: Any, *, key: str = "", name: str = "notes.md", data: bytes = NOTES, **fields: Any
) -> Any:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    headers |= {"Idempotency-Key": fields.pop("once")} if "once" in fields else {}
    return site.client.post(
        "/v1/imports", files={"file": (name, data)}, data=fields, headers=headers
    )


def ended(site: Any, import_id: str, *, key: str = "") -> Any:
    """Return how an import ended, waiting for the threads that run imports."""
    site.server.imports._pool.shutdown(wait=True)
    return site.answer("GET", f"/v1/imports/{import_id}", key=key)


def left(site: Any) -> list[Path]:
    folder = site.server.uploads
    return list(folder.iterdir()) if folder.exists() else []


def test_an_upload_is_imported_and_gone(site: Any) -> None:
    begun = upload(site, source="desk")
    told = ended(site, begun.json()["id"])

    assert (begun.status_code, begun.headers["location"]) == (202, f"/v1/imports/{told['id']}")
    assert (told["state"], told["file"], told["report"]["added"]) == ("done", "notes.md", 1)
    assert told["progress"]["read"] == 1
    assert site.memory.search("deadline").hits[0].item.source == "desk"
    assert left(site) == []


def test_what_cannot_be_read_is_told_and_gone(site: Any) -> None:
    told = ended(site, upload(site, name="x.xyz", data=b"\x00\x01\x02").json()["id"])

    assert told["state"] in ("failed", "done")
    assert str(site.server.uploads) not in str(told)
    assert left(site) == []


def test_an_export_is_read_in_again(site: Any) -> None:
    site.add("one", "two")
    exported = site.ask("GET", "/v1/export").content
    key = site.key("other")

    told = ended(
        site, upload(site, key=key, name="x.simonides.jsonl", data=exported).json()["id"], key=key
    )

    assert told["state"] == "done"
    assert site.memory.in_space("other").stats().items == 2


def test_an_import_is_seen_by_its_own_space_alone(site: Any) -> None:
    alice, bob = site.key("alice"), site.key("bob")
    import_id = upload(site, key=alice).json()["id"]
    ended(site, import_id, key=alice)

    assert len(site.answer("GET", "/v1/imports", key=alice)["imports"]) == 1
    assert site.answer("GET", "/v1/imports", key=bob)["imports"] == []
    assert site.problem("GET", f"/v1/imports/{import_id}", key=bob)["status"] == 404
    assert site.problem("DELETE", f"/v1/imports/{import_id}", key=bob)["status"] == 404


def test_an_import_that_is_cancelled_keeps_what_it_read(site: Any, monkeypatch: Any) -> None:
    came, go_on = threading.Event(), threading.Event()
    plain = type(site.memory).import_

    def slow(self: Any, path: Path, *, on_progress: Any, **named: Any) -> Any:
        def told(progress: Any) -> None:
            came.set()
            assert go_on.wait(20)
            on_progress(progress)

        return plain(self, path, on_progress=told, **named)

    monkeypatch.setattr(type(site.memory), "import_", slow)
    import_id = upload(site).json()["id"]
    assert came.wait(20)
    running = site.answer("GET", f"/v1/imports/{import_id}")
    site.answer("DELETE", f"/v1/imports/{import_id}")
    go_on.set()
    told = ended(site, import_id)

    assert running["state"] == "running"
    assert (told["state"], told["report"]) == ("cancelled", None)
    assert told["progress"]["added"] == 1
    assert site.memory.stats().items == 1
    assert left(site) == []


def test_the_same_upload_with_one_key_is_begun_once(site: Any) -> None:
    first, again = upload(site, once="k"), upload(site, once="k")
    other = upload(site, once="k", data=b"something else")

    assert again.json()["id"] == first.json()["id"]
    assert again.headers["idempotency-replayed"] == "true"
    assert other.status_code == 409
    ended(site, first.json()["id"])
    assert left(site) == []


@pytest.mark.parametrize(
    ("fields", "status"), [({"trust": "blind"}, 422), ({"source": "x" * 300}, 422)]
)
def test_a_field_that_does_not_fit_is_refused(
    site: Any, fields: dict[str, Any], status: int
) -> None:
    assert upload(site, **fields).status_code == status
    assert left(site) == []


def test_an_upload_must_be_one_of_a_known_length_within_bounds(open_site: Any) -> None:
    with open_site(upload_bytes_max=300) as site:
        form = {"Content-Type": "multipart/form-data; boundary=b"}

        assert upload(site, data=b"x" * 400).status_code == 413
        assert site.ask("POST", "/v1/imports", {}).status_code == 415
        assert site.ask("POST", "/v1/imports", b"no form", headers=form).status_code in (400, 422)
        assert (
            site.ask("POST", "/v1/imports", headers=form, content=iter([b"x"])).status_code == 411
        )


def test_more_imports_than_there_may_be_are_refused(open_site: Any, monkeypatch: Any) -> None:
    go_on = threading.Event()
    with open_site(streams_max=1) as site:
        monkeypatch.setattr(type(site.memory), "import_", lambda *_, **__: go_on.wait(20))
        first = upload(site)
        second = upload(site)
        go_on.set()

        assert (first.status_code, second.status_code) == (202, 503)
        assert second.headers["retry-after"] == "1"
        ended(site, first.json()["id"])


def test_uploads_of_a_server_that_was_killed_are_removed(tmp_path: Path) -> None:
    dead, other = tmp_path / "999999999-ab", tmp_path / "keep-me"
    same_number, alive = tmp_path / f"{os.getpid()}-before-ab", tmp_path / f"{os.getppid()}-x-ab"
    endless = tmp_path / f"{'9' * 40}-x"
    for folder in (dead, other, same_number, alive, endless):
        folder.mkdir()
    (dead / "mail.mbox").write_bytes(b"secret")
    made = Imports(None, uploads=tmp_path, running_max=1)  # type: ignore[arg-type]  # no import here
    mine = made.folder()

    made.sweep()
    made.close()

    assert not dead.exists()
    assert not same_number.exists()
    assert all(one.exists() for one in (mine, other, alive, endless))
    assert mine.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("given", "name"),
    [("mail.mbox", "mail.mbox"), ("../../etc/passwd", "passwd"), ("C:\\a\\b.eml", "b.eml"),
     ("..", "upload"), ("", "upload"), ("a b\x00.md", "a_b_.md"),
     ("x" * 200 + ".md", "x" * 97 + ".md")],
)  # fmt: skip
def test_a_name_leads_nowhere_else(given: str, name: str) -> None:
    assert safe_name(given) == name


def test_a_mistake_of_ours_in_an_import_is_told_by_its_kind(site: Any, monkeypatch: Any) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("my secret")

    monkeypatch.setattr(type(site.memory), "import_", fails)
    told = ended(site, upload(site).json()["id"])

    assert (told["state"], told["code"]) == (State.FAILED, "unexpected")
    assert told["detail"] == "ZeroDivisionError"


def test_the_imports_of_one_space_leave_room_for_another(open_site: Any, monkeypatch: Any) -> None:
    go_on = threading.Event()
    with open_site(streams_max=4) as site:
        alice, bob = site.key("alice"), site.key("bob")
        monkeypatch.setattr(type(site.memory), "import_", lambda *_, **__: go_on.wait(20))
        of_alice = [upload(site, key=alice, data=b"%d" % n).status_code for n in range(3)]
        of_bob = upload(site, key=bob).status_code
        go_on.set()

    assert (of_alice, of_bob) == ([202, 202, 503], 202)
    assert left(site) == []


def test_an_import_that_is_cancelled_before_its_turn_reads_nothing(
    site: Any, monkeypatch: Any
) -> None:
    go_on, read = threading.Event(), []

    def slow(_: Any, path: Path, **__: Any) -> None:
        read.append(path.name)
        go_on.wait(20)

    monkeypatch.setattr(type(site.memory), "import_", slow)
    ids = [upload(site, name=f"{n}.md").json()["id"] for n in range(3)]
    waiting = site.answer("DELETE", f"/v1/imports/{ids[2]}")
    go_on.set()
    told = ended(site, ids[2])

    assert waiting["state"] == "waiting"
    assert (told["state"], told["progress"]) == ("cancelled", None)
    assert sorted(read) == ["0.md", "1.md"]
    assert left(site) == []


def test_an_import_goes_on_where_its_key_is_revoked_and_is_seen_no_more(
    site: Any, monkeypatch: Any
) -> None:
    came, go_on = threading.Event(), threading.Event()
    plain = type(site.memory).import_

    def slow(self: Any, *given: Any, **named: Any) -> Any:
        came.set()
        assert go_on.wait(20)
        return plain(self, *given, **named)

    monkeypatch.setattr(type(site.memory), "import_", slow)
    key = site.key("alice")
    import_id = upload(site, key=key).json()["id"]
    assert came.wait(20)
    site.memory.keys.revoke(key)
    refused = site.problem("GET", f"/v1/imports/{import_id}", key=key)["status"]
    go_on.set()
    told = ended(site, import_id, key=site.key("alice"))

    assert refused == 401
    assert told["state"] == "done"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_an_upload_for_which_there_is_no_room_is_told(
    site: Any, monkeypatch: Any, number: int
) -> None:
    def full(_: Any) -> Path:
        raise OSError(number, "no room", "/secret/place")

    monkeypatch.setattr(Imports, "folder", full)
    got = upload(site)

    assert (got.status_code, got.json()["code"]) == (507, "store_full")
    assert "secret" not in got.text


@pytest.mark.parametrize(
    "form",
    [
        {"files": [("file", ("a.md", b"a")), ("file", ("b.md", b"b"))]},
        {"files": [("file", ("a.md", b"a"))], "data": {f"f{n}": "x" for n in range(9)}},
        {"files": [("other", ("a.md", b"a"))]},
        {"data": {"file": "just text"}, "files": [("x", ("a.md", b"a"))]},
        {"files": [("file", ("a.md", b"a"))], "data": {"source": "x" * (2 << 20)}},
    ],
    ids=["two files", "many fields", "no file", "a text", "a giant field"],
)
def test_a_form_of_another_sort_is_refused_and_leaves_nothing(
    site: Any, form: dict[str, Any]
) -> None:
    got = site.client.post("/v1/imports", **form)

    assert got.status_code in (400, 422)
    assert got.headers["content-type"] == "application/problem+json"
    assert left(site) == []
    assert site.answer("GET", "/v1/imports") == {"imports": []}


@pytest.mark.parametrize(
    "name", ["../../../etc/cron.d/x.md", "/etc/x.md", "a/../../b.md", "-rf.md"]
)
def test_an_upload_lies_in_its_own_folder_whatever_it_is_called(
    site: Any, monkeypatch: Any, name: str
) -> None:
    lay: list[Path] = []
    monkeypatch.setattr(type(site.memory), "import_", lambda _, path, **__: lay.append(path))

    ended(site, upload(site, name=name).json()["id"])

    assert lay[0].parent.parent == site.server.uploads
    assert lay[0].name in {"x.md", "b.md", "-rf.md"}


def test_an_upload_that_is_longer_than_it_says_is_stopped(open_site: Any) -> None:
    with open_site(upload_bytes_max=1_000) as site:
        form = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\n'
        headers = {"Content-Type": "multipart/form-data; boundary=b", "Content-Length": "10"}
        got = site.ask(
            "POST", "/v1/imports", headers=headers, content=iter([form, *[b"x" * 400] * 5])
        )

        assert got.status_code == 413
        assert left(site) == []


def test_a_key_that_may_only_read_uploads_nothing_and_sees_no_import(site: Any) -> None:
    key = site.key("alice", "read")

    assert upload(site, key=key).status_code == 403
    assert site.problem("GET", "/v1/imports", key=key)["status"] == 403
    assert left(site) == []
