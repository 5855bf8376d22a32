"""What lies beside items against plain dicts: after any sequence of calls both say the same."""

import shutil
import tempfile
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from simonides.model.item import Item, digest
from simonides.model.stored import NO_EMBEDDER, Engaged, Prepared, PreparedBackground, Surrogate
from simonides.ports.space import Reader
from simonides.storage.sqlite import SQLiteStore
from simonides_bench.testing.depth import examples

NOON = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
HOURS = st.integers(-3, 3)
IDS = st.sampled_from(["a", "b", "ü"])
NAMES = st.sampled_from(["k", "l", "m", "é", "🫖"])
COLLECTIONS = st.sampled_from(["main", "home"])
WORDS = st.sampled_from(["tea", "coffee", "x\0y"])


def at(hour: int) -> datetime:
    """Return a time some hours after noon."""
    return NOON + timedelta(hours=hour)


def prepared(item_id: str, word: str) -> Prepared:
    """Return an item without chunks."""
    item = Item(id=item_id, content=word)
    return Prepared(item=item, digest=digest(item), chunks=(), mentions=())


@dataclass
class Model:
    """What should lie there: snapshots by id as (collection, hour), engagement by item as
    (hour, revision), the word and the versions of items, surrogates by item as (word, gist).
    """  # fmt: skip

    snapshots: dict[str, tuple[str, int]] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    engaged: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    versions: dict[str, list[str]] = field(default_factory=dict)
    surrogates: dict[str, tuple[str, str]] = field(default_factory=dict)
    revision: int = 0

    def shown(self, collection: str, *, until: int = 99) -> list[str]:
        """Return the ids of the snapshots that show, latest first."""
        found = [
            (hour, one)
            for one, (own, hour) in self.snapshots.items()
            if own == collection and one not in self.hidden and hour <= until
        ]
        return [one for _, one in sorted(found, reverse=True)]

    def served(self) -> dict[str, str]:
        """Return the gist of each present item that has a surrogate of its present words."""
        found = self.surrogates.items()
        return {one: gist for one, (word, gist) in found if self.words.get(one) == word}


def agrees(reader: Reader, model: Model) -> None:
    """Fail unless a look at the space shows exactly what the model holds."""
    assert reader.revision == model.revision
    for collection in ("main", "home"):
        shown = [one.id for one, _ in reader.backgrounds(collection, limit=9)]
        assert shown == model.shown(collection)
        for n, one in enumerate(shown):
            after = reader.backgrounds(collection, limit=2, before=one)
            assert [found.id for found, _ in after] == shown[n + 1 : n + 3]
        for hour in range(-4, 5):
            latest = reader.background(collection, as_of=at(hour))
            assert (latest and latest.id) == next(iter(model.shown(collection, until=hour)), None)
    for last in range(model.revision + 1):
        reported = reader.engagements(["a", "b", "ü"], revision=last)
        counted = {
            one: [hour for hour, born in notes if born <= last]
            for one, notes in model.engaged.items()
        }
        assert {one: (n.count, n.last_at) for one, n in reported.items()} == {
            one: (len(hours), at(max(hours))) for one, hours in counted.items() if hours
        }
    for one, words in model.versions.items():
        found = [reader.version(one, number) for number in range(len(words) + 2)]
        assert [item and item.content for item in found] == [None, *words, None]
    check_surrogates(reader, model)


def check_surrogates(reader: Reader, model: Model) -> None:
    """Fail unless the surrogates that are served, and those that lack, are the model's."""
    ids = {row.key: row.id for row in reader.item_rows(0)}
    served = reader.surrogates(list(ids), algorithm="x")
    lacking = reader.without_surrogates(algorithm="x", version=1, chars_min=4, after_key=0, limit=9)

    assert {ids[key]: one.gist for key, one in served.items()} == model.served()
    assert [key for key, _, _ in lacking] == sorted(key for key, _, _ in lacking)
    assert {item.id for _, _, item in lacking} == {
        one for one, word in model.words.items() if len(word) >= 4 and one not in model.served()
    }


class AsideAgainstDicts(RuleBasedStateMachine):
    """Random writes of every sort, looks that stay open, and reopenings."""

    @initialize()
    def begin(self) -> None:
        self.home = Path(tempfile.mkdtemp())
        self.open()
        self.model = Model()
        self.looks: list[tuple[ExitStack, Reader, Model]] = []

    def open(self) -> None:
        self.store = SQLiteStore(self.home, durability="relaxed", connections_max=3)
        self.space = self.store.open("s", embedder=NO_EMBEDDER, create=True)

    def key_of(self, item_id: str) -> int:
        with self.space.read() as reader:
            return (reader.keys([item_id]) or [10**6])[0]

    @rule(item_id=IDS, word=WORDS)
    def commit(self, item_id: str, word: str) -> None:
        self.space.commit([prepared(item_id, word)], stored_at=NOON)
        if self.model.words.get(item_id) != word:
            self.model.words[item_id] = word
            self.model.versions.setdefault(item_id, []).append(word)
            self.model.surrogates.pop(item_id, None)
            self.model.revision += 1

    @rule(item_id=IDS)
    def forget(self, item_id: str) -> None:
        gone = self.space.forget([item_id], at=NOON)
        assert bool(gone) == (self.model.words.pop(item_id, None) is not None)
        self.model.surrogates.pop(item_id, None)
        self.model.revision += bool(gone)

    @rule(name=NAMES, collection=COLLECTIONS, hour=HOURS)
    def put_background(self, name: str, collection: str, hour: int) -> None:
        one = PreparedBackground(id=name, collection=collection, text=name, terms=b"")
        is_new = name not in self.model.snapshots
        self.model.revision += is_new or name in self.model.hidden
        own = self.model.snapshots.setdefault(name, (collection, hour))
        self.model.hidden.discard(name)

        kept = self.space.put_background(one, at=at(hour))

        assert (kept.collection, kept.created_at) == (own[0], at(own[1]))
        assert not is_new or kept.revision == self.model.revision

    @rule(name=NAMES)
    def delete_background(self, name: str) -> None:
        showed = name in self.model.snapshots and name not in self.model.hidden
        assert self.space.delete_background(name, due=NOON) is showed
        if showed:
            self.model.hidden.add(name)
            self.model.revision += 1

    @rule(ids=st.lists(IDS, max_size=3), how=st.sampled_from(Engaged), hour=HOURS)
    def record_usage(self, ids: list[str], how: Engaged, hour: int) -> None:
        there = tuple(one for one in dict.fromkeys(ids) if one in self.model.words)
        assert self.space.record_usage(ids, how=how, at=at(hour)) == there
        self.model.revision += bool(there)
        for one in there:
            self.model.engaged.setdefault(one, []).append((hour, self.model.revision))

    @rule(item_id=IDS, word=WORDS, gist=st.text("ab", max_size=2))
    def put_surrogate(self, item_id: str, word: str, gist: str) -> None:
        made = Surrogate(
            item_key=self.key_of(item_id), algorithm="x", version=1,
            source_hash=prepared(item_id, word).digest, full=word, gist=gist, micro="",
        )  # fmt: skip
        assert self.space.put_surrogates([made]) == (item_id in self.model.words)
        if item_id in self.model.words:
            self.model.surrogates[item_id] = (word, gist)

    @rule()
    def look(self) -> None:
        stack = ExitStack()
        self.looks.append((stack, stack.enter_context(self.space.read()), deepcopy(self.model)))

    @rule()
    def look_back(self) -> None:
        for stack, reader, model in self.looks:
            agrees(reader, model)
            stack.close()
        self.looks.clear()

    @rule()
    def reopen(self) -> None:
        self.look_back()
        self.store.close()
        self.open()

    @invariant()
    def agree(self) -> None:
        with self.space.read() as reader:
            agrees(reader, self.model)

    def teardown(self) -> None:
        if hasattr(self, "home"):
            self.look_back()
            assert [one for one in self.space.check() if not one.sound] == []
            self.store.close()
            shutil.rmtree(self.home)


AsideAgainstDicts.TestCase.settings = settings(max_examples=examples(15), stateful_step_count=25)
test_what_lies_beside_items_agrees_with_dicts = AsideAgainstDicts.TestCase


@given(
    texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=9), max_size=9),
    chars_min=st.integers(0, 9),
    limit=st.integers(0, 4),
)
def test_items_that_lack_a_surrogate_are_all_met_page_by_page(
    texts: list[str], chars_min: int, limit: int
) -> None:
    home = Path(tempfile.mkdtemp())
    store = SQLiteStore(home, durability="relaxed")
    space = store.open("s", embedder=NO_EMBEDDER, create=True)
    items = [Item(id=f"{n}", title="t", content=text) for n, text in enumerate(texts)]
    many = [Prepared(item=one, digest=digest(one), chunks=(), mentions=()) for one in items]
    space.commit(many, stored_at=NOON)
    met: list[str] = []
    with space.read() as reader:
        after = 0
        while found := reader.without_surrogates(
            algorithm="x", version=1, chars_min=chars_min, after_key=after, limit=limit
        ):
            assert len(found) <= limit
            after = found[-1][0]
            met += [item.content for _, _, item in found]
    store.close()
    shutil.rmtree(home)

    assert met == ([text for text in texts if len(text) >= chars_min] if limit else [])
