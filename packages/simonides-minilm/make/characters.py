"""Make `characters.json`: which characters the tokenizer drops, and which stand alone.

    python characters.py

Asks the upstream tokenizer about every character there is, because its tables are those of one
version of Unicode and Python's are those of another. Both lists are of ranges [first, last].
"""

import json
from collections.abc import Callable
from pathlib import Path

from tokenizers import Tokenizer

TARGET = Path(__file__).parent.parent / "src" / "simonides_minilm"
SURROGATES = range(0xD800, 0xE000)
LAST = 0x10FFFF


def ranges(holds: Callable[[str], bool]) -> list[list[int]]:
    """Return the ranges of the code points whose character holds."""
    found: list[list[int]] = []
    for code in range(LAST + 1):
        if code in SURROGATES or not holds(chr(code)):
            continue
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def content() -> str:
    """Return the file's text."""
    tokenizer = Tokenizer.from_file(str(TARGET / "tokenizer.json"))
    normalizer, splitter = tokenizer.normalizer, tokenizer.pre_tokenizer
    tables = {
        "alone": ranges(lambda c: len(splitter.pre_tokenize_str(f"a{c}b")) == len("a.b")),
        "dropped": ranges(lambda c: not normalizer.normalize_str(c)),
    }
    return json.dumps(tables, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    (TARGET / "characters.json").write_text(content(), encoding="utf-8")
