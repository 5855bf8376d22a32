"""The one entry point of all formats: reads a file, or all files of a folder.

Knows which reader goes with which format, and that the code of plugins may fail at any point.
Must not know a format from inside.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from simonides.errors import ImportFailed
from simonides.importers.chat import read_chat
from simonides.importers.folder import (
    LOOKED_FOR,
    SAMPLE_BYTES,
    Format,
    WalkedFile,
    detect,
    files_below,
)
from simonides.importers.mailbox import read_eml, read_mbox
from simonides.importers.markdown import read_markdown
from simonides.plugins import Importer, plugin_records, warn
from simonides.ports.importer import ImportEvent, SourceFile


def plugin_reader(path: Path) -> Callable[[SourceFile], Iterator[ImportEvent]] | None:
    """Return the reader of the first plugin importer that detects the file, if any."""
    importers = plugin_records(lambda plugin: plugin.importers, built_in=()).values()
    sample = _sample(path) if importers else None
    if sample is None:
        return None
    for importer in importers:
        if _detects(importer, path, sample):
            return lambda file: _read(importer, file)
    return None


def _sample(path: Path) -> bytes | None:
    """Return the beginning of a regular file; None where there is none to read."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as stream:
            return stream.read(SAMPLE_BYTES)
    except OSError:
        return None


def _detects(importer: Importer, path: Path, sample: bytes) -> bool:
    try:
        return importer.detect(path, sample)
    except Exception as error:  # noqa: BLE001  foreign code
        warn(f"the importer {importer.name!r} failed to detect: {_describe(error)}")
        return False


def _read(importer: Importer, file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the events of a file; a failure of its importer is reported as an event."""
    try:
        yield from importer.read(file)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001  foreign code
        reason = f"the importer {importer.name!r} failed: {_describe(error)}"
        yield file.passed_over(reason, bytes_done=file.size_bytes)


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


Reader = Callable[[SourceFile], Iterable[ImportEvent]]

_READERS: dict[Format, Reader] = {
    Format.MBOX: read_mbox,
    Format.EML: read_eml,
    Format.MARKDOWN: read_markdown,
    Format.CHAT: read_chat,
}


def read(path: Path, *, source: str = "") -> Iterator[ImportEvent]:
    """Return the items at `path`, one by one, with skipped parts and the progress.

    Memory does not grow with the size of a mailbox. Items derive their ids from source and source
    id, so reading again, or going on after an interruption, changes nothing that is kept.

    Args:
        path: An mbox or eml file, a Maildir, a note, a chat, or a folder of these.
        source: Overrides the source that each reader gives its items; not that of attachments.

    Raises:
        ImportFailed: Nothing lies there (at once), or nothing there can be read (at the end,
            after the reports of what was passed over); says what was looked for.
    """
    if not _is_there(path):
        raise ImportFailed(f"{path}: there is no such file or folder; looked for {LOOKED_FOR}")
    return _steps(path, source)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name too long to be one, or a folder that may not be entered
        return False


def _steps(path: Path, source: str) -> Iterator[ImportEvent]:
    total = sum(found.file.size_bytes for found in files_below(path))
    done, known, first_reason = 0, 0, ""
    for found in files_below(path, source=source):
        try:
            steps = _reader(found)(found.file)
            known += 1
        except ImportFailed as error:
            first_reason = first_reason or str(error)
            steps = [found.file.passed_over(str(error))]
        for step in _until_error(steps, found.file):
            so_far = min(done + step.bytes_done, total)
            yield replace(step, bytes_done=so_far, bytes_total=total)
        done += found.file.size_bytes
    if not known:
        reason = first_reason or f"there is no file; looked for {LOOKED_FOR}"
        raise ImportFailed(f"{path}: nothing to import: {reason}")


def _reader(found: WalkedFile) -> Reader:
    """Return the reader of this file.

    Raises:
        ImportFailed: Nothing does; says why.
    """
    if found.problem:
        raise ImportFailed(found.problem)
    if found.format:
        return _READERS[found.format]
    try:
        return _READERS[detect(found.file.path)]
    except ImportFailed:
        if reader := plugin_reader(found.file.path):
            return reader
        raise


def _until_error(steps: Iterable[ImportEvent], file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the events of one file; a read error is reported as an event."""
    try:
        yield from steps
    except OSError as error:
        yield file.passed_over(f"can not be read: {error.strerror}", bytes_done=file.size_bytes)
