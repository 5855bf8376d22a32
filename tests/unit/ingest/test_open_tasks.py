"""Notes with empty check boxes are lists of open tasks, however they came."""

from pathlib import Path

import pytest

from simonides import Memory


@pytest.mark.parametrize(
    ("content", "left"),
    [
        ("# Todo\n- [ ] Call Ana\n- [x] Tar\n  * [ ] Rope\n1. [ ] Paint\n> - [ ] Quoted", 4),
        ("- TODO Call Ana\n- DONE Tar\n\t- LATER Rope\n** NOW Paint\nTODO none\n# TODO list", 3),
        ("- [x] Tar\n- [X] Rope", None),
        ("```\n- [ ] in code\n```\nA list `- [ ] x`, and [ ] within a line.\n- [ ]", None),
    ],
)
@pytest.mark.parametrize("kind", ["memory", "document"])
def test_empty_check_boxes_are_counted(
    memory: Memory, content: str, kind: str, left: int | None
) -> None:
    memory.add(content, id="note", kind=kind)

    assert memory.get("note").metadata.get("open_tasks") == left


def test_those_of_a_mail_are_its_senders(memory: Memory) -> None:
    memory.add("- [ ] Buy our boats", id="mail", kind="email")

    assert "open_tasks" not in memory.get("mail").metadata


def test_they_are_counted_anew_as_they_are_ticked(memory: Memory) -> None:
    memory.add("- [ ] Call Ana\n- [ ] Tar", id="note", metadata={"place": "shed"})
    once = memory.update("note", content="- [x] Call Ana\n- [ ] Tar")
    never = memory.update("note", content="- [x] Call Ana\n- [x] Tar")

    assert once.metadata == {"place": "shed", "open_tasks": 1}
    assert never.metadata == {"place": "shed"}
    assert memory.update("note", content=never.content).version == never.version


def test_a_file_may_say_its_own_number(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\nopen_tasks: 7\n---\n- [ ] Call Ana", "utf-8")
    (tmp_path / "b.md").write_text("- [ ] Call Ana", "utf-8")
    memory.import_(tmp_path)

    assert sorted(item.metadata["open_tasks"] for item in memory.list().items) == [1, 7]


def test_a_kept_list_is_not_written_again(memory: Memory) -> None:
    memory.add("- [ ] Call Ana", id="note")

    assert memory.add("- [ ] Call Ana", id="note").change == "unchanged"
