"""Export, backup, verify and repair through the command line."""

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def full(home: Any) -> Any:
    """A home with a little history."""
    with home.memory() as memory:
        memory.add(["one about the harbor", "two about the harbor"])
        memory.update(memory.add("three").id, content="three, changed")
        memory.background.put("about it all")
    return home


def contents(home: Any, *space: str) -> set[str]:
    return {item["content"] for item in home.answer("list", *space)["items"]}


@pytest.mark.slow
def test_an_export_goes_to_a_file_a_folder_or_a_pipe(full: Any, tmp_path: Path) -> None:
    report = full.answer("export", str(tmp_path / "a.simonides.jsonl"))
    status, out, err = full.run("export", "-")
    _, reported, _ = full.run("export", str(tmp_path))

    assert (report["items"], report["versions"], report["backgrounds"]) == (3, 4, 1)
    assert status == 0
    assert out == (tmp_path / "a.simonides.jsonl").read_text()
    assert "3 items, 4 versions, 1 backgrounds" in err
    assert reported == f"exported to {tmp_path / 'default.simonides.jsonl'}\n"
    full.refuses("export", str(tmp_path), code="invalid_input")
    full.refuses("export", "x", "--space", "nobody", code="not_found")


def test_an_export_in_and_out_again_is_the_same_bytes(full: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.simonides.jsonl"
    full.run("export", str(file))
    report = full.answer("import", str(file), "--space", "copy")
    status, out, _ = full.run("export", "-", "--space", "copy")

    assert (report["added"], report["skipped"]) == (5, [])
    assert (status, out) == (0, file.read_text())
    again = full.answer("import", str(file), "--space", "copy")
    assert (again["added"], again["unchanged"], again["skipped"]) == (0, 5, [])


def test_a_pipe_that_is_closed_is_no_error(full: Any) -> None:
    with full.start("export", "-") as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["simonides_export"] == 1
        process.stdout.close()
        process.wait(timeout=60)

    assert process.returncode in (0, -13)


def test_a_backup_is_put_back_by_repair(full: Any, tmp_path: Path) -> None:
    backup = tmp_path / "copy.sqlite3"
    made = full.answer("backup", str(backup))
    full.run("add", "came later")
    before = contents(full)

    report = full.answer("repair", "--from", str(backup))

    assert made["items"] == 3
    assert (report["items"], report["versions"]) == (3, 4)
    assert contents(full) == before - {"came later"}
    assert Path(report["aside"]).exists()
    full.refuses("backup", str(backup), code="invalid_input")
    full.refuses("repair", "--from", str(tmp_path / "nowhere"), code="invalid_input")


@pytest.mark.slow
def test_verify_tells_what_it_looked_at(full: Any) -> None:
    answer = full.answer("verify")
    status, out, _ = full.run("verify")

    assert answer["sound"]
    assert {one["check"] for one in answer["findings"]} >= {"structure", "index in memory"}
    assert status == 0
    assert "PROBLEM" not in out
    full.refuses("verify", "--space", "nobody", code="not_found")


@pytest.mark.slow
def test_a_scrub_looks_at_the_pages_alone_and_is_told_of_afterwards(full: Any) -> None:
    before = full.answer("stats")
    answer = full.answer("verify", "--scrub")

    assert before["scrubbed_at"] is None
    assert [one["check"] for one in answer["findings"]] == ["pages fit their checksums"]
    assert answer["sound"]
    stats = full.answer("stats")
    assert stats["scrubbed_at"] is not None
    assert (stats["page_checksums"], stats["pages_damaged"]) == (True, 0)
    assert stats["revision"] == before["revision"]
    assert "scrubbed" in full.run("stats")[1]


@pytest.mark.slow
def test_a_scrub_finds_a_page_that_differs(damaged: Any) -> None:
    content = bytearray(damaged.space.read_bytes())
    content[content.rindex(b"about the harbor")] ^= 1
    damaged.space.write_bytes(content)

    status, out, _ = damaged.run("verify", "--scrub")

    assert status == 8
    assert "simonides repair" in out


@pytest.mark.slow
def test_a_damaged_space_is_found_out_and_repaired(damaged: Any) -> None:
    content = bytearray(damaged.space.read_bytes())
    at = content.index(b"note 50 about the harbor") // 4096 * 4096
    content[at : at + 4096] = bytes(4096)
    damaged.space.write_bytes(content)

    status, out, _ = damaged.run("verify", "--json")
    assert (status, json.loads(out)["sound"]) == (8, False)
    status, out, err = damaged.run("repair")
    assert status == 8
    assert "lost item" in out
    assert "default.sqlite3.damaged-1" in err
    assert damaged.answer("verify")["sound"]
    assert damaged.is_sound()


@pytest.mark.slow
def test_a_changed_text_is_found_out_and_told(damaged: Any) -> None:
    content = damaged.space.read_bytes()
    damaged.space.write_bytes(content.replace(b"note 50 about", b"vote 50 about", 1))

    status, out, _ = damaged.run("verify", "--json")

    wrong = {one["check"] for one in json.loads(out)["findings"] if not one["sound"]}
    assert status == 8
    assert "pages fit their checksums" in wrong
    status, out, _ = damaged.run("repair", "--json")
    assert status == 8
    assert len(json.loads(out)["altered"]) == 1


def test_a_space_in_use_is_backed_up(full: Any, tmp_path: Path) -> None:
    with full.start("add", "--jsonl", "-") as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps({"content": "x"}).encode() + b"\n")
        process.stdin.flush()
        made = full.answer("backup", str(tmp_path / "copy"))
        process.stdin.close()
        process.wait(timeout=60)

    assert made["items"] in (3, 4)
    assert full.answer("repair", "--from", str(tmp_path / "copy"), "--space", "copy")["items"] > 2
