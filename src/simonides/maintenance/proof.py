"""The proof of an erasure: another process searches the files' bytes for erased texts.

Knows which bytes of an item tell that it was there: pieces of its texts that begin with a word, and
the beginnings of its vectors. Must not know how files are laid out.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from itertools import chain

from simonides.maintenance.byte_scan import PIECE_BYTES, PIECE_BYTES_MIN, Pieces, find_in, pieces
from simonides.model.maintenance import Proof
from simonides.ports.maintenance import SearchedFiles
from simonides.ports.space import Reader, Space

PIECES_MAX = 200_000
"""Pieces looked for at once; of more texts, fewer of each."""

VERSIONS_MAX = 5_000
"""Versions whose words are looked for."""

PIECES_OF_TEXT_MIN = 4
TEXT_BATCH_BYTES = 4 << 20
"""Kept texts that are looked through at once."""

TIMEOUT_S = 3600.0
PROGRAM = "from simonides.maintenance.byte_scan import main; main()"


def pieces_of(reader: Reader, keys: list[int]) -> list[bytes]:
    """Return the pieces to search for, from all versions of these keys.

    Of very many versions, some that lie evenly among them.
    """
    keys = keys[:: 1 + len(keys) // VERSIONS_MAX]
    items = reader.items(keys).values()
    texts = [text.encode() for text in strings_of(list(items))]
    wanted = set(keys)
    vectors = (row.vector for row in reader.chunk_rows(0) if row.item_key in wanted)
    most = max(PIECES_OF_TEXT_MIN, PIECES_MAX // max(1, len(texts)))
    found = dict.fromkeys(chain.from_iterable(_pieces_of_text(text, most) for text in texts))
    found.update(dict.fromkeys(v[:PIECE_BYTES] for v in vectors if any(v[:PIECE_BYTES])))
    return [one for one in found if len(one) >= PIECE_BYTES_MIN]


def _pieces_of_text(text: bytes, most: int) -> Iterator[bytes]:
    """Yield up to `most` pieces of a text, evenly spread, that begin at words."""
    last = max(len(text) - PIECE_BYTES, 0)
    step = max(1, last // most)
    at = 0
    while True:
        yield text[at : at + PIECE_BYTES]
        if at >= last:
            return
        word = text.find(b" ", at + step, at + step + PIECE_BYTES)
        at = min(at + max(step, PIECE_BYTES) if word < 0 else word + 1, last)


def prove(files: SearchedFiles, wanted: Sequence[bytes], *, space: Space | None) -> Proof:
    """Return the result of a search of files for these pieces.

    What something kept in `space` says, too, is no trace; None where nothing is kept any more. Nor
    is what stands in the settings alone: a person wrote it there.
    """
    try:
        scanned = _scan_in_process(files.paths, wanted)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return Proof(looked_for=len(wanted), problem=f"could not be done: {error}")
    seen = sorted({n for numbers in scanned.found.values() for n in numbers})
    found = {name: them for name, them in scanned.found.items() if name not in files.settings}
    traced = {n for numbers in found.values() for n in numbers}
    found_elsewhere = [False] * len(seen)
    if traced and space is not None:
        found_elsewhere = _find_elsewhere(space, [wanted[n] for n in seen])
    left = {
        n for n, is_elsewhere in zip(seen, found_elsewhere, strict=True) if not is_elsewhere
    } & traced
    return Proof(
        looked_for=len(wanted),
        files=tuple(scanned.sizes),
        bytes=sum(scanned.sizes.values()),
        elsewhere=len(seen) - len(left),
        left=len(left),
        where=tuple(name for name, numbers in found.items() if left.intersection(numbers)),
        problem=files.problem
        or (f"could not read {', '.join(scanned.unread)}" if scanned.unread else ""),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _ScanResult:
    """The answer of the other process: the size of each file, and the pieces in it.

    `unread` are those that it could not read.
    """

    sizes: dict[str, int]
    found: dict[str, list[int]]
    unread: list[str]


def _scan_in_process(files: Sequence[str], wanted: Sequence[bytes]) -> _ScanResult:
    """Return the findings of another process, which uses the same modules as this one."""
    request = json.dumps({"files": list(files), "pieces": [one.hex() for one in wanted]})
    paths = os.pathsep.join(path for path in sys.path if path)
    run = subprocess.run(  # noqa: S603  our own program, by the Python that runs us
        [sys.executable, "-c", PROGRAM],
        input=request, capture_output=True, text=True, check=True, timeout=TIMEOUT_S,
        env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    return _ScanResult(**json.loads(run.stdout))


def _find_elsewhere(space: Space, found: list[bytes]) -> list[bool]:
    """Return for each piece whether stored data has it, too."""
    wanted = pieces(found)
    with space.read() as reader:
        said = chain(
            (text.encode() for text in (*space.own_texts(), *strings_of(reader.read_all()))),
            (f"{row.entity}\0{row.name}".encode() for row in reader.every().mention_rows(0)),
            (row.vector for row in reader.every().chunk_rows(0)),
        )
        return _in_any(said, wanted)


def _in_any(said: Iterable[bytes], wanted: Pieces) -> list[bool]:
    found = find_in(b"", wanted)
    batch, size = [], 0
    for one in chain(said, (None,)):
        if one is not None:
            batch.append(one)
            size += len(one)
        if one is None or size >= TEXT_BATCH_BYTES:
            found |= find_in(b"\0\0".join(batch), wanted)
            batch, size = [], 0
    return [bool(one) for one in found]


def strings_of(value: object) -> Iterator[str]:
    """Yield every text in a value, at any depth, except the engine's own words (kinds)."""
    if isinstance(value, str):
        if not isinstance(value, Enum):
            yield value
    elif is_dataclass(value):
        for one in fields(value):
            yield from strings_of(getattr(value, one.name))
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from strings_of(key)
            yield from strings_of(one)
    elif isinstance(value, Iterable) and not isinstance(value, bytes):
        for one in value:
            yield from strings_of(one)
