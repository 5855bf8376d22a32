"""The file formats that can be imported: how each is recognised, and which module reads it.

This table is the one place that knows the order in which formats are tried. A module named here
is imported when the first file of its format is read, so that no import pays for libraries of
other formats. Must not know a format from inside, beyond
the marks at its beginning.
"""

import re
import stat
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path

from simonides.errors import ImportFailed
from simonides.plugins import Importer, plugin_records, warn
from simonides.ports.importer import ImportEvent, SourceFile

SAMPLE_BYTES = 8192
"""How much of a file is looked at."""

_MAIL_HEADER = re.compile(
    rb"^(?:From|To|Subject|Date|Message-ID|Received|Return-Path|Delivered-To|MIME-Version)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_ANY_HEADER = re.compile(rb"(?:From |[!-9;-~]{1,76}[ \t]*:)")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


def _start(sample: bytes) -> bytes:
    """Return the sample without a byte order mark and white space before it."""
    return sample.lstrip(b"\xef\xbb\xbf \t\r\n")


def _reads_with(module: str, function: str) -> Callable[[SourceFile], Iterable[ImportEvent]]:
    """Return a reader that imports `simonides.importers.MODULE` when it is first called."""

    def read(file: SourceFile) -> Iterable[ImportEvent]:
        reader: Callable[[SourceFile], Iterable[ImportEvent]]
        reader = getattr(import_module(f"simonides.importers.{module}"), function)
        return reader(file)

    return read


def _has_suffix(*suffixes: str) -> Callable[[Path, bytes], bool]:
    """Return a test for text files of these suffixes; whatever is binary is none."""

    def detect(path: Path, sample: bytes) -> bool:
        is_text = b"\0" not in sample or sample.startswith(_WIDE_MARKS)
        return is_text and path.suffix.lower() in suffixes

    return detect


def _is_mbox(path: Path, sample: bytes) -> bool:
    start = _start(sample)
    return start.startswith(b"From ") or (not start and path.suffix.lower() == ".mbox")


def _is_eml(path: Path, sample: bytes) -> bool:
    start = _start(sample)
    if not start:
        return path.suffix.lower() == ".eml"
    return bool(_ANY_HEADER.match(start) and _MAIL_HEADER.search(sample))


FORMATS: tuple[Importer, ...] = (
    Importer(
        name="chat",
        title="chats (.jsonl)",
        detect=_has_suffix(".jsonl"),
        read=_reads_with("chat", "read_chat"),
    ),
    Importer(
        name="markdown",
        title="notes (.md, .markdown, .txt)",
        detect=_has_suffix(".md", ".markdown", ".txt"),
        read=_reads_with("markdown", "read_markdown"),
    ),
    Importer(
        name="mbox", title="mail (.mbox)", detect=_is_mbox, read=_reads_with("mailbox", "read_mbox")
    ),
    Importer(
        name="eml",
        title="mail (.eml, Maildir)",
        detect=_is_eml,
        read=_reads_with("mailbox", "read_eml"),
    ),
)
"""The built-in formats in the order in which they are tried: the most specific first."""

_FORMATS = {one.name: one for one in FORMATS}


def looked_for() -> str:
    """Return what can be imported, in words for messages."""
    titles = dict.fromkeys(one.title for one in FORMATS if one.title)
    return ", ".join(titles) + ", or a folder of these"


def format_named(name: str) -> Importer:
    """Return a built-in format by its name."""
    return _FORMATS[name]


def detect(path: Path) -> Importer:
    """Return the first format that recognises the file at `path`, plugins after the built-in ones.

    Raises:
        ImportFailed: There is no regular file, or no format fits; says what was looked for.
    """
    sample = _sample(path)
    if _start(sample).startswith(b'{"simonides_export":'):
        raise ImportFailed("an export of a whole space; import that file by itself")
    for one in FORMATS:
        if one.detect(path, sample):
            return one
    for one in plugin_records(lambda plugin: plugin.importers, built_in=_FORMATS).values():
        if _detects(one, path, sample):
            return one
    raise ImportFailed(_why_unknown(path.suffix.lower()))


def _sample(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ImportFailed(f"{path.name} is not a regular file")
        with path.open("rb") as stream:
            return stream.read(SAMPLE_BYTES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ImportFailed(f"can not be opened: {reason}") from error


def _detects(importer: Importer, path: Path, sample: bytes) -> bool:
    try:
        return importer.detect(path, sample)
    except Exception as error:  # noqa: BLE001  foreign code
        warn(f"the importer {importer.name!r} failed to detect: {type(error).__name__}: {error}")
        return False


def _why_unknown(suffix: str) -> str:
    named = next((one for one in FORMATS if suffix and suffix in one.title), None)
    if named and named.name in ("chat", "markdown"):
        return f"binary, though it is called {suffix}"
    if named:
        return f"does not look like {named.title.split(' (')[0]}, though it is called {suffix}"
    return f"{suffix} files are not read" if suffix else "not a format that is read"
