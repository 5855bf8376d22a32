"""Arrays that grow at their end without moving what readers hold."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

_SMALLEST = 64
"""Rows reserved at first; from there capacity grows by an eighth: little is held in vain."""


class Growing:
    """An append-only array; `rows(n)` is a view of the first n rows and never changes below n."""

    __slots__ = ("_buffer", "_length")

    def __init__(self, dtype: npt.DTypeLike, *, width: int = 0) -> None:
        shape = (_SMALLEST, width) if width else (_SMALLEST,)
        self._buffer: npt.NDArray[Any] = np.zeros(shape, dtype=dtype)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def extend(self, rows: npt.ArrayLike) -> None:
        """Append `rows`, whose shape is (n,) or (n, width)."""
        added = np.asarray(rows, dtype=self._buffer.dtype)
        end = self._length + len(added)
        if end > len(self._buffer):
            self._reserve(end)
        self._buffer[self._length : end] = added
        self._length = end

    def adopt(self, rows: npt.NDArray[Any]) -> None:
        """Take over an array of the same type as the first rows, without copying it."""
        self._buffer, self._length = rows, len(rows)

    def rows(self, count: int) -> npt.NDArray[Any]:
        """Return a view of the first `count` rows."""
        return self._buffer[:count]

    @property
    def nbytes(self) -> int:
        """Bytes reserved."""
        return int(self._buffer.nbytes)

    def _reserve(self, rows: int) -> None:
        """Move to a larger buffer; readers keep the one they have."""
        first_fill = self._length == 0
        capacity = rows if first_fill else max(rows + _SMALLEST, len(self._buffer) * 9 // 8)
        larger = np.zeros((capacity, *self._buffer.shape[1:]), dtype=self._buffer.dtype)
        larger[: self._length] = self._buffer[: self._length]
        self._buffer = larger


class Codes:
    """Small integers for repeated texts: a column of codes, and the text of each code.

    Code 0 stands for None.
    """

    __slots__ = ("_code_of", "column", "values")

    def __init__(self) -> None:
        self._code_of: dict[str | None, int] = {None: 0}
        self.values: list[str | None] = [None]
        self.column = Growing(np.int32)

    def extend(self, texts: list[str | None]) -> None:
        """Append one row per text."""
        known = self._code_of
        self.column.extend([known[t] if t in known else self._coded(t) for t in texts])

    def restore(self, values: list[str | None], codes: npt.NDArray[Any]) -> None:
        """Copy another column: its values in order, and its rows."""
        self.values = list(values)
        self._code_of = {text: code for code, text in enumerate(values)}
        self.column.adopt(codes)

    def code(self, text: str | None) -> int:
        """Return the code of `text`, or -1 if no row ever had it."""
        return self._code_of.get(text, -1)

    def holding(self, texts: Iterable[str | None], *, count: int) -> npt.NDArray[np.bool_]:
        """Return bool[count]: the rows among the first `count` with one of `texts`."""
        wanted = np.zeros(len(self.values), dtype=bool)
        for text in texts:
            code = self.code(text)
            if 0 <= code < len(wanted):  # one that a writer adds just now is in no row read here
                wanted[code] = True
        return np.asarray(wanted[self.column.rows(count)])

    def _coded(self, text: str | None) -> int:
        code = self._code_of.get(text)
        if code is None:
            code = len(self.values)
            self.values.append(text)
            self._code_of[text] = code
        return code
