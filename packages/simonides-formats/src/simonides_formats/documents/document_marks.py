"""The marks by which documents and archives are recognised: magic bytes, members, streams.

Imports no library that reads them. Must not know what becomes of a document.
"""

import lzma
import os
import struct
import zipfile
import zlib
from functools import lru_cache
from pathlib import Path

_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEAD_BYTES = 1024
"""Where PDF readers look for the mark of a PDF (ISO 32000, annex H.3.4.1)."""

_DAMAGE = (
    OSError, ValueError, EOFError, NotImplementedError, RuntimeError, OverflowError, struct.error,
    zipfile.BadZipFile, zlib.error, lzma.LZMAError,
)  # fmt: skip
"""What a damaged zip raises when its directory or a member is read."""

_OPEN_DOCUMENTS = {
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.text-template": "odt",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
}
_OPEN_XML = {
    "word/document.xml": "docx",
    "ppt/presentation.xml": "pptx",
    "xl/workbook.xml": "xlsx",
    "xl/workbook.bin": "xlsb",
}
_STREAMS = {
    "WordDocument": "doc",
    "PowerPoint Document": "ppt",
    "Workbook": "xls",
    "Book": "xls",
    "EncryptedPackage": "encrypted",
}
"""Streams of the compound files of Office 97, and of a newer file behind a password."""

_TEXT_DOCUMENTS = ("docx", "doc", "odt", "rtf", "epub", "pptx", "ppt", "odp", "encrypted")
_SECTOR_SHIFTS = (9, 12)
_ZIPPED_FILES = frozenset(
    ".aab .apk .crx .cbz .egg .ipa .jar .key .kmz .npz .numbers .nupkg .pages .sketch .vsdx .vsix "
    ".war .whl .xpi".split()
)
"""Zips that are one thing to those who have them: programs, packages, other documents."""
_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")
_TAR_MARK = slice(257, 262)


def document_kind(path: Path, sample: bytes) -> str:
    """Return `pdf`, `docx`, `xls` and so on; empty for what is no document."""
    if b"%PDF-" in sample[:_HEAD_BYTES]:
        return "pdf"
    if sample.startswith(b"{\\rtf"):
        return "rtf"
    if sample.startswith(_ZIP):
        return _find_kind_in_zip(path, path.stat().st_size, sample)
    if sample.startswith(_COMPOUND):
        return _compound_kind(path, sample)
    return ""


def is_pdf(path: Path, sample: bytes) -> bool:
    """Return whether a file is a PDF."""
    return document_kind(path, sample) == "pdf"


def is_text_document(path: Path, sample: bytes) -> bool:
    """Return whether a file is a document of Office or the like, or one behind a password."""
    return document_kind(path, sample) in _TEXT_DOCUMENTS


def is_spreadsheet(path: Path, sample: bytes) -> bool:
    """Return whether a file is a spreadsheet."""
    return document_kind(path, sample) in ("xlsx", "xlsb", "xls", "ods")


def is_notebook(path: Path, sample: bytes) -> bool:
    """Return whether a file is a notebook of Jupyter."""
    is_json = sample.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    return is_json and (b'"cell_type"' in sample or path.suffix.lower() == ".ipynb")


def kind_of(path: Path) -> str:
    """Return the kind of the document at `path`, as `document_kind` does."""
    with path.open("rb") as stream:
        return document_kind(path, stream.read(_HEAD_BYTES))


@lru_cache(maxsize=4)
def _find_kind_in_zip(path: Path, _size_bytes: int, _sample: bytes) -> str:
    """Return the kind of a document that is a zip, by its members.

    Several formats ask for it, and the directory of a large zip takes seconds to read.
    """
    try:
        with open_zip(path) as archive:
            names = archive.NameToInfo
            for name, kind in _OPEN_XML.items():
                if name in names:
                    return kind
            if "mimetype" not in names:
                return ""
            with archive.open("mimetype") as stream:
                return _OPEN_DOCUMENTS.get(stream.read(100).decode("ascii", "replace").strip(), "")
    except _DAMAGE:
        return ""


DIRECTORY_BYTES_MAX = 64 << 20
"""Longest directory of a zip, which is read as a whole: that of some 500,000 members."""

_ZIP_END, _ZIP_END_BYTES = b"PK\5\6", 22
_COMMENT_BYTES_MAX = 65_535


def open_zip(path: Path) -> zipfile.ZipFile:
    """Return a zip, if its directory is not too long to be read.

    Raises:
        zipfile.BadZipFile: It is too long, or damaged.
    """
    with path.open("rb") as stream:
        end = stream.seek(0, os.SEEK_END)
        stream.seek(max(0, end - _COMMENT_BYTES_MAX - _ZIP_END_BYTES))
        tail = stream.read()
    at = tail.rfind(_ZIP_END)
    stated = int.from_bytes(tail[at + 12 : at + 16], "little") if at >= 0 else 0
    if min(stated, end) > DIRECTORY_BYTES_MAX:
        raise zipfile.BadZipFile("the directory of its members is too long")
    return zipfile.ZipFile(path)


def _compound_kind(path: Path, sample: bytes) -> str:
    """Return the kind of an Office 97 file, by the names in the first sector of its directory."""
    shift = int.from_bytes(sample[30:32], "little")
    if shift not in _SECTOR_SHIFTS:
        return ""
    with path.open("rb") as stream:
        stream.seek((int.from_bytes(sample[48:52], "little") + 1) << shift)
        directory = stream.read(4096)
    names = {_entry_name(directory[at : at + 128]) for at in range(0, len(directory), 128)}
    return next((kind for name, kind in _STREAMS.items() if name in names), "")


def _entry_name(entry: bytes) -> str:
    length = int.from_bytes(entry[64:66], "little")
    return entry[: max(0, min(length, 64) - 2)].decode("utf-16-le", "replace")


def is_archive(path: Path, sample: bytes) -> bool:
    """Return whether a file is a zip, a tar, or compressed by gzip, bzip2 or xz."""
    if sample.startswith((_ZIP, _EMPTY_ZIP)):
        return path.suffix.lower() not in _ZIPPED_FILES and not document_kind(path, sample)
    return sample.startswith(_COMPRESSED) or sample[_TAR_MARK] == b"ustar"
