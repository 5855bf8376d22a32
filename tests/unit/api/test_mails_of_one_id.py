"""Different mails of one Message-ID: all are kept, in one import and in several."""

from collections.abc import Callable
from pathlib import Path

import pytest

from simonides import Memory

OpenMemory = Callable[..., Memory]


def sent(name: str, day: int, body: str) -> str:
    head = f"From x\nFrom: Ana <ana@x.example>\nMessage-ID: <{name}@x>\n"
    return f"{head}Date: Tue, {day} Mar 2026 09:00:00 +0000\nSubject: S\n\n{body}\n\n"


def contents(memory: Memory) -> list[str]:
    return sorted(item.content for item in memory.list().items)


@pytest.mark.parametrize("in_one", [True, False])
def test_different_mails_of_one_message_id_are_all_kept_and_unchanged_again(
    tmp_path: Path, open_memory: OpenMemory, *, in_one: bool
) -> None:
    memory = open_memory(embedder=None)
    mails = [sent("1", 3, "The kiln is cold."), sent("1", 10, "Light it."), sent("2", 10, "Done.")]
    texts = ["".join(mails)] if in_one else mails
    paths = [tmp_path / f"{number}.mbox" for number, _ in enumerate(texts)]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    reports = [memory.import_(path) for path in paths]
    again = [memory.import_(path) for path in paths]

    assert sum(one.added for one in reports) == 3
    assert [one.skipped for one in (*reports, *again)] == [()] * 2 * len(paths)
    assert sum(one.unchanged for one in again) == 3
    assert contents(memory) == ["Done.", "Light it.", "The kiln is cold."]


def test_the_same_words_at_another_time_are_the_same_mail(
    tmp_path: Path, open_memory: OpenMemory
) -> None:
    memory = open_memory(embedder=None)
    path = tmp_path / "a.mbox"
    path.write_text(sent("1", 3, "The kiln is cold."))
    memory.import_(path)
    path.write_text(sent("1", 10, "The kiln is cold."))
    report = memory.import_(path)

    assert (report.added, report.updated) == (0, 1)
    assert contents(memory) == ["The kiln is cold."]


def test_what_each_of_them_brought_is_kept_and_linked(
    tmp_path: Path, open_memory: OpenMemory
) -> None:
    memory = open_memory(embedder=None)
    parts = (
        "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nThe {0} kiln.\n--b\n"
        'Content-Disposition: attachment; filename="plan.txt"\n\nPlan {0}.\n--b--\n'
    )
    mails = [sent("1", day, "").rstrip("\n") + f"\n{parts.format(day)}\n" for day in (3, 10)]
    (tmp_path / "a.mbox").write_text("".join(mails))
    report = memory.import_(tmp_path / "a.mbox")
    again = memory.import_(tmp_path / "a.mbox")
    items = {item.content: item for item in memory.list().items}

    assert (report.added, report.skipped, again.unchanged) == (4, (), 4)
    for day in (3, 10):
        mail, plan = items[f"The {day} kiln."], items[f"Plan {day}."]
        assert plan.metadata["_attached_to_item"] == mail.id
        assert mail.metadata["attachments"][0].get("items", [plan.id]) == [plan.id]


OWN = (
    "From x\nFrom: Ana <ana@x.example>\nMessage-ID: <1@x>\n"
    "Date: Tue, 3 Mar 2026 09:00:00 +0000\nSubject: S\n\nThe kiln is cold.\n\n"
)
"""A mail whose Message-ID and time everybody knows who has received it."""


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("in_one", [True, False])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("From", "Zed <zed@evil.example>"),
        ("From", "Ana <ana@x.example>, Zed <zed@evil.example>"),
        ("From", "Ana"),
        ("Date", ""),
    ],
)
def test_no_mail_of_somebody_else_takes_the_place_of_one_with_its_message_id(
    tmp_path: Path, open_memory: OpenMemory, *, name: str, value: str, in_one: bool, is_first: bool
) -> None:
    memory = open_memory(embedder=None)
    lines = OWN.replace("The kiln is cold.", "Pay Zed.").split("\n")
    forged = "\n".join(f"{name}: {value}" if one.startswith(f"{name}:") else one for one in lines)
    forged = forged if name == "From" else forged.replace("Ana <ana@x.example>", "zed@evil.example")
    mails = [forged, OWN] if is_first else [OWN, forged]
    texts = ["".join(mails)] if in_one else mails
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.mbox").write_text(text)
        memory.import_(tmp_path / f"{number}.mbox")
    again = [memory.import_(tmp_path / f"{number}.mbox") for number, _ in enumerate(texts)]

    assert contents(memory) == ["Pay Zed.", "The kiln is cold."]
    assert sum(one.unchanged for one in again) == 2
