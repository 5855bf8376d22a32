"""The store against a plain dict: after any sequence of calls both say the same."""

import shutil
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from simonides.errors import InvalidSpaceName
from simonides.model.item import Item, Role, digest
from simonides.model.stored import (
    Change,
    EmbedderIdentity,
    EntityKind,
    Mention,
    Prepared,
    PreparedChunk,
)
from simonides.model.times import moment
from simonides.ports.space import Reader
from simonides.storage.names import check_name
from simonides.storage.rows import pack, unpack
from simonides.storage.sqlite import SQLiteStore
from simonides.storage.sqlite.file_names import space_file
from simonides_bench.testing.depth import examples

NOON = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
TINY = EmbedderIdentity(model="tiny", dimension=2, window_words=20, quantiser="fixed/1")
IDS = st.sampled_from(["a", "b", "c", "d", "e", "ü"])
WORDS = st.sampled_from(["tea", "coffee", "", "Ärger", "x\0y"])


def prepared(item_id: str, word: str) -> Prepared:
    """Return an item of one id and word, with a chunk and a mention for each of its letters."""
    item = Item(id=item_id, title="t", content=word, metadata={"word": word})
    chunks = tuple(
        PreparedChunk(
            start=n, stop=n + 1, words=1, dated=n % 2 == 0, length=1, terms=bytes(9), vector=b"ab"
        )
        for n in range(len(word))
    )
    mentions = tuple(
        Mention(entity=f"topic:{n}", kind=EntityKind.TOPIC, name=letter, role=Role.MENTIONED)
        for n, letter in enumerate(word)
    )
    return Prepared(item=item, digest=digest(item), chunks=chunks, mentions=mentions)


@dataclass
class Model:
    """What a space should hold: id → (word, version, birth), who was forgotten, and deaths."""

    present: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)
    deaths: list[int] = field(default_factory=list)
    revision: int = 0

    def commit(self, pairs: Iterable[tuple[str, str]], *, revive: bool) -> list[tuple[str, Change]]:
        """Do what a commit should; return what each id should be told."""
        pairs = list(pairs)
        reported: dict[str, Change] = {}
        for one, word in dict(pairs).items():
            reported[one] = self._put(one, word, revive=revive)
        self.revision += bool({Change.ADDED, Change.UPDATED} & set(reported.values()))
        return [(one, reported[one]) for one, _ in pairs]

    def _put(self, one: str, word: str, *, revive: bool) -> Change:
        old = self.present.get(one)
        if old is None and one in self.forgotten and not revive:
            return Change.FORGOTTEN
        if old is not None and old[0] == word:
            return Change.UNCHANGED
        if old is not None:
            self.deaths.append(self.revision + 1)
        self.forgotten.discard(one)
        self.versions[one] = self.versions.get(one, 0) + 1
        self.present[one] = (word, self.versions[one], self.revision + 1)
        return Change.ADDED if old is None else Change.UPDATED

    def forget(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Do what forgetting should; return the ids that were there."""
        gone = tuple(one for one in dict.fromkeys(ids) if one in self.present)
        for one in gone:
            del self.present[one]
            self.forgotten.add(one)
            self.deaths.append(self.revision + 1)
        self.revision += bool(gone)
        return gone

    def copy(self) -> "Model":
        """Return the model as it stands."""
        return replace(self, present=dict(self.present), deaths=list(self.deaths))


def agrees(reader: Reader, model: Model) -> None:
    """Fail unless a look at the space shows exactly what the model holds."""
    rows = {row.id: row for row in reader.item_rows(0)}
    born = {one: birth for one, (_, _, birth) in model.present.items()}
    letters = {rows[one].key: len(word) for one, (word, _, _) in model.present.items()}

    assert reader.revision == model.revision
    assert {one: row.born for one, row in rows.items()} == born
    for since in (0, model.revision // 2, model.revision):
        assert {r.id for r in reader.item_rows(since)} == {i for i, b in born.items() if b > since}
        assert len(reader.deaths(since)) == sum(died > since for died in model.deaths)
    items = reader.items([row.key for row in rows.values()])
    assert {i.id: (i.content, i.version, i.revision) for i in items.values()} == model.present
    assert {i.id: digest(i) for i in items.values()} == reader.digests(list(born))
    for found in (reader.chunk_rows(0), reader.mention_rows(0)):
        counted = dict.fromkeys(letters, 0)
        for row in found:
            counted[row.item_key] += 1
        assert counted == letters


class StoreAgainstDict(RuleBasedStateMachine):
    """Random writes, looks that stay open, and reopenings."""

    @initialize()
    def begin(self) -> None:
        self.home = Path(tempfile.mkdtemp())
        self.open()
        self.model = Model()
        self.epoch = 0
        self.looks: list[tuple[ExitStack, Reader, Model]] = []

    def open(self) -> None:
        self.store = SQLiteStore(self.home, durability="relaxed", connections_max=3)
        self.space = self.store.open("s", embedder=TINY, create=True)

    @rule(pairs=st.lists(st.tuples(IDS, WORDS), max_size=4), revive=st.booleans())
    def commit(self, pairs: list[tuple[str, str]], revive: bool) -> None:
        given_items = [prepared(one, word) for one, word in pairs]

        outcomes = self.space.commit(given_items, stored_at=NOON, revive=revive)

        assert [(one.id, one.change) for one in outcomes] == self.model.commit(pairs, revive=revive)
        assert {one.revision for one in outcomes} <= {self.model.revision}

    @rule(ids=st.lists(IDS, max_size=3))
    def forget(self, ids: list[str]) -> None:
        assert self.space.forget(ids, at=NOON) == self.model.forget(ids)

    @rule()
    def replace_vectors(self) -> None:
        everything = [prepared(one, word) for one, (word, _, _) in self.model.present.items()]

        assert self.space.replace_vectors(TINY, everything) == len(everything)
        self.model.revision += 1
        self.epoch += 1

    @rule()
    def look(self) -> None:
        stack = ExitStack()
        self.looks.append((stack, stack.enter_context(self.space.read()), self.model.copy()))

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
            assert reader.epoch == self.epoch

    def teardown(self) -> None:
        if hasattr(self, "home"):
            self.look_back()
            assert [one for one in self.space.check() if not one.sound] == []
            self.store.close()
            shutil.rmtree(self.home)


StoreAgainstDict.TestCase.settings = settings(max_examples=examples(15), stateful_step_count=25)
test_the_store_agrees_with_a_dict = StoreAgainstDict.TestCase

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(metadata=st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), json_values))
def test_any_metadata_reads_back_to_the_last_bit(metadata: dict[str, object]) -> None:
    item = Item(content="x", id="x", metadata=metadata)
    one = Prepared(item=item, digest=digest(item), chunks=(), mentions=())

    packed = pack(one, dimension=0)
    found = unpack((packed.columns[0], 1, 1, 0, *packed.columns[1:]))

    assert repr(found.metadata) == repr(metadata)
    assert digest(found) == one.digest


@given(us=st.integers(-62135596800 * 10**6, 253402300799 * 10**6 + 999999))
def test_every_microsecond_between_the_years_1_and_9999_is_a_time(us: int) -> None:
    assert (moment(us) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) == us


@given(name=st.text(max_size=120))
def test_a_name_that_passes_is_one_file_in_its_folder(name: str) -> None:
    try:
        check_name(name)
    except InvalidSpaceName:
        return
    file = space_file(Path("home"), name)

    assert file.parent == Path("home/spaces")
    assert file.name == f"{name}.sqlite3"
    assert name == name.lower()
