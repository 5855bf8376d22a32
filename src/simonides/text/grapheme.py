"""Where a text may be cut without tearing what a reader sees as one character.

Knows grapheme clusters (Unicode Standard Annex 29, through `apsw.unicode`, which has no part
in the database). Must not know words.
"""

GRAPHEME_CHARS_MAX = 64
"""A longer cluster, a letter buried under marks, may be torn; the longest emoji has 15."""
_LOOK_BACK_MAX = 512


def boundary(text: str, position: int, *, floor: int = 0) -> int:
    """Return the last place in [floor, position] where a grapheme ends, at best `position`.

    `floor` must be such a place itself. Returns `floor` if there is no other, and `position` where
    a single grapheme would have to be longer than 64 characters. Looks back 512 characters at most.
    """
    if _is_plain(text, position):
        return position
    from apsw.unicode import grapheme_next_break

    start = max(floor, _restart(text, position, floor))
    around = text[start : position + 1]  # a cluster that goes on beyond is cut there
    last = following = 0
    while start + following <= position:
        last, following = following, grapheme_next_break(around, following)
    torn = position - start - last > GRAPHEME_CHARS_MAX
    return position if torn else start + last


def _is_plain(text: str, position: int) -> bool:
    """Say whether the place is an end of the text, or lies between two ASCII characters."""
    if position <= 0 or position >= len(text):
        return True
    before, after = text[position - 1], text[position]
    return before.isascii() and after.isascii() and (before, after) != ("\r", "\n")


def _restart(text: str, position: int, floor: int) -> int:
    """Return a place before `position` that is a boundary, or far enough back not to matter."""
    for place in range(position - 1, max(floor, position - 4 * GRAPHEME_CHARS_MAX), -1):
        if _is_plain(text, place):
            return place
    # An even distance from the floor, because the letters of flags go in pairs.
    return max(floor, position - _LOOK_BACK_MAX - (position - floor) % 2)
