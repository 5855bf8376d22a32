"""Folders that are kept current, and documents that become shorter."""

import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import openpyxl
import pytest
from reportlab.pdfgen.canvas import Canvas

from simonides import Cause, ImportFailed, ImportReport, InvalidInput, Memory, Settings
from simonides.importers import extras
from simonides.storage.reader import StoredReader

Step = Callable[[Path], object]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:", settings=Settings(embedder="none")) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "desk"
    made.mkdir()
    return made


def watched(memory: Memory, folder: Path, *steps: Step) -> list[ImportReport]:
    """Return the reports of a watch during which these changes are made, one after the other."""
    reports: list[ImportReport] = []

    def changes() -> Iterator[set[Path]]:
        for step in steps:
            step(folder)
            yield set(folder.iterdir()) if folder.exists() else set()

    memory.watch(folder, changes=changes(), on_report=reports.append)
    return reports


def write(name: str, text: str) -> Step:
    def step(folder: Path) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)

    return step


def rename(old: str, new: str) -> Step:
    return lambda folder: (folder / old).rename(folder / new)


def remove(name: str) -> Step:
    return lambda folder: (folder / name).unlink()


def contents(memory: Memory) -> dict[str, str]:
    return {item.id: item.content for item in memory.list().items}


def pages(*texts: str, name: str = "report.pdf") -> Step:
    def step(folder: Path) -> None:
        canvas = Canvas(str(folder / name), invariant=1)
        for text in texts:
            canvas.drawString(72, 720, text)
            canvas.showPage()
        canvas.save()

    return step


# ── parts that a file no longer has ──


def test_a_document_that_became_shorter_keeps_no_page_of_before(
    memory: Memory, folder: Path
) -> None:
    pages("alpha budget", "beta budget", "gamma budget")(folder)
    memory.import_(folder)
    pages("alpha budget", "beta budget")(folder)

    report = memory.import_(folder)

    assert (report.withdrawn, report.unchanged + report.updated) == (1, 2)
    assert sorted(contents(memory).values()) == ["alpha budget", "beta budget"]


def test_a_page_comes_back_with_the_document_and_its_history_says_so(
    memory: Memory, folder: Path
) -> None:
    pages("alpha", "beta")(folder)
    memory.import_(folder)
    (last,) = [one for one, text in contents(memory).items() if text == "beta"]
    pages("alpha")(folder)
    memory.import_(folder)
    assert [one.cause for one in memory.history(last)] == [Cause.WITHDRAWN]

    pages("alpha", "beta")(folder)
    memory.import_(folder)

    assert contents(memory)[last] == "beta"
    assert [one.cause for one in memory.history(last)] == [Cause.WITHDRAWN, None]


def test_a_page_that_a_person_forgot_stays_away(memory: Memory, folder: Path) -> None:
    pages("alpha", "beta")(folder)
    memory.import_(folder)
    (last,) = [one for one, text in contents(memory).items() if text == "beta"]
    memory.forget(last)

    report = memory.import_(folder)

    assert last not in contents(memory)
    assert report.withdrawn == 0
    assert "forgotten" in report.skipped[0].reason


def test_a_page_without_words_is_known_and_a_damaged_file_loses_nothing(
    memory: Memory, folder: Path
) -> None:
    pages("alpha", "beta")(folder)
    memory.import_(folder)
    pages("alpha", "")(folder)
    assert memory.import_(folder).withdrawn == 1

    (folder / "report.pdf").write_bytes(b"%PDF-1.7\nbroken")
    assert memory.import_(folder).withdrawn == 0
    assert list(contents(memory).values()) == ["alpha"]


def test_a_sheet_that_is_gone_goes_and_a_dry_run_only_counts_it(
    memory: Memory, folder: Path
) -> None:
    book = openpyxl.Workbook()
    book.active.append(["plan", "one"])
    book.create_sheet("Second").append(["plan", "two"])
    book.save(folder / "book.xlsx")
    memory.import_(folder)
    del book["Second"]
    book.save(folder / "book.xlsx")

    assert memory.import_(folder, dry_run=True).withdrawn == 1
    assert len(contents(memory)) == 2
    assert memory.import_(folder).withdrawn == 1
    assert len(contents(memory)) == 1


def test_the_parts_of_another_source_stay(memory: Memory, folder: Path) -> None:
    pages("alpha", "beta")(folder)
    memory.import_(folder, source="archive")
    memory.import_(folder)
    pages("alpha")(folder)

    assert memory.import_(folder).withdrawn == 1
    assert len(memory.list(filter={"sources": ["archive"]}).items) == 2


def test_an_import_looks_at_no_other_item_of_the_space(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages("alpha", "beta")(folder)
    watched(memory, folder, rename("report.pdf", "plan.pdf"))
    pages("alpha", name="plan.pdf")(folder)
    for scan in ("item_rows", "metadata", "chunk_rows", "mention_rows"):
        monkeypatch.delattr(StoredReader, scan)

    report = memory.import_(folder)

    assert (report.added, report.updated, report.withdrawn) == (0, 1, 1)


# ── folders that are watched ──


def test_what_is_new_and_what_changes_is_imported_and_nothing_else(
    memory: Memory, folder: Path
) -> None:
    write("a.md", "first")(folder)
    write("b.md", "second")(folder)

    reports = watched(memory, folder, write("c.md", "third"), lambda _: None)
    again = watched(memory, folder, write("a.md", "first, changed"))

    assert [(one.added, one.updated) for one in reports[:2]] == [(2, 0), (1, 0)]
    assert [(one.added, one.updated, one.withdrawn) for one in again] == [(0, 0, 0), (0, 1, 0)]
    assert sorted(contents(memory).values()) == ["first, changed", "second", "third"]


def test_only_the_changed_files_are_read(memory: Memory, folder: Path) -> None:
    write("a.md", "first")(folder)

    def changes() -> Iterator[list[str]]:
        write("b.md", "second")(folder)
        yield [str(folder / "b.md")]
        yield []

    reports: list[ImportReport] = []
    memory.watch(folder, changes=changes(), on_report=reports.append)

    assert [one.read for one in reports] == [1, 1]


def test_what_is_removed_goes_and_comes_back_with_its_file(memory: Memory, folder: Path) -> None:
    write("a.md", "first")(folder)
    write("b.md", "second")(folder)

    first, gone = watched(memory, folder, remove("a.md"))[:2]
    assert (first.added, gone.withdrawn) == (2, 1)
    assert list(contents(memory).values()) == ["second"]

    watched(memory, folder, write("a.md", "first"))
    assert sorted(contents(memory).values()) == ["first", "second"]


def test_a_mail_goes_with_the_last_file_that_holds_it(memory: Memory, folder: Path) -> None:
    mail = "From: a@x.example\nMessage-ID: <1@x>\nSubject: Alpha\n\nwords\n"
    write("one.eml", mail)(folder)
    write("two.eml", mail)(folder)

    watched(memory, folder, remove("one.eml"))
    assert len(contents(memory)) == 1
    watched(memory, folder, remove("two.eml"))
    assert len(contents(memory)) == 0


@pytest.mark.parametrize("content", [write("old.md", "words"), pages("a", "b", name="old.md")])
def test_a_renamed_file_keeps_the_ids_of_its_items(
    memory: Memory, folder: Path, content: Step
) -> None:
    write("other.md", "else")(folder)
    content(folder)
    (folder / "deep").mkdir()

    reports = watched(memory, folder, rename("old.md", "deep/new.md"))
    before = contents(memory)
    assert sum(one.withdrawn for one in reports) == 0
    assert sum(one.added for one in reports) == len(before)

    report = memory.import_(folder)  # also one that knows nothing of the watch
    assert (report.added, report.unchanged) == (0, len(before))
    write("other.md", "changed")(folder)
    assert [one.withdrawn for one in watched(memory, folder)] == [0]
    assert contents(memory).keys() == before.keys()


def test_a_renamed_file_that_is_removed_later_goes(memory: Memory, folder: Path) -> None:
    write("a.md", "first")(folder)
    write("b.md", "second")(folder)

    watched(memory, folder, rename("a.md", "c.md"), rename("c.md", "d.md"))
    remove("d.md")(folder)

    assert [one.withdrawn for one in watched(memory, folder)] == [1]
    assert list(contents(memory).values()) == ["second"]


def test_a_renamed_file_whose_old_name_is_taken_is_a_file_of_its_own(
    memory: Memory, folder: Path
) -> None:
    write("a.md", "first")(folder)
    watched(memory, folder, rename("a.md", "b.md"))
    write("a.md", "new")(folder)

    watched(memory, folder)

    assert sorted(contents(memory).values()) == ["first", "new"]
    assert memory.import_(folder).unchanged == 2


def test_what_went_while_nobody_watched_goes_at_the_next_start(
    memory: Memory, folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "attic"
    other.mkdir()
    for place in (folder, other):
        write("a.md", f"in {place.name}")(place)
        write("b.md", f"also in {place.name}")(place)
        memory.import_(place)
        remove("a.md")(place)
    mine = memory.add("desk/a.md is mine", title="desk/a.md")

    assert memory.import_(folder).withdrawn == 0  # only who watches asks for it
    assert [one.withdrawn for one in watched(memory, folder)] == [1]

    assert mine.id in contents(memory)
    assert "in desk" not in contents(memory).values()
    assert "in attic" in contents(memory).values()


def test_a_folder_that_is_away_takes_nothing_with_it(memory: Memory, folder: Path) -> None:
    write("a.md", "first")(folder)
    away = folder.with_name("away")

    reports = watched(memory, folder, rename(".", str(away)))

    assert len(reports) == 1
    assert list(contents(memory).values()) == ["first"]


def test_a_member_of_an_archive_is_followed_with_its_archive(memory: Memory, folder: Path) -> None:
    with zipfile.ZipFile(folder / "notes.zip", "w") as archive:
        archive.writestr("x.md", "inside")
    watched(memory, folder, rename("notes.zip", "old.zip"))
    before = contents(memory)
    assert list(before.values()) == ["inside"]
    assert [one.unchanged for one in watched(memory, folder)] == [1]

    watched(memory, folder, remove("old.zip"))
    assert contents(memory) == {}


def test_it_ends_when_it_is_stopped(memory: Memory, folder: Path) -> None:
    stop = Event()
    write("a.md", "first")(folder)

    memory.watch(folder, stop=stop, changes=iter([[]]), on_report=lambda _: stop.set())

    assert len(contents(memory)) == 1


def test_the_events_of_the_system_end_with_the_stop(memory: Memory, folder: Path) -> None:
    stop = Event()
    stop.set()

    memory.watch(folder, stop=stop)

    assert contents(memory) == {}


def test_a_file_is_refused_and_the_extra_is_named(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.md", "first")(folder)
    with pytest.raises(InvalidInput, match="only folders can be watched"):
        memory.watch(folder / "a.md")
    with pytest.raises(InvalidInput, match="at least one folder"):
        memory.watch()

    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    with pytest.raises(ImportFailed, match=r"extra watch: pip install 'simonides\[watch\]'"):
        memory.watch(folder)


def test_a_moved_file_that_can_not_be_read_keeps_its_items(memory: Memory, folder: Path) -> None:
    pages("alpha", "beta", name="a.pdf")(folder)
    watched(memory, folder, rename("a.pdf", "b.pdf"))
    (folder / "b.pdf").write_bytes(b"%PDF-1.7\nbroken")

    assert [one.withdrawn for one in watched(memory, folder)] == [0]
    assert sorted(contents(memory).values()) == ["alpha", "beta"]


def test_what_was_withdrawn_can_be_restored_and_is_not_in_the_present_of_an_export(
    memory: Memory, folder: Path, tmp_path: Path
) -> None:
    write("a.md", "first")(folder)
    write("b.md", "second")(folder)
    watched(memory, folder)
    (gone,) = [one for one, text in contents(memory).items() if text == "first"]
    remove("a.md")(folder)
    watched(memory, folder)
    report = memory.export(tmp_path / "all.jsonl")

    with Memory(":memory:", settings=Settings(embedder="none")) as other:
        other.import_(report.file)
        assert list(contents(other).values()) == ["second"]
    assert all(one.sound for one in memory.doctor() if one.check != "embedder")
    assert memory.restore(gone).content == "first"
