"""Memo tables: values of runs of visible characters, each computed once. Most words recur.

Knows how such tables are bounded and emptied. Must not know what is looked up.

A run is what lies between white space, as `str.split` has it. Whoever asks of each run of a text
only what the run says by itself may keep the answers in a `MemoTable`.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

__all__ = ["MemoTable", "clear_tables"]

_RUNS_MAX = 1 << 16
_CHARS_MAX = 40
"""A longer run is an address or a figure that hardly comes again."""

Value = TypeVar("Value")


class MemoTable(dict[str, Value], Generic[Value]):
    """A cache from a run to its value; emptied when it is full, and by an erasure.

    `compute` must depend on the run alone. Tables are made once and stay: one a module or language.
    """

    def __init__(self, compute: Callable[[str], Value]) -> None:
        super().__init__()
        self._compute = compute
        _TABLES.append(self)

    def __missing__(self, run: str) -> Value:
        value = self._compute(run)
        if len(run) <= _CHARS_MAX:
            if len(self) >= _RUNS_MAX:
                self.clear()
            self[run] = value
        return value


_TABLES: list[dict[str, Any]] = []


def clear_tables() -> None:
    """Clear all memo tables of this process; only speed is lost."""
    for table in _TABLES:
        table.clear()
