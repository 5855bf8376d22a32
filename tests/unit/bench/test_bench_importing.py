"""The bench of a large mailbox: every mail is counted, found by its words, and again unchanged."""

from pathlib import Path

import pytest

from simonides.errors import SimonidesError
from simonides_bench import importing
from simonides_bench.adding import write_mbox
from simonides_bench.corpus import Passage


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch, corpus: list[Passage]) -> None:
    """Let mails be made of a few passages."""
    monkeypatch.setattr(importing, "passages", lambda passages_max: corpus[:passages_max])


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_its_figures_are_of_all_mails() -> None:
    steps: list[tuple[int, int]] = []
    figures = importing.run(mails=4, on_progress=lambda done, total: steps.append((done, total)))

    assert figures["mails"] == 4
    assert figures["mails_per_s"] == 4 / figures["words_s"]
    assert figures["words_cpu_s"] > 0
    assert figures["peak_mb"] > 20  # at least: a fork of a large test process counts until it execs
    assert figures["space_mb"] > 0
    assert figures["first_search_ms"] > 0
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_a_mailbox_that_lacks_a_mail_has_no_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    def short(path: Path, passages: list[Passage], *, mails: int) -> None:
        write_mbox(path, passages, mails=mails - 1)

    monkeypatch.setattr(importing, "write_mbox", short)
    with pytest.raises(SimonidesError, match="of 4 mails not each was imported once"):
        importing.run(mails=4, on_progress=lambda _done, _total: None)


def test_an_import_that_fails_has_no_figures(tmp_path: Path) -> None:
    with pytest.raises(SimonidesError, match="ended with status 7"):
        importing.run_import(tmp_path / "nowhere.mbox", tmp_path / "home")
