"""What goes out comes in again: whole into an empty space, and beside what is kept elsewhere."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simonides import Item, Kind, Memory, MemoryTraits, Person
from simonides.errors import EmbedderError, ImportFailed, InvalidInput, NotFound
from simonides.ingest.keep import keep
from simonides.maintenance import import_export
from simonides.maintenance.import_export import is_export

Open = Callable[..., Memory]


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    """A space in which something of every sort is kept."""
    made = open_memory()
    made.add([f'note {n} about\nthe harbor \u2028 "quoted" Ärger' for n in range(8)])
    made.add(
        Item(
            id="m", kind=Kind.EMAIL, source="gmail", source_id="<1@x>", title="Re: Alpha",
            content="mail", people=(Person(name="Sarah", address="sarah@example.com"),),
            metadata={"a": {"$b": [1, 2.5, None, {}, ""]}, "big": 2**70, "_x": ""}, position=0,
            session="s", happened_at=made._runtime.clock(), tags=("x", "y"), quoted="> old",
        )
    )  # fmt: skip
    made.add("a fact", id="f", traits={"half_life_hours": 0.1, "expires_at": "2027-01-01T00:00Z"})
    made.update("m", content="mail, changed")
    made.update("m", title="Re: Alpha again")
    made.add("gone", id="g")
    made.forget("g")
    made.record_usage("m", "f")
    made.background.put("first")
    hidden = made.background.put("of work, deleted", collection="work")
    made.background.delete(hidden.id)
    made.background.put("of work", collection="work")
    made.add("erased", id="e")
    made.erase("e")
    made.brief("alpha harbor", keep_receipt=True)
    return made


def exported(memory: Memory) -> bytes:
    stream = io.BytesIO()
    memory.export(stream)
    return stream.getvalue()


@pytest.fixture
def file(memory: Memory, tmp_path: Path) -> Path:
    """An export of the space."""
    return Path(memory.export(tmp_path / "out.simonides.jsonl").file)


def test_what_goes_out_and_in_goes_out_the_same(
    memory: Memory, open_memory: Open, file: Path
) -> None:
    other = open_memory(space="copy")
    report = other.import_(file)

    assert (report.skipped, report.unchanged, report.updated) == ((), 0, 0)
    assert report.added == len(file.read_bytes().splitlines()) - 2
    assert exported(other) == exported(memory) == file.read_bytes()
    assert all(one.sound for one in other.verify())


def test_the_copy_answers_as_the_original(memory: Memory, open_memory: Open, file: Path) -> None:
    other = open_memory(space="copy")
    other.import_(file)

    for query in ("harbor note 3", "alpha", "Sarah", "ärger"):
        one, copy = memory.search(query, limit=50), other.search(query, limit=50)
        assert [(hit.item, hit.score) for hit in copy] == [(hit.item, hit.score) for hit in one]
        assert copy.background == one.background
        assert other.brief(query).text == memory.brief(query).text
    assert other.get("m", as_of=9) == memory.get("m", as_of=9)
    assert other.engagement("m") == memory.engagement("m")
    assert other.stats().revision == memory.stats().revision


def test_a_stored_receipt_is_replayed_in_the_copy(
    memory: Memory, open_memory: Open, file: Path
) -> None:
    other = open_memory(space="copy")
    other.import_(file)
    receipt = memory.brief("alpha harbor").receipt

    assert other.replay(receipt.id).exact


def test_what_was_erased_or_forgotten_stays_away_from_the_copy(
    open_memory: Open, file: Path, tmp_path: Path
) -> None:
    other = open_memory(space="copy")
    other.import_(file)
    (tmp_path / "again.simonides.jsonl").write_bytes(file.read_bytes())

    with pytest.raises(NotFound):
        other.get("g")
    [outcome] = keep([Item(content="erased", id="e")], other._opened, revive=False)

    assert outcome.change == "forgotten"


def test_importing_twice_changes_nothing(open_memory: Open, file: Path) -> None:
    other = open_memory(space="copy")
    other.import_(file)
    before = exported(other)

    report = other.import_(file)

    assert (report.added, report.updated, report.skipped) == (0, 0, ())
    assert exported(other) == before


def test_elsewhere_it_is_put_beside_what_is_kept(open_memory: Open, file: Path) -> None:
    other = open_memory(space="other")
    other.add("my own", id="own")
    other.background.put("mine", collection="mine")

    report = other.import_(file)

    assert other.get("own").content == "my own"
    assert other.get("m").content == "mail, changed"
    assert other.get("f").traits == MemoryTraits(
        half_life_hours=0.1, expires_at=import_export_time()
    )
    assert other.background.get() is not None
    assert other.engagement("m") is not None
    assert len(report.skipped) == 1
    assert "3 past versions" in report.skipped[0].where
    assert all(one.sound for one in other.verify())
    again = other.import_(file)
    assert (again.added, again.updated) == (0, 0)


def import_export_time() -> Any:
    from datetime import UTC, datetime

    return datetime(2027, 1, 1, tzinfo=UTC)


def test_what_was_kept_here_later_stays_and_what_was_before_is_replaced(
    open_memory: Open, file: Path
) -> None:
    from datetime import timedelta

    other = open_memory(space="other")
    clock = other._runtime.clock
    other._runtime.clock = lambda: clock() + timedelta(hours=1)
    other.add("later", id="f")
    other._runtime.clock = lambda: clock() - timedelta(hours=1)
    other.add("earlier", id="m")
    other._runtime.clock = clock

    report = other.import_(file)

    assert other.get("f").content == "later"
    assert other.get("m").content == "mail, changed"
    assert report.updated == 1
    assert "another version was kept here later, and stays" in [s.reason for s in report.skipped]


def test_what_was_forgotten_or_erased_here_stays_away(open_memory: Open, file: Path) -> None:
    other = open_memory(space="other")
    other.add("x", id="m")
    other.forget("m")
    other.add("x", id="f")
    other.erase("f")

    report = other.import_(file)

    assert {"m", "f"}.isdisjoint(item.id for item in other.list(limit=99).items)
    assert sum("forgotten or erased here" in one.reason for one in report.skipped) == 2


def test_bad_lines_are_reported_by_their_number_and_the_rest_comes(
    open_memory: Open, file: Path
) -> None:
    lines = file.read_text().splitlines(keepends=True)
    bad = ["{not json\n", '{"thing":{}}\n', '{"version":{"item":{}}}\n', "\n", '"text"\n',
           '{"receipt":{"id":1,"at":"x","text":""}}\n', '{"erased":{"id_hash":"x"}}\n']  # fmt: skip
    file.write_text("".join([lines[0], *bad, *lines[1:]]))
    other = open_memory(space="copy")

    report = other.import_(file)

    reported = {one.where.partition(": ")[2] for one in report.skipped}
    assert reported == {f"line {n}" for n in range(2, 9)} | {"end"}
    assert report.added == len(lines) - 2
    assert other.get("m").content == "mail, changed"


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda lines: lines[:-1], ["end"]),
        (lambda lines: [*lines[:-3], lines[-1]], ["end"]),
        (lambda lines: [*lines, lines[1]], ["line"]),
        (lambda lines: [*lines[:3], lines[0], *lines[3:]], ["line", "end"]),
        (lambda lines: [one.replace("harbor", "barbor") for one in lines], ["end"]),
    ],
)
def test_an_export_that_is_not_whole_is_told_and_what_is_there_is_kept(
    open_memory: Open, file: Path, change: Callable[[list[str]], list[str]], where: list[str]
) -> None:
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(change(lines)))
    other = open_memory(space="copy")

    report = other.import_(file)

    assert [one.where.partition(": ")[2].split()[0] for one in report.skipped] == where
    assert report.added > 3
    assert other.stats().items > 3


@pytest.mark.parametrize(
    "head",
    [
        '{"simonides_export":2}',
        '{"simonides_export":1,"uuid":3}',
        '{"simonides_export":"1"}',
        '{"simonides_export":}',
    ],
)
def test_a_head_that_can_not_be_read_keeps_everything_out(
    open_memory: Open, file: Path, head: str
) -> None:
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([f"{head}\n", *lines[1:]]))
    other = open_memory(space="copy")

    with pytest.raises(ImportFailed):
        other.import_(file)

    assert other.spaces() == ("ana",)


def test_a_model_that_fails_leaves_an_empty_space(
    open_memory: Open, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_export, "BATCH_RECORDS", 4)
    other = open_memory(space="copy")
    embedder: Any = other._runtime.embedder
    embed, calls = embedder.embed, []

    def failing(texts: Any) -> Any:
        calls.append(len(texts))
        if len(calls) > 1:
            raise RuntimeError("no model")
        return embed(texts)

    monkeypatch.setattr(embedder, "embed", failing)
    with pytest.raises(EmbedderError, match="RuntimeError: no model"):
        other.import_(file)
    monkeypatch.setattr(embedder, "embed", embed)

    assert other.stats().items == 0
    assert other.import_(file).skipped == ()
    assert exported(other) == file.read_bytes()


def test_progress_is_reported_as_it_comes_in(
    open_memory: Open, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_export, "BATCH_RECORDS", 2)
    for space in ("copy", "other"):
        reported: list[Any] = []
        other = open_memory(space=space)
        if space == "other":
            other.add("own")
        other.import_(file, on_progress=reported.append)

        done = [one.bytes_done for one in reported]
        assert len(reported) > 2
        assert done == sorted(done)
        assert {one.bytes_total for one in reported} == {file.stat().st_size}
        assert done[-1] <= file.stat().st_size


def test_the_file_is_called_after_the_space_in_a_folder(memory: Memory, tmp_path: Path) -> None:
    report = memory.export(tmp_path)

    assert report.file == str(tmp_path / "ana.simonides.jsonl")
    assert report.bytes == (tmp_path / "ana.simonides.jsonl").stat().st_size
    assert (report.items, report.versions, report.backgrounds) == (10, 13, 2)
    assert (report.engagements, report.receipts, report.proposals, report.erased) == (2, 1, 0, 2)
    assert (tmp_path / "ana.simonides.jsonl").stat().st_mode & 0o777 == 0o600


def test_no_file_is_written_over_and_none_is_left_half(memory: Memory, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("mine")

    with pytest.raises(InvalidInput, match="is there already"):
        memory.export(there)
    for nowhere in (tmp_path / "nowhere", there):
        with pytest.raises(InvalidInput, match="is no folder; make it first"):
            memory.export(nowhere / "file")

    assert there.read_text() == "mine"

    class Full(io.BytesIO):
        def write(self, *_: Any) -> int:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        memory.export(Full())


def test_a_space_that_was_never_written_to_can_not_go_out(
    open_memory: Open, tmp_path: Path
) -> None:
    with pytest.raises(NotFound):
        open_memory(space="nobody").export(tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_every_line_is_one_json_object_and_the_head_comes_first(file: Path) -> None:
    lines = [json.loads(line) for line in file.read_text().splitlines()]

    assert next(iter(lines[0])) == "simonides_export"
    assert {len(line) for line in lines[1:]} == {1}
    names = [next(iter(line)) for line in lines[1:]]
    assert names == sorted(
        names, key=["erased", "background", "version", "engagement", "receipt", "end"].index
    )


def test_an_export_is_known_by_its_first_bytes(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "chat.jsonl"
    other.write_text('{"text": "simonides_export"}\n')

    assert is_export(file)
    assert not is_export(other)
    assert not is_export(tmp_path)
    assert not is_export(tmp_path / "nowhere")


def test_an_export_in_a_folder_of_other_things_is_passed_over(
    open_memory: Open, file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.simonides.jsonl").write_bytes(file.read_bytes())
    (folder / "note.md").write_text("a note")

    report = open_memory(space="other").import_(folder)

    assert report.added == 1
    assert "import that file by itself" in report.skipped[0].reason
