"""What one thread does while others work on the same space, and what it must see of its own work.

Everything goes through the public verbs of `Memory`. A thread may rely on four things: a write
that returned is there for the next verb of anyone; nobody's write takes its place unseen; the
revision it sees never falls; and no verb fails because others are at work. Knows these. Must not
know processes, nor what the others did.
"""

import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from simonides.api.memory import Memory
from simonides.errors import Conflict, NotFound, SimonidesError, StoreBusy

COUNTERS = 8
"""Items that all threads count up, each count on top of the one that it read."""

COMMON = "harbor"
"""A word of every item, so that every search has many to choose from."""

ATTEMPTS_MAX = 10_000
"""How often one count is tried; a thread that never comes through is starved, and says so."""


def counter_id(number: int) -> str:
    """Return the id of a counter."""
    return f"counter-{number}"


@dataclass(slots=True, kw_only=True)
class Seen:
    """What one thread did and saw: figures that add up over threads, and times of its writes."""

    done: Counter[str] = field(default_factory=Counter)
    counted: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    write_ms: list[float] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)


class Worker:
    """One thread's share of the work: `name` is its own among all threads of all processes."""

    def __init__(self, memory: Memory, *, name: str, chance: random.Random) -> None:
        self.seen = Seen()
        self._memory = memory
        self._name = name
        self._chance = chance
        self._number = 0
        self._revision = 0
        self._acts: tuple[tuple[Callable[[], None], int], ...] = (
            (self._count, 3), (self._add, 3), (self._replace, 2), (self._forget, 1),
            (self._ask, 4), (self._brief, 1),
        )  # fmt: skip

    def work(self, until: Callable[[], bool]) -> Seen:
        """Do one thing after the other, mixed by chance, until it is time."""
        acts = [act for act, _ in self._acts]
        weights = [weight for _, weight in self._acts]
        while not until():
            act = self._chance.choices(acts, weights)[0]
            try:
                act()
            except StoreBusy as error:
                self._fault("lock error", str(error))
            except SimonidesError as error:
                self._fault("error", f"{act.__name__.strip('_')}: {error}")
        return self.seen

    # ── writes ───────────────────────────────────────────────────────────────────────────────

    def _count(self) -> None:
        """Count a counter up on top of the version read; who was overtaken reads again."""
        key = counter_id(self._chance.randrange(COUNTERS))
        for _ in range(ATTEMPTS_MAX):
            found = self._memory.get(key)
            title = f"counted to {int(found.title.split()[-1]) + 1}"
            try:
                self._time(
                    lambda: self._memory.update(key, if_version=found.version, title=title)  # noqa: B023  called at once
                )
            except Conflict:
                self.seen.done["overtaken"] += 1
                continue
            self.seen.counted[key] += 1
            self.seen.done["counts"] += 1
            return
        self._fault("starved", f"{key} was never counted")

    def _add(self) -> None:
        item_id, word = self._fresh()
        self._time(lambda: self._memory.add(self._text(word), id=item_id))
        self.seen.kept[item_id] = word
        self.seen.done["adds"] += 1
        self._check_there(item_id, word)

    def _replace(self) -> None:
        if not self.seen.kept:
            return
        item_id = self._chance.choice(sorted(self.seen.kept))
        old, (_, new) = self.seen.kept[item_id], self._fresh()
        self._time(lambda: self._memory.update(item_id, content=self._text(new)))
        self.seen.kept[item_id] = new
        self.seen.done["replacements"] += 1
        self._check_there(item_id, new)
        self._check_gone(item_id, old)

    def _forget(self) -> None:
        if not self.seen.kept:
            return
        item_id = self._chance.choice(sorted(self.seen.kept))
        word = self.seen.kept.pop(item_id)
        self._time(lambda: self._memory.forget(item_id))
        self.seen.forgotten.add(item_id)
        self.seen.done["forgets"] += 1
        self._check_gone(item_id, word)
        try:
            self._memory.get(item_id)
        except NotFound:
            return
        self._fault("stale read", f"{item_id} is there right after it was forgotten")

    # ── reads ────────────────────────────────────────────────────────────────────────────────

    def _ask(self) -> None:
        revision = self._memory.search(COMMON, limit=10).diagnostics.revision
        if revision < self._revision:
            self._fault("stale read", f"revision {revision} was seen after {self._revision}")
        self._revision = max(revision, self._revision)
        self.seen.done["searches"] += 1

    def _brief(self) -> None:
        made = self._memory.brief(COMMON, budget_tokens=200)
        if made.tokens > made.budget:
            self._fault("error", f"a brief has {made.tokens} tokens")
        self.seen.done["briefs"] += 1

    def _check_there(self, item_id: str, word: str) -> None:
        if word not in self._memory.get(item_id).content:
            self._fault("stale read", f"{item_id} is not as it was written")
        if item_id not in self._find(word):
            self._fault("stale read", f"{item_id} is not found right after it was written")

    def _check_gone(self, item_id: str, word: str) -> None:
        if item_id in self._find(word):
            self._fault("stale read", f"{item_id} is found by what it said before")

    def _find(self, word: str) -> list[str]:
        """Return what a word finds: its own item or nothing, as nobody else writes it."""
        hits = self._memory.search(word, limit=3, mode="text")
        self.seen.done["searches"] += 1
        return [hit.id for hit in hits]

    # ── words and times ──────────────────────────────────────────────────────────────────────

    def _fresh(self) -> tuple[str, str]:
        """Return an id and a word that nobody else ever writes."""
        self._number += 1
        return f"{self._name}-{self._number}", f"zq{self._name}x{self._number}q"

    def _text(self, word: str) -> str:
        return f"Note {word} was written at the {COMMON} by {self._name}."

    def _time(self, write: Callable[[], object]) -> None:
        started = time.perf_counter()
        write()
        self.seen.write_ms.append(1000.0 * (time.perf_counter() - started))

    def _fault(self, sort: str, what: str) -> None:
        self.seen.done[sort] += 1
        self.seen.faults.append(f"{self._name}: {sort}: {what}")
