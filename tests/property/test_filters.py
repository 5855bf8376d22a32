"""Law 8: filters are exact, whatever the selectivity, beside an oracle in plain Python.

The oracle looks at whole items, one at a time, and knows nothing of masks, columns or postings.
"""

import dataclasses
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simonides import Filter, Item, Kind, Memory, Person, Settings
from simonides.model.filter import (
    AllOf,
    AnyOf,
    Compare,
    Condition,
    Not,
    Operator,
    Viewer,
    parse_condition,
)
from simonides.model.item import MemoryTraits, MemoryType, Role, Scope, Status
from simonides_bench.testing.depth import examples
from simonides_bench.testing.hashing import HashingEmbedder

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
ALL: Final = Filter(statuses=(), expired=True)


@contextmanager
def opened(home: Path | str) -> Iterator[Memory]:
    with Memory(
        home,
        settings=Settings(timezone="UTC", durability="relaxed"),
        embedder=HashingEmbedder(16),
        clock=lambda: NOW,
    ) as memory:
        yield memory


def listed(memory: Memory, wanted: Filter, *, limit: int = 1000) -> list[str]:
    ids, cursor = [], ""
    while True:
        page = memory.list(filter=wanted, limit=limit, cursor=cursor)
        ids += [item.id for item in page.items]
        cursor = page.cursor
        if not cursor:
            return ids


# ── the oracle ───────────────────────────────────────────────────────────────────────────────────


def who(person: Person) -> str:
    return person.address.casefold() or f"~{person.name.casefold()}"


def meant_by(name: str, present: Sequence[Item]) -> set[str]:
    """Return the people whom a name, a part of a name or an address means among all items."""
    wanted = name.casefold()
    return {
        who(person)
        for item in present
        for person in item.people
        if wanted in (who(person), *person.name.casefold().split(), person.name.casefold())
    }


def takes_part(item: Item, names: Sequence[str], present: Sequence[Item]) -> bool:
    meant = {one for name in names for one in meant_by(name, present)}
    return any(who(p) in meant and p.role is not Role.MENTIONED for p in item.people)


def wrote(item: Item, names: Sequence[str], present: Sequence[Item]) -> bool:
    meant = {one for name in names for one in meant_by(name, present)}
    return any(who(p) in meant and p.role is Role.AUTHOR for p in item.people)


def mentions(item: Item, names: Sequence[str], present: Sequence[Item]) -> bool:
    meant = {one for name in names for one in meant_by(name, present)}
    issues = [name.upper() for name in names]
    return any(who(p) in meant for p in item.people) or any(key in item.content for key in issues)


def is_visible(item: Item, viewer: Viewer) -> bool:
    traits = item.traits
    if traits is None or traits.scope is Scope.GLOBAL:
        return True
    pairs = (
        (Scope.WORKSPACE, traits.workspace_id, viewer.workspace_id),
        (Scope.USER, traits.user_id, viewer.user_id),
        (Scope.SESSION, traits.session_id, viewer.session_id),
    )
    own = next(carried for scope, carried, _ in pairs if scope is traits.scope)
    return not own or any(theirs and carried == theirs for _, carried, theirs in pairs)


def is_dated_within(item: Item, wanted: Filter) -> bool:
    if wanted.since is None and wanted.until is None:
        return True
    when = item.happened_at
    return (
        when is not None
        and (wanted.since is None or when >= wanted.since)
        and (wanted.until is None or when < wanted.until)
    )


def is_wanted_memory(item: Item, wanted: Filter) -> bool:
    if item.traits is None:
        return not (wanted.scopes or wanted.types)
    traits = item.traits
    return (
        (not wanted.scopes or traits.scope in wanted.scopes)
        and (not wanted.types or traits.type in wanted.types)
        and (not wanted.statuses or traits.status in wanted.statuses)
        and (wanted.expired or traits.expires_at is None or traits.expires_at > NOW)
    )


def passes(item: Item, wanted: Filter, present: Sequence[Item]) -> bool:
    tags = {tag.casefold() for tag in item.tags}
    return all(
        (
            not wanted.ids or item.id in wanted.ids,
            item.id not in wanted.without_ids,
            not wanted.sources or item.source in wanted.sources,
            not wanted.kinds or item.kind in wanted.kinds,
            not wanted.collections or item.collection in wanted.collections,
            not wanted.sessions or item.session in wanted.sessions,
            not wanted.tags or not tags.isdisjoint(tag.casefold() for tag in wanted.tags),
            not wanted.people or takes_part(item, wanted.people, present),
            not wanted.authors or wrote(item, wanted.authors, present),
            not wanted.entities or mentions(item, wanted.entities, present),
            is_wanted_memory(item, wanted),
            is_dated_within(item, wanted),
            wanted.viewer is None or is_visible(item, wanted.viewer),
            wanted.where is None or satisfies(item.metadata, wanted.where),
        )
    )


def newest_first(item: Item) -> tuple[float, str]:
    return -(item.happened_at or NOW).timestamp(), item.id


ABSENT: Final = object()


def satisfies(metadata: Mapping[str, Any], condition: Condition) -> bool:
    match condition:
        case AllOf(parts=parts):
            return all(satisfies(metadata, part) for part in parts)
        case AnyOf(parts=parts):
            return any(satisfies(metadata, part) for part in parts)
        case Not(part=part):
            return not satisfies(metadata, part)
        case Compare(key=key, operator=operator, value=value):
            return compares(metadata.get(key, ABSENT), operator, value)


def compares(stored: Any, operator: Operator, wanted: Any) -> bool:
    if operator is Operator.EXISTS:
        return (stored is not ABSENT) is wanted
    if stored is ABSENT:
        return operator is Operator.NE
    if operator in (Operator.EQ, Operator.NE):
        return (shape(stored) == shape(wanted)) is (operator is Operator.EQ)
    if operator is Operator.IN:
        return shape(stored) in [shape(one) for one in wanted]
    if operator is Operator.CONTAINS:
        return holds_part(stored, wanted)
    return is_ordered(stored, operator, wanted)


def shape(value: Any) -> Any:
    """Return the value in a form in which Python's own equality is what is meant."""
    if isinstance(value, list | tuple):
        return "list", [shape(one) for one in value]
    if isinstance(value, dict):
        return "object", {key: shape(one) for key, one in value.items()}
    sort = "number" if isinstance(value, int | float) else type(value).__name__
    return ("boolean" if isinstance(value, bool) else sort), value


def holds_part(stored: Any, wanted: Any) -> bool:
    if isinstance(stored, str):
        return isinstance(wanted, str) and wanted.lower() in stored.lower()
    if isinstance(stored, list):
        return shape(wanted) in [shape(one) for one in stored]
    return isinstance(stored, dict) and isinstance(wanted, str) and wanted in stored


def is_ordered(stored: Any, operator: Operator, wanted: Any) -> bool:
    a, b = shape(stored), shape(wanted)
    if a[0] != b[0] or a[0] not in ("number", "str"):
        return False
    order: dict[Operator, Callable[[Any, Any], bool]] = {
        Operator.GT: lambda x, y: bool(x > y),
        Operator.GTE: lambda x, y: bool(x >= y),
        Operator.LT: lambda x, y: bool(x < y),
        Operator.LTE: lambda x, y: bool(x <= y),
    }
    return order[operator](a[1], b[1])


# ── every field ──────────────────────────────────────────────────────────────────────────────────

PEOPLE: Final = (
    Person(name="Sarah Lindqvist", address="sarah@example.com"),
    Person(name="Sarah Lindqvist"),
    Person(name="Sarah Okafor", address="s.okafor@example.com", role=Role.TO),
    Person(name="Tom Berger", role=Role.ATTENDEE),
    Person(name="Tom Berger", role=Role.MENTIONED),
    Person(address="desk@example.com", role=Role.CC),
)
NAMES: Final = (
    "Sarah", "sarah lindqvist", "Okafor", "tom", "sarah@example.com", "desk@example.com", "Nobody",
)  # fmt: skip
DAYS: Final = tuple(NOW - timedelta(days=days) for days in (0, 1, 2, 5, 40))

traits = st.builds(
    MemoryTraits,
    scope=st.sampled_from(Scope),
    type=st.sampled_from(MemoryType),
    status=st.sampled_from(Status),
    workspace_id=st.sampled_from(["", "w1", "w2"]),
    user_id=st.sampled_from(["", "u1", "u2"]),
    session_id=st.sampled_from(["", "s1"]),
    expires_at=st.sampled_from([None, NOW, NOW + timedelta(microseconds=1)]),
)


@st.composite
def items(draw: st.DrawFn) -> Item:
    kind = draw(st.sampled_from([Kind.MEMORY, Kind.EMAIL, Kind.MESSAGE, Kind.TASK]))
    return Item(
        kind=kind,
        source=draw(st.sampled_from(["gmail", "jira", "chat"])),
        source_id=str(draw(st.integers(0, 9))),
        content=draw(st.sampled_from(["alpha harbor", "zebra", "alpha on ALPHA-7", "fix OPS-12"])),
        collection=draw(st.sampled_from(["main", "side"])),
        session=draw(st.sampled_from(["", "s1", "s2"])),
        tags=tuple(draw(st.lists(st.sampled_from(["Red", "blue", "größe"]), max_size=2))),
        people=tuple(draw(st.lists(st.sampled_from(PEOPLE), max_size=2))),
        happened_at=draw(st.none() | st.sampled_from(DAYS)),
        metadata=draw(st.sampled_from([{}, {"n": 1}, {"n": 2, "team": "red"}])),
        traits=draw(traits) if kind is Kind.MEMORY else None,
    )


def some(values: Sequence[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=2).map(tuple)


conditions = st.sampled_from(
    [Compare(key="n", operator=Operator.GTE, value=2), parse_condition({"team": "red"})]
)
viewers = st.builds(
    Viewer,
    workspace_id=st.sampled_from(["", "w1"]),
    user_id=st.sampled_from(["", "u2"]),
    session_id=st.sampled_from(["", "s1"]),
)


FIELDS: Final[dict[str, st.SearchStrategy[Any]]] = {
    "ids": some([Item(source="gmail", source_id="3", content="x").id, "unknown"]),
    "without_ids": some([Item(source="gmail", source_id="3", content="x").id, "unknown"]),
    "sources": some(["gmail", "chat", "unknown"]),
    "kinds": some([Kind.EMAIL, Kind.MEMORY]),
    "collections": some(["main", "unknown"]),
    "sessions": some(["", "s1", "unknown"]),
    "tags": some(["RED", "blue", "GRÖSSE", "unknown"]),
    "people": some(NAMES),
    "authors": some(NAMES),
    "entities": some(["tom", "Alpha-7", "ops-12", "sarah@example.com"]),
    "scopes": some(list(Scope)),
    "types": some(list(MemoryType)),
    "statuses": st.sampled_from([(), (Status.DELETED, Status.ACTIVE), (Status.QUARANTINED,)]),
    "since": st.sampled_from(DAYS),
    "until": st.sampled_from(DAYS),
    "expired": st.booleans(),
    "viewer": viewers,
    "where": conditions,
}


@st.composite
def filters(draw: st.DrawFn) -> Filter:
    """Return a filter of at most two fields, so that it lets something through."""
    names = draw(st.sets(st.sampled_from(sorted(FIELDS)), max_size=2))
    return Filter(**{name: draw(FIELDS[name]) for name in sorted(names)})


def test_the_oracle_knows_every_field() -> None:
    assert {one.name for one in dataclasses.fields(Filter)} == set(FIELDS)


@given(
    written=st.lists(items(), min_size=1, max_size=14),
    gone=st.sets(st.integers(0, 13), max_size=4),
    asked=st.lists(filters(), min_size=6, max_size=10),
)
@settings(max_examples=examples(50))
def test_lists_and_searches_hold_what_the_oracle_lets_through(
    written: list[Item], gone: set[int], asked: list[Filter]
) -> None:
    with tempfile.TemporaryDirectory() as home, opened(home) as memory:
        present: dict[str, Item] = {}
        for i, item in enumerate(written):  # updates, as source ids repeat, and forgotten ones
            memory.add(item)
            present[item.id] = item
            if i in gone:
                memory.list(filter=ALL)
                memory.forget(item.id)
                del present[item.id]
        kept = sorted(present.values(), key=newest_first)
        whole = memory.search("alpha harbor", filter=ALL, limit=100)

        for wanted in (ALL, *asked):
            through = [item.id for item in kept if passes(item, wanted, kept)]
            hits = memory.search("alpha harbor", filter=wanted, limit=100)

            assert listed(memory, wanted) == through
            if wanted.entities:  # a lane of its own finds whatever mentions them
                assert {hit.id for hit in hits} == set(through)
            else:
                assert [(hit.id, hit.score) for hit in hits] == [
                    (hit.id, hit.score) for hit in whole if hit.id in through
                ]


def test_every_viewer_sees_what_is_for_it(tmp_path: Path) -> None:
    kept = [
        Item(
            id=f"{scope} {workspace} {user} {chat}",
            content="alpha",
            traits=MemoryTraits(scope=scope, workspace_id=workspace, user_id=user, session_id=chat),
        )
        for scope in Scope
        for workspace, user, chat in product(("", "own"), repeat=3)
    ]
    with opened(tmp_path) as memory:
        memory.add([*kept, Item(id="mail", kind=Kind.EMAIL, content="alpha")])
        for ids in product(("", "own", "other"), repeat=3):
            viewer = Viewer(workspace_id=ids[0], user_id=ids[1], session_id=ids[2])
            seen = {item.id for item in kept if is_visible(item, viewer)} | {"mail"}

            assert set(listed(memory, Filter(viewer=viewer))) == seen, viewer


@pytest.mark.parametrize(
    ("since", "until", "found"),
    [
        (DAYS[1], None, ["today", "edge"]),
        (None, DAYS[1], ["old"]),
        (DAYS[1], DAYS[0], ["edge"]),
        (DAYS[1] + timedelta(microseconds=1), None, ["today"]),
        (DAYS[0], DAYS[1], []),
    ],
)
def test_bounds_of_time_are_half_open_and_leave_out_what_is_undated(
    tmp_path: Path, since: datetime | None, until: datetime | None, found: list[str]
) -> None:
    with opened(tmp_path) as memory:
        for name, when in (("today", DAYS[0]), ("edge", DAYS[1]), ("old", DAYS[4]), ("none", None)):
            memory.add("alpha", id=name, happened_at=when)

        assert listed(memory, Filter(since=since, until=until)) == found


# ── conditions on metadata ───────────────────────────────────────────────────────────────────────

KEYS: Final = (
    "n", 'say "n"', "a.b", "a[0]", "", "ключ", "it's -- ;", "back\\slash", "%_", "and", "_hidden",
    "$.n", "new\nline", "not here",
)  # fmt: skip
VALUES: Final[tuple[Any, ...]] = (
    True, False, None, 0, 1, -1, 1.0, 1.5, 2**70, "", "1", "Red", "red wine", "true", "größe",
    [], [1, "Red"], [True], [[1]], {}, {"n": 1}, {"n": True}, {"Red": [1]},
)  # fmt: skip


def dressed(number: int) -> dict[str, Any]:
    """Return the metadata of item `number`: every key and value occurs, some keys are missing."""
    return {
        key: VALUES[(number * 7 + place * 5) % len(VALUES)]
        for place, key in enumerate(KEYS[:-1])
        if (number + place) % 4
    }


@pytest.fixture(scope="module")
def dressed_memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A space of 46 items; half of them were written, and asked for, before the rest."""
    with opened(tmp_path_factory.mktemp("dressed")) as memory:
        for half in (range(23), range(23, 46)):
            memory.add([Item(id=f"i{n}", content="alpha", metadata=dressed(n)) for n in half])
            memory.list(filter=Filter(where=Compare(key="n", operator=Operator.EQ, value=1)))
        yield memory


@st.composite
def compare(draw: st.DrawFn) -> Compare:
    operator = draw(st.sampled_from(Operator))
    value = draw(st.sampled_from(VALUES))
    if operator is Operator.IN:
        value = draw(st.lists(st.sampled_from(VALUES), max_size=3))
    if operator is Operator.EXISTS:
        value = draw(st.booleans())
    return Compare(key=draw(st.sampled_from(KEYS)), operator=operator, value=value)


nested = st.recursive(
    compare(),
    lambda parts: st.one_of(
        st.lists(parts, max_size=3).map(lambda found: AllOf(parts=tuple(found))),
        st.lists(parts, max_size=3).map(lambda found: AnyOf(parts=tuple(found))),
        parts.map(lambda part: Not(part=part)),
    ),
    max_leaves=6,
)


@given(condition=nested)
@settings(max_examples=examples(150))
def test_conditions_on_metadata_hold_exactly(dressed_memory: Memory, condition: Condition) -> None:
    expected = {f"i{n}" for n in range(46) if satisfies(dressed(n), condition)}

    found = dressed_memory.list(filter=Filter(where=condition), limit=1000).items

    assert {item.id for item in found} == expected


@pytest.mark.parametrize("operator", list(Operator))
def test_every_operator_holds_exactly_for_every_pair_of_values(
    dressed_memory: Memory, operator: Operator
) -> None:
    asked: Sequence[Any] = VALUES
    if operator is Operator.EXISTS:
        asked = (True, False)
    if operator is Operator.IN:
        asked = [list(VALUES[i : i + 3]) for i in range(len(VALUES))]
    for value in asked:
        condition = Compare(key='say "n"', operator=operator, value=value)
        expected = {f"i{n}" for n in range(46) if satisfies(dressed(n), condition)}

        found = dressed_memory.list(filter=Filter(where=condition), limit=1000).items

        assert {item.id for item in found} == expected, value


def test_the_deepest_condition_that_can_be_read_is_answered(dressed_memory: Memory) -> None:
    tree: dict[str, Any] = {"n": {"exists": True}}
    for _ in range(32):
        tree = {"not": tree}
    expected = {f"i{n}" for n in range(46) if "n" in dressed(n)}

    found = dressed_memory.list(filter=Filter(where=parse_condition(tree)), limit=1000).items

    assert {item.id for item in found} == expected


# ── one of many ──────────────────────────────────────────────────────────────────────────────────

MANY: Final = 500


def one_of_many(number: int) -> Item:
    lonely = number == 417
    return Item(
        kind=Kind.TASK if lonely else Kind.DOCUMENT,
        id=f"item-{number:03}",
        source="jira" if lonely else "file",
        content="alpha harbor" if number % 2 else "alpha alpha alpha",
        collection="side" if lonely else "main",
        session="s9" if lonely else "s1",
        tags=("rare",) if lonely else ("common",),
        people=(Person(name="Ines Vidal" if lonely else "Tom Berger"),),
        happened_at=DAYS[4] if lonely else DAYS[0],
        metadata={"n": number},
    )


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A space of 500 items of which one is like no other."""
    with opened(tmp_path_factory.mktemp("many")) as memory:
        memory.add([one_of_many(n) for n in range(MANY)])
        yield memory


@pytest.mark.parametrize(
    "wanted",
    [
        Filter(ids=("item-417",)),
        Filter(without_ids=tuple(f"item-{n:03}" for n in range(MANY) if n != 417)),
        Filter(sources=("jira",)),
        Filter(kinds=(Kind.TASK,)),
        Filter(collections=("side",)),
        Filter(sessions=("s9",)),
        Filter(tags=("RARE",)),
        Filter(people=("vidal",)),
        Filter(authors=("Ines Vidal",)),
        Filter(entities=("ines",)),
        Filter(until=DAYS[3]),
        Filter(where=Compare(key="n", operator=Operator.EQ, value=417)),
    ],
)
@pytest.mark.parametrize("scorer", ["fused", "rrf", "classic"])
def test_one_of_five_hundred_is_found_by_each_field(
    many: Memory, wanted: Filter, scorer: str
) -> None:
    hits = many.search("alpha", filter=wanted, limit=1, scorer=scorer)

    assert [hit.id for hit in hits] == ["item-417"]
    assert [item.id for item in many.list(filter=wanted).items] == ["item-417"]


def test_filters_follow_what_is_updated_and_forgotten_in_between(tmp_path: Path) -> None:
    red = Filter(where=Compare(key="team", operator=Operator.EQ, value="red"), tags=("now",))
    with opened(tmp_path) as memory:
        memory.add([Item(id=f"i{n}", content="alpha", tags=("now",)) for n in range(6)])
        seen = [listed(memory, red)]
        memory.update("i3", metadata={"team": "red"})
        seen.append(listed(memory, red))
        memory.update("i4", metadata={"team": "red"}, tags=["then"])
        memory.update("i5", metadata={"team": "red"})
        seen.append(listed(memory, red))
        memory.forget("i3")
        seen.append(listed(memory, red))
        memory.update("i5", metadata={"team": "blue"})
        seen.append(listed(memory, red))

        assert seen == [[], ["i3"], ["i3", "i5"], ["i5"], []]
        assert [hit.id for hit in memory.search("alpha", filter=red)] == []


# ── names that nothing bears any more ────────────────────────────────────────────────────────────


def test_a_name_given_up_no_longer_means_the_person(tmp_path: Path) -> None:
    sal = Person(name="Sal", address="sarah@example.com")
    with opened(tmp_path) as memory:
        memory.add("alpha", id="a", people=[PEOPLE[0]])
        memory.add("alpha", id="b", people=[sal])
        before = listed(memory, Filter(people=("sal",)))
        memory.forget("b")

        assert before == ["a", "b"]
        assert listed(memory, Filter(people=("sal",))) == []
        assert listed(memory, Filter(people=("sarah",))) == ["a"]
