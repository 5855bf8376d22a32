"""The beginning of a JSON file, by whose marks exports are distinguished.

Must not know a format.
"""

import codecs

_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def head(sample: bytes) -> bytes:
    """Return the beginning of a JSON file as UTF-8; empty where it can be no JSON."""
    for mark, name in _WIDE:
        if sample.startswith(mark):
            sample = sample.decode(name, "ignore").encode(errors="ignore")
            break
    start = sample.removeprefix(codecs.BOM_UTF8).lstrip()
    return start if start[:1] in (b"{", b"[") else b""
