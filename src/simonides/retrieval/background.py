"""Backgrounds of a collection: listed by page, and ranked for a question.

Asks the store alone: no lane, and no view of a space, ever sees a snapshot.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice

import numpy as np
import numpy.typing as npt

from simonides.ingest.languages import Spoken
from simonides.model.bounds import LIMIT
from simonides.model.coercion import cursor_of, no_cursor, place_of
from simonides.model.query import cap_terms, check_question, cut_for_analysis
from simonides.model.stored import Background, BackgroundPage, ScoredBackground
from simonides.model.times import microseconds, moment
from simonides.ports.space import Reader
from simonides.scoring.formulas import K1, gains, idf, length_norms
from simonides.text.analyse import QueryTerm, query_terms
from simonides.text.terms import unpack

LOOKED_THROUGH_MAX = 1_000
"""Snapshots that a question is held against, the latest ones."""

_PAGE = 100
_READ_MAX = 1 << 14
_READ: dict[tuple[Spoken, str], str] = {}
"""Languages of snapshots by their ids, which stand for their texts; emptied when it is full.

Detecting them again takes ten times as long as all the rest of a question. No words are held.
"""

_LENGTH_MAX = np.iinfo(np.uint16).max

Place = tuple[datetime, str]
"""Where a snapshot stands in a history: its time and its id."""


def list_backgrounds(collection: str, *, limit: int, cursor: str, reader: Reader) -> BackgroundPage:
    """Return one page of a collection's snapshots, latest first, ties by the largest id.

    A cursor names time and id of the last snapshot seen, so that pages neither skip nor repeat
    what stays while others are put and deleted, that last one too.

    Raises:
        InvalidInput: The limit or the cursor is malformed.
    """
    after = read_place(cursor, limit=limit)
    found = [one for one, _ in _after(after, collection, limit=limit + 1, reader=reader)]
    page = found[:limit]
    return BackgroundPage(
        snapshots=tuple(page), cursor=_cursor(page[-1]) if len(found) > limit else ""
    )


def best_backgrounds(
    query: str, *, collection: str, limit: int, reader: Reader, spoken: Spoken
) -> tuple[ScoredBackground, ...]:
    """Return the snapshots that share words with a question, by falling score, then latest first.

    score = BM25 over what a perfect snapshot would get, in (0, 1]. Of the collection's snapshots
    the latest 1,000 are looked through, and all statistics are theirs: a score depends on the
    question and on them, not on the limit.

    Raises:
        InvalidInput: The limit or the question is out of range.
    """
    check_best(query, limit=limit)
    found = reader.backgrounds(collection, limit=LOOKED_THROUGH_MAX)
    languages = sorted({_language(one, spoken) for one, _ in found})
    terms = cap_terms(query_terms(cut_for_analysis(query), (spoken.language, *languages)))
    if not (found and terms):
        return ()
    scores = _scores(terms, [packed for _, packed in found]).tolist()
    ranked = sorted((-score, place) for place, score in enumerate(scores) if score > 0.0)
    return tuple(
        ScoredBackground(score=-negative, background=found[place][0])
        for negative, place in ranked[:limit]
    )


def check_best(query: str, *, limit: int) -> None:
    """Raise `InvalidInput` unless snapshots can be compared with the question."""
    LIMIT.check(limit, field="limit")
    check_question(query, field="query", advice="ask something, or use history")


def read_place(cursor: str, *, limit: int) -> Place | None:
    """Return the place before a page of at most `limit`; None: the page is the first.

    Raises:
        InvalidInput: The limit or the cursor is malformed.
    """
    LIMIT.check(limit, field="limit")
    found = place_of(cursor, int, str)
    if found is None:
        return None
    try:
        return moment(found[0]), found[1]
    except OverflowError:
        raise no_cursor() from None


def _after(
    after: Place | None, collection: str, *, limit: int, reader: Reader
) -> Sequence[tuple[Background, bytes]]:
    """Return the snapshots after a place; by its time, if its snapshot is gone."""
    if after is None:
        return reader.backgrounds(collection, limit=limit)
    found = reader.backgrounds(collection, limit=limit, before=after[1])
    if found:
        return found
    behind = (one for one in _all(collection, reader) if _place(one[0]) < after)
    return list(islice(behind, limit))


def _all(collection: str, reader: Reader) -> Iterator[tuple[Background, bytes]]:
    found = reader.backgrounds(collection, limit=_PAGE)
    while found:
        yield from found
        found = reader.backgrounds(collection, limit=_PAGE, before=found[-1][0].id)


def _place(one: Background) -> Place:
    return one.created_at, one.id


def _cursor(last: Background) -> str:
    return cursor_of(microseconds(last.created_at), last.id)


def _language(one: Background, spoken: Spoken) -> str:
    statement = _READ.get((spoken, one.id))
    if statement is None:
        if len(_READ) >= _READ_MAX:
            _READ.clear()
        statement = _READ[spoken, one.id] = spoken.of(one.text)
    return statement


def _scores(terms: Sequence[QueryTerm], packed: Sequence[bytes]) -> npt.NDArray[np.float64]:
    """Return float64[snapshots]: BM25 over its ideal, as for passages (`IndexView.lexical`)."""
    pairs, counts, lengths = _count_postings(terms, packed)
    places, asked = np.divmod(pairs, len(terms))
    holding = np.bincount(asked, minlength=len(terms))
    weights = np.array([idf(int(number), len(packed)) for number in holding])
    norms = length_norms(lengths, mean_length=float(lengths.mean()))
    gained = gains(weights[asked], counts, norms[places])
    ideal = (K1 + 1.0) * sum(weights.tolist())
    return np.asarray(np.bincount(places, weights=gained, minlength=len(packed)) / ideal)


def _count_postings(
    terms: Sequence[QueryTerm], packed: Sequence[bytes]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64], npt.NDArray[np.uint16]]:
    """Return the postings as rising (place · terms + term), their counts, and all lengths.

    A term of several keys is held as often as they are together. A word counts at most 255
    times, and a length at most 65,535.
    """
    keys, owners = _keys(terms)
    lengths = np.zeros(len(packed), dtype=np.uint16)
    pairs, counts = [], []
    for place, blob in enumerate(packed):
        known, numbers = unpack(blob)
        lengths[place] = min(int(numbers.sum()), _LENGTH_MAX)
        at = np.minimum(np.searchsorted(keys, known), len(keys) - 1)
        is_asked = keys[at] == known
        pairs.append(place * len(terms) + owners[at[is_asked]])
        counts.append(numbers[is_asked])
    distinct, which = np.unique(np.concatenate(pairs), return_inverse=True)
    totals = np.bincount(which, weights=np.concatenate(counts), minlength=len(distinct))
    return distinct, totals.astype(np.float64), lengths


def _keys(terms: Sequence[QueryTerm]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.intp]]:
    """Return the rising keys of all terms, and the term of each; no key has two terms."""
    owned = sorted((key, owner) for owner, term in enumerate(terms) for key in term.keys)
    keys = np.array([key for key, _ in owned], dtype=np.uint64)
    return keys, np.array([owner for _, owner in owned], dtype=np.intp)
