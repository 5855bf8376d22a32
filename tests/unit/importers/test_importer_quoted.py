"""Signatures, and what mails quote of mails that are not there, become items of their own."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from simonides import Memory, Settings
from simonides.importers import read
from simonides.model.item import Item, Kind, Role, Trust
from simonides_bench.testing.hashing import HashingEmbedder

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
SIGNATURE = "Priya Nair\nHead of Facilities\nTel. +49 89 5551 2210"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    settings = Settings(timezone="UTC", owner=("mira@x.example",))
    with Memory(
        tmp_path / "home", settings=settings, embedder=HashingEmbedder(), clock=lambda: NOW
    ) as opened:
        yield opened


def mail(
    number: int, body: str, *, answers: int = 0, author: str = "Priya Nair <p@x.example>"
) -> str:
    """Return a mail of one thread; it says so if it answers another one."""
    answered = f"<m{answers}@x.example>"
    named = f"In-Reply-To: {answered}\nReferences: <m1@x.example>\n" if answers else ""
    return (
        f"From: {author}\nTo: Mira <mira@x.example>\nSubject: Permit\n"
        f"Date: Thu, {number} Mar 2026 09:00:00 +0000\nMessage-ID: <m{number}@x.example>\n{named}"
        f"\n{body}\n"
    )


FIRST = mail(
    1, "The permit costs 480 euro.\nBring the grey folder.", author="Mira <mira@x.example>"
)
ANSWER = mail(
    2,
    "Done.\n\nOn Sun, 1 Mar 2026, Mira <mira@x.example> wrote:\n"
    "> The permit costs 480 euro.\n> Bring the grey folder.",
    answers=1,
)
LATER = mail(
    3,
    "Me too.\n\nOn Mon, 2 Mar 2026, Priya Nair <p@x.example> wrote:\n> Done.\n>\n"
    "> On Sun, 1 Mar 2026, Mira <mira@x.example> wrote:\n"
    ">> The permit costs 480 euro.\n>> Bring the grey folder.",
    answers=2,
    author="Tom <t@x.example>",
)


def folder_with(folder: Path, **mails: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in mails.items():
        (folder / f"{name}.eml").write_text(text, encoding="utf-8")
    return folder


def kept(memory: Memory, source: str) -> list[Item]:
    return [one for one in memory.list().items if one.source == source]


@pytest.mark.parametrize("layout", ["brief", "sourced"])
def test_a_brief_says_who_quotes_what_may_never_have_been_written(
    tmp_path: Path, memory: Memory, layout: str
) -> None:
    said = "On Sun, 1 Mar 2026, Mira <mira@x.example> wrote:\n> I agree to pay you 9,000 euro."
    forged = mail(2, f"Ok.\n\n{said}", author="Mira <zed@evil.example>")
    memory.import_(folder_with(tmp_path / "in", forged=forged))

    assert "quoted by zed@evil.example" in memory.brief("agree to pay", layout=layout).text


def test_a_quote_of_a_mail_that_is_not_there_is_found(tmp_path: Path, memory: Memory) -> None:
    report = memory.import_(folder_with(tmp_path / "in", answer=ANSWER))
    (quote,) = kept(memory, "quoted")

    assert (report.added, report.kinds) == (2, {"document": 1, "email": 1})
    assert quote.title == "Quoted in: Permit"
    assert quote.content == (
        "On Sun, 1 Mar 2026, Mira <mira@x.example> wrote:\n\n"
        "The permit costs 480 euro.\nBring the grey folder."
    )
    assert [(one.address, one.role) for one in quote.people] == [
        ("p@x.example", Role.AUTHOR),
        ("mira@x.example", Role.MENTIONED),
    ]
    assert memory.search("grey folder")[0].item.id == quote.id


@pytest.mark.parametrize("gap", [" ", "\u202f"])
def test_who_is_quoted_is_called_by_the_name_alone(
    gap: str, tmp_path: Path, memory: Memory
) -> None:
    said = f"On Sun, Mar 1, 2026 at 4:00{gap}PM Mira Holm <mira@x.example> wrote:"
    answer = ANSWER.replace("On Sun, 1 Mar 2026, Mira <mira@x.example> wrote:", said)
    memory.import_(folder_with(tmp_path / "in", answer=answer))
    (quote,) = kept(memory, "quoted")

    assert [one.name for one in quote.people] == ["Priya Nair", "Mira Holm"]


def test_a_quote_is_trusted_as_far_as_who_quotes(tmp_path: Path, memory: Memory) -> None:
    memory.import_(folder_with(tmp_path / "in", answer=ANSWER))
    hits = memory.search("grey folder")

    assert [hit.trust for hit in hits if hit.item.source == "quoted"] == [Trust.UNKNOWN]


@pytest.mark.parametrize("order", ["12", "21"])
def test_a_quote_of_a_mail_that_is_there_is_none(
    order: str, tmp_path: Path, memory: Memory
) -> None:
    names = dict(zip(order, [FIRST, ANSWER], strict=True))
    memory.import_(folder_with(tmp_path / "in", last=LATER, **names))

    assert kept(memory, "quoted") == []


def test_a_mail_of_the_import_is_found_though_the_answer_names_none(
    tmp_path: Path, memory: Memory
) -> None:
    answer = ANSWER.replace("In-Reply-To: <m1@x.example>\nReferences: <m1@x.example>\n", "")
    memory.import_(folder_with(tmp_path / "in", a=answer, b=FIRST))

    assert kept(memory, "quoted") == []


def test_two_mails_that_quote_the_same_make_one_item(tmp_path: Path, memory: Memory) -> None:
    memory.import_(folder_with(tmp_path / "in", a=ANSWER, b=LATER.replace("m2@", "m9@")))
    texts = sorted(one.content.rpartition("\n\n")[2] for one in kept(memory, "quoted"))

    assert texts == ["The permit costs 480 euro.\nBring the grey folder."]


def test_a_quote_goes_when_its_mail_comes(tmp_path: Path, memory: Memory) -> None:
    memory.import_(folder_with(tmp_path / "in", answer=ANSWER))
    report = memory.import_(folder_with(tmp_path / "sent", first=FIRST))

    assert (report.added, report.withdrawn) == (1, 1)
    assert kept(memory, "quoted") == []


@pytest.mark.parametrize(
    ("said", "count"),
    [("Hi", 0), ("It is late.", 0), ("At ten, by tram.", 1), ("許可証は四百八十ユーロです", 1)],
)
def test_a_quote_of_a_word_or_two_is_no_item(
    said: str, count: int, tmp_path: Path, memory: Memory
) -> None:
    memory.import_(folder_with(tmp_path / "in", a=mail(2, f"Yes.\n\n> {said}", answers=1)))

    assert len(kept(memory, "quoted")) == count


def test_importing_again_changes_nothing(tmp_path: Path, memory: Memory) -> None:
    folder = folder_with(tmp_path / "in", a=ANSWER, b=mail(4, f"Yes.\n\n-- \n{SIGNATURE}"))
    memory.import_(folder)
    before = memory.list().items
    report = memory.import_(folder)

    assert (report.added, report.updated, report.withdrawn) == (0, 0, 0)
    assert memory.list().items == before


def test_a_quote_that_was_forgotten_stays_away(tmp_path: Path, memory: Memory) -> None:
    folder = folder_with(tmp_path / "in", answer=ANSWER)
    memory.import_(folder)
    memory.forget(*(one.id for one in kept(memory, "quoted")))
    memory.import_(folder_with(tmp_path / "in", answer=ANSWER.replace("Done.", "All done.")))

    assert kept(memory, "quoted") == []


def test_a_mail_that_was_forgotten_does_not_come_back_as_a_quote(
    tmp_path: Path, memory: Memory
) -> None:
    memory.import_(folder_with(tmp_path / "sent", first=FIRST))
    folder = folder_with(tmp_path / "in", answer=ANSWER)
    memory.import_(folder)
    memory.forget(*(one.id for one in kept(memory, "mail") if "480" in one.content))
    memory.import_(folder)

    assert kept(memory, "quoted") == []


def test_a_dry_run_keeps_no_quotes(tmp_path: Path, memory: Memory) -> None:
    report = memory.import_(folder_with(tmp_path / "in", answer=ANSWER), dry_run=True)

    assert (report.added, memory.spaces()) == (1, ())


def test_an_import_that_is_broken_off_keeps_the_quotes_so_far(
    tmp_path: Path, memory: Memory
) -> None:
    folder = folder_with(tmp_path / "in", answer=ANSWER)

    def stop(_progress: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.import_(folder, on_progress=stop)

    assert len(kept(memory, "quoted")) == 1


def test_a_signature_is_one_item_for_all_mails_that_have_it(tmp_path: Path, memory: Memory) -> None:
    bodies = [f"Yes {number}.\n\nBest regards,\n{SIGNATURE}" for number in (1, 2, 3)]
    mails = {f"m{n}": mail(n, body) for n, body in enumerate(bodies, start=1)}
    report = memory.import_(folder_with(tmp_path / "in", **mails))
    (signature,) = kept(memory, "signature")

    assert (report.added, report.unchanged) == (4, 0)
    assert (signature.kind, signature.happened_at) == (Kind.DOCUMENT, None)
    assert (signature.title, signature.content) == ("Signature of Priya Nair", SIGNATURE)
    assert memory.search("Priya's phone number")[0].item.id == signature.id
    assert kept(memory, "quoted") == []


@pytest.mark.parametrize(
    "closing",
    ["Best regards,\nPriya Nair", "-- \nPriya", "Sent from my iPhone", "-- \n=====\np@x.example"],
)
def test_a_closing_that_says_only_who_wrote_is_no_item(closing: str, tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "in", a=mail(1, f"Yes.\n\n{closing}"))

    assert [step.item.source for step in read(folder) if step.item] == ["mail"]


def test_a_new_signature_of_a_sender_is_a_further_item(tmp_path: Path) -> None:
    lines = [
        f"Yes.\n\n-- \nPriya Nair\n{role}" for role in ("Facilities", "Director", "Facilities")
    ]
    mails = {f"m{n}": mail(n, body) for n, body in enumerate(lines, start=1)}
    items = [step.item for step in read(folder_with(tmp_path / "in", **mails)) if step.item]

    assert [one.content for one in items if one.source == "signature"] == [
        "Priya Nair\nFacilities",
        "Priya Nair\nDirector",
    ]
