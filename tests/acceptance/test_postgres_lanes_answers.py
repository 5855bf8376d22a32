"""Answers that PostgreSQL's lanes give beside those of an index in memory over the same tables."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from tests.acceptance.test_postgres_same_answers import NOON, QUESTIONS, filled

from simonides import Memory, Person, Role, Settings
from simonides.model.answer import SearchResult
from simonides.model.filter import Filter
from simonides_bench.metrics import agree_in_order
from simonides_bench.testing.hashing import HashingEmbedder

if TYPE_CHECKING:
    from simonides_bench.testing.servers.postgres import PostgresServer

FILTERS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"kinds": ["email"]},
    {"sources": ["gmail", "note"]},
    {"tags": ["AGAIN"]},
    {"people": ["Sarah"]},
    {"authors": ["Sarah"]},
    {"entities": ["Tom"]},
    {"since": "2026-03-01", "until": "2026-03-12"},
    {"statuses": ["superseded"]},
    {"statuses": [], "expired": True},
    {"scopes": ["user"], "types": ["profile", "episodic"]},
    {"viewer": {"user_id": "ana", "session_id": "s"}},
    {"where": {"status": {"ne": "done"}}},
    {"where": {"not": {"or": [{"status": "done"}, {"due": {"exists": True}}]}}},
    {"where": {"status": {"in": ["done", "open"]}}},
    {"collections": ["main"], "where": {"due": {"exists": True}}},
    {"ids": ["nobody"]},
)


@pytest.fixture(scope="module")
def database(postgres_server: "PostgresServer", postgres_template: str) -> Iterator[str]:
    """The address of a database of this file, for a role that only reads and writes."""
    name = postgres_server.make_database(template=postgres_template)
    yield postgres_server.dsn(name, user="serves")
    postgres_server.drop_database(name)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of the memories over that database."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def ways(home: Path, database: str) -> Iterator[tuple[Memory, Memory]]:
    """A filled memory that answers from an index in memory, and one that asks the lanes.

    A test that writes leaves what it found.
    """

    def opened(lanes: str) -> Memory:
        settings = Settings(store=database, timezone="UTC", lanes=lanes)
        return Memory(home, settings=settings, embedder=HashingEmbedder(), clock=lambda: NOON)

    with opened("memory") as warm, opened("database") as asked:
        filled(warm)
        yield warm, asked


def ranking(found: SearchResult) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in found]


def test_the_lanes_give_the_order_and_the_plan_of_an_index_in_memory(
    ways: tuple[Memory, Memory],
) -> None:
    warm, asked = ways
    for question in filter(None, QUESTIONS):
        for mode in ("hybrid", "text", "vector"):
            expected, found = (one.search(question, mode=mode) for one in (warm, asked))

            assert found.plan == expected.plan
            assert agree_in_order(ranking(expected), ranking(found)), (question, mode)
            trust = {hit.id: hit.trust for hit in expected}
            assert all(hit.trust == trust[hit.id] for hit in found if hit.id in trust)


@pytest.mark.slow
@pytest.mark.parametrize("wanted", FILTERS, ids=str)
def test_a_filter_lets_the_same_items_pass(
    ways: tuple[Memory, Memory], wanted: dict[str, Any]
) -> None:
    warm, asked = ways
    for question in ("scanners of the harbour desk", "latest mail from Tom"):
        expected, found = (
            one.search(question, filter=Filter(**wanted), limit=500) for one in (warm, asked)
        )

        assert dict(ranking(found)).keys() == dict(ranking(expected)).keys(), question


def test_the_answer_says_which_way_was_taken(ways: tuple[Memory, Memory]) -> None:
    _warm, asked = ways
    notes = [one.search("harbour").diagnostics.notes for one in ways]
    past = asked.search("harbour", as_of=1).diagnostics.notes

    assert not any("database" in note for note in notes[0])
    assert any(note.startswith("answered in the database: ") for note in notes[1])
    assert not any("in the database" in note for note in past)


def test_a_write_is_found_at_once_and_what_is_forgotten_is_not(ways: tuple[Memory, Memory]) -> None:
    warm, asked = ways
    added = warm.add("The zeppelin of Quillfeather lands on the roof.").id

    assert [hit.id for hit in asked.search("zeppelin Quillfeather", limit=1)] == [added]

    warm.forget(added)

    assert added not in [hit.id for hit in asked.search("zeppelin Quillfeather")]


@pytest.mark.parametrize(("bytes_max", "is_large"), [(1 << 20, True), (512 << 20, False)])
def test_a_space_above_the_budget_of_memory_is_answered_in_the_database(
    ways: tuple[Memory, Memory], home: Path, database: str, bytes_max: int, is_large: bool
) -> None:
    _ = ways
    settings = Settings(store=database, timezone="UTC", view_bytes_max=bytes_max)
    with Memory(
        home, space="crates" if is_large else "default", settings=settings,
        embedder=HashingEmbedder(), clock=lambda: NOON,
    ) as memory:  # fmt: skip
        if is_large:
            memory.add([f"Crate {n} stands in the hall." for n in range(2000)])
        notes = memory.search("crate").diagnostics.notes

    assert any("in the database" in note for note in notes) == is_large


NORA, TOM = "nora@feld.example", "tom@becker.example"


def test_mails_without_an_answer_are_the_same_in_the_database(home: Path, database: str) -> None:
    answers = []
    for lanes in ("memory", "database"):
        settings = Settings(store=database, timezone="UTC", owner=(NORA,), lanes=lanes)
        with Memory(home, space="mails", settings=settings, clock=lambda: NOON) as memory:
            for hour, (thread, author, to, text) in enumerate((
                ("dinner", TOM, NORA, "Shall we say seven?"),
                ("plumber", TOM, NORA, "Can the plumber come?"),
                ("plumber", NORA, TOM, "Thursday at ten."),
                ("keys", NORA, TOM, "Where are the keys?"),
            )):  # fmt: skip
                people = (Person(address=author), Person(address=to, role=Role.TO))
                at = NOON - timedelta(hours=9 - hour)
                memory.add(text, kind="email", session=thread, people=people, happened_at=at)
            asked = map(memory.brief, ("which mails are unanswered?", "who hasn't replied to me?"))
            answers.append([[item.id for item in one.items] for one in asked])
    assert answers[0] == answers[1]
    assert [len(ids) for ids in answers[0]] == [1, 1]
