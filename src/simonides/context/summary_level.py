"""Surrogates of candidates, stored or extractive, and the choice of their tier.

An extractive surrogate that is missing is made from the item, with the same words, so that a brief
does not depend on what was built ahead; those written by a model are served only where they are
stored. The tier (`full`, `gist` or `micro`) follows from age, importance, and how specific a
question is (times, names, numbers, quoted words). Must not know budgets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from simonides.entities.directory import proper_words
from simonides.model.answer import Direction, Hit, Plan
from simonides.model.brief import ContextConfig, TierPolicy
from simonides.model.item import Item, digest
from simonides.model.stored import Engagement, Surrogate, Tier
from simonides.ports.space import Reader
from simonides.scoring.importance import engagement_importance
from simonides.text.analyse import words
from simonides.text.language import detect
from simonides.text.stopwords import stop_words
from simonides.text.surrogates import (
    ALGORITHM,
    ALGORITHMS,
    VERSION,
    SurrogateTexts,
    cut,
    surrogate_texts,
)
from simonides.text.tokens import count
from simonides.text.unicode_version import is_lower, mask
from simonides.text.word_patterns import lazy_pattern

WORDS_WEIGHT, ANCHORS_WEIGHT, QUOTES_WEIGHT = 0.40, 0.35, 0.25
"""What words, things pinned down and quotes are worth at most (the designs' QueryAnalyzer)."""

WORDS_FULL = 8
"""From this number of content words on they count in full (the designs' divisor)."""

_SURFACE = lazy_pattern(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySignals:
    """The specific elements of a question: times, names, numbers, quotes.

    `temporal` says whether it asks for a time, by one or for an end of time; `names`, `numbers`
    and `quotes` count distinct words and phrases. `specificity` in [0, 1]: higher is more
    specific.
    """

    temporal: bool = False
    names: int = 0
    numbers: int = 0
    quotes: int = 0
    specificity: float = 0.0


NO_SIGNALS = QuerySignals()


def signals_of(plan: Plan, text: str) -> QuerySignals:
    """Return the signals of a question, from its plan and its text.

    With w the distinct words that are no stop words, a the names and numbers, one more for a time
    range, and q the quoted phrases:

        specificity = 0.40·min(1, w/8) + 0.35·(1 - 2^-a) + 0.25·(1 - 2^-q)

    The designs' min(w/8, 0.40) is full at 3.2 words, stop words counted, and their 0.35 is given
    for any digit or capital letter, so that nearly every question is worth the same. Here a name is
    one that the space knows, or a word with a capital inside a sentence that has words without
    one (`I` is none), and each further one adds half of what the one before did. Words of a time
    range are no names or numbers besides.
    """
    stopped = stop_words(detect(text))
    timed = frozenset(words(plan.time.text)) if plan.time else frozenset()
    asked = frozenset(plan.words) - stopped
    names = _names(plan, text) - stopped - timed
    numbers = {word for word in asked - timed - names if any(map(str.isdigit, word))}
    named = max(len(names), 1 if plan.people or plan.entities else 0)
    anchors = named + len(numbers) + (plan.time is not None)
    quotes = len(frozenset(plan.phrases))
    return QuerySignals(
        temporal=plan.time is not None or plan.direction is not Direction.NONE or plan.asks_when,
        names=named,
        numbers=len(numbers),
        quotes=quotes,
        specificity=WORDS_WEIGHT * min(1.0, len(asked) / WORDS_FULL)
        + ANCHORS_WEIGHT * (1.0 - 2.0**-anchors)
        + QUOTES_WEIGHT * (1.0 - 2.0**-quotes),
    )


def _names(plan: Plan, text: str) -> frozenset[str]:
    """Return the words of the question in names: known ones, and capitalised ones."""
    known = frozenset(
        word
        for entity in (*plan.people, *plan.entities)
        for word in words(entity.partition(":")[2])
    )
    return (known & frozenset(plan.words)) | _find_capitalised(text)


def _find_capitalised(text: str) -> frozenset[str]:
    """Return the capitalised words that are likely names; none if every word is capitalised."""
    surface = _SURFACE.findall(mask(text))
    if not any(is_lower(word[0]) for word in surface):
        return frozenset()
    return proper_words(text)


def choose_tier(
    config: ContextConfig, *, age_days: float | None, importance: float, signals: QuerySignals
) -> Tier:
    """Return the tier of an item by the policy of `config`.

    `disabled`: always `full`. `age`: `full` below `recent_days` of age (7), `gist` below
    `old_days` (30), else `micro`; so exactly 7 days old is `gist` and exactly 30 `micro`. What lies
    ahead is `full`, and so is what has no age at all: nothing says that it is old.
    `importance`: `full` from `full_importance` (0.6), `gist` from `gist_importance` (0.3), else
    `micro`, for min(1, importance + query_boost_max · specificity). NaN gives `micro`.

    Args:
        config: The policy, its thresholds and its boost.
        age_days: Days since it happened, or where it is undated, since it was stored.
        importance: In [0, 1], see `simonides.scoring.importance`; only the policy of that name
            reads it.
        signals: What the question asks for; likewise.
    """
    if config.tier_policy is TierPolicy.AGE:
        return _by_age(config, age_days)
    if config.tier_policy is TierPolicy.IMPORTANCE:
        # No threshold lies above 1, so that the sum need not be cut there.
        return _by_importance(config, importance + config.query_boost_max * signals.specificity)
    return Tier.FULL


def _by_age(config: ContextConfig, age_days: float | None) -> Tier:
    if age_days is None or age_days < config.recent_days:
        return Tier.FULL
    return Tier.GIST if age_days < config.old_days else Tier.MICRO


def _by_importance(config: ContextConfig, importance: float) -> Tier:
    if importance >= config.full_importance:
        return Tier.FULL
    return Tier.GIST if importance >= config.gist_importance else Tier.MICRO


_HOUR = timedelta(hours=1)
_HOURS_A_DAY = 24.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryLevelChooser:
    """Surrogates and usage by item id, at one moment; of several spaces, those of each."""

    config: ContextConfig
    now: datetime
    surrogates: Mapping[str, Surrogate]
    engagements: Mapping[str, Engagement] = field(default_factory=dict)
    signals: QuerySignals = NO_SIGNALS
    by_space: Mapping[str, "SummaryLevelChooser"] = field(default_factory=dict)

    def of(self, hit: Hit) -> tuple[Surrogate, Tier] | None:
        """Return the surrogate of a candidate and its tier, if it has one."""
        if hit.space in self.by_space:
            return self.by_space[hit.space].of(hit)
        stand_in = self.surrogates.get(hit.id)
        if stand_in is None:
            return None
        hours = self._age_hours(hit.item)
        tier = choose_tier(
            self.config,
            age_days=None if hours is None else hours / _HOURS_A_DAY,
            importance=self._importance(hit.id, hours),
            signals=self.signals,
        )
        return stand_in, tier

    def _age_hours(self, item: Item) -> float | None:
        when = item.dated_at
        return None if when is None else (self.now - when) / _HOUR

    def _importance(self, item_id: str, age_hours: float | None) -> float:
        engagement = self.engagements.get(item_id)
        age = 0.0 if age_hours is None else age_hours
        if engagement is None:
            return engagement_importance(age, 0)
        since = (self.now - engagement.last_at) / _HOUR
        return engagement_importance(age, engagement.count, since)


CHARS_MIN = 400
"""A shorter content needs no stand-in: it costs about as much as one of tier `full`."""

LOOKED_AT = 4
"""For each place there is, so many candidates are looked at: the others are snippets."""


def surrogates_of(
    items: Sequence[Item], *, reader: Reader, config: ContextConfig
) -> dict[str, Surrogate]:
    """Return the surrogates by id of the best items that are long enough to have one."""
    first = [item for item in items if len(item.content) >= CHARS_MIN]
    found: dict[str, Surrogate] = {}
    for item in first[: LOOKED_AT * config.surrogates_max]:
        one = find_surrogate(item, reader=reader, algorithm=config.surrogates)
        if one is None and config.surrogates in ALGORITHMS:
            one = extractive_surrogate(item, algorithm=config.surrogates)
        if one is not None:
            found[item.id] = one
    return found


def find_surrogate(item: Item, *, reader: Reader, algorithm: str = ALGORITHM) -> Surrogate | None:
    """Return the stored surrogate of an item, if it belongs to the present version."""
    keys = reader.keys([item.id])
    found = reader.surrogates(keys, algorithm=algorithm)
    one = next(iter(found.values()), None)
    if one is None or one.source_hash != digest(item):
        return None
    return one if algorithm not in ALGORITHMS or one.version == VERSION else None


def extractive_surrogate(item: Item, *, key: int = 0, algorithm: str = ALGORITHM) -> Surrogate:
    """Return an extractive surrogate of an item; `key` is that of its version in the store."""
    texts = extractive_texts(item, algorithm=algorithm)
    return surrogate(item, texts, key=key, algorithm=algorithm, version=VERSION)


def extractive_texts(item: Item, *, algorithm: str = ALGORITHM) -> SurrogateTexts:
    """Return the texts of an item's extractive surrogate, in the lengths of its algorithm."""
    return surrogate_texts(item.content, title=item.title, budgets=ALGORITHMS[algorithm])


def surrogate(
    item: Item, texts: SurrogateTexts, *, key: int, algorithm: str, version: int
) -> Surrogate:
    """Return the surrogate record of exactly this version of an item."""
    return Surrogate(
        item_key=key, algorithm=algorithm, version=version, source_hash=digest(item),
        full=texts.full, gist=texts.gist, micro=texts.micro,
    )  # fmt: skip


def tier_text(surrogate: Surrogate, tier: Tier, *, tokens_max: int, encoding: str) -> str:
    """Return the text of a tier, cut after a word and marked by `…` beyond `tokens_max`."""
    text: str = getattr(surrogate, tier.value).strip()
    if count(text, encoding) <= tokens_max:
        return text
    return cut(text, tokens_max, encoding).strip()
