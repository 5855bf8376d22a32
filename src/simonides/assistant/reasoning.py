"""The reasoning before an answer, as models write it that are served without a parser of it.

Pure; knows how the block is marked. Must not know where an answer comes from.
"""

from simonides.ports.models import OnText

OPEN, CLOSE = "<think>", "</think>"


def without_reasoning(text: str, *, is_cut: bool = False) -> str:
    """Return an answer without the block of reasoning that it begins with.

    A block that does not end is one only where the answer was cut.
    """
    begun = text.lstrip()
    if not begun.startswith(OPEN):
        return text
    _, closed, answer = begun.partition(CLOSE)
    return answer.lstrip() if closed or is_cut else text


class AnswerOnly:
    """A listener that passes on the pieces of an answer without the reasoning before it.

    It holds back what may still be, or belong to, such a block.
    """

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self._held = ""
        self._is_answer = False

    def __call__(self, piece: str) -> None:
        """Take the next piece."""
        if not self._is_answer:
            self._held += piece
            may_open = OPEN.startswith(self._held.lstrip())
            piece = "" if may_open else without_reasoning(self._held, is_cut=True)
            self._is_answer = bool(piece)
        if self._is_answer:
            self._on_text(piece)
