"""Which items have to do with another person of a name that a question tells apart.

Must not know how they are weighed.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from simonides.index.facets import entity_key
from simonides.index.index_view import IndexView
from simonides.model.answer import Plan
from simonides.retrieval.people import namesakes, words_apart
from simonides.text.analyse import query_terms


def of_namesakes(
    plan: Plan, view: IndexView, languages: Sequence[str]
) -> npt.NDArray[np.bool_] | None:
    """Return bool[items]: what has to do only with others of a name that the question says.

    What says the surname of one of them has to do with them. None where there are no others: all
    of the name are meant, or one alone has it.
    """
    others = namesakes(plan.people, plan.words, names=view.names)
    if not others:
        return None
    surnames = words_apart(others, plan.people, names=view.names)
    said = np.zeros(view.chunk_count, dtype=bool)
    for term in query_terms(" ".join(sorted(surnames)), languages):
        said[view.term(term.keys).docs] = True
    having = view.having(map(entity_key, others)) | view.any_chunk(said)
    return np.asarray(having & ~view.having(map(entity_key, plan.people)))
