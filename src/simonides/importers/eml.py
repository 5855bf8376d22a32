"""One mail in one file, and Maildir folders of them.

Knows how such files are read. Must not know what is in a message.
"""

from collections.abc import Iterator

from simonides.errors import ImportFailed
from simonides.importers.message import read_message
from simonides.importers.step import SourceFile, Step
from simonides.importers.thin import RAW_BYTES_MAX


def read_eml(file: SourceFile) -> Iterator[Step]:
    """Yield the mail in this file and its text attachments, or why it is passed over."""
    with file.path.open("rb") as stream:
        raw = stream.read(RAW_BYTES_MAX)
    if not raw.strip():
        yield file.passed_over("empty", bytes_done=file.size_bytes)
        return
    try:
        items = read_message(raw, source=file.source, size_bytes=file.size_bytes)
    except ImportFailed as error:
        yield file.passed_over(str(error), bytes_done=file.size_bytes)
        return
    for item in items:
        yield file.kept(item, bytes_done=file.size_bytes)
