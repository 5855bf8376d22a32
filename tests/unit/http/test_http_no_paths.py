"""Nothing that is answered says where on the machine the server keeps anything."""

import json
import logging
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from simonides import Memory
from simonides.errors import (
    AccessDenied,
    EmbedderError,
    ImportFailed,
    ModelError,
    SimonidesError,
    StoreError,
)
from simonides.http.errors import refusal
from simonides.http.routes import ROUTES
from simonides.mcp.server import _error
from simonides.storage.sqlite.error_mapping import as_disk_error, as_store_error


def kinds(root: type[SimonidesError]) -> list[type[SimonidesError]]:
    """Return a class and all below it."""
    return [root, *(one for sub in root.__subclasses__() for one in kinds(sub))]


HOME = "/srv/my home; of/ALL (old)/simonides"
KINDS = [
    kind for root in (StoreError, EmbedderError, ModelError, ImportFailed, AccessDenied)
    for kind in kinds(root) if kind.__module__ == "simonides.errors"
]  # fmt: skip


@pytest.mark.parametrize(
    "said", ["{} is held", "cannot write {} (denied); x", "what lies at '{}' is damaged"]
)
def test_an_error_of_any_kind_names_no_folder_at_any_door(
    site: Any, monkeypatch: Any, said: str
) -> None:
    path = "/srv/my home/ALL (old)/simonides/spaces/alice.sqlite3"
    for kind in KINDS:
        error = kind(said.format(path))
        monkeypatch.setattr(Memory, "stats", mock.Mock(side_effect=error))
        answered = site.ask("GET", "/v1/stats").text

        for seen in (answered, json.dumps(_error(error)), refusal(error).detail):
            assert "alice.sqlite3" in seen, kind
            assert "/srv" not in seen, kind
            assert "simonides/" not in seen, kind


def test_what_a_caller_sent_is_quoted_as_it_was_sent(site: Any) -> None:
    answer = site.problem("GET", "/v1/items/%2Fetc%2Fpasswd")

    assert answer["detail"] == "no item '/etc/passwd'"


@pytest.mark.parametrize("damage", [b"no database at all", b""])
def test_a_damaged_space_is_reported_without_its_place(site: Any, damage: bytes) -> None:
    home = site.server.uploads.parent
    (home / "spaces").mkdir(parents=True, exist_ok=True)
    (home / "spaces" / "alice.sqlite3").write_bytes(damage)
    key = site.key("alice", "admin")

    answer = [
        site.ask(one.method, one.path.replace("{id}", "x"), one.example, key=key).text
        for one in ROUTES if one.tag != "openai" and not one.is_upload
    ]  # fmt: skip

    assert str(home) not in "".join(answer)
    assert str(home.parent) not in "".join(answer)


def test_no_answer_at_all_names_the_home(site: Any) -> None:
    item = site.memory.remember("Alpha is due on Friday", entity="alpha")
    home = site.server.uploads.parent

    for route in ROUTES:
        if route.tag == "openai" or route.is_upload:
            continue
        body = {"ids": [item.id], "prove": True} if route.path == "/v1/erase" else route.example
        got = site.ask(route.method, route.path.replace("{id}", item.id), body)
        assert str(home) not in got.text, route.path


def test_a_failed_import_names_no_folder(open_site: Any, caplog: Any) -> None:
    caplog.set_level(logging.CRITICAL)
    with open_site(rate_per_s=1e6, rate_burst=10**6) as site:  # however often it has to be asked
        got = site.client.post("/v1/imports", files={"file": ("a.mbox", b"\x00\x01 no mail")})
        path = f"/v1/imports/{got.json()['id']}"
        while site.answer("GET", path)["state"] in ("waiting", "running"):
            pass

        assert str(site.server.uploads) not in site.ask("GET", path).text


@pytest.mark.parametrize("error", [OSError(13, "Permission denied", f"{HOME}/x"), ValueError(HOME)])
def test_an_error_that_is_not_ours_says_nothing(error: Exception) -> None:
    assert HOME not in refusal(error).detail
    assert HOME not in json.dumps(_error(error))


def test_what_the_store_says_of_a_file_keeps_its_name_alone() -> None:
    import apsw

    file = Path("/srv/data/spaces/alice.sqlite3")
    errors = [
        as_store_error(kind("x"), file=file)
        for kind in (apsw.BusyError, apsw.FullError, apsw.IOError, apsw.ReadOnlyError,
                     apsw.CorruptError, apsw.CantOpenError, apsw.SQLError)
    ]  # fmt: skip
    errors.append(as_disk_error(OSError(13, "Permission denied"), file=file))

    for error in errors:
        assert str(file) in str(error)  # for who runs the command line
        assert "/srv" not in refusal(error).detail
        assert "alice.sqlite3" in refusal(error).detail
