"""`simonides bench churn`: what is left of many updates once a space was compacted.

Two spaces hold the same items in the end: one came there by updates, one after the other, the
other was filled at once. File and search of the first are held against those of the second.
Through the public API; words are hashed instead of embedded.
"""

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from simonides.api.memory import DEFAULT_SPACE, Memory
from simonides.config import Settings
from simonides.model.answer import Page
from simonides.model.item import Item
from simonides.storage.sqlite.file_names import space_file
from simonides_bench.corpus import passages
from simonides_bench.limits import once_ms
from simonides_bench.testing.hashing import HashingEmbedder

DIMENSION = 384
"""That of the default embedder, so that vectors take as much room."""

PASSAGES_MAX = 400
QUESTIONS = 40
QUESTION_WORDS = 4
ROUNDS = 7
"""How often each question is asked of both spaces in turn; the fastest counts."""

PAGE_ITEMS = 1000

Progress = Callable[[int, int], None]


def run(*, updates: int, items: int, on_progress: Progress | None = None) -> dict[str, Any]:
    """Return the figures of one run: so many updates of so many items, compacted.

    Ratios compare with a space that was filled with the same items at once.

    Raises:
        NotFound: Python came without its documentation, of which the texts are made.
    """
    texts = _texts(random.Random(0), [one.text for one in passages(passages_max=PASSAGES_MAX)])  # noqa: S311  a corpus, not a secret
    with tempfile.TemporaryDirectory(prefix="simonides-churn-") as folder:
        churned, fresh = Path(folder) / "churned", Path(folder) / "fresh"
        figures = _churn(churned, texts, updates=updates, items=items, on_progress=on_progress)
        _copy(churned, fresh)
        sizes = {"file_bytes": _file_bytes(churned), "fresh_file_bytes": _file_bytes(fresh)}
        return {
            "updates": updates,
            "items": items,
            **figures,
            **sizes,
            "file_ratio": sizes["file_bytes"] / sizes["fresh_file_bytes"],
            **_search_figures(churned, fresh, texts),
        }


def _texts(chance: random.Random, corpus: Sequence[str]) -> Iterator[str]:
    """Yield texts without end, of real words and lengths, no two alike."""
    number = 0
    while True:
        number += 1
        yield f"{chance.choice(corpus)} This is note {number}."


def _open(home: Path) -> Memory:
    settings = Settings(timezone="UTC", durability="relaxed")
    return Memory(home, settings=settings, embedder=HashingEmbedder(DIMENSION))


def _churn(
    home: Path, texts: Iterator[str], *, updates: int, items: int, on_progress: Progress | None
) -> dict[str, Any]:
    """Fill a space, update it again and again, compact it; return what that took."""
    chance = random.Random(1)  # noqa: S311  a corpus, not a secret
    took_ms = []
    with _open(home) as memory:
        memory.add([Item(id=f"item-{n}", content=next(texts)) for n in range(items)])
        for done in range(updates):
            took_ms.append(_update_ms(memory, f"item-{chance.randrange(items)}", next(texts)))
            if on_progress is not None:
                on_progress(done + 1, updates)
    churned_bytes = _file_bytes(home)
    with _open(home) as memory:
        compaction = memory.compact(before=memory.stats().revision)
    return {
        "update_ms_p50": median(took_ms) if took_ms else None,
        "versions_removed": compaction.versions,
        "compact_s": compaction.took_s,
        "churned_file_bytes": churned_bytes,
    }


def _update_ms(memory: Memory, item_id: str, text: str) -> float:
    return once_ms(lambda: memory.update(item_id, content=text))


def _copy(source: Path, target: Path) -> None:
    """Fill a new space with the items of another one, as an import would."""
    with _open(source) as known, _open(target) as memory:
        for page in _pages(known):
            memory.add(page.items)


def _pages(memory: Memory) -> Iterator[Page]:
    page = memory.list(limit=PAGE_ITEMS)
    yield page
    while page.cursor:
        page = memory.list(limit=PAGE_ITEMS, cursor=page.cursor)
        yield page


def _file_bytes(home: Path) -> int:
    return space_file(home, DEFAULT_SPACE).stat().st_size


def _search_figures(churned: Path, fresh: Path, texts: Iterator[str]) -> dict[str, float]:
    """Return how long questions take in both spaces, asked in turn, and how many get the same."""
    asked = [" ".join(next(texts).split()[:QUESTION_WORDS]) for _ in range(QUESTIONS)]
    with _open(churned) as first, _open(fresh) as second:
        pairs = [(_fastest_ms(first, text), _fastest_ms(second, text)) for text in asked]
        same = sum(_find(first, text) == _find(second, text) for text in asked)
    return {
        "same_answers": same / len(asked),
        "search_ms_p50": median(own for own, _ in pairs),
        "fresh_search_ms_p50": median(other for _, other in pairs),
        "search_ratio": median(own / other for own, other in pairs),
    }


def _find(memory: Memory, text: str) -> list[str]:
    return [hit.id for hit in memory.search(text)]


def _fastest_ms(memory: Memory, text: str) -> float:
    memory.search(text)
    return min(once_ms(lambda: memory.search(text)) for _ in range(ROUNDS))
