"""Two spaces of one home: whatever is done in one, the other answers as if it were alone.

Law 4. The same things are done in a space twice: in a home of its own, and in one where another
space works in between, with the same ids, words, names, filters and keys. Every answer of the
first must be the same to the last bit of a score, and nothing of the other may stand in it.
"""

import io
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simonides import Filter, Memory, Person, Settings
from simonides.codec.write import to_wire
from simonides.errors import InvalidSpaceName, NotFound, SimonidesError
from simonides.model.filter import Compare, Operator
from simonides.model.memories import ProposedMemory
from simonides_bench.testing.depth import examples
from simonides_bench.testing.hashing import HashingEmbedder
from simonides_bench.testing.servers.postgres import PostgresServer

pytestmark = pytest.mark.slow

NOON: Final = datetime(2026, 3, 12, 12, tzinfo=UTC)

NAMES: Final = ("a", "a.b", "a.sqlite3", "a.index", "a-wal", "a.sqlite3-wal", "a@b.c", "0", "a+b")
"""Names of spaces that their files might confuse."""
IDS: Final = (
    "a", "b", "'; DROP TABLE item; --", "../a", "a%", "_", "a\u0301", "\u00e1", "NULL", "0",
    "person:sarah", "\u202eevil", "*", "a b", "x" * 256,
)  # fmt: skip
KEYS: Final = ("k", "'", '"', "$.k", "k.k", "a[0]", "%", "\u202e", "_k", "1", "")
WORDS: Final = (
    "alpha",
    "harbor",
    "deadline",
    "sarah",
    "friday",
    "moved",
    "the",
    "東京",
    "ALPHA-12",
)
OTHERS: Final = "zyxharbour"
"""A word that only the other space ever holds."""
QUESTIONS: Final = ("when is the alpha deadline?", "what did Sarah move?", '"harbor" friday', "")

words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
ids = st.sampled_from(IDS)
keys = st.sampled_from(KEYS)


@dataclass(slots=True)
class Clock:
    """Moves on by a minute whenever a test says so."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now


Act = Callable[[Memory], Any]


def added(item_id: str, text: str, key: str, value: str) -> Act:
    return lambda memory: memory.add(
        text, id=item_id, tags=[key or "t"], metadata={key: value}, session="s",
        people=[Person(name="Sarah", address="sarah@example.com")], happened_at=NOON,
    )  # fmt: skip


ACTS: Final[st.SearchStrategy[Act]] = st.one_of(
    st.builds(added, ids, words, keys, words),
    st.builds(lambda i, t: lambda m: m.update(i, content=t), ids, words),
    st.builds(lambda i: lambda m: m.forget(i), ids),
    st.builds(lambda i: lambda m: m.erase(i), ids),
    st.builds(lambda i: lambda m: m.record_usage(i, how="cited"), ids),
    st.builds(lambda t: lambda m: m.background.put(t), words),
    st.builds(lambda t: lambda m: m.remember(t, entity="alpha"), words),
    st.builds(lambda q: lambda m: m.brief(q or "x", keep_receipt=True), st.sampled_from(QUESTIONS)),
    st.builds(lambda i: lambda m: m.restore(i), ids),
    st.builds(
        lambda t, i: (
            lambda m: m.proposals.propose(ProposedMemory(text=t, evidence=(i,)), by="tester")
        ),
        words,
        ids,
    ),
    st.just(lambda m: m.compact(before=NOON + timedelta(days=1))),
    st.just(lambda m: m.surrogates.build()),
    st.just(lambda m: m.entities()),
)


def run_act(act: Act, memory: Memory) -> str:
    """Do something and return what came of it, without times that were taken."""
    try:
        return plain(act(memory))
    except SimonidesError as error:
        return f"{type(error).__name__}: {error}"


def plain(answer: Any) -> str:
    return json.dumps(_timeless(to_wire(answer)), ensure_ascii=False, sort_keys=True)


_OWN = frozenset(
    ("took_ms", "took_s", "space_uuid", "space", "id", "bytes", "text_hash", "uuid", "file_bytes",
     "reader_wait_ms", "receipt", "files")
)  # fmt: skip
"""What another home has otherwise: times taken, and what is drawn by chance or called by name."""


def _timeless(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {k: _timeless(v) for k, v in tree.items() if k not in _OWN or _is_item_id(k, tree)}
    return [_timeless(one) for one in tree] if isinstance(tree, list) else tree


def _is_item_id(key: str, tree: dict[str, Any]) -> bool:
    return key == "id" and "kind" in tree


FILTERS: Final = (
    Filter(),
    Filter(ids=IDS[:4]),
    Filter(without_ids=("a",)),
    Filter(tags=('"', "%")),
    Filter(people=("sarah",), entities=("alpha",)),
    *(Filter(where=Compare(key=key, operator=Operator.EXISTS, value=True)) for key in KEYS),
)


def seen(memory: Memory) -> list[str]:
    """Return all that can be asked of a space."""
    asked: list[Act] = [
        *(lambda m, q=q: m.search(q or "x", limit=50) for q in QUESTIONS),
        *(lambda m, q=q: m.search(q or "x", scorer="classic") for q in QUESTIONS[:2]),
        *(lambda m, f=f: m.search("alpha", filter=f) for f in FILTERS),
        *(lambda m, f=f: m.list(filter=f) for f in FILTERS),
        *(lambda m, i=i: m.get(i) for i in IDS),
        *(lambda m, i=i: m.history(i) for i in IDS),
        *(lambda m, i=i: m.engagement(i) for i in IDS),
        lambda m: m.brief("alpha deadline", budget_tokens=400).text,
        lambda m: m.brief("alpha deadline", layout="sourced", context_mode="dense").text,
        lambda m: [hit.id for hit in m.search(OTHERS, limit=50)],
        lambda m: m.entities(),
        lambda m: m.background.get(),
        lambda m: m.proposals.list(),
        lambda m: [m.stats().items, m.stats().chunks, m.stats().revision],
        exported,
    ]
    return [run_act(act, memory) for act in asked]


def exported(memory: Memory) -> str:
    """Return the whole export of a space but its head and its receipts, which name the space."""
    stream = io.BytesIO()
    memory.export(stream)
    lines = stream.getvalue().decode().splitlines()
    return "\n".join(one for one in lines[1:-1] if not one.startswith('{"receipt"'))


Stores = Callable[[], AbstractContextManager[tuple[str, str]]]
"""Gives the settings `store` of two new homes."""


FILES: Final[Stores] = lambda: nullcontext(("", ""))  # noqa: E731  a value of its type


@pytest.fixture
def databases(postgres_server: PostgresServer, postgres_template: str) -> Stores:
    """Homes of two databases, new for each example."""

    @contextmanager
    def made() -> Iterator[tuple[str, str]]:
        one, two = (postgres_server.make_database(template=postgres_template) for _ in range(2))
        yield postgres_server.dsn(one, user="serves"), postgres_server.dsn(two, user="serves")
        for name in (one, two):
            postgres_server.drop_database(name)

    return made


@contextmanager
def homes(
    stores: Stores,
) -> Iterator[tuple[Callable[[str], Memory], Callable[[str], Memory], Clock]]:
    """Two homes of one clock, each as a function from a space's name to its memory."""
    clock = Clock()
    with tempfile.TemporaryDirectory() as alone, tempfile.TemporaryDirectory() as shared, \
            stores() as (store, other):  # fmt: skip
        first, second = opened(alone, clock, store), opened(shared, clock, other)
        with first, second:
            yield first.in_space, second.in_space, clock


def opened(home: str | Path, clock: Clock, store: str = "") -> Memory:
    return Memory(
        home,
        settings=Settings(timezone="UTC", durability="relaxed", store=store),
        embedder=HashingEmbedder(),
        clock=clock,
    )


def secretly(act: Act) -> Act:
    """Return an act that also keeps the secret in the space that it is done in."""

    def both(memory: Memory) -> Any:
        memory.add(f"{OTHERS} alpha deadline friday", id="a", tags=[OTHERS], metadata={"k": OTHERS})
        return act(memory)

    return both


PAIRS: Final = st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True)
BOTH: Final = st.lists(st.tuples(ACTS, st.none() | ACTS), min_size=1, max_size=12)
SOME: Final = st.lists(ACTS, min_size=1, max_size=6)
fuzz = partial(settings, suppress_health_check=[HealthCheck.function_scoped_fixture])


def answers_as_if_alone(
    stores: Stores, names: list[str], acts: Sequence[tuple[Act, Act | None]]
) -> None:
    """Do the same in a space alone and beside another one, and compare everything."""
    name, other = names
    with homes(stores) as (alone, shared, clock):
        for act, between in acts:
            clock.now += timedelta(minutes=1)
            assert run_act(act, shared(name)) == run_act(act, alone(name))
            if between is not None:
                run_act(secretly(between), shared(other))
        own, beside = seen(alone(name)), seen(shared(name))

    assert beside == own
    assert OTHERS not in "".join(beside)


@given(names=PAIRS, acts=BOTH)
@settings(max_examples=examples(30))
def test_a_space_answers_as_if_it_were_alone(
    names: list[str], acts: Sequence[tuple[Act, Act | None]]
) -> None:
    answers_as_if_alone(FILES, names, acts)


@given(names=PAIRS, acts=BOTH)
@fuzz(max_examples=examples(8))
def test_a_space_of_a_database_answers_as_if_it_were_alone(
    databases: Stores, names: list[str], acts: Sequence[tuple[Act, Act | None]]
) -> None:
    answers_as_if_alone(databases, names, acts)


def outlives_the_erasure(stores: Stores, acts: Sequence[Act]) -> None:
    """Erase a whole space beside another one, which must not notice."""
    with homes(stores) as (alone, shared, clock):
        for act in acts:
            clock.now += timedelta(minutes=1)
            run_act(act, alone("a"))
            run_act(act, shared("a"))
            run_act(secretly(act), shared("a.b"))
        run_act(lambda m: m.erase(everything=True), shared("a.b"))

        assert seen(shared("a")) == seen(alone("a"))
        assert "a.b" not in shared("a").spaces()


@given(acts=SOME)
@settings(max_examples=examples(15))
def test_a_space_outlives_the_erasure_of_another(acts: Sequence[Act]) -> None:
    outlives_the_erasure(FILES, acts)


@given(acts=SOME)
@fuzz(max_examples=examples(5))
def test_a_space_of_a_database_outlives_the_erasure_of_another(
    databases: Stores, acts: Sequence[Act]
) -> None:
    outlives_the_erasure(databases, acts)


@pytest.mark.parametrize(
    "name",
    [
        "", ".", "..", "../a", "a/b", "a\\b", "A", "a ", " a", "a\n", "a\x00", "con", "nul.x",
        "a..b", "a.", "\u0430", "á", "a'", "-a", ".a", "a" * 101, "a%2e", "a:b", "a*", "\u202ea",
    ],
)  # fmt: skip
def test_a_name_that_could_mean_another_place_is_no_space(tmp_path: Path, name: str) -> None:
    with opened(tmp_path / "home", Clock()) as memory:
        memory.in_space("a").add("kept")
        hostile = memory.in_space(name)
        acts: list[Act] = [lambda m: m.add("x"), lambda m: m.search("kept"), lambda m: m.stats()]
        for act in acts:
            with pytest.raises((InvalidSpaceName, NotFound)):
                act(hostile)

        assert memory.spaces() == ("a",)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["home"]


def test_a_receipt_of_one_space_is_not_replayed_in_another(tmp_path: Path) -> None:
    with opened(tmp_path, Clock()) as memory:
        memory.in_space("b").add(f"{OTHERS} is here", id="a")
        memory.in_space("a").add("alpha", id="a")
        made = memory.in_space("b").brief(OTHERS, keep_receipt=True)
        for receipt in (made.receipt, made.receipt.id):
            with pytest.raises(SimonidesError) as refused:
                memory.in_space("a").replay(receipt)
            assert OTHERS not in str(refused.value)


def test_what_one_space_was_asked_warms_nothing_that_another_can_see(tmp_path: Path) -> None:
    with opened(tmp_path, Clock()) as memory:
        memory.in_space("b").add([f"{OTHERS} {n}" for n in range(20)])
        before = plain(memory.in_space("a").search(OTHERS))
        memory.in_space("b").search(OTHERS)
        after = plain(memory.in_space("a").search(OTHERS))

        assert before == after
        assert json.loads(after)["entries"] == []
