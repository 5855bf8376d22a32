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
