"""Parts of Markdown that are looked for in texts of any kind: code, and empty check boxes.

Must not know where a text comes from.
"""

import re

from simonides.text.word_patterns import lazy_pattern

CODE = lazy_pattern(r"```.*?(?:```|\Z)|`[^`\n]{1,500}`", re.DOTALL)
_BULLET = r"(?:[-*+]{1,8}|\d{1,9}[.)])[ \t]{1,4}"
_EMPTY_BOX = lazy_pattern(
    rf"^[ \t>]{{0,40}}(?:(?:{_BULLET})?\[ \]|{_BULLET}(?:TO(?:DO)|LATER|NOW|DOING)\b:?)"
    r"[ \t]{1,4}(\S[^\n]*)",
    re.MULTILINE,
)


def list_open_boxes(text: str) -> list[str]:
    """Return the words beside each empty check box, such as `- [ ] Call Ana`; none in code.

    `- LATER Call Ana` and the like are the check boxes of outliners (Logseq, Org).
    """
    return _EMPTY_BOX.findall(CODE.sub("", text))
