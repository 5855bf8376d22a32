import mailbox
from contextlib import closing
from pathlib import Path

import pytest

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides.model.stored import NO_EMBEDDER
from simonides.text.chunk import ChunkRule
from simonides_bench.adding import (
    analyse_chunks_per_s,
    import_mail_per_s,
    single_figures,
    write_mbox,
)
from simonides_bench.corpus import Passage
from simonides_bench.filling import batches
from simonides_bench.replay import Blend, ReplayEmbedder
from simonides_bench.writing import Writer

Filled = tuple[Memory, ReplayEmbedder, Blend]


@pytest.fixture
def mbox(tmp_path: Path, corpus: list[Passage]) -> Path:
    """Return a mailbox of thirty mails."""
    path = tmp_path / "mail.mbox"
    write_mbox(path, corpus, mails=30)
    return path


def mails_of(path: Path) -> list[mailbox.mboxMessage]:
    with closing(mailbox.mbox(path)) as mails:
        return list(mails)


def test_a_mailbox_is_the_same_each_time_and_opens_as_one(
    mbox: Path, corpus: list[Passage], tmp_path: Path
) -> None:
    again = tmp_path / "again.mbox"
    write_mbox(again, corpus, mails=30)
    mails = mails_of(mbox)

    assert len({mail["Message-ID"] for mail in mails}) == len(mails) == 30
    assert [mail["Subject"] for mail in mails_of(again)] == [mail["Subject"] for mail in mails]


def test_some_mails_have_html_and_some_quote_the_one_before(mbox: Path) -> None:
    mails = mails_of(mbox)
    html = [mail for mail in mails if mail.is_multipart()]
    replies = [mail for mail in mails if "wrote:" in mail.as_string()]

    assert 3 < len(html) < 20
    assert 3 < len(replies) < 25


def test_every_mail_is_imported_with_its_own_words_only(mbox: Path, tmp_path: Path) -> None:
    settings = Settings(embedder="none", timezone="UTC", durability="relaxed")
    with Memory(tmp_path / "home", settings=settings) as memory:
        report = memory.import_(mbox)
        contents = [item.content for item in memory.list(limit=40).items]

    assert (report.kinds["email"], report.skipped) == (30, ())
    assert not any("\n>" in content for content in contents)


def test_mails_a_second_is_a_rate(tmp_path: Path, corpus: list[Passage]) -> None:
    assert import_mail_per_s(tmp_path, corpus, mails=5) > 0.0


def test_chunks_analysed_a_second_is_a_rate(corpus: list[Passage]) -> None:
    items = [written.item for written, _ in zip(Writer(corpus).items(), range(5), strict=False)]

    assert analyse_chunks_per_s(items, identity=NO_EMBEDDER) > 0.0


def test_single_adds_are_kept_one_by_one_and_asked_after_each(
    filled: Filled, corpus: list[Passage], rule: ChunkRule, tmp_path: Path
) -> None:
    memory, embedder, blend = filled
    before = memory.stats()
    question = "where is the ferry?"
    embedder.learn([question], blend.of([question], [{0: 1.0}]))
    writer = Writer(corpus, seed=9).items()
    singles = (batch for _ in range(3) for batch in batches(writer, rule=rule, chunks=1))

    figures = single_figures(
        memory, singles, embedder=embedder, blend=blend, question=question, folder=tmp_path
    )

    assert set(figures) == {
        "add_single_ms_p50", "add_single_cpu_ms_p50", "search_after_add_ms_p50",
        "limit_fsync_ms",
    }  # fmt: skip
    assert memory.stats().revision > before.revision
