"""Whether a page's elements are nested so deep that parsing it would take too long.

An HTML parser is quadratic in the depth of open elements, and worse in that of formatting ones
(a megabyte of `<div>` takes minutes). Browsers stop nesting at 512. Knows tags; must not know
what they mean to a reader.
"""

import re

_DEPTH_MAX = 512
"""Where Blink and WebKit stop."""
_FORMATTING_MAX = 48
"""Open formatting elements are made anew in every block that follows."""
_TAGS_SAFE = 400
"""With fewer tags nothing can take long."""
_NEAR = 16

_TAG_NAME = re.compile(r"<(/?[a-zA-Z][a-zA-Z0-9]*)")
_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr html head body".split()
)
_FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
_CLOSES_ITSELF = frozenset(
    "p li dt dd option optgroup tr td th thead tbody tfoot colgroup rp rt".split()
)
_BARRIERS = frozenset("table td th caption template svg math button select object".split())


def is_sane(html: str) -> bool:
    """Say whether no more than 512 elements, 48 of them formatting, are open at once.

    An estimate from the tags in their order: an end tag closes the nearest open element of its
    name if that is near and not outside of a table cell or the like; else it closes nothing.
    """
    names = _TAG_NAME.findall(html)
    if len(names) <= _TAGS_SAFE:
        return True
    opened: list[str] = []
    formatting = 0
    for name in map(str.lower, names):
        if name[0] == "/":
            formatting -= _close(opened, name[1:])
        elif name not in _VOID:
            if name in _CLOSES_ITSELF and opened and opened[-1] == name:
                opened.pop()
            opened.append(name)
            formatting += name in _FORMATTING
        if len(opened) > _DEPTH_MAX or formatting > _FORMATTING_MAX:
            return False
    return True


def _close(opened: list[str], name: str) -> int:
    """Close the nearest element of this name; return how many formatting ones that closed."""
    for depth in range(len(opened) - 1, max(-1, len(opened) - 1 - _NEAR), -1):
        if opened[depth] == name:
            closed = sum(tag in _FORMATTING for tag in opened[depth:])
            del opened[depth:]
            return closed
        if opened[depth] in _BARRIERS:
            break
    return 0
