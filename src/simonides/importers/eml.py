"""One mail in one file, and what is reported of any mail.

Knows how such files are read. Must not know what is in a message.
"""

from collections.abc import Iterator

from simonides.errors import ImportFailed
from simonides.importers.budget import RAW_BYTES_MAX, ParseBudget
from simonides.importers.message import read_message
from simonides.ports.importer import ImportEvent, SourceFile


def read_eml(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the mail in this file and its text attachments, or why it is passed over."""
    with file.path.open("rb") as stream:
        raw = stream.read(RAW_BYTES_MAX)
    if not raw.strip():
        yield file.passed_over("empty", bytes_done=file.size_bytes)
        return
    yield from mail_steps(file, raw, size_bytes=file.size_bytes, bytes_done=file.size_bytes)


def mail_steps(
    file: SourceFile,
    raw: bytes,
    *,
    size_bytes: int,
    bytes_done: int,
    part: str = "",
    envelope: str = "",
) -> Iterator[ImportEvent]:
    """Yield the items of one mail of this file, then what was left out of it; or why all of it is.

    `part` says which mail of the file it is; the rest is as `read_message` asks for it.
    """
    budget = ParseBudget()
    try:
        items = read_message(
            raw, source=file.source, envelope=envelope, size_bytes=size_bytes, budget=budget
        )
    except ImportFailed as error:
        yield file.passed_over(str(error), part=part, bytes_done=bytes_done)
        return
    for item in items:
        yield file.kept(item, bytes_done=bytes_done)
    for loss in budget.losses:
        place = ", ".join(filter(None, [part, loss.part and f"part {loss.part}"]))
        yield file.passed_over(loss.reason, part=place, bytes_done=bytes_done)
