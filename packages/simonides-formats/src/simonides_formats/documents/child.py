"""The process that takes the text out of documents: `python -m simonides_formats.documents.child`.

Each line of standard input names a file and its kind; lines of JSON answer it, `{"end": …}` last.
Whatever a hostile file does to the libraries ends this process at most: its memory, its processor
time and its output are bounded, and while a file is read it can open no other file and no socket.
Must not know items.
"""

import encodings.cp437  # needed when no file can be opened any more: names in zips
import encodings.utf_16_le  # noqa: F401  … and the metadata of PDFs
import json
import math
import os
import select
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TextIO

from simonides.importers.file_item import TEXT_CHARS_MAX

if sys.platform != "win32":
    import resource

MEMORY_MAX: Final = 1 << 30
"""Most address space in bytes; the libraries take 350 MB of it before the first file."""

CPU_S: Final = 30
"""Most processor time of one file; a thousand pages take some three seconds."""

OUTPUT_CHARS_MAX: Final = 20_000_000
"""Most characters of one file."""

TOO_LONG: Final = "longer than {:,} characters; the rest is left out"

FILES_MAX: Final = 200
"""Files after which the process ends and another one begins, so that no memory stays taken."""

IDLE_S: Final = 20
"""How long the process waits for a next file before it ends."""

PROTECTED: Final = "is protected by a password"

READERS: Final = {
    "pdf": "pdf_pages",
    "ipynb": "notebook_cells",
    **dict.fromkeys("docx pptx odt odp doc ppt rtf epub".split(), "office_text"),
    **dict.fromkeys("xlsx xlsb xls ods".split(), "sheet_rows"),
}
"""The module that reads each kind; imported at the first file of its kind."""


def main() -> None:
    """Answer the lines of standard input until it ends, is silent or enough files were read."""
    out = _own_output()
    _limit_process()
    for _ in range(FILES_MAX):
        line = _next_line()
        if not line:
            return
        order = json.loads(line)
        chars_max = order.get("chars_max", OUTPUT_CHARS_MAX)
        for record in answer(Path(order["path"]), order["kind"], chars_max=chars_max):
            print(json.dumps(record), file=out)
        out.flush()


def answer(path: Path, kind: str, *, chars_max: int = OUTPUT_CHARS_MAX) -> Iterator[dict[str, Any]]:
    """Yield the records of one file; `{"end": …}` last, with what is wrong if anything is."""
    problem = ""
    try:
        module = import_module(f"simonides_formats.documents.{READERS[kind]}")
        getattr(module, "warm_up", int)()
        yield from _read(module, path, kind, min(chars_max, OUTPUT_CHARS_MAX))
    except MemoryError:
        problem = "it needs more memory than it may have"
    except Exception as error:  # noqa: BLE001  whatever the libraries raise
        problem = _read_message(error)
    yield {"end": problem}


def _read_message(error: Exception) -> str:
    """Return the message of a library, on one line; all say "password" in words of their own."""
    problem = " ".join(str(error).split())[:200] or type(error).__name__
    return PROTECTED if "password" in problem.lower() else problem


def _read(module: Any, path: Path, kind: str, chars_max: int) -> Iterator[dict[str, Any]]:
    with path.open("rb") as stream:
        files_max = _limit_file()
        left = chars_max
        try:
            for record in module.read(stream, kind):
                text = record.get("text", "")
                yield record | _bound(text, left) if text else record
                left -= min(len(text), TEXT_CHARS_MAX)
                if left < 0:
                    yield {"problem": TOO_LONG.format(chars_max)}
                    return
        finally:
            _allow_files(files_max)


def _bound(text: str, chars_max: int) -> dict[str, Any]:
    """Return as much of a text as an item may hold; of a longer one its length, too."""
    whole = {"chars": len(text)} if len(text) > TEXT_CHARS_MAX else {}
    return {"text": text[: min(chars_max, TEXT_CHARS_MAX)], **whole}


def _own_output() -> TextIO:
    """Return standard output as it was; what else writes to it goes to standard error from now."""
    own = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return own


def _next_line() -> str:
    """Return the next line of standard input; empty at its end, or if none comes."""
    with suppress(OSError):  # where only sockets can be waited for
        if not select.select([sys.stdin], [], [], IDLE_S)[0]:
            return ""
    return sys.stdin.readline()


def _limit_process() -> None:
    """Bound what this process may take, where the system has a way to; and refuse sockets."""
    sys.addaudithook(_refuse_sockets)
    if sys.platform == "win32":
        return
    for what, most in (
        (resource.RLIMIT_AS, MEMORY_MAX),
        (resource.RLIMIT_CORE, 0),  # a core would hold what is read
        (resource.RLIMIT_FSIZE, 0),
    ):
        with suppress(OSError, ValueError):  # macOS does not bound address space
            resource.setrlimit(what, (most, most))


def _refuse_sockets(event: str, _: tuple[Any, ...]) -> None:
    if event.startswith("socket."):
        raise PermissionError("what reads documents opens no connection")


def _limit_file() -> int:
    """Bound the processor time of a file, and let nothing be opened meanwhile: file or socket.

    Return how many files could be open before.
    """
    if sys.platform == "win32":
        return 0
    before = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    used = resource.getrusage(resource.RUSAGE_SELF)
    _set_soft(resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime) + CPU_S)
    _set_soft(resource.RLIMIT_NOFILE, 0)
    return before


def _allow_files(files_max: int) -> None:
    if sys.platform != "win32":
        _set_soft(resource.RLIMIT_NOFILE, files_max)


def _set_soft(what: int, soft: int) -> None:
    """Set a limit that can be lifted again, not above that of the process that started this one."""
    if sys.platform != "win32":
        hard = resource.getrlimit(what)[1]
        most = soft if hard == resource.RLIM_INFINITY else min(soft, hard)
        resource.setrlimit(what, (most, hard))


if __name__ == "__main__":
    main()
