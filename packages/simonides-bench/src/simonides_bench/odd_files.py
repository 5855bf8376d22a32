"""A corpus of odd files: each sample of a format, damaged in each way of a table.

The same seed makes the same bytes. Knows no format; reading them is `fuzz`'s part.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from simonides_bench.odd_samples import SAMPLES

LONG = 200_000
"""Bytes of a line or field that does not end."""

DEEP = 20_000
"""Levels of brackets, braces and elements in each other."""

Damage = Callable[[bytes, random.Random], bytes]
"""Makes an odd file of a valid one."""


def _cut(part: float) -> Damage:
    return lambda raw, _: raw[: int(len(raw) * part)]


def _flip(raw: bytes, draw: random.Random) -> bytes:
    """Return the bytes with one bit in some hundred of them turned over."""
    made = bytearray(raw)
    for _ in range(1 + len(raw) // 100):
        made[draw.randrange(len(made))] ^= 1 << draw.randrange(8)
    return bytes(made)


def _in_the_middle(new: bytes) -> Damage:
    return lambda raw, _: raw[: len(raw) // 2] + new + raw[len(raw) // 2 :]


def _without_a_piece(raw: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(raw))
    return raw[:at] + raw[at + 1 + len(raw) // 10 :]


def _as_utf_16(raw: bytes, _: random.Random) -> bytes:
    return raw.decode("latin-1").encode("utf-16")


DAMAGES: Mapping[str, Damage] = {
    "header": lambda raw, _: raw[:16],
    "quarter": _cut(0.25),
    "half": _cut(0.5),
    "all-but-one": lambda raw, _: raw[:-1],
    "doubled": lambda raw, _: raw + raw,
    "flipped": _flip,
    "hole": _without_a_piece,
    "zeros": _in_the_middle(b"\0" * 600),
    "noise": lambda raw, draw: raw[: len(raw) // 2] + draw.randbytes(2_000),
    "marked": lambda raw, _: b"\xef\xbb\xbf" + raw,
    "utf-16": _as_utf_16,
    "long": _in_the_middle(b"x" * LONG),
    "brackets": _in_the_middle(b'{"a":[' * DEEP),
    "elements": _in_the_middle(b"<p>{\\b " * DEEP),
    "carriage": lambda raw, _: raw.replace(b"\n", b"\r"),
}
"""Ways in which a file may be odd."""

NAMES = (
    "-rf.md", "a b\tc.md", "caf\u00e9.md", "cafe\u0301.md", "\u202egnp.md", "a\nb.md", "~.md",
    "%2e%2e%2f.md", "'; drop table items; --.md", "con.md", "n" * 250 + ".md", "\U0001f6a2.md",
)  # fmt: skip
"""Names of files that programs stumble over; each holds a note."""

GOOD = "good-%d.md"
"""The name of a good neighbour."""

GOOD_COUNT = 10


def odd_files(seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents: damaged files, files under wrong names, and empty ones."""
    draw = random.Random(seed)  # noqa: S311  not for secrets
    for name, raw in SAMPLES.items():
        stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
        for damage, make in DAMAGES.items():
            yield f"{stem}-{damage}{suffix}", make(raw, draw)
        yield f"{stem}-empty{suffix}", b""
    names = list(SAMPLES)
    for name, other in zip(names, names[7:] + names[:7], strict=True):
        yield f"{PurePosixPath(name).stem}-other{PurePosixPath(other).suffix}", SAMPLES[name]


def write_corpus(folder: Path, *, seed: int) -> list[str]:
    """Write the odd files, those with odd names and good neighbours; return the names of all."""
    files = dict(_place(odd_files(seed)))
    files |= {f"names/{name}": f"Oars, {number}.".encode() for number, name in enumerate(NAMES)}
    files |= {GOOD % number: b"The ferry leaves at %d." % number for number in range(GOOD_COUNT)}
    for name, raw in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
    return sorted(files)


def _place(files: Iterator[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Yield each file below a folder of its own, so that many may have one name."""
    for number, (name, raw) in enumerate(files):
        yield f"{number:04}/{name}", raw
