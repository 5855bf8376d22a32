"""Files and folders of one name in several places stay apart."""

from collections.abc import Callable
from pathlib import Path

import pytest

from simonides import Memory, Settings
from simonides.importers.run import read


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "home", settings=Settings(embedder="none", timezone="UTC"))


Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a file below the test's folder, and returns its folder."""

    def write_one(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path.parent

    return write_one


def kept(memory: Memory) -> dict[str, str]:
    return {one.source_id: one.content for one in memory.list().items}


def test_a_second_folder_of_one_name_replaces_nothing_of_the_first(
    memory: Memory, write: Write
) -> None:
    work, own = write("work/notes/todo.md", "Invoice"), write("own/notes/todo.md", "Feed the cat")
    memory.import_(work)
    memory.import_(own)

    assert kept(memory) == {"notes/todo.md": "Invoice", "notes (own)/todo.md": "Feed the cat"}
    again = memory.import_(own, work)
    assert (again.unchanged, again.added, again.updated) == (2, 0, 0)


def test_a_second_file_of_one_name_replaces_nothing_of_the_first(
    memory: Memory, write: Write
) -> None:
    paths = [write(f"{name}/README.md", name) / "README.md" for name in ("cats", "dogs")]
    memory.import_(*paths)

    assert kept(memory) == {"README.md": "cats", "README (dogs).md": "dogs"}
    [title] = [one.title for one in memory.list().items if one.content == "dogs"]
    assert title == "README (dogs)"
    assert [one.item.source_id for one in read(*paths) if one.item] == list(kept(memory))[::-1]


def test_a_folder_that_was_moved_keeps_its_name(
    memory: Memory, write: Write, tmp_path: Path
) -> None:
    for place in ("work/notes", "own/notes"):
        memory.import_(write(f"{place}/todo.md", place))
    (tmp_path / "own").rename(tmp_path / "private")
    report = memory.import_(tmp_path / "private" / "notes")

    assert (report.unchanged, report.added, report.updated) == (1, 0, 0)


def test_what_lies_in_an_imported_folder_is_not_imported_twice(
    memory: Memory, write: Write, tmp_path: Path
) -> None:
    own = write("docs/school/a.md", "Kiln")
    write("docs/b.md", "Bread")
    memory.import_(tmp_path / "docs")
    found = kept(memory)

    for path in (own, own / "a.md", tmp_path / "docs" / "b.md"):
        report = memory.import_(path)
        assert (report.unchanged, report.added, report.updated) == (1, 0, 0)
    memory.watch(own, changes=[])

    assert found.items() <= kept(memory).items()
    write("docs/school/c.md", "Slip")
    memory.import_(tmp_path / "docs" / "school" / "c.md")
    assert memory.import_(tmp_path / "docs").unchanged == len(found) + 1


def test_watching_a_second_folder_of_one_name_withdraws_nothing_of_the_first(
    memory: Memory, write: Write
) -> None:
    for place in ("work/notes", "own/notes"):
        memory.watch(write(f"{place}/{place[:4].strip('/')}.md", place), changes=[])

    assert sorted(kept(memory).values()) == ["own/notes", "work/notes"]


def test_where_what_was_read_lies_is_in_no_list_of_imports(memory: Memory, write: Write) -> None:
    memory.import_(write("work/notes/todo.md", "Invoice"))

    [record] = memory.import_log().imports
    assert (record.files, record.added) == (("notes",), 1)


def test_a_later_export_in_another_place_adds_what_is_new(memory: Memory, write: Write) -> None:
    name, line = "WhatsApp Chat with Mom.txt", "14.03.26, 09:0{} - Mom: Dentist on day {}\n"
    early = "".join(line.format(n, n) for n in range(3))
    memory.import_(write(f"march/{name}", early) / name)
    report = memory.import_(write(f"june/{name}", early + line.format(5, 5)) / name)

    assert (report.added, report.unchanged) == (1, 3)
    assert {one.session for one in memory.list().items} == {"whatsapp/Mom"}


@pytest.mark.parametrize("note", ["Buy plums and milk", "Sow peas"])
def test_folders_with_much_the_same_files_are_one_folder(
    memory: Memory, write: Write, note: str
) -> None:
    for place in ("march", "june"):
        write(f"{place}/Takeout/plan.md", f"Plan\n\n{note}\nMend the fence\nof {place}")
        memory.import_(write(f"{place}/Takeout/code.md", "The code\nis 7788"))

    assert sorted(kept(memory)) == ["Takeout/code.md", "Takeout/plan.md"]
    for place in ("march", "june"):
        write(f"{place}/diary/monday.md", f"What I did in {place}")
        memory.import_(write(f"{place}/diary/friday.md", f"What I saw in {place}"))
    assert len(kept(memory)) == 6
