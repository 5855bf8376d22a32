"""Print the table of `simonides.text.unicode_version`: run it under a Python of that Unicode."""

import sys
import textwrap
import unicodedata

WIDTH = 96
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def unassigned_runs() -> list[tuple[int, int]]:
    """Return (first, last) of each run of code points that this Python's Unicode leaves open."""
    runs: list[tuple[int, int]] = []
    for point in range(sys.maxunicode + 1):
        if unicodedata.category(chr(point)) != "Cn":
            continue
        if runs and runs[-1][1] == point - 1:
            runs[-1] = (runs[-1][0], point)
        else:
            runs.append((point, point))
    return runs


def base_36(number: int) -> str:
    """Return a number as Python's `int(text, 36)` reads it."""
    text = ""
    while number:
        number, digit = divmod(number, len(DIGITS))
        text = DIGITS[digit] + text
    return text or "0"


def table(runs: list[tuple[int, int]]) -> str:
    """Return how far each run begins behind the one before, and how long it is, in base 36."""
    numbers, stop = list[str](), 0
    for first, last in runs:
        numbers += (base_36(first - stop), base_36(last + 1 - first))
        stop = last + 1
    return "\n".join(textwrap.wrap(" ".join(numbers), WIDTH))


if __name__ == "__main__":
    sys.stdout.write(f"Unicode {unicodedata.unidata_version}\n{table(unassigned_runs())}\n")
