"""Arrays that grow: what a reader took stays as it was."""

import numpy as np
import pytest

from simonides.index.growing import Codes, Growing


def test_rows_come_back_in_order_over_many_growths() -> None:
    column = Growing(np.int64)
    for start in range(0, 1000, 7):
        column.extend(range(start, start + 7))

    assert column.rows(len(column)).tolist() == list(range(1001))


def test_what_a_reader_holds_is_not_moved_by_growth() -> None:
    column = Growing(np.int32, width=2)
    column.extend([[1, 2], [3, 4]])
    held = column.rows(2)

    column.extend(np.arange(2000).reshape(-1, 2))

    assert held.tolist() == [[1, 2], [3, 4]]
    assert column.rows(2).tolist() == [[1, 2], [3, 4]]


def test_an_empty_extension_changes_nothing() -> None:
    column = Growing("S4")
    column.extend([])

    assert len(column) == 0
    assert column.nbytes > 0


def test_texts_become_small_numbers_and_back() -> None:
    codes = Codes()
    codes.extend(["mail", None, "chat", "mail"])

    assert codes.column.rows(4).tolist() == [1, 0, 2, 1]
    assert [codes.values[code] for code in codes.column.rows(4)] == ["mail", None, "chat", "mail"]
    assert (codes.code("chat"), codes.code(None), codes.code("fax")) == (2, 0, -1)


def test_a_restored_column_goes_on_where_the_other_stopped() -> None:
    codes = Codes()
    codes.restore([None, "a", "b"], np.array([1, 2], dtype=np.int32))
    codes.extend(["b", "c"])

    assert codes.column.rows(4).tolist() == [1, 2, 2, 3]


@pytest.mark.parametrize("width", [0, 4])
@pytest.mark.parametrize("count", [0, 3])
def test_an_adopted_array_is_not_copied_and_grows(count: int, width: int) -> None:
    column = Growing(np.int8, width=width)
    first = np.ones((count, width) if width else (count,), dtype=np.int8)
    column.adopt(first)
    held = column.rows(count)

    assert (len(column), column.nbytes) == (count, first.nbytes)
    assert not count or np.shares_memory(held, first)

    column.extend(first + 1)

    assert column.rows(2 * count).tolist() == [*first.tolist(), *(first + 1).tolist()]
    assert held.tolist() == first.tolist()
