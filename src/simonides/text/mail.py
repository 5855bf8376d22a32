"""A mail's body in three parts: what its author wrote, what was quoted, and the signature.

Knows the order in which people and their programs write. Must not know headers or threads. No
line is changed and none is lost: every line that is not blank is in exactly one part, once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from simonides.text import reply

_OWN_WORDS_FEW = 20
"""So many words above a forwarded text are a remark on it; more are a mail with an appendix."""
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
    """The lines of a mail's body by whose they are, each part in the order of the body."""

    own: str
    quoted: str
    signature: str


def split_reply(text: str) -> MailParts:
    """Return what the author wrote, what was quoted, and the signature; each may be empty.

    Quoted are lines that begin with `>`, the line that announces them (`On … wrote:`), and all
    below `-----Original Message-----`, a copied header (`From: … Sent: …`) or an announcement
    without `>`. Own lines between quoted ones stay own. A forwarded text is own where little was
    written above it, and so is a copied mail with nothing above. A signature begins with `-- `,
    or is a line of a device (`Sent from my …`), or a closing (`Best regards,` and a name) below
    other own lines.
    """
    lines = text.split("\n")
    parts = _quoting(lines)
    for start, stop in _own_runs(parts):
        _mark_signature(lines, parts, start=start, stop=stop)
    return MailParts(
        own=_joined(lines, parts, _Part.OWN),
        quoted=_joined(lines, parts, _Part.QUOTED),
        signature=_joined(lines, parts, _Part.SIGNATURE),
    )


def _quoting(lines: list[str]) -> list[_Part]:
    """Return for each line whether it is own or quoted."""
    parts = [_Part.OWN] * len(lines)
    own_words = i = 0
    while i < len(lines):
        quoted = _quoted_from(lines, i, own_words=own_words)
        if quoted is None:
            break
        parts[i : i + quoted] = [_Part.QUOTED] * quoted
        if not quoted and not reply.is_device_line(lines[i]):
            own_words += len(lines[i].split())
        i += max(quoted, 1)
    return parts


def _quoted_from(lines: list[str], at: int, *, own_words: int) -> int | None:
    """Return how many lines are quoted from here on; None if all that is left is own."""
    rest = len(lines) - at
    if reply.is_quoted(lines[at]):
        return 1
    if reply.is_forward_mark(lines[at]):
        return rest if own_words > _OWN_WORDS_FEW else None
    if reply.is_original_mark(lines[at]) or reply.begins_header_block(lines, at):
        return rest if own_words else None
    announced = reply.announcement_lines(lines, at)
    if not announced or not own_words:
        return announced
    below = reply.next_visible(lines, at + announced)
    return announced if below == len(lines) or reply.is_quoted(lines[below]) else rest


def _own_runs(parts: list[_Part]) -> list[tuple[int, int]]:
    """Return (start, stop) of the runs of own lines."""
    runs: list[tuple[int, int]] = []
    for i, part in enumerate(parts):
        if part is not _Part.OWN:
            continue
        if runs and runs[-1][1] == i:
            runs[-1] = (runs[-1][0], i + 1)
        else:
            runs.append((i, i + 1))
    return runs


def _mark_signature(lines: list[str], parts: list[_Part], *, start: int, stop: int) -> None:
    """Mark the signature at the end of a run of own lines."""
    visible = [i for i in range(start, stop) if lines[i].strip()]
    for at in (_delimiter(lines, visible), _closing(lines, visible)):
        if at is not None:
            parts[at:stop] = [_Part.SIGNATURE] * (stop - at)
            visible = [i for i in visible if i < at]
    for i in visible[-_DEVICE_LINES_MAX:]:
        if reply.is_device_line(lines[i]):
            parts[i] = _Part.SIGNATURE


def _delimiter(lines: list[str], visible: list[int]) -> int | None:
    """Return the line `-- ` that a signature of at most 12 lines follows."""
    last = visible[-_SIGNATURE_LINES_MAX - 1 :]
    return next((i for i in last if lines[i].rstrip() == "--"), None)


def _closing(lines: list[str], visible: list[int]) -> int | None:
    """Return the line of a closing formula that a few short lines follow, below other lines."""
    for place in range(max(1, len(visible) - 1 - _SIGN_OFF_LINES_MAX), len(visible) - 1):
        below = [lines[i] for i in visible[place + 1 :]]
        if reply.is_sign_off(lines[visible[place]]) and all(map(_may_sign, below)):
            return visible[place]
    return None


def _may_sign(line: str) -> bool:
    """Say whether the line may stand below a closing: short, no question, no postscript."""
    bare = line.strip()
    short = len(bare) <= _SIGN_OFF_CHARS_MAX and len(bare.split()) <= _SIGN_OFF_WORDS_MAX
    return short and not bare.endswith("?") and not bare.upper().startswith(("PS", "P.S"))


def _joined(lines: list[str], parts: list[_Part], part: _Part) -> str:
    """Return the visible lines of a part, one blank line where others stood between."""
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
    return "\n".join(_unwrapped(text.split("\n"), delsp=delsp))


def _unwrapped(lines: list[str], *, delsp: bool) -> Iterator[str]:
    held: list[str] = []
    held_depth = 0
    for line in lines:
        depth, body = _unstuffed(line)
        if held and (depth != held_depth or body == "-- "):
            yield _requoted("".join(held), held_depth)
            held = []
        held_depth = depth
        if body.endswith(" ") and body != "-- ":
            held.append(body[:-1] if delsp else body)
            continue
        yield _requoted("".join([*held, body]), depth)
        held = []
    if held:
        yield _requoted("".join(held), held_depth)


def _unstuffed(line: str) -> tuple[int, str]:
    """Return the depth of quoting, and the line without its marks and one space after them."""
    marks = len(line) - len(line.lstrip(">"))
    return marks, line[marks:].removeprefix(" ")


def _requoted(body: str, depth: int) -> str:
    kept = body if body == "-- " else body.rstrip(" ")
    return ("> " * depth + kept).rstrip(" ") if depth else kept
