"""The laws of `ports.Reader`: what was kept is what is read, as of one revision."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from simonides.errors import StoreCorrupt, StoreError
from simonides.model.item import (
    Item,
    Kind,
    MemoryTraits,
    MemoryType,
    Person,
    Role,
    Scope,
    Status,
    digest,
)
from simonides.model.metadata_keys import MOVED_KEY
from simonides.model.stored import Prepared
from simonides.ports.space import Space

Prepare = Callable[..., Prepared]

FULL = Item(
    kind=Kind.MEMORY,
    content="Ana prefers tea.\0 Really — Ωmega 🫖",
    source="chat",
    source_id="m-1",
    title="Tea",
    summary="Tea, not coffee",
    quoted="> coffee?",
    tags=("drink", "ünïcode", ""),
    people=(
        Person(name="Ana", address="ana@example.com", role=Role.AUTHOR),
        Person(name="Bo", role=Role.CC),
    ),
    metadata={
        "nested": [1, [2, {"deep": [None, True, False, 1.5, -0.0, 1e300]}]],
        "big": 2**200,
        "exact": 2**53 + 1,
        "_hidden": "",
        "": "empty key",
        "ключ \"'.[0]$": {"a": {}},
    },
    collection="home",
    session="s-1",
    position=-3,
    happened_at=datetime(2026, 3, 6, 9, 0, 0, 123456, tzinfo=timezone(timedelta(hours=5.5))),
    language="en",
    traits=MemoryTraits(
        scope=Scope.WORKSPACE,
        type=MemoryType.POLICY,
        status=Status.QUARANTINED,
        confidence=0.1,
        importance=0.30000000000000004,
        half_life_hours=0.0,
        expires_at=datetime(2026, 3, 6, 12, 0, 0, 1, tzinfo=UTC),
        entity="person:~ana",
        workspace_id="w",
        user_id="u",
        session_id="s",
        source_run_id="r",
    ),
)


def kept(space: Space, item: Item, noon: datetime) -> Item:
    one = Prepared(item=item, digest=digest(item), chunks=(), mentions=())
    space.commit([one], stored_at=noon)
    with space.read() as reader:
        found = reader.item(item.id)
    assert found is not None
    return found


@pytest.mark.parametrize("item", [FULL, Item(content="bare"), Item(kind=Kind.TASK, title="t")])
def test_every_field_reads_back_as_it_was_kept(space: Space, noon: datetime, item: Item) -> None:
    found = kept(space, item, noon)

    assert found == replace(item, stored_at=noon, revision=1, version=1)
    assert digest(found) == digest(item)
    assert repr(found.metadata) == repr(dict(item.metadata))


@pytest.mark.parametrize(
    "when",
    [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(1970, 1, 1, tzinfo=UTC),
        datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=UTC),
    ],
)
def test_every_time_survives_to_the_microsecond(
    space: Space, noon: datetime, when: datetime
) -> None:
    assert kept(space, Item(content="x", happened_at=when), noon).happened_at == when
    assert kept(space, Item(content="y"), when).stored_at == when


def test_the_index_gets_its_columns(space: Space, prepare: Prepare, noon: datetime) -> None:
    kept(space, FULL, noon)
    space.commit([prepare("mail", kind=Kind.EMAIL, id="mail", source="gmail")], stored_at=noon)

    with space.read() as reader:
        memory, mail = reader.item_rows(0)

    assert memory._asdict() == {
        "key": memory.key, "id": FULL.id, "kind": "memory", "source": "chat", "collection": "home",
        "session": "s-1", "position": -3, "happened_us": 1772767800123456,
        "stored_us": 1772798400000000, "born": 1, "language": "en",
        "tags": '["drink","ünïcode",""]', "scope": "workspace", "type": "policy",
        "status": "quarantined", "importance": 0.30000000000000004, "half_life_hours": 0.0,
        "workspace_id": "w", "user_id": "u", "session_id": "s", "expires_us": 1772798400000001,
    }  # fmt: skip
    assert (mail.id, mail.kind, mail.born, mail.happened_us) == ("mail", "email", 2, None)
    assert (mail.scope, mail.type, mail.status, mail.importance, mail.half_life_hours) == (
        None,
    ) * 5
    assert (mail.workspace_id, mail.user_id, mail.session_id, mail.expires_us) == (None,) * 4


def test_chunks_and_mentions_come_by_key_and_ordinal(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("one two\nthree", id="a"), prepare("four", id="b")], stored_at=noon)

    with space.read() as reader:
        a, b = (row.key for row in reader.item_rows(0))
        chunks = list(reader.chunk_rows(0))
        mentions = list(reader.mention_rows(0))
        spans = reader.chunk_spans(a)
        passages = reader.passages([(b, 0), (a, 1)])
        with pytest.raises(StoreCorrupt, match="doctor"):
            reader.passages([(b, 0), (b, 1)])
        with pytest.raises(StoreCorrupt, match="doctor"):
            reader.passages([(b + 1, 0)])

    assert [(item.id, item.content[span]) for item, span in passages] == [
        ("b", "four"),
        ("a", "three"),
    ]
    assert [(c.item_key, c.ordinal, c.words, c.dated, c.length) for c in chunks] == [
        (a, 0, 2, 0, 2),
        (a, 1, 1, 0, 1),
        (b, 0, 1, 0, 1),
    ]
    assert {(c.terms, c.vector) for c in chunks[1:]} == {(bytes(9), b"\x01\x02\x03\x04")}
    assert [tuple(m) for m in mentions] == [
        (a, "person:~ana", "person", "Ana", "to"),
        (b, "person:~ana", "person", "Ana", "to"),
    ]
    assert spans == [(0, 7), (8, 13)]


def test_only_what_is_newer_is_reported_when_catching_up(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    for n in range(1, 6):
        space.commit([prepare(f"{n}", id=f"{n}")], stored_at=noon)
    space.commit([prepare("1b", id="1")], stored_at=noon)
    space.forget(["3"], at=noon)

    with space.read() as reader:
        for since, expected in ((0, "24 5 1"), (3, "4 5 1"), (5, "1"), (6, ""), (99, "")):
            rows = list(reader.item_rows(since))
            keys = [row.key for row in rows]

            assert [row.id for row in rows] == list(expected.replace(" ", ""))
            assert keys == sorted(keys)
            assert [row.item_key for row in reader.chunk_rows(since)] == keys
            assert [row.item_key for row in reader.mention_rows(since)] == keys
        assert [death.died for death in reader.deaths(0)] == [6, 7]
        assert [death.died for death in reader.deaths(6)] == [7]
        assert list(reader.deaths(7)) == []


def test_a_version_that_came_and_went_is_among_the_deaths(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("a", id="a")], stored_at=noon)
    space.commit([prepare("b", id="b")], stored_at=noon)
    space.commit([prepare("c", id="b")], stored_at=noon)

    with space.read() as reader:
        assert [death.died for death in reader.deaths(1)] == [3]


def test_items_are_found_by_key_and_by_id(space: Space, prepare: Prepare, noon: datetime) -> None:
    space.commit([prepare("a", id="a"), prepare("b", id="b"), prepare("c", id="c")], stored_at=noon)

    with space.read() as reader:
        keys = reader.keys(["c", "a", "unknown", "c", "\ud800"])
        found = reader.items([keys[1], 10**9, keys[0]])
        digests = reader.digests(["b", "unknown", "\ud800"])
        nobody = reader.item("\ud800")

    assert keys == sorted(keys)
    assert [item.id for item in found.values()] == ["c", "a"]
    assert digests == {"b": prepare("b", id="b").digest}
    assert nobody is None


def test_every_version_that_is_kept_can_be_read(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    later = noon + timedelta(hours=1)
    for word in ("one", "two"):
        space.commit([prepare(word, id="a"), prepare("other", id="b")], stored_at=noon)
    space.forget(["a"], at=later)
    space.commit([prepare("three", id="a")], stored_at=later)

    with space.read() as reader:
        found = [reader.version("a", number) for number in (1, 2, 3)]
        present = reader.item("a")
        unknown = [reader.version(*one) for one in (
            ("a", 0), ("a", 4), ("a", -1), ("a", 2**64), ("b", 2), ("c", 1), ("\ud800", 1),
        )]  # fmt: skip

    assert [one and (one.content, one.version, one.revision, one.stored_at) for one in found] == [
        ("one", 1, 1, noon),
        ("two", 2, 2, noon),
        ("three", 3, 4, later),
    ]
    assert found[2] == present
    assert unknown == [None] * 7


def test_a_look_stays_at_its_revision(space: Space, prepare: Prepare, noon: datetime) -> None:
    space.commit([prepare("old", id="a")], stored_at=noon)
    with space.read() as before:
        space.commit([prepare("new", id="a"), prepare("b", id="b")], stored_at=noon)
        space.forget(["b"], at=noon)
        with space.read() as after:
            seen = [(r.revision, r.item("a"), list(r.deaths(0))) for r in (before, after)]

    (old_revision, old, old_deaths), (new_revision, new, new_deaths) = seen
    assert old is not None
    assert new is not None
    assert (old_revision, old.content, old_deaths) == (1, "old", [])
    assert (new_revision, new.content, len(new_deaths)) == (3, "new", 2)


def test_readers_do_not_wait_for_writers_nor_for_each_other(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("x", id="x")], stored_at=noon)
    together = threading.Barrier(10)
    wrong: list[object] = []

    def look() -> None:
        with space.read() as reader:
            together.wait(timeout=30)
            if reader.revision != 1 or [row.id for row in reader.item_rows(0)] != ["x"]:
                wrong.append(reader.revision)

    def write() -> None:
        together.wait(timeout=30)
        space.commit([prepare("y", id="y")], stored_at=noon)

    threads = [threading.Thread(target=look) for _ in range(9)]
    threads.append(threading.Thread(target=write))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []
    with space.read() as reader:
        assert reader.revision == 2


def test_a_look_that_is_over_says_so(space: Space, prepare: Prepare, noon: datetime) -> None:
    space.commit([prepare("a"), prepare("b")], stored_at=noon)
    with space.read() as reader:
        rows = reader.item_rows(0)
        unread = reader.item_rows(0)
        next(rows)

    for late in (lambda: next(rows), lambda: next(unread), lambda: reader.item("a")):
        with pytest.raises(StoreError):
            late()


def test_a_look_ends_even_where_reading_failed(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("a", id="a")], stored_at=noon)

    def fail() -> None:
        with space.read() as reader:
            next(reader.item_rows(0))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    space.forget(["a"], at=noon)
    with space.read() as reader:
        assert reader.revision == 2


HOSTILE = ["plain", "", "a.b", 'qu"ote', "it's", "[0]", "$", "$.x", "back\\slash", "\n\t", "\0",
           "ключ", "🫖", "a:b", '":"', "{", "x" * 5000, "%", "_", "\x7f", "\u2028"]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_any_metadata_key_finds_its_own_values(
    space: Space, prepare: Prepare, noon: datetime, name: str
) -> None:
    others = {other: "other" for other in HOSTILE if other != name}
    decoy = {"outer": {name: "nested"}, "text": f'"{name}":1', **others}
    space.commit([prepare("decoy", id="d", metadata=decoy)], stored_at=noon)
    space.commit([prepare("a", id="a", metadata={**decoy, name: ["own"]})], stored_at=noon)

    with space.read() as reader:
        found = list(reader.metadata(name, 0))
        (key,) = reader.keys(["a"])

    assert found == [(key, ["own"])]


@pytest.mark.parametrize(
    "value", [True, 1, 1.0, 0, False, None, "", "1", 2**70, 1e-320, [], {}, [1, {"a": None}]]
)
def test_a_metadata_value_keeps_its_sort(
    space: Space, prepare: Prepare, noon: datetime, value: Any
) -> None:
    space.commit([prepare("a", metadata={"k": value})], stored_at=noon)

    with space.read() as reader:
        ((_, found),) = reader.metadata("k", 0)

    assert (type(found), found) == (type(value), value)


def test_metadata_is_read_by_key_and_after_a_key(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    for n in range(5):
        space.commit([prepare("x", id=f"{n}", metadata={"n": n} if n != 2 else {})], stored_at=noon)

    with space.read() as reader:
        keys = reader.keys([f"{n}" for n in range(5)])

        assert list(reader.metadata("n", 0)) == [(keys[n], n) for n in (0, 1, 3, 4)]
        assert list(reader.metadata("n", keys[1])) == [(keys[n], n) for n in (3, 4)]
        assert list(reader.metadata("\ud800", 0)) == []


def test_what_is_said_of_moved_files_is_all_that_is_found(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    moves = [{"from": "d/a.md", "to": "d/b.md"}, {"to": "é"}, "no move"]
    decoy = {"text": f'"{MOVED_KEY}":1', "in": {MOVED_KEY: 1}}
    for n, move in enumerate([*moves, None]):
        metadata = decoy if move is None else {MOVED_KEY: move, **decoy}
        space.commit([prepare("x", id=f"{n}", metadata=metadata)], stored_at=noon)

    with space.read() as reader:
        assert list(reader.read_moved()) == moves


def test_the_documents_of_a_session_are_those_of_no_other_kind(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    for name, kind, session in [
        ("z", Kind.DOCUMENT, "d/a.pdf"), ("m", Kind.MESSAGE, "d/a.pdf"),
        ("b", Kind.DOCUMENT, "d/a.pdf"), ("o", Kind.DOCUMENT, "d/A.pdf"), ("n", Kind.DOCUMENT, ""),
    ]:  # fmt: skip
        space.commit([prepare(name, id=name, kind=kind, session=session)], stored_at=noon)

    with space.read() as reader:
        keys = reader.keys(["z", "b"])

        assert reader.documents_of("d/a.pdf") == list(zip(keys, ["z", "b"], strict=True))
        assert reader.documents_of("") == reader.documents_of("\ud800") == []


def test_words_are_counted_where_they_stand(space: Space, prepare: Prepare, noon: datetime) -> None:
    space.commit(
        [
            prepare("Größe 100%", id="a", title="The A_b"),
            prepare("GRÖSSE", id="b", summary='say "hi"'),
            prepare("nothing\0here", id="c", quoted="größe"),
        ],
        stored_at=noon,
    )

    def found(*words: str) -> dict[str, int]:
        with space.read() as reader:
            names = {row.key: row.id for row in reader.item_rows(0)}
            return {names[key]: count for key, count in reader.containing(words)}

    assert found("grösse") == {"a": 1, "b": 1}
    assert found("THE a", "größe", "zzz") == {"a": 2, "b": 1}
    assert found("0%") == {"a": 1}
    assert found("%0") == {}
    assert found("a_b") == {"a": 1}
    assert found("a%b") == {}
    assert found('"HI"') == {"b": 1}
    assert found("g\0h") == {"c": 1}
    assert found("a_bgrö") == {}
    assert found("") == {}
    assert found() == {}
