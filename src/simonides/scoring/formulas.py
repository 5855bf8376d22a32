"""Three formulas of ranking: BM25, reciprocal rank fusion, and the designs' `classic` sum.

BM25 is the lexical relevance of a passage for the words of a question. Fusion is Σ w/(k + rank),
ranks from 1, k = 60 (Cormack, Clarke, Buettcher 2009). The classic score has its constants from
design 004, section 6.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

K1 = 0.9
"""How soon a repeated word stops counting (measured: docs/explanation/ranking.md)."""

B = 0.4
"""How much a long passage is held against it (measured: docs/explanation/ranking.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TermPostings:
    """The postings of one query term: the chunk slots of its occurrences and their counts."""

    docs: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint8]
    idf: float


def idf(holding: int, total: int) -> float:
    """Return ln(1 + (total - holding + 0.5)/(holding + 0.5)): rare words weigh more."""
    return math.log1p((total - holding + 0.5) / (holding + 0.5))


def gains(weights: Floats | float, counts: Floats, norms: Floats) -> Floats:
    """Return idf·(k1+1)·tf / (tf + norm): the score that a word adds to each passage."""
    return np.asarray(weights * (K1 + 1.0) * counts / (counts + norms))


def length_norms(lengths: npt.NDArray[np.uint16], *, mean_length: float) -> npt.NDArray[np.float64]:
    """Return k1·(1 - b + b·length/mean length) for every passage."""
    mean = mean_length or 1.0
    return K1 * (1.0 - B + (B / mean) * lengths.astype(np.float64))


RRF_K = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """The values of one lane: float64[items], higher is better, NaN for not found."""

    name: str
    weight: float
    values: npt.NDArray[np.float64]


def ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return float64[items]: 1 + the number of strictly better ones; infinity for not found."""
    found = ~np.isnan(values)
    rising = np.sort(values[found])
    placed = np.full(len(values), np.inf)
    placed[found] = 1.0 + len(rising) - np.searchsorted(rising, values[found], side="right")
    return placed


def rank_shares(lane: Lane, *, k: int = RRF_K) -> npt.NDArray[np.float64]:
    """Return float64[items]: the lane's w/(k + rank), 0 for not found."""
    shares: npt.NDArray[np.float64] = lane.weight / (k + ranks(lane.values))
    return shares


SEMANTIC_WEIGHT = 0.5
SEMANTIC_UNKNOWN = 0.5
"""Similarity of an item found neither by meaning nor by words."""
RECENCY_MAX, RECENCY_DAYS = 0.2, 365
ENTITY_STEP, ENTITY_MAX, ENTITY_EXPLICIT = 0.1, 0.3, 0.2
SOURCE_PRIORITY = {
    "gmail": 0.10, "outlook": 0.10, "gdrive": 0.08, "onedrive": 0.08, "jira": 0.07,
    "calendar": 0.05,
}  # fmt: skip
SOURCE_OTHER = 0.05
TEXT_WEIGHT, TEXT_MAX = 0.05, 0.1
EXPLICIT_SOURCE = 0.4
SAME_SESSION, OTHER_SESSION = 1.0, 0.5
EPISODIC_THRESHOLD, EPISODIC_MAX = 0.3, 0.5
EPISODIC_SIMILARITY, EPISODIC_RECENCY, EPISODIC_DAYS = 0.6, 0.2, 30
EPISODIC_SESSIONS, EPISODIC_MESSAGES = 10, 20
"""How many sessions are looked at, newest first, and how many messages of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassicSignals:
    """The inputs of the formula for one item.

    `semantic` is a plain cosine or matches/keywords; `days` whole days of age, None undated;
    `entities` how many of the named ones it mentions; `text_rank` matching lexemes over
    (distinct lexemes + 1).
    """

    semantic: float
    days: int | None
    entities: int
    entity_explicit: bool
    source: str
    source_explicit: bool
    text_rank: float


def classic_parts(signals: ClassicSignals) -> tuple[tuple[str, float], ...]:
    """Return the named parts of the score, which add up to it in this order."""
    return (
        ("semantic", SEMANTIC_WEIGHT * signals.semantic),
        ("recency", recency(signals.days)),
        ("entity", entity_share(signals.entities, explicit=signals.entity_explicit)),
        ("source", SOURCE_PRIORITY.get(signals.source, SOURCE_OTHER)),
        ("text", min(TEXT_MAX, TEXT_WEIGHT * signals.text_rank)),
        ("explicit source", EXPLICIT_SOURCE if signals.source_explicit else 0.0),
    )


def recency(days: int | None) -> float:
    """Return max(0, 0.2·(1 - days/365)); 0 for undated items."""
    if days is None:
        return 0.0
    return max(0.0, RECENCY_MAX * (1.0 - max(days, 0) / RECENCY_DAYS))


def entity_share(matches: int, *, explicit: bool) -> float:
    """Return min(0.3, 0.1·matches), at least 0.2 for an entity in the filter."""
    share = min(ENTITY_MAX, ENTITY_STEP * matches)
    return max(share, ENTITY_EXPLICIT) if explicit else share


def episodic(similarity: float, *, same_session: bool, days: int | None) -> float | None:
    """Return min(0.5, similarity·weight·0.6 + recency·0.2), None below similarity 0.3.

    recency = max(0, 1 - days/30), 0 undated; weight 1.0 in the current session, else 0.5.
    """
    if not similarity >= EPISODIC_THRESHOLD:
        return None
    weight = SAME_SESSION if same_session else OTHER_SESSION
    fresh = 0.0 if days is None else max(0.0, 1.0 - max(days, 0) / EPISODIC_DAYS)
    return min(EPISODIC_MAX, similarity * weight * EPISODIC_SIMILARITY + fresh * EPISODIC_RECENCY)
