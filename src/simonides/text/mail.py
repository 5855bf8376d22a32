"""A mail's body in three parts: the author's own words, quoted text, and the signature.

Knows the lines that mail programs add, in many languages: quotes, announcements, header blocks,
closings. Must not know headers or threads. No line is changed and none is lost: every line that is
not blank is in exactly one part, once.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

from simonides.text.vocabulary import mail_words
from simonides.text.word_patterns import lazy_pattern

_ANNOUNCEMENT_CHARS_MAX = 400
_ANNOUNCEMENT_LINES_MAX = 3
_HEADER_BLOCK_LINES = 7


def _pattern_of(name: str, form: str = "{}") -> re.Pattern[str]:
    return lazy_pattern(lambda: form.format(mail_words(name)), re.IGNORECASE)


_QUOTED = lazy_pattern(r"[ \t]{0,3}>")
_RULER = lazy_pattern(r"\s*[-_\u2500]{5,}\s*")
_OPENING = _pattern_of("opening", r"(?:{})\s")
_ANNOUNCED = _pattern_of("announced")
_ANNOUNCED_FREELY = _pattern_of("announced_freely")
"""Announcements without a typical first word: only accepted on one line."""
_DATED = lazy_pattern(r"\s*(?:\w{2,12}[.,]?,? )?\d{1,4}[.\-/ ]")
_TELLING = lazy_pattern(r"\d|@|<")
_FORWARDED = _pattern_of("forwarded")
_ORIGINAL = _pattern_of("original", r"[-_]{{2,}}\s*(?:{})\s*[-_]{{2,}}")
_SENDER = _pattern_of("sender", r"\s*\**(?:{})\s*:\**\s*\S")
_OTHER_HEADER = _pattern_of("other_header", r"\s*\**(?:{})\s*:")
_DEVICE = _pattern_of("device")
_SIGN_OFF = _pattern_of("sign_off")


def is_quoted(line: str) -> bool:
    """Return whether the line is marked as quoted with `>`."""
    return bool(_QUOTED.match(line))


def is_forward_mark(line: str) -> bool:
    """Return whether the line announces a forwarded text."""
    return bool(_FORWARDED.fullmatch(line.strip()))


_FORWARD_PREFIX = _pattern_of("forward_prefix", r"\s*(?:{})\s*[:\uff1a]")
"""What mail programs write before the subject of what is forwarded, by language."""


def says_forwarded(subject: str) -> bool:
    """Return whether a subject says that the mail is a forward (`FW: …`); `Re: FW: …` does not."""
    return _FORWARD_PREFIX.match(subject) is not None


def is_original_mark(line: str) -> bool:
    """Return whether the line is `-----Original Message-----`, in some language."""
    return bool(_ORIGINAL.fullmatch(line.strip()))


def is_device_line(line: str) -> bool:
    """Return whether the line names the device or program that sent the mail."""
    return bool(_DEVICE.fullmatch(line.strip()))


def is_sign_off(line: str) -> bool:
    """Return whether the line is a closing formula and nothing else."""
    return bool(_SIGN_OFF.fullmatch(line.strip().rstrip(",.!- ")))


def is_copied_header(line: str) -> bool:
    """Return whether the line is a header that a program copied (`From: …`, `Sent: …`)."""
    return bool(_SENDER.match(line) or _OTHER_HEADER.match(line))


def begins_header_block(lines: Sequence[str], at: int) -> bool:
    """Return whether a copied header begins here: a sender, and two more headers in the next lines.

    A ruler above the sender is part of the block.
    """
    if _RULER.fullmatch(lines[at]):
        at = next_visible(lines, at + 1)
    if at >= len(lines) or not _SENDER.match(lines[at]):
        return False
    below = lines[at + 1 : at + 1 + _HEADER_BLOCK_LINES]
    return sum(bool(_OTHER_HEADER.match(line)) for line in below) > 1


def _count_announcing_lines(lines: Sequence[str], at: int) -> int:
    """Return the number of lines of an announcement that a program has broken; 0 if none.

    Without a typical first word it must begin with a date and name an address, and what follows
    must be quoted.
    """
    if not _DATED.match(lines[at]):
        return 0
    for count in range(2, _ANNOUNCEMENT_LINES_MAX + 1):
        joined = " ".join(line.strip() for line in lines[at : at + count])
        if len(joined) <= _ANNOUNCEMENT_CHARS_MAX and _ANNOUNCED_FREELY.fullmatch(joined):
            below = next_visible(lines, at + count)
            is_quote = below < len(lines) and is_quoted(lines[below])
            return count if is_quote and "@" in joined else 0
    return 0


def announcement_lines(lines: Sequence[str], at: int) -> int:
    """Return the number of lines of the announcement (`On … wrote:`) that begins here; 0 if none.

    It holds a date or an address, or what follows is quoted; so `On Monday Ann wrote:` alone is
    prose.
    """
    first = lines[at].strip()
    if not first:
        return 0
    if _ANNOUNCED_FREELY.fullmatch(first[:_ANNOUNCEMENT_CHARS_MAX]):
        return int(_is_believable(lines, at, 1))
    if not _OPENING.match(first):
        return _count_announcing_lines(lines, at)
    for count in range(1, _ANNOUNCEMENT_LINES_MAX + 1):
        joined = " ".join(line.strip() for line in lines[at : at + count])
        if len(joined) <= _ANNOUNCEMENT_CHARS_MAX and _ANNOUNCED.fullmatch(joined):
            return count if _is_believable(lines, at, count) else 0
    return 0


def _is_believable(lines: Sequence[str], at: int, count: int) -> bool:
    if any(_TELLING.search(line) for line in lines[at : at + count]):
        return True
    below = next_visible(lines, at + count)
    return below < len(lines) and is_quoted(lines[below])


def next_visible(lines: Sequence[str], at: int) -> int:
    """Return the first line from here on that is not blank, or the number of lines."""
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at


_SIGNATURE_LINES_MAX = 12
_DEVICE_LINES_MAX = 4
_SIGN_OFF_LINES_MAX = 6
_SIGN_OFF_CHARS_MAX = 60
_SIGN_OFF_WORDS_MAX = 8


class _Part(Enum):
    OWN = "own"
    QUOTED = "quoted"
    SIGNATURE = "signature"


@dataclass(frozen=True, slots=True, kw_only=True)
class MailParts:
    """The lines of a mail's body by origin, each part in the order of the body."""

    own: str
    quoted: str
    signature: str


def split_reply(text: str, *, is_forward: bool = False) -> MailParts:
    """Return the author's own words, the quoted text, and the signature; each may be empty.

    Quoted are lines that begin with `>`, the line that announces them (`On … wrote:`), and all
    below `-----Original Message-----`, a copied header (`From: … Sent: …`) or an announcement
    without `>`. Own lines between quoted ones stay own. A forwarded text is own whatever stands
    above it: who forwards wants it read. So is a copied mail with nothing above, or of a mail that
    `is_forward` by its subject. A signature begins with `-- `,
    or is a line of a device (`Sent from my …`), or a closing (`Best regards,` and a name) below
    other own lines.
    """
    lines = text.split("\n")
    parts = _quoting(lines, is_forward=is_forward)
    for start, stop in _own_runs(parts):
        _mark_signature(lines, parts, start=start, stop=stop)
    return MailParts(
        own=_join(lines, parts, _Part.OWN),
        quoted=_join(lines, parts, _Part.QUOTED),
        signature=_join(lines, parts, _Part.SIGNATURE),
    )


def _quoting(lines: list[str], *, is_forward: bool) -> list[_Part]:
    """Return for each line whether it is the author's own or quoted."""
    parts = [_Part.OWN] * len(lines)
    has_words, i = False, 0
    while i < len(lines):
        quoted = _count_quoted(lines, i, has_words=has_words, is_forward=is_forward)
        if quoted is None:
            break
        parts[i : i + quoted] = [_Part.QUOTED] * quoted
        has_words = has_words or not (quoted or is_device_line(lines[i]) or not lines[i].strip())
        i += max(quoted, 1)
    return parts


def _count_quoted(lines: list[str], at: int, *, has_words: bool, is_forward: bool) -> int | None:
    """Return how many lines are quoted from here on; None if all the rest is the author's own.

    `has_words` says whether there are words of the author above.
    """
    rest = len(lines) - at
    if is_quoted(lines[at]):
        return 1
    if is_forward_mark(lines[at]):
        return None
    if is_original_mark(lines[at]) or begins_header_block(lines, at):
        return rest if has_words and not is_forward else None
    announced = announcement_lines(lines, at)
    if not announced or not has_words:
        return announced
    below = next_visible(lines, at + announced)
    return announced if below == len(lines) or is_quoted(lines[below]) else rest


def _own_runs(parts: list[_Part]) -> list[tuple[int, int]]:
    """Return (start, stop) of the runs of the author's own lines."""
    own = (
        list(run)
        for part, run in groupby(range(len(parts)), parts.__getitem__)
        if part is _Part.OWN
    )
    return [(run[0], run[-1] + 1) for run in own]


def _mark_signature(lines: list[str], parts: list[_Part], *, start: int, stop: int) -> None:
    """Mark the signature at the end of a run of own lines."""
    visible = [i for i in range(start, stop) if lines[i].strip()]
    for at in (_delimiter(lines, visible), _closing(lines, visible)):
        if at is not None:
            parts[at:stop] = [_Part.SIGNATURE] * (stop - at)
            visible = [i for i in visible if i < at]
    for i in visible[-_DEVICE_LINES_MAX:]:
        if is_device_line(lines[i]):
            parts[i] = _Part.SIGNATURE


def _delimiter(lines: list[str], visible: list[int]) -> int | None:
    """Return the line `-- ` if a signature of at most 12 lines follows it.

    Without the space behind it (RFC 3676, 4.3) it may part sections as well: then the last one.
    """
    last = visible[-_SIGNATURE_LINES_MAX - 1 :]
    found = [i for i in last if lines[i].rstrip() == "--"]
    return next((i for i in found if lines[i] != "--"), found[-1] if found else None)


def _closing(lines: list[str], visible: list[int]) -> int | None:
    """Return the line of a closing formula with few short lines after it, and others before it."""
    for place in range(max(1, len(visible) - 1 - _SIGN_OFF_LINES_MAX), len(visible) - 1):
        below = [lines[i] for i in visible[place + 1 :]]
        if is_sign_off(lines[visible[place]]) and all(map(_may_sign, below)):
            return visible[place]
    return None


def _may_sign(line: str) -> bool:
    """Return whether a line may be part of a signature: short, no question, no postscript."""
    bare = line.strip()
    short = len(bare) <= _SIGN_OFF_CHARS_MAX and len(bare.split()) <= _SIGN_OFF_WORDS_MAX
    return short and not bare.endswith("?") and not bare.upper().startswith(("PS", "P.S"))


def _join(lines: list[str], parts: list[_Part], part: _Part) -> str:
    """Return the visible lines of a part, with one blank line for each gap."""
    kept: list[str] = []
    last = -1
    for i, line in enumerate(lines):
        if parts[i] is part and line.strip():
            if kept and last != i - 1:
                kept.append("")
            kept.append(line)
            last = i
    return "\n".join(kept)


def unwrap_flowed(text: str, *, delsp: bool = False) -> str:
    """Return a text of `format=flowed` (RFC 3676) with each paragraph on one line.

    A line that ends in a space goes on with the next one of the same depth of quoting; `-- ` never
    does. A space that was put before `>`, `From ` or a space is taken off. `delsp` takes off the
    space at the line's end too, as the content type's parameter of that name asks. Quoted lines
    come back as `> ` a level.
    """
    return "\n".join(_unwrap(text.split("\n"), delsp=delsp))


def _unwrap(lines: list[str], *, delsp: bool) -> Iterator[str]:
    held: list[str] = []
    held_depth = 0
    for line in lines:
        depth, body = _unstuff(line)
        if held and (depth != held_depth or body == "-- "):
            yield _requote("".join(held), held_depth)
            held = []
        held_depth = depth
        if body.endswith(" ") and body != "-- ":
            held.append(body[:-1] if delsp else body)
            continue
        yield _requote("".join([*held, body]), depth)
        held = []
    if held:
        yield _requote("".join(held), held_depth)


def _unstuff(line: str) -> tuple[int, str]:
    """Return the depth of quoting, and the line without its marks and one space after them."""
    marks = len(line) - len(line.lstrip(">"))
    return marks, line[marks:].removeprefix(" ")


def _requote(body: str, depth: int) -> str:
    kept = body if body == "-- " else body.rstrip(" ")
    return ("> " * depth + kept).rstrip(" ") if depth else kept
