"""Tables of amounts, whose rows answer what was spent at a time.

A row has its own day ("02.03.2026 | Bakery | 4.20"); the table as a whole has none, and stood below
whatever else happened then. Knows words of questions and heads of tables; must not know rows.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from simonides.index.index_view import IndexView
from simonides.model.item import Kind
from simonides.text.analyse import query_terms
from simonides.text.vocabulary import SPACED, word_set

_HEADS_MIN: Final = 2
"""So many words that head tables of amounts ("category", "amount") make a document one."""


def find_amounts(
    words: Iterable[str], languages: Sequence[str], view: IndexView
) -> npt.NDArray[np.bool_]:
    """Return bool[items]: the tables of amounts; none where a question is not of what was spent."""
    spent = word_set("spent", languages=SPACED)
    if spent.isdisjoint(words):
        return np.zeros(view.item_count, dtype=bool)
    heads = sorted(word_set("amounts", languages=SPACED) - spent)
    held = np.zeros(view.item_count, dtype=np.intp)
    for keys in dict.fromkeys(one.keys for head in heads for one in query_terms(head, languages)):
        held += view.with_chunks(view.term(keys).docs)
    return np.asarray((held >= _HEADS_MIN) & view.of_kind(Kind.DOCUMENT))
