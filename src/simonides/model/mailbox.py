"""A person as mail writes one: `Ana Lind <ana@x.example>`, `ana@x.example (Ana)`.

Of our own, since `email.utils.parseaddr` reads odd ones otherwise in each patch release of Python,
and the same text must be the same person everywhere.
"""

import re

_IN_ANGLES = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([^<>"]*))\s*<\s*([^<>\s]*)\s*>', re.DOTALL)
_BARE = re.compile(r'\s*([^\s<>()",;]+@[^\s<>()",;]+)\s*(?:\(([^()]*)\))?')
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def parse_mailbox(text: str) -> tuple[str, str]:
    """Return the name and the address of the first person in a text, each empty without one.

    A text that is no mailbox is a name.
    """
    if match := _IN_ANGLES.match(text):
        quoted, plain, address = match.groups()
        name = plain if quoted is None else _ESCAPED.sub(r"\1", quoted)
        return " ".join(name.split()), address
    if match := _BARE.match(text):
        return " ".join((match[2] or "").split()), match[1]
    return text.strip(), ""
