"""The run of an import: batches, counts, and several parts with one id."""

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from simonides.config import Settings
from simonides.errors import ImportFailed, InvalidInput, StoreBusy
from simonides.importers import run
from simonides.importers.roots import name_roots
from simonides.importers.run import import_paths
from simonides.model.import_report import ImportProgress, ImportReport
from simonides.model.item import Item
from simonides.model.stored import NO_EMBEDDER, Change, Outcome

if TYPE_CHECKING:
    from simonides.index.open_space import OpenSpace

MAIL = "From a@b Thu Jan  1 00:00:00 2026\nFrom: a@x.example\nMessage-ID: <{0}@x>\n\n{1}\n\n"


class Shelf:
    """Keeps items in memory, and remembers how they came."""

    def __init__(self) -> None:
        self.kept: dict[str, Item] = {}
        self.batches: list[int] = []
        self.forgotten: set[str] = set()

    def keep(self, items: Sequence[Item]) -> list[Outcome]:
        self.batches.append(len(items))
        return [Outcome(id=item.id, change=self._change(item), revision=1) for item in items]

    def _change(self, item: Item) -> Change:
        if item.id in self.forgotten:
            return Change.FORGOTTEN
        before = self.kept.get(item.id)
        self.kept[item.id] = item
        if before is None:
            return Change.ADDED
        return Change.UNCHANGED if before == item else Change.UPDATED


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else imports, and no space is there to ask."""
    monkeypatch.setattr(run, "in_turn", lambda *_, **_options: nullcontext())


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    shelf = Shelf()
    monkeypatch.setattr(run, "keep", lambda items, _, **_options: shelf.keep(items))
    return shelf


def box(path: Path, *mails: tuple[str, str]) -> Path:
    path.write_text("".join(MAIL.format(*mail) for mail in mails))
    return path


def imported(
    path: Path, reported: list[ImportProgress] | None = None, *, source: str = ""
) -> ImportReport:
    return import_paths(
        [path],
        cast(
            "OpenSpace",
            SimpleNamespace(
                find=lambda: None,
                make=lambda: None,
                settings=Settings(),
                identity=NO_EMBEDDER,
                timezone="UTC",
                home=SimpleNamespace(unpacking_path=path.parent / "uploads"),
            ),
        ),
        source=source,
        names=name_roots([path], {}),
        trust=None,
        dry_run=False,
        on_progress=None if reported is None else reported.append,
    )


def counts(report: ImportReport) -> tuple[int, int, int, int]:
    return report.added, report.unchanged, report.updated, len(report.skipped)


@pytest.mark.usefixtures("shelf")
def test_every_part_is_counted_once(tmp_path: Path) -> None:
    path = box(tmp_path / "a.mbox", ("1", "one"), ("2", "two"))
    path.write_text(path.read_text() + "From a@b Thu Jan  1 00:00:00 2026\nno mail at all\n")
    report = imported(path)

    assert counts(report) == (2, 0, 0, 1)
    assert report.read == 3
    assert "message 3" in report.skipped[0].where


@pytest.mark.usefixtures("shelf")
def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    path = box(tmp_path / "a.mbox", ("1", "one"), ("2", "two"))
    imported(path)

    assert counts(imported(path)) == (0, 2, 0, 0)


def test_of_two_copies_under_one_id_the_first_stands_each_time(
    tmp_path: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = box(tmp_path / "a.mbox", ("1", "as sent"), ("2", "two"), ("1", "as listed, with a foot"))
    for size in (256, 1):
        monkeypatch.setattr(run, "BATCH_ITEMS", size)
        first, again = imported(path), imported(path)

        assert len(first.skipped) == len(again.skipped) == 1
        assert "another part of this import has the same id, '1@x'" in first.skipped[0].reason
        assert again.updated == 0
        assert "as sent" in {item.content for item in shelf.kept.values()}


@pytest.mark.usefixtures("shelf")
def test_the_same_copy_twice_is_unchanged(tmp_path: Path) -> None:
    path = box(tmp_path / "a.mbox", ("1", "one"), ("1", "one"))

    assert counts(imported(path)) == (1, 1, 0, 0)


def test_what_was_forgotten_is_reported_as_skipped(tmp_path: Path, shelf: Shelf) -> None:
    path = box(tmp_path / "a.mbox", ("1", "one"), ("2", "two"))
    imported(path)
    shelf.forgotten.add(next(iter(shelf.kept)))
    report = imported(path)

    assert counts(report) == (0, 1, 0, 1)
    assert report.skipped[0].where == "a.mbox: 1@x"
    assert report.skipped[0].reason == "was forgotten here; add it yourself to bring it back"


@pytest.mark.parametrize(("bound", "value"), [("BATCH_ITEMS", 2), ("BATCH_CHARS", 4)])
def test_a_batch_is_bounded_in_items_and_in_characters(
    tmp_path: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, bound: str, value: int
) -> None:
    monkeypatch.setattr(run, bound, value)
    imported(box(tmp_path / "a.mbox", *((str(n), "two") for n in range(5))))

    assert shelf.batches == [2, 2, 1]


@pytest.mark.usefixtures("shelf")
def test_progress_only_ever_grows_and_ends_at_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "BATCH_ITEMS", 1)
    reported: list[ImportProgress] = []
    imported(box(tmp_path / "a.mbox", *((str(n), "text") for n in range(5))), reported)

    assert [one.read for one in reported] == [1, 2, 3, 4, 5]
    assert [one.bytes_done for one in reported] == sorted(one.bytes_done for one in reported)
    assert reported[-1].bytes_done == reported[-1].bytes_total


def test_what_was_kept_before_a_failure_stays(
    tmp_path: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "BATCH_ITEMS", 2)
    path = box(tmp_path / "a.mbox", *((str(n), "text") for n in range(5)))

    def failing(items: Sequence[Item], *_: object, **_options: object) -> list[Outcome]:
        if len(shelf.kept) == 2:
            raise StoreBusy("held by another")
        return shelf.keep(items)

    monkeypatch.setattr(run, "keep", failing)
    with pytest.raises(StoreBusy):
        imported(path)
    assert len(shelf.kept) == 2
    monkeypatch.setattr(run, "keep", lambda items, _, **_options: shelf.keep(items))
    assert counts(imported(path)) == (3, 2, 0, 0)


def test_an_item_that_is_refused_costs_no_other(
    tmp_path: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = box(tmp_path / "a.mbox", *((str(n), "text") for n in range(5)))

    def strict(items: Sequence[Item], *_: object, **_options: object) -> list[Outcome]:
        if any(item.source_id == "3@x" for item in items):
            raise InvalidInput("metadata", "cannot be kept as JSON")
        return shelf.keep(items)

    monkeypatch.setattr(run, "keep", strict)
    report = imported(path)

    assert counts(report) == (4, 0, 0, 1)
    assert [(one.where, one.reason) for one in report.skipped] == [
        ("a.mbox: 3@x", "metadata: cannot be kept as JSON")
    ]


def test_an_empty_mailbox_is_reported_and_nothing_is_written(tmp_path: Path, shelf: Shelf) -> None:
    report = imported(box(tmp_path / "a.mbox"))

    assert [(one.where, one.reason) for one in report.skipped] == [("a.mbox", "empty")]
    assert shelf.batches == []


def test_what_is_not_there_fails_before_anything_is_kept(tmp_path: Path, shelf: Shelf) -> None:
    with pytest.raises(ImportFailed, match="no such file or folder"):
        imported(tmp_path / "nowhere")

    assert shelf.kept == {}


def test_the_source_names_what_it_is_given(tmp_path: Path, shelf: Shelf) -> None:
    path = box(tmp_path / "a.mbox", ("1", "one"))
    imported(path, source="work")

    assert [item.source for item in shelf.kept.values()] == ["work"]
