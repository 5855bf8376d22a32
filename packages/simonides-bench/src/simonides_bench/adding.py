"""How long it takes to keep things: one at a time, analysed, imported from a mailbox."""

import email.policy
import random
from collections.abc import Iterator, Sequence
from datetime import timedelta
from email.generator import BytesGenerator
from email.message import EmailMessage
from email.utils import format_datetime
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides.errors import SimonidesError
from simonides.ingest.prepare import Preparer
from simonides.model.item import Item
from simonides.model.stored import EmbedderIdentity
from simonides_bench.corpus import Passage
from simonides_bench.filling import Batch, add
from simonides_bench.limits import appending, once_ms
from simonides_bench.replay import Blend, ReplayEmbedder
from simonides_bench.writing import BEGINNING

MAIL_PASSAGES = (1, 3)
HTML_SHARE, REPLY_SHARE = 0.3, 0.4


def single_figures(
    memory: Memory, singles: Iterator[Batch], *, embedder: ReplayEmbedder, blend: Blend,
    question: str, folder: Path,
) -> dict[str, float]:  # fmt: skip
    """Return the times of adds of one item each, and of the searches that come right after.

    Before each add a page is appended to a file in `folder` and synced: that is the limit, and
    measured then because the time of a sync changes with what others do to the disk.
    """
    synced, added, asked = [], [], []
    with appending(folder) as append_ms:
        for batch in singles:
            synced.append(append_ms())
            added.append(add(memory, batch, embedder=embedder, blend=blend))
            asked.append(once_ms(lambda: memory.search(question)))
    return {
        "add_single_ms_p50": median(took.wall_ms for took in added),
        "add_single_cpu_ms_p50": median(took.cpu_ms for took in added),
        "search_after_add_ms_p50": median(asked),
        "limit_fsync_ms": median(synced),
    }


def analyse_chunks_per_s(items: Sequence[Item], *, identity: EmbedderIdentity) -> float:
    """Return how many chunks a second are cut and analysed, without embedding or storing."""
    preparer = Preparer(identity=identity, embedder=None)
    chunks: list[int] = []
    took_ms = once_ms(lambda: chunks.extend(len(one.chunks) for one in preparer.prepare(items)))
    return 1000.0 * sum(chunks) / took_ms


def import_mail_per_s(folder: Path, passages: Sequence[Passage], *, mails: int) -> float:
    """Return how many mails a second are imported from an mbox, without an embedder.

    Raises:
        SimonidesError: Not every mail was imported.
    """
    mbox = folder / "mail.mbox"
    write_mbox(mbox, passages, mails=mails)
    settings = Settings(embedder="none", timezone="UTC")
    with Memory(folder / "mail", settings=settings) as memory:
        report: list[Any] = []
        took_ms = once_ms(lambda: report.append(memory.import_(mbox)))
    imported = report[0].kinds["email"]
    if imported != mails:
        raise SimonidesError(f"of {mails} mails {imported} were imported: no rate of that")
    return 1000.0 * mails / took_ms


def write_mbox(path: Path, passages: Sequence[Passage], *, mails: int) -> None:
    """Write a mailbox of real length: plain and HTML bodies, quoted replies, signatures."""
    chance = random.Random("mail")  # noqa: S311  a corpus, not a secret
    with path.open("wb") as file:
        generator = BytesGenerator(file, mangle_from_=True, policy=email.policy.default)
        before = ""
        for number, mail in enumerate(islice(_mails(passages, chance), mails)):
            if before and chance.random() < REPLY_SHARE:
                mail["In-Reply-To"] = f"<{number - 1}@example.com>"
                _answer(mail, before)
            file.write(f"From ana@example.com {BEGINNING:%a %b %d %H:%M:%S %Y}\n".encode())
            before = mail.get_body(("plain",)).get_content()  # type: ignore[union-attr]
            mail["Message-ID"] = f"<{number}@example.com>"
            if chance.random() < HTML_SHARE:
                mail.add_alternative(_html(before), subtype="html")
            generator.flatten(mail)
            file.write(b"\n")


def _mails(passages: Sequence[Passage], chance: random.Random) -> Iterator[EmailMessage]:
    number = 0
    while True:
        chosen = [chance.choice(passages) for _ in range(chance.randint(*MAIL_PASSAGES))]
        mail = EmailMessage()
        mail["From"] = f"Ana Almeida <ana{number % 20}@example.com>"
        mail["To"] = f"Boris Brandt <boris{number % 7}@example.com>"
        mail["Date"] = format_datetime(BEGINNING + timedelta(minutes=10 * number))
        mail["Subject"] = " ".join(chosen[0].sentences[0].split()[:7])
        mail.set_content("Hello,\n\n" + "\n\n".join(one.text for one in chosen) + _SIGNATURE)
        yield mail
        number += 1


_SIGNATURE = "\n\nKind regards\n\n-- \nAna Almeida\nLibrary services\n"


def _answer(mail: EmailMessage, before: str) -> None:
    """Quote the mail before under this one's own words, as mail programs do."""
    quoted = "\n".join(f"> {line}" for line in before.splitlines())
    own = mail.get_content()
    mail.set_content(f"{own}\nOn Mon, 1 Jan 2024 at 09:00, Boris Brandt wrote:\n{quoted}\n")


def _html(text: str) -> str:
    lines = "".join(f"<p>{line}</p>" for line in text.splitlines() if line)
    return f"<html><body><div>{lines}</div></body></html>"
