"""How fast documents and chats of each format are read, beside the bare parser of the format.

Makes the files itself. Reading is what an import does before it keeps anything: detection, the
process that takes the text out, and the items. The bare parser is the same library, called in
this process with the file's bytes.
"""

import csv
import io
import json
import random
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from simonides.importers import read
from simonides.text.clean import from_html
from simonides_bench import chat_exports
from simonides_bench.testing import documents as make
from simonides_formats.documents.office_text import MEDIA_TYPES

PAGES = 10
"""Pages, slides or chapters of each document; a sheet has 50 rows for each."""

PAGE_WORDS = 300
ROUNDS = 3
"""Each is read so often; the quickest counts, since others work on the machine, too."""

_SYLLABLES = "ba den kil mor nas pel quay ran sol tir ve wal".split()


def run(*, files: int, on_progress: Callable[[int, int], None]) -> dict[str, Any]:
    """Return the times of each format, for a folder of so many files."""
    formats: dict[str, dict[str, float]] = {}
    for number, kind in enumerate(MAKERS):
        on_progress(number, len(MAKERS))
        formats[kind] = _figures(kind, files)
    return {"files": files, "pages": PAGES, "formats": formats}


def _figures(kind: str, files: int) -> dict[str, float]:
    raws = [MAKERS[kind](random.Random(seed)) for seed in range(files)]  # noqa: S311  not for secrets
    size_mb = sum(map(len, raws)) / 1e6
    with tempfile.TemporaryDirectory(prefix="simonides-bench-") as folder:
        for number, raw in enumerate(raws):
            Path(folder, f"{number}.{SUFFIXES.get(kind, kind)}").write_bytes(raw)
        items = sum(one.item is not None for one in read(Path(folder)))
        read_ms = _quickest(lambda: list(read(Path(folder))))
    bare_ms = _quickest(lambda: [BARE[kind](raw) for raw in raws])
    return {
        "items": items,
        "file_kb": 1000 * size_mb / files,
        "read_ms": read_ms / files,
        "bare_ms": bare_ms / files,
        "ratio": read_ms / bare_ms,
        "mb_per_s": 1000 * size_mb / read_ms,
    }


def _quickest(call: Callable[[], Any]) -> float:
    """Return the milliseconds of the quickest of some calls, by the clock: two processes work."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return 1000 * min(times)


# ── the files ────────────────────────────────────────────────────────────────────────────────


def _sentence(draw: random.Random, words: int) -> str:
    found = ("".join(draw.choices(_SYLLABLES, k=draw.randint(1, 3))) for _ in range(words))
    return " ".join(found).capitalize() + "."


def _pages(draw: random.Random) -> list[list[str]]:
    """Return the sentences of each page."""
    return [[_sentence(draw, 15) for _ in range(PAGE_WORDS // 15)] for _ in range(PAGES)]


def _rows(draw: random.Random) -> list[list[str | float]]:
    return [
        [_sentence(draw, 4), draw.randint(0, 999), draw.random(), _sentence(draw, 2)]
        for _ in range(50 * PAGES)
    ]


def _pdf(draw: random.Random) -> bytes:
    return make.pdf([") Tj 0 -14 Td (".join(page) for page in _pages(draw)])


def _docx(draw: random.Random) -> bytes:
    return make.docx("".join(make.paragraph(one) for page in _pages(draw) for one in page))


def _xlsx(draw: random.Random) -> bytes:
    return make.xlsx("".join(make.sheet_row(n, row) for n, row in enumerate(_rows(draw), 1)))


def _odt(draw: random.Random) -> bytes:
    return make.odt("".join(f"<text:p>{one}</text:p>" for page in _pages(draw) for one in page))


def _html_body(page: Iterable[str]) -> str:
    return "".join(f"<p>{one}</p>" for one in page)


def _html(draw: random.Random) -> bytes:
    body = "".join(map(_html_body, _pages(draw)))
    return f"<!doctype html><html><head><title>T</title></head><body>{body}</body></html>".encode()


def _csv(draw: random.Random) -> bytes:
    written = io.StringIO()
    csv.writer(written).writerows(_rows(draw))
    return written.getvalue().encode()


def _ipynb(draw: random.Random) -> bytes:
    cells = [{"cell_type": "markdown", "source": page} for page in _pages(draw)]
    return json.dumps({"cells": cells, "nbformat": 4}).encode()


def _zip(draw: random.Random) -> bytes:
    pages = enumerate(_pages(draw))
    return make.make_zip({f"{number}.md": "\n".join(page) for number, page in pages})


MAKERS: dict[str, Callable[[random.Random], bytes]] = {
    "pdf": _pdf,
    "docx": _docx,
    "pptx": lambda draw: make.pptx(["\n".join(page) for page in _pages(draw)]),
    "xlsx": _xlsx,
    "odt": _odt,
    "epub": lambda draw: make.epub([_html_body(page) for page in _pages(draw)]),
    "rtf": lambda draw: make.rtf("".join(rf"{one}\par " for page in _pages(draw) for one in page)),
    "html": _html,
    "ipynb": _ipynb,
    "csv": _csv,
    "md": lambda draw: "\n".join(one for page in _pages(draw) for one in page).encode(),
    "zip": _zip,
    "chatgpt": lambda draw: chat_exports.chatgpt(_pages(draw)),
    "slack": lambda draw: chat_exports.slack(_pages(draw)),
    "whatsapp": lambda draw: chat_exports.whatsapp(_pages(draw)),
}
"""What makes one document of each format; of a chat each sentence is a message."""

SUFFIXES = {"chatgpt": "json", "slack": "zip", "whatsapp": "txt"}
"""How files of a format are called where it is not by the format's name."""


# ── the bare parsers ─────────────────────────────────────────────────────────────────────────


def _bare_pdf(raw: bytes) -> list[str]:
    import pypdfium2

    return [page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(raw)]


def _bare_office(kind: str) -> Callable[[bytes], Any]:
    def parse(raw: bytes) -> Any:
        import kreuzberg

        config = kreuzberg.ExtractionConfig(use_cache=False, output_format="markdown")
        return kreuzberg.extract_bytes_sync(raw, MEDIA_TYPES[kind], config)

    return parse


def _bare_sheet(raw: bytes) -> list[Any]:
    import python_calamine

    book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(raw))
    return [book.get_sheet_by_name(name).to_python() for name in book.sheet_names]


def _bare_zip(raw: bytes) -> list[bytes]:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return [archive.read(name) for name in archive.namelist()]


def _bare_slack(raw: bytes) -> list[Any]:
    return [json.loads(file) for file in _bare_zip(raw)]


BARE: dict[str, Callable[[bytes], Any]] = {
    "pdf": _bare_pdf,
    **{kind: _bare_office(kind) for kind in ("docx", "pptx", "odt", "epub", "rtf")},
    "xlsx": _bare_sheet,
    "html": lambda raw: from_html(raw.decode()),
    "ipynb": json.loads,
    "csv": lambda raw: list(csv.reader(io.StringIO(raw.decode()))),
    "md": lambda raw: raw.decode(),
    "zip": _bare_zip,
    "chatgpt": json.loads,
    "slack": _bare_slack,
    "whatsapp": lambda raw: raw.decode().splitlines(),
}
"""The parser of each format, called as its documentation shows."""
