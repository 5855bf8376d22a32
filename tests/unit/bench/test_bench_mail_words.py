"""Which words of mails can be found: in the mail, only beside it, or nowhere."""

from pathlib import Path

import pytest

from simonides_bench import mail_words

HEAD = "From: Ana <ana@x.example>\nTo: Ben <ben@x.example>\nDate: Tue, 3 Mar 2026 09:00:00 +0000\n"


def mail(name: str, subject: str, body: str) -> str:
    return f"{HEAD}Message-ID: <{name}@x.example>\nSubject: {subject}\n\n{body}\n"


def measured(folder: Path, *mails: str) -> dict[str, object]:
    lines = "".join(f"From x Tue Mar  3 09:00:00 2026\n{one}\n" for one in mails)
    (folder / "own.mbox").write_text(lines, "utf-8")
    return mail_words.run(paths=[folder], on_progress=print)


def test_the_words_of_a_plain_mail_are_all_its_own(tmp_path: Path) -> None:
    figures = measured(tmp_path, mail("a", "Kiln", "The kiln is cold."))

    assert (figures["files"], figures["mails"], figures["words"]) == (1, 1, 4)
    assert (figures["own"], figures["elsewhere"], figures["lost"]) == (1.0, 0.0, 0.0)


def test_what_is_quoted_is_found_in_the_mail_that_is_quoted(tmp_path: Path) -> None:
    first = mail("a", "Kiln", "The kiln is cold.")
    second = mail("b", "Re: Kiln", "Then light it.\n\n> The kiln is cold.")
    figures = measured(tmp_path, first, second)

    assert figures["elsewhere"] == pytest.approx(3 / 11)
    assert figures["lost"] == 0.0


def test_what_is_quoted_of_a_mail_that_is_not_there_is_found_beside_the_mail(
    tmp_path: Path,
) -> None:
    body = "Then light it.\n\n> The oven is cold."
    figures = measured(tmp_path, mail("b", "Re: Kiln", body))

    assert figures["elsewhere"] == pytest.approx(4 / 7)
    assert figures["lost"] == 0.0


def test_a_word_that_nothing_has_is_named_with_its_file(tmp_path: Path) -> None:
    figures = measured(tmp_path, mail("b", "Re: Kiln", "Then light it.\n\nKind regards\nAna"))

    assert figures["lost_words"] == {"kind": 1, "regards": 1}
    assert figures["worst"] == {str(tmp_path / "own.mbox"): 2}


def test_a_single_mail_in_html_is_read_as_it_is_shown(tmp_path: Path) -> None:
    head = mail("a", "Kiln", "").replace("\nSubject", "\nContent-Type: text/html\nSubject")
    (tmp_path / "one.eml").write_text(f"{head}<p>The <b>kiln</b></p><style>x</style>", "utf-8")
    figures = mail_words.run(paths=[tmp_path / "one.eml"], on_progress=print)

    assert (figures["words"], figures["own"]) == (2, 1.0)
