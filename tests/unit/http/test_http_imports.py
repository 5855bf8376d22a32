"""`/v1/imports`: an upload, how far it is, and how it is stopped; nothing of it stays on disk."""

import errno
import os
import queue
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from simonides.http.import_process import End, Failure, Hear, Order
from simonides.http.import_status import State
from simonides.http.imports import Imports, safe_name
from simonides.http.limits import Limits
from simonides.model.import_report import ImportProgress, ImportReport
from simonides.working_memory.in_process import InProcessWorkingMemory

WAIT_S = 30.0

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
    """Return how an import ended, waiting for its process."""
    assert site.server.imports.wait(left_s=WAIT_S)
    return site.answer("GET", f"/v1/imports/{import_id}", key=key)


class Acted:
    """An import that does what a test wants, in the place of a process: it may hang until killed.

    `at_work` are those that were begun, in their order.
    """

    def __init__(self, order: Order, at_work: "queue.Queue[Acted]", reports: Sequence[Any]) -> None:
        self.order = order
        self.go_on = threading.Event()
        self._reports = reports
        self._is_killed = False
        self._at_work = at_work

    def listen(self, hear: Hear) -> End:
        for one in self._reports[:-1]:
            hear(one)
        self._at_work.put(self)
        assert self.go_on.wait(WAIT_S)
        failure = Failure(code="import_failed", detail="killed")
        return failure if self._is_killed else self._reports[-1]

    def kill(self) -> None:
        self._is_killed = True
        self.go_on.set()


PROGRESS = ImportProgress(
    read=1, added=1, unchanged=0, updated=0, skipped=0, bytes_done=1, bytes_total=9
)


def acting(site: Any, *reported: ImportProgress | End, hangs: bool = True) -> "queue.Queue[Acted]":
    """Have the imports of a site be acted; return where those that have begun are found."""
    at_work: queue.Queue[Acted] = queue.Queue()

    def start(order: Order) -> Acted:
        acted = Acted(order, at_work, reported or (PROGRESS, ImportReport(added=1)))
        if not hangs:
            acted.go_on.set()
        return acted

    site.server.imports._start = start
    return at_work


def left(site: Any) -> list[Path]:
    folder = site.server.uploads
    return list(folder.iterdir()) if folder.exists() else []


def test_running_and_waiting_imports_are_counted(site: Any) -> None:
    at_work = acting(site)
    for _ in range(3):
        upload(site)
    first = at_work.get(timeout=WAIT_S)
    text = site.ask("GET", "/metrics").text

    assert site.server.imports.counts() == (1, 2), "one of a space at a time"
    assert 'simonides_imports{state="running"} 1.0' in text
    assert 'simonides_imports{state="waiting"} 2.0' in text
    first.go_on.set()
    for _ in range(2):
        at_work.get(timeout=WAIT_S).go_on.set()
    assert site.server.imports.wait(left_s=WAIT_S)
    assert site.server.imports.counts() == (0, 0)


def test_an_upload_is_imported_and_gone(site: Any) -> None:
    begun = upload(site, source="desk")
    response = ended(site, begun.json()["id"])

    assert (begun.status_code, begun.headers["location"]) == (202, f"/v1/imports/{response['id']}")
    assert (response["state"], response["file"], response["report"]["added"]) == (
        "done",
        "notes.md",
        1,
    )
    assert response["progress"]["read"] == 1
    assert site.memory.search("deadline").hits[0].item.source == "desk"
    assert left(site) == []


@pytest.mark.parametrize("over_http", [True, False])
def test_no_import_of_an_erased_space_is_known(site: Any, over_http: bool) -> None:
    begun = upload(site).json()["id"]
    ended(site, begun)
    kept = site.memory.add("the crane").id
    site.answer("POST", "/v1/erase", {"ids": [kept]})
    assert [one["id"] for one in site.answer("GET", "/v1/imports")["imports"]] == [begun]

    if over_http:
        site.answer("POST", "/v1/erase", {"everything": True})
    else:
        site.memory.erase(everything=True)
    assert site.answer("GET", "/v1/imports") == {"imports": []}
    site.answer("POST", "/v1/items", {"content": "the crane"})
    site.problem("GET", f"/v1/imports/{begun}")

    again = upload(site).json()["id"]
    assert ended(site, again)["state"] == "done"


def test_a_table_is_imported_with_a_mapping(site: Any) -> None:
    table = b"Text,Who\nThe crane is back,Mira\n"
    fields = {"mapping": '{"content": "Text", "author": "Who"}', "kind": "message"}
    begun = upload(site, name="a.csv", data=table, **fields).json()

    assert ended(site, begun["id"])["report"]["kinds"] == {"message": 1}


@pytest.mark.parametrize("mapping", ["content=Text", "[1]", '{"content": 7}', "[" * 100_000])
def test_a_mapping_of_another_form_is_refused(site: Any, mapping: str) -> None:
    answer = upload(site, name="a.csv", data=b"Text\na\n", mapping=mapping)

    assert answer.status_code == 422
    assert "mapping" in answer.text


def test_what_cannot_be_read_is_reported_and_gone(site: Any) -> None:
    response = ended(site, upload(site, name="x.xyz", data=b"\x00\x01\x02").json()["id"])

    assert response["state"] in ("failed", "done")
    assert str(site.server.uploads) not in str(response)
    assert left(site) == []


def test_an_upload_that_the_disk_refuses_is_told_and_leaves_nothing(site: Any) -> None:
    uploads = site.server.uploads
    uploads.parent.mkdir(exist_ok=True)
    uploads.write_bytes(b"in the way")
    answer = upload(site)

    assert (answer.status_code, answer.json()["code"]) == (507, "store_full")
    assert str(uploads) not in answer.text
    assert uploads.read_bytes() == b"in the way"


def test_an_upload_that_the_disk_does_not_let_go_is_removed_when_the_server_stops(
    site: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: Path) -> None:
        raise OSError(errno.EIO, "no luck", str(folder))

    with monkeypatch.context() as ill:
        ill.setattr("simonides.http.imports.remove_folder_durably", refuse)
        ended(site, upload(site).json()["id"])
    assert left(site) != []
    site.server.imports.stop()
    site.server.imports.wait(left_s=WAIT_S)

    assert left(site) == []


def test_an_export_is_read_in_again(site: Any) -> None:
    site.add("one", "two")
    exported = site.ask("GET", "/v1/export").content
    key = site.key("other")

    response = ended(
        site, upload(site, key=key, name="x.simonides.jsonl", data=exported).json()["id"], key=key
    )

    assert response["state"] == "done"
    assert site.memory.in_space("other").stats().items == 2


def test_an_import_is_seen_by_its_own_space_alone(site: Any) -> None:
    alice, bob = site.key("alice"), site.key("bob")
    import_id = upload(site, key=alice).json()["id"]
    ended(site, import_id, key=alice)

    assert len(site.answer("GET", "/v1/imports", key=alice)["imports"]) == 1
    assert site.answer("GET", "/v1/imports", key=bob)["imports"] == []
    assert site.problem("GET", f"/v1/imports/{import_id}", key=bob)["status"] == 404
    assert site.problem("DELETE", f"/v1/imports/{import_id}", key=bob)["status"] == 404


def test_an_import_that_is_cancelled_ends_at_once_wherever_it_is(site: Any) -> None:
    at_work = acting(site)
    import_id = upload(site).json()["id"]
    at_work.get(timeout=WAIT_S)
    running = site.answer("GET", f"/v1/imports/{import_id}")
    site.answer("DELETE", f"/v1/imports/{import_id}")
    reported = ended(site, import_id)
    again = site.answer("DELETE", f"/v1/imports/{import_id}")

    assert running["state"] == "running"
    assert (reported["state"], reported["report"], reported["code"]) == ("cancelled", None, "")
    assert reported["progress"]["added"] == 1
    assert again == reported
    assert left(site) == []


def test_the_same_upload_with_one_key_is_begun_once(site: Any) -> None:
    first, again = upload(site, once="k"), upload(site, once="k")
    other = upload(site, once="k", data=b"something else")

    assert again.json()["id"] == first.json()["id"]
    assert again.headers["idempotency-replayed"] == "true"
    assert other.status_code == 409
    ended(site, first.json()["id"])
    assert left(site) == []


@pytest.mark.parametrize("way", ["replayed", "full"])
def test_an_upload_that_is_not_wanted_is_removed_for_good(
    open_site: Any, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    with open_site(imports_waiting_max=1) as site:
        at_work = acting(site)
        first = upload(site, once="k")
        running = at_work.get(timeout=WAIT_S)
        if way == "full":
            upload(site)
        synced: list[tuple[Path, int]] = []

        def sync(folder: Path) -> None:
            synced.append((folder, len(left(site))))

        monkeypatch.setattr("simonides.disk.durable.sync_folder", sync)
        before = len(left(site))
        again = upload(site, once="k") if way == "replayed" else upload(site)
        monkeypatch.undo()
        running.go_on.set()
        if way == "full":
            at_work.get(timeout=WAIT_S).go_on.set()
        ended(site, first.json()["id"])

        assert again.status_code == {"replayed": 202, "full": 503}[way]
        assert synced[-1] == (site.server.uploads, before)


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


def test_more_imports_than_may_wait_are_refused(open_site: Any) -> None:
    with open_site(imports_waiting_max=1) as site:
        at_work = acting(site)
        first = upload(site)
        running = at_work.get(timeout=WAIT_S)
        waiting, refused = upload(site), upload(site)
        running.go_on.set()
        at_work.get(timeout=WAIT_S).go_on.set()

        assert (first.status_code, waiting.status_code, refused.status_code) == (202, 202, 503)
        assert refused.headers["retry-after"] == "1"
        assert ended(site, waiting.json()["id"])["state"] == "done"
        assert left(site) == []


def test_the_worker_is_asked_for_the_vectors_that_an_import_left(
    site: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(site.server.imports, "_on_waiting", lambda: asked.append("asked"))
    for waiting, times in ((0, 0), (7, 1)):
        acting(site, PROGRESS, ImportReport(added=1, waiting=waiting), hangs=False)
        report = ended(site, upload(site).json()["id"])["report"]
        assert (report["waiting"], len(asked)) == (waiting, times)


def test_uploads_of_a_server_that_was_killed_are_removed(tmp_path: Path) -> None:
    dead, other = tmp_path / "999999999-ab", tmp_path / "keep-me"
    same_number, alive = tmp_path / f"{os.getpid()}-before-ab", tmp_path / f"{os.getppid()}-x-ab"
    endless = tmp_path / f"{'9' * 40}-x"
    for folder in (dead, other, same_number, alive, endless):
        folder.mkdir()
    (dead / "mail.mbox").write_bytes(b"secret")
    made = Imports(
        None, uploads=tmp_path, limits=Limits(), shared=InProcessWorkingMemory(),  # type: ignore[arg-type]
    )  # fmt: skip
    mine = made.folder()

    made.sweep()

    assert not dead.exists()
    assert not same_number.exists()
    assert all(one.exists() for one in (mine, other, alive, endless))
    assert mine.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("given", "name"),
    [("mail.mbox", "mail.mbox"), ("../../etc/passwd", "passwd"), ("C:\\a\\b.eml", "b.eml"),
     ("..", "upload"), ("", "upload"), ("My notes (2).md", "My notes (2).md"),
     ("Mu\u0308ller.txt", "M\u00fcller.txt"), ("会議メモ.txt", "会議メモ.txt"),
     ("नमस्\u200dते.md", "नमस्\u200dते.md")],
)  # fmt: skip
def test_a_safe_name_stays(given: str, name: str) -> None:
    assert safe_name(given) == name


@pytest.mark.parametrize(
    ("given", "stem", "ending"),
    [("a b\x00.md", "a b_", ".md"), (".bashrc", "bashrc", ""), ("a\u202etxt.exe", "a_txt", ".exe"),
     ("a\ud83c.md", "a_", ".md"), ("x" * 300 + ".md", "x" * 200, ".md"),
     ("議" * 100 + ".mbox", "議" * 66, ".mbox"), ("a." + "x" * 300, "a." + "x" * 198, "")],
)  # fmt: skip
def test_an_unsafe_name_is_changed_and_marked(given: str, stem: str, ending: str) -> None:
    name = safe_name(given)

    assert name.startswith(f"{stem}-")
    assert name.endswith(ending)
    assert len(name.encode()) <= 255
    assert safe_name(given + "x") != name != safe_name("x" + given)


def test_names_in_any_script_are_items_of_their_own(site: Any) -> None:
    names = ("Müller.txt", "Möller.txt", "会議メモ.txt", "予定表.txt", "a:b.txt", "a?b.txt")
    for name in names:
        began = upload(site, name=name, data=b"The deadline moved to Friday.")
        assert ended(site, began.json()["id"])["state"] == "done"

    titles = {one["title"] for one in site.answer("GET", "/v1/items")["items"]}

    assert len(titles) == len(names)
    assert titles > {"Müller", "Möller", "会議メモ", "予定表"}


@pytest.mark.parametrize(
    ("field", "problem"),
    [("trsut", "is not known; did you mean 'trust'?"), ("paths", "is not known; there are"),
     ("wait", "is not known; there are")],
)  # fmt: skip
def test_an_unknown_field_beside_an_upload_is_refused(site: Any, field: str, problem: str) -> None:
    sent: dict[str, Any] = {field: "external"}
    refused = upload(site, **sent)

    assert refused.status_code == 422
    [error] = refused.json()["errors"]
    assert error["field"] == field
    assert error["problem"].startswith(problem)
    assert upload(site, space="elsewhere").status_code == 202


def test_a_mistake_of_ours_in_an_import_is_told_by_its_kind(site: Any) -> None:
    def fails(_: Order) -> Acted:
        raise ZeroDivisionError("my secret")

    site.server.imports._start = fails
    response = ended(site, upload(site).json()["id"])

    assert (response["state"], response["code"]) == (State.FAILED, "unexpected")
    assert response["detail"] == "ZeroDivisionError"
    assert left(site) == []


def test_the_imports_of_one_space_never_hold_those_of_another(site: Any) -> None:
    eve, bob = site.key("eve"), site.key("bob")
    at_work = acting(site)
    for _ in range(3):
        upload(site, key=eve)
    stuck = at_work.get(timeout=WAIT_S)
    import_id = upload(site, key=bob).json()["id"]
    of_bob = at_work.get(timeout=WAIT_S)
    of_bob.go_on.set()
    stuck.go_on.set()
    spaces = [stuck.order.opening.space, of_bob.order.opening.space]
    for _ in range(2):
        at_work.get(timeout=WAIT_S).go_on.set()

    assert spaces == ["eve", "bob"]
    assert ended(site, import_id, key=bob)["state"] == "done"


def test_spaces_that_wait_take_turns(open_site: Any) -> None:
    with open_site(imports_running_max=1) as site:
        keys = {name: site.key(name) for name in ("eve", "bob", "cleo")}
        at_work, order = acting(site), []
        for name in ("eve", "eve", "eve", "bob", "bob", "cleo"):
            assert upload(site, key=keys[name]).status_code == 202
        for _ in range(6):
            running = at_work.get(timeout=WAIT_S)
            order.append(running.order.opening.space)
            running.go_on.set()

    assert order == ["eve", "eve", "bob", "cleo", "eve", "bob"]


def test_an_import_that_is_cancelled_before_its_turn_is_never_begun(site: Any) -> None:
    at_work = acting(site)
    first, second = (upload(site, name=f"{n}.md").json()["id"] for n in range(2))
    running = at_work.get(timeout=WAIT_S)
    waiting = site.answer("DELETE", f"/v1/imports/{second}")
    running.go_on.set()

    assert (waiting["state"], waiting["progress"]) == ("cancelled", None)
    assert ended(site, first)["state"] == "done"
    assert at_work.empty()
    assert left(site) == []


@pytest.mark.parametrize("reports", [(), (Failure(code="import_failed", detail="no mail in it"),)])
def test_a_server_that_stops_ends_every_import_and_begins_no_other(
    open_site: Any, reports: Any
) -> None:
    with open_site() as site:
        at_work = acting(site, *reports)
        ids = [upload(site).json()["id"] for _ in range(3)]
        at_work.get(timeout=WAIT_S)
        site.server.begin_stop()
        states = [ended(site, one)["state"] for one in ids]

        assert states == ["cancelled"] * 3
        assert upload(site).status_code == 503
        assert left(site) == []


@pytest.mark.parametrize(
    "limits",
    [{"import_pause_s": 0.01}, {"import_s": 0.01}, {"import_memory_max": 1 << 20}],
    ids=["gets nowhere", "takes too long", "takes too much memory"],
)
def test_a_process_that_takes_too_much_is_killed(open_site: Any, limits: dict[str, Any]) -> None:
    with open_site(**limits) as site:
        response = ended(site, upload(site).json()["id"])

        assert (response["state"], response["code"]) == ("failed", "import_failed")
        assert response["detail"]
        assert left(site) == []


def test_files_of_an_upload_are_its_owners_alone(open_site: Any, tmp_path: Path) -> None:
    with open_site() as site:
        at_work = acting(site)
        upload(site)
        running = at_work.get(timeout=WAIT_S)
        path = running.order.path
        modes = [one.stat().st_mode & 0o777 for one in (path, path.parent, path.parent.parent)]
        running.go_on.set()

    assert modes == [0o600, 0o700, 0o700]
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700


def test_an_import_goes_on_where_its_key_is_revoked_and_is_seen_no_more(site: Any) -> None:
    at_work, key = acting(site), site.key("alice")
    import_id = upload(site, key=key).json()["id"]
    running = at_work.get(timeout=WAIT_S)
    site.memory.keys.revoke(key)
    refused = site.problem("GET", f"/v1/imports/{import_id}", key=key)["status"]
    running.go_on.set()
    reported = ended(site, import_id, key=site.key("alice"))

    assert refused == 401
    assert reported["state"] == "done"


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
def test_an_upload_lies_in_its_own_folder_whatever_it_is_called(site: Any, name: str) -> None:
    at_work = acting(site, hangs=False)

    ended(site, upload(site, name=name).json()["id"])
    path = at_work.get(timeout=WAIT_S).order.path

    assert path.parent.parent == site.server.uploads
    assert path.name in {"x.md", "b.md", "-rf.md"}


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


# ── imports that get nowhere while others wait ────────────────────────────────────────────────


class Clock:
    """A clock that a test sets."""

    now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def crowd(open_site: Any, clock: Clock) -> Iterator[tuple[Any, "queue.Queue[Acted]"]]:
    """A site of two places for imports, with keys for `eve`, `mal`, `bob` and `cleo`."""
    with open_site(imports_running_max=2, import_yield_s=20.0) as site:
        site.keys = {name: site.key(name) for name in ("eve", "mal", "bob", "cleo")}
        site.server.imports._clock = clock
        yield site, acting(site)


def begun(site: Any, name: str) -> str:
    return str(upload(site, key=site.keys[name]).json()["id"])


def state(site: Any, name: str, import_id: str) -> Any:
    return site.answer("GET", f"/v1/imports/{import_id}", key=site.keys[name])


def space_of(at_work: "queue.Queue[Acted]") -> tuple[str, Acted]:
    acted = at_work.get(timeout=WAIT_S)
    return acted.order.opening.space, acted


def test_two_imports_that_get_nowhere_let_a_third_in_soon(crowd: Any, clock: Clock) -> None:
    site, at_work = crowd
    ids = {name: begun(site, name) for name in ("eve", "mal")}
    stuck = dict(space_of(at_work) for _ in range(2))
    ids["bob"] = begun(site, "bob")
    clock.now_s += 19.9
    site.server.imports.look()
    assert at_work.empty()

    clock.now_s += 0.1
    site.server.imports.look()
    name, acted = space_of(at_work)
    assert name == "bob"
    acted.go_on.set()

    again, anew = space_of(at_work)  # one of the two gave way, and begins anew behind bob
    assert anew.order.path.exists()
    for one in (anew, *stuck.values()):
        one.go_on.set()
    assert state(site, "bob", ids["bob"])["state"] in ("running", "done")
    assert ended(site, ids[again], key=site.keys[again])["state"] == "done"
    assert left(site) == []


def test_an_import_that_gives_way_twice_fails_and_says_why(crowd: Any, clock: Clock) -> None:
    site, at_work = crowd
    import_id = begun(site, "eve")
    space_of(at_work)
    steady = begun(site, "mal"), space_of(at_work)[1]
    for name in ("bob", "cleo"):
        waiting = begun(site, name)
        site.server.imports._running["mal"].moved_s = clock.now_s + 20.0  # it gets on
        clock.now_s += 20.0
        site.server.imports.look()
        space, acted = space_of(at_work)
        assert space == name
        acted.go_on.set()
        if name == "bob":
            assert space_of(at_work)[0] == "eve"
        del waiting
    steady[1].go_on.set()

    reported = ended(site, import_id, key=site.keys["eve"])
    assert (reported["state"], reported["code"]) == ("failed", "import_failed")
    assert reported["detail"].startswith(
        "it got nowhere for 20 s while imports of other spaces waited"
    )
    assert reported["progress"]["added"] == 1
    assert left(site) == []


@pytest.mark.parametrize(
    ("after_s", "why"),
    [(600.0, "a part of it took longer than it may"),
     (6 * 3600.0, "it took longer than an import may")],
)  # fmt: skip
def test_an_import_that_takes_too_long_says_so(
    crowd: Any, clock: Clock, after_s: float, why: str
) -> None:
    site, at_work = crowd
    import_id = begun(site, "eve")
    space_of(at_work)
    clock.now_s += after_s
    site.server.imports.look()
    reported = ended(site, import_id, key=site.keys["eve"])

    assert (reported["state"], reported["code"], reported["detail"]) == (
        "failed",
        "import_failed",
        why,
    )


def test_an_import_gives_way_to_nobody_but_another_space(crowd: Any, clock: Clock) -> None:
    site, at_work = crowd
    first, second = (begun(site, "eve") for _ in range(2))
    acted = space_of(at_work)[1]
    clock.now_s += 500.0
    site.server.imports.look()
    running = state(site, "eve", first)["state"], state(site, "eve", second)["state"]
    begun(site, "mal")  # there is a place for it
    space, other = space_of(at_work)
    site.server.imports.look()

    assert running == ("running", "waiting")
    assert (space, at_work.empty()) == ("mal", True)
    for one in (acted, other):
        one.go_on.set()
    space_of(at_work)[1].go_on.set()
    assert ended(site, second, key=site.keys["eve"])["state"] == "done"


def test_an_import_that_gives_way_can_be_cancelled_where_it_waits(crowd: Any, clock: Clock) -> None:
    site, at_work = crowd
    ids = {name: begun(site, name) for name in ("eve", "mal")}
    for _ in range(2):
        space_of(at_work)
    begun(site, "bob")
    clock.now_s += 20.0
    site.server.imports.look()
    bob = space_of(at_work)[1]
    for name, import_id in ids.items():
        site.answer("DELETE", f"/v1/imports/{import_id}", key=site.keys[name])
    bob.go_on.set()
    states = [ended(site, one, key=site.keys[name])["state"] for name, one in ids.items()]

    assert states == ["cancelled", "cancelled"]
    assert left(site) == []


def test_who_waits_is_let_in_without_being_asked_for(open_site: Any) -> None:
    with open_site(imports_running_max=1, import_yield_s=0.01) as site:
        site.keys = {name: site.key(name) for name in ("eve", "bob")}
        at_work = acting(site)
        begun(site, "eve")
        space_of(at_work)
        import_id = begun(site, "bob")
        name, acted = space_of(at_work)
        while name != "bob":
            name, acted = space_of(at_work)
        acted.go_on.set()
        site.server.imports.stop()

        assert state(site, "bob", import_id)["state"] in ("done", "cancelled", "running")
        assert site.server.imports.wait(left_s=WAIT_S)
        assert left(site) == []


def test_an_import_waits_for_that_of_another_server(site: Any) -> None:
    taken = Failure(code="work_taken", detail="another server is at it")
    at_work = acting(site, PROGRESS, taken)
    begun = upload(site).json()
    for _ in range(3):
        at_work.get(timeout=WAIT_S).go_on.set()
    last = at_work.get(timeout=WAIT_S)
    response = site.answer("GET", f"/v1/imports/{begun['id']}")

    assert (response["state"], response["code"]) == ("running", "")
    last._reports = (ImportReport(added=1),)
    last.go_on.set()
    assert ended(site, begun["id"])["state"] == "done"
    assert left(site) == []


def test_an_import_that_waits_for_another_server_can_be_cancelled(site: Any) -> None:
    at_work = acting(site, Failure(code="work_taken", detail="another server is at it"))
    begun = upload(site).json()
    at_work.get(timeout=WAIT_S)
    site.ask("DELETE", f"/v1/imports/{begun['id']}")

    assert ended(site, begun["id"])["state"] == "cancelled"
    assert left(site) == []
