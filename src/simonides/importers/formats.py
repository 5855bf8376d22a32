"""The built-in file formats, and the order in which these and those of plugins are tried.

A built-in format names the module that reads it, which is imported when the first file of its
format is read, so that no import pays for libraries of other formats. Must not know a format from
inside, beyond the marks at its beginning.
"""

import json
import re
import stat
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from simonides.errors import ImportFailed
from simonides.importers.charset import decode, is_binary
from simonides.importers.extras import needs
from simonides.plugins import Importer, plugin_records, read_by, warn

SAMPLE_BYTES = 8192
"""How much of a file is looked at."""

_MAIL_HEADER = re.compile(
    rb"^(?:From|To|Subject|Date|Message-ID|Received|Return-Path|Delivered-To|MIME-Version)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_ANY_HEADER = re.compile(rb"(?:From |[!-9;-~]{1,76}[ \t]*:)")
_BLANK_LINE = re.compile(rb"\n\r?\n")
"""Where the head of a mail ends: one that is longer than the sample may name its sender behind it.
"""


_HTML = re.compile(
    rb"(?>(?:<\?xml[^>]*+>|<!--(?>.*?-->))\s*+)*+<(?:!doctype\s+html|html|head|body)[\s>]",
    re.IGNORECASE | re.DOTALL,
)


def is_html(sample: bytes) -> bool:
    """Return whether a file begins as an HTML page, comments and an XML declaration aside."""
    if b"\0" in sample and not is_binary(sample):
        sample = decode(sample).encode("utf-8", "replace")
    return _HTML.match(sample.lstrip(b"\xef\xbb\xbf \t\r\n")) is not None


TEXT_SUFFIXES = (
    ".rst", ".org", ".adoc", ".asciidoc", ".textile", ".tex", ".text", ".log", ".srt", ".vtt",
)  # fmt: skip
"""Suffixes of texts that people write or read. Programs and their settings are none of these."""

_TEXT_MARKS = frozenset(range(32, 256)) | frozenset(b"\t\n\r\f\x1b")


def is_text(path: Path, sample: bytes) -> bool:
    """Return whether a file is a text by its suffix, or by its bytes if it has none."""
    if b"\0" in sample:
        return not is_binary(sample) and path.suffix.lower() in TEXT_SUFFIXES
    return path.suffix.lower() in TEXT_SUFFIXES or (not path.suffix and _is_utf8(sample))


def _is_utf8(sample: bytes) -> bool:
    """Return whether a sample is UTF-8 without control marks; a character may be cut at its end."""
    if not (sample.strip() and _TEXT_MARKS.issuperset(sample)):
        return False
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        return error.start > len(sample) - 4
    return True


def _start(sample: bytes) -> bytes:
    """Return the sample without a byte order mark and white space before it."""
    return sample.lstrip(b"\xef\xbb\xbf \t\r\n")


def _format(
    name: str, title: str, detect: Callable[[Path, bytes], bool], reader: str, order: int
) -> Importer:
    """Return a format; `reader` is `MODULE:FUNCTION`, a module of this room."""
    read = read_by(f"simonides.importers.{reader}")
    return Importer(name=name, title=title, detect=detect, read=read, order=order)


def _has_suffix(*suffixes: str) -> Callable[[Path, bytes], bool]:
    """Return a test for text files of these suffixes; whatever is binary is none."""

    def detect(path: Path, sample: bytes) -> bool:
        is_text = not is_binary(sample)
        return is_text and path.suffix.lower() in suffixes

    return detect


def _is_html(path: Path, sample: bytes) -> bool:
    return is_html(sample) or _has_suffix(".html", ".htm", ".xhtml")(path, sample)


_SAVED_PAGE = re.compile(
    rb"^(?:Snapshot-Content-Location:|From:[ \t]*[<\"]Saved by [^<>\"\n]*[>\"][ \t]*\r?$)",
    re.IGNORECASE | re.MULTILINE,
)
"""What browsers write where a mail names its author."""


def _is_saved_page(path: Path, sample: bytes) -> bool:
    head = _BLANK_LINE.split(_start(sample), maxsplit=1)[0]
    is_called = path.suffix.lower() in (".mht", ".mhtml")
    return bool(_ANY_HEADER.match(head)) and (is_called or bool(_SAVED_PAGE.search(head)))


def _is_mbox(path: Path, sample: bytes) -> bool:
    start = _start(sample)
    return start.startswith(b"From ") or (not start and path.suffix.lower() == ".mbox")


def _is_eml(path: Path, sample: bytes) -> bool:
    start, is_called = _start(sample), path.suffix.lower() == ".eml"
    if not start:
        return is_called
    if not _ANY_HEADER.match(start):
        return False
    goes_on = len(sample) == SAMPLE_BYTES and not _BLANK_LINE.search(start)
    return (is_called and goes_on) or _MAIL_HEADER.search(sample) is not None


_CALENDAR_STARTS = (b"BEGIN:VCALENDAR", b"BEGIN:VEVENT", b"BEGIN:VTODO", b"BEGIN:VJOURNAL")
"""How calendars begin: some programs write a single entry without the calendar around it."""


def _is_calendar(_: Path, sample: bytes) -> bool:
    start = _start(decode(sample).encode("utf-8", "replace"))
    words = start[:20].upper().split(maxsplit=1)
    return bool(words) and words[0] in _CALENDAR_STARTS


FORMATS: tuple[Importer, ...] = (
    _format("calendar", "calendars (.ics)", _is_calendar, "calendar:read_calendar", 10),
    _format("chat", "chats (.jsonl)", _has_suffix(".jsonl"), "chat:read_chat", 40),
    _format(
        "markdown",
        "notes (.md, .markdown, .txt)",
        _has_suffix(".md", ".markdown", ".txt"),
        "markdown:read_markdown",
        41,
    ),
    _format(
        "saved-page",
        "saved web pages (.mht, .mhtml)",
        _is_saved_page,
        "saved_page:read_saved_page",
        41,
    ),
    _format("mbox", "mail (.mbox)", _is_mbox, "mailbox:read_mbox", 42),
    _format("eml", "mail (.eml, Maildir)", _is_eml, "mailbox:read_eml", 43),
    _format("html", "web pages (.html, .htm, .xhtml)", _is_html, "html:read_html", 44),
    _format(
        "table", "tables (.csv, .tsv)", _has_suffix(".csv", ".tsv"), "plain_text:read_table", 90
    ),
    _format(
        "text",
        "other text (.rst, .org, .adoc, .tex, .log, or without a suffix)",
        is_text,
        "plain_text:read_text",
        91,
    ),
)
"""The built-in formats, each with its number in the order in which formats are tried."""

_BUILT_IN = {one.name: one for one in FORMATS}

_PACKAGE_SUFFIXES = frozenset(
    ".af .bz2 .doc .docx .emlx .enex .epub .gz .ipynb .json .msg .odp .ods .odt .ost .pdf .ppt "
    ".pptx .pst .rtf .tar .tgz .vcf .xls .xlsb .xlsx .xz .zip".split()
)
"""Well-known suffixes of files that the package simonides-formats reads."""

_PACKAGE = "simonides_formats"


def formats() -> list[Importer]:
    """Return the built-in formats and those of plugins, in the order in which they are tried."""
    added = plugin_records(lambda plugin: plugin.importers, built_in=_BUILT_IN)
    return sorted((*FORMATS, *added.values()), key=lambda one: (one.order, one.name))


SEE_FORMATS = "what is read: docs/reference/formats.md"
"""Where an error of an import refers to: the names of all formats would fill a page."""


def format_named(name: str) -> Importer:
    """Return a built-in format by its name."""
    return _BUILT_IN[name]


def detect(path: Path) -> Importer:
    """Return the first format that recognises the file at `path`.

    Raises:
        ImportFailed: There is no regular file, or no format fits; says what was looked for.
    """
    sample = _sample(path)
    if _start(sample).startswith(b'{"simonides_export":'):
        raise ImportFailed("an export of a whole space; import that file by itself")
    tried = formats()
    for one in tried:
        if _detects(one, path, sample):
            return one
    raise ImportFailed(_why_unknown(path, tried, is_empty=not sample))


def find_wrapped_reader(raw: bytes) -> Callable[[bytes, Any, int], Any] | None:
    """Return the reader of a file that wraps the contents of its mail; None where it is no such."""
    sample = raw[:SAMPLE_BYTES]
    wrapping = (one for one in formats() if one.wrapped)
    found = next((one for one in wrapping if _detects(one, Path("winmail.dat"), sample)), None)
    return found.wrapped if found else None


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
    if importer.name in _BUILT_IN:
        return importer.detect(path, sample)
    try:
        return importer.detect(path, sample)
    except Exception as error:  # noqa: BLE001  foreign code
        warn(f"the importer {importer.name!r} failed to detect: {type(error).__name__}: {error}")
        return False


_SUFFIX = re.compile(r"\.\w+")


def _why_unknown(path: Path, tried: list[Importer], *, is_empty: bool) -> str:
    suffix = path.suffix.lower()
    if is_empty:
        return "it is empty"
    general_first = reversed(tried)
    named = next((one for one in general_first if suffix in _SUFFIX.findall(one.title)), None)
    if named and named.name in ("chat", "markdown", "table", "text"):
        return f"binary, though it is called {suffix}"
    if named:
        return f"does not look like {named.title.split(' (')[0]}, though it is called {suffix}"
    if suffix in _PACKAGE_SUFFIXES and find_spec(_PACKAGE) is None:
        return str(needs("formats", f"{suffix} files"))
    if suffix == ".json":
        return _why_no_json(path)
    return f"{suffix} files are not read" if suffix else "not a format that is read"


def _why_no_json(path: Path) -> str:
    """Return where a file breaks off that is called JSON, or that its form is unknown."""
    if path.stat().st_size <= JSON_BYTES_MAX:
        try:
            json.loads(path.read_bytes())
        except (ValueError, RecursionError) as error:
            return f"it is no whole JSON: {error}"
    return "JSON of no form that is read; say with --map which field is what"


JSON_BYTES_MAX = 16 << 20
"""A file that is larger is not parsed only to say what is wrong with it."""
