"""Metadata as columns, each loaded when a filter first names it, and extended as items come.

One `MetadataColumns` belongs to one view, because a column read at a later revision lacks what
has died since; the next view inherits what was read and reads only what is new.
"""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simonides.model.filter import MISSING, Compare, holds
from simonides.ports.space import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """One metadata key: codes int32[items], and the value each code stands for. 0 is missing."""

    codes: npt.NDArray[np.int32]
    values: tuple[Any, ...]
    code_of: Mapping[str, int]


_EMPTY = _Column(codes=np.zeros(0, dtype=np.int32), values=(MISSING,), code_of={})


class MetadataColumns:
    """The metadata columns of one view; safe for concurrent readers."""

    __slots__ = ("_columns", "_lock")

    def __init__(self, inherited: "MetadataColumns | None" = None) -> None:
        self._columns: dict[str, _Column] = dict(inherited._columns) if inherited else {}  # noqa: SLF001  own class
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        """Bytes held by codes."""
        return sum(column.codes.nbytes for column in list(self._columns.values()))

    def mask(
        self, compare: Compare, *, reader: Reader, keys: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        """Return bool[items]: which items (by their rising `keys`) satisfy one comparison.

        `reader` must look at the revision of the view; dead items answer as if they had no key.
        """
        with self._lock:
            column = self._columns.get(compare.key, _EMPTY)
            if len(column.codes) < len(keys):
                column = _extended(column, compare.key, reader=reader, keys=keys)
                self._columns[compare.key] = column
        verdicts = np.array([holds(compare, value) for value in column.values], dtype=bool)
        return np.asarray(verdicts[column.codes])


def _extended(
    column: _Column, name: str, *, reader: Reader, keys: npt.NDArray[np.int64]
) -> _Column:
    """Return the column with the items after its last one read in."""
    known = len(column.codes)
    codes = np.zeros(len(keys), dtype=np.int32)
    codes[:known] = column.codes
    values, code_of = list(column.values), dict(column.code_of)
    for key, value in reader.metadata(name, int(keys[known - 1]) if known else 0):
        text = json.dumps(value, sort_keys=True)
        if text not in code_of:
            code_of[text] = len(values)
            values.append(value)
        codes[int(np.searchsorted(keys, key))] = code_of[text]
    return _Column(codes=codes, values=tuple(values), code_of=code_of)
