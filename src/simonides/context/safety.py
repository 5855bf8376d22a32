"""Escaping of item text: it cannot open or close a section, or forge a mark of any layout.

One rule for all layouts, decided by whoever sees only what shows. Knows the union of what they
begin their lines with and mark things by:

- a line begins with `[`, `#`, `<`, `>`, a fence, a rule, a bullet, a bare number, `(excerpt)`,
  `(summary)` or `(why:`; it is a heading's words, a date, `undated`; it joins parts by ` · `;
- anywhere, a tag `<system>`, a reason `(why: …)` or `(score=…)`, and a citation `[1]` for those
  that cite so.

Lines that could pass for such are moved in by a bar that no layout begins a line with; marks
inside of lines change their brackets. Words stay.
"""

import re
import unicodedata
from collections.abc import Mapping

from simonides.context.confusables import HIDDEN, prototype, skeleton, skeleton_offsets
from simonides.text.unicode_version import is_open
from simonides.text.word_patterns import lazy_pattern

BAR = "| "

_HEADINGS = (
    "available context|known entities|user request|artifact notes|recent episodic"
    "|workspace policies|session context|user preferences|global defaults"
).replace(" ", r"\s+")
"""The words of the layouts' headings: they could stand without their mark, or in bold."""

_DAYS = "mon|tue|wed|thu|fri|sat|sun"
_REASONS = "why|score|sim|imp|conf|scope|src"

_STRUCTURE = lazy_pattern(
    rf"""\s*(?:
      [\[\#<>]                          # the head of an item, a citation, a header, a tag, a quote
    | ```                               # a fence
    | (?:[-=*_~+]\s*){{3}}              # a rule, of whatever dashes, or a fence of tildes
    | [-=*_~+][-=*_~+\s]*$              # what makes a header of the line before, or ends a rule
    | [-*+·](?:\s|$)                    # a bullet
    | \(\s{{0,9}}(?:excerpt|summary|(?:{_REASONS})\s{{0,9}}[:=])
    | \d{{1,4}}(?:\s|$)                 # a number that heads a line (`12.` heads none)
    | \d{{4}}-\d\d-\d\d\b.{{0,24}}$     # a date by itself
    | (?:{_DAYS})[a-z]*[,\s]\s*\d\d?\s+[a-z]{{3,9}}\s+\d{{4}}\s*$
    | undated\s*$
    | (?!\|)[^\w\n]*(?:{_HEADINGS})[^\w\n]*$
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_MARKDOWN = lazy_pattern(
    rf"""\s*(?:
      \#                                # a header: Markdown lets blanks stand before it
    | ```                               # a fence
    | (?:[-=*_~+]\s*){{3}}              # a rule
    | [-=*_~+][-=*_~+\s]*$              # what makes a header of the line before
    | (?!\|)[^\w\n]*(?:{_HEADINGS})[^\w\n]*$
    )""",
    re.VERBOSE | re.IGNORECASE,
)
"""What is structure even behind blanks."""

_FREE_DOT = lazy_pattern(r"(?<!\S)·+(?!\S)")
"""What layouts put between parts of a line, or whatever looks like it."""
_TAG = lazy_pattern(
    r"<(?=[/!?|]|[^\W\d])[^<>]{1,300}>|<\s{0,9}(?:/\s{0,9})?[^\W\d][\w:.-]{0,300}\s{0,9}>"
)
_TAG_OPENS = lazy_pattern(r"<(?=[/!?|]|[^\W\d])")
"""Where a reader of HTML sees a tag begin; the end may be in another item's text."""
_REASON = lazy_pattern(
    rf"[(\[<]\s{{0,9}}(?:{_REASONS})\s{{0,9}}[:=](?:[^()\[\]<>\n]{{0,300}}([)\]>]))?",
    re.IGNORECASE,
)
_CITATION = lazy_pattern(r"\[(?=[^\[\]]*[\dlIO|])(?:[^\w\[\]]|[\d_lIO|]){1,200}\]")
"""Numbers in brackets, also several, and letters that show like digits."""

_LINE_BREAKS = lazy_pattern(r"\r\n?|[\u2028\u2029\x85\x0b\x0c]")
_KEPT = frozenset("\t\u200c\u200d")
"""What of the hidden categories is kept: tabs, and the joiners that emoji and scripts need."""
_HOARD = lazy_pattern("[\u034f\u180b-\u180f\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}")
"""More joiners and variation selectors in a row than any emoji has: words hidden from the eye."""
_OTHERS = lazy_pattern(r"[^\x00-\x7f]{3,}")


def escape(text: str, *, citations: bool = False) -> str:
    """Return text of any number of lines that cannot pass for a layout's own.

    Marks that do not show are dropped, lines that look like structure are moved in by a bar, tags
    and reasons change their brackets; with `citations` also `[12]` becomes `(12)`. Doing it
    twice changes nothing.
    """
    shown = visible(text)
    seen = skeleton(shown)
    return _prefix_structure(_rewritten(shown, _edits(shown, seen, citations=citations)), seen)


def prefix_lines(text: str) -> str:
    """Return the user's own text, with lines that look like structure indented."""
    shown = visible(text)
    return _prefix_structure(shown, skeleton(shown))


def indent_lines(text: str, *, indent: str) -> str:
    """Return the further text of a line, its later lines behind `indent`.

    For a layout of which no line begins with a blank: what stands behind blanks is none of its
    lines, so that only what is structure there too gets a bar. Marks inside lines change as for
    `escape`, citations among them.
    """
    shown = visible(text)
    seen = skeleton(shown)
    plain = _rewritten(shown, _edits(shown, seen, citations=True))
    first, *rest = plain.split("\n")
    looked = seen.split("\n")[1:]
    lines = (
        f"{indent}{BAR}{line}" if _MARKDOWN.match(look) else f"{indent}{line}"
        for line, look in zip(rest, looked, strict=True)
        if line.strip()
    )
    return "\n".join((first, *lines))


def one_line(text: str, *, citations: bool = False) -> str:
    """Return a title or name on one line; use `escape` if it begins a line.

    It holds no ` · ` that could pass for a layout's: a hyphen stands for it.
    """
    shown = " ".join(visible(text).split())
    seen = skeleton(shown)
    edits = _edits(shown, seen, citations=citations)
    for dots in _FREE_DOT.finditer(seen):
        edits |= dict.fromkeys(range(*dots.span()), "-")
    return _rewritten(shown, edits)


def replace_lookalikes(text: str, faces: Mapping[str, str]) -> str:
    """Return the text with every look-alike of a key of `faces` replaced by its value."""
    if text.isascii():
        return text.translate({ord(mark): plain for mark, plain in faces.items()})
    return "".join(faces.get(c if c.isascii() else prototype(c), c) for c in text)


def visible(text: str) -> str:
    """Return the text without control and direction marks, every line end as one newline."""
    kept = text
    if not text.replace("\n", "").isprintable():  # so is a line end of another sort
        lines = _LINE_BREAKS.sub("\n", text).split("\n")
        kept = "\n".join(line if line.isprintable() else _show(line) for line in lines)
    return (kept if kept.isascii() else _OTHERS.sub(_with_two_marks, kept)).strip()


def _with_two_marks(run: re.Match[str]) -> str:
    return _HOARD.sub(lambda marks: marks[0][:2], run[0])


def _show(line: str) -> str:
    return "".join(c for c in line if c in _KEPT or is_open(c) or _is_shown(c))


def _is_shown(character: str) -> bool:
    return unicodedata.category(character) not in HIDDEN


def _prefix_structure(text: str, seen: str) -> str:
    """Return the lines of `text`, prefixed if their skeleton looks like structure."""
    lines = zip(text.split("\n"), seen.split("\n"), strict=True)
    return "\n".join(BAR + line if _is_structure(look) else line for line, look in lines)


def _is_structure(look: str) -> bool:
    if _STRUCTURE.match(look):
        return True
    return "·" in look and not look.lstrip().startswith("|") and bool(_FREE_DOT.search(look))


def _edits(shown: str, seen: str, *, citations: bool) -> dict[int, str]:
    """Return the replacements of characters, by their place in the skeleton."""
    edits: dict[int, str] = {}
    if "<" in seen:
        where = skeleton_offsets(shown)
        opened = (m.start() for m in _TAG_OPENS.finditer(seen))
        edits |= {place: "< " for place in opened if shown[where[place]] == "<"}
        edits |= _replace_pairs(_TAG, seen, "()")
    if citations and "[" in seen:
        edits |= _replace_pairs(_CITATION, seen, "()")
    if "(" in seen or "[" in seen or "<" in seen:
        for reason in _REASON.finditer(seen):
            edits[reason.start()] = "{"
            if reason[1]:
                edits[reason.end() - 1] = "}"
    return edits


def _replace_pairs(pattern: re.Pattern[str], seen: str, pair: str) -> dict[int, str]:
    """Return the first and last character of every match replaced by `pair`."""
    edits: dict[int, str] = {}
    for match in pattern.finditer(seen):
        edits |= {match.start(): pair[0], match.end() - 1: pair[1]}
    return edits


def _rewritten(text: str, edits: Mapping[int, str]) -> str:
    if not edits:
        return text
    where, characters = skeleton_offsets(text), list(text)
    for place, new in edits.items():
        characters[where[place]] = new
    return "".join(characters)
