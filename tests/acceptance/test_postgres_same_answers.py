"""Both stores give the same answers, byte for byte, and read each other's exports.

The desk of the samples and the small corpus of the golden files, with changes on top. What differs
by nature is left out: how long things took, and the random id of a space.
"""

import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from simonides import Memory, Scorer, Settings
from simonides.codec.read import read_item
from simonides_bench.testing.hashing import HashingEmbedder

pytestmark = pytest.mark.slow

ROOT: Final = Path(__file__).parents[2]
CORPUS: Final = ROOT / "tests" / "golden" / "corpus.jsonl"
QUESTIONS: Final = (
    *(ROOT / "tests" / "golden" / "questions.txt").read_text("utf-8").splitlines(),
    "What will the scanners cost, and by when must we decide?",
    "latest mail from Tom",
    "open tasks",
    "am I free next Wednesday?",
    "",
)
NOON: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
BY_NATURE: Final = {"took_ms", "space_uuid", "receipt", "uuid"}


def opened(home: Path, store: str) -> Memory:
    """Return a memory whose clock stands still."""
    return Memory(
        home,
        settings=Settings(store=store, timezone="UTC"),
        embedder=HashingEmbedder(),
        clock=lambda: NOON,
    )


@pytest.fixture
def both(tmp_path: Path, pooled_dsn: str) -> Iterator[tuple[Memory, Memory]]:
    """A memory in files and one in PostgreSQL."""
    with opened(tmp_path / "files", "") as files, opened(tmp_path / "pg", pooled_dsn) as database:
        yield files, database


def filled(memory: Memory) -> None:
    """Keep the desk and the corpus, and change some of it in every way there is."""
    memory.import_(ROOT / "samples" / "desk")
    items = [read_item(json.loads(line)) for line in CORPUS.read_text("utf-8").splitlines()]
    for item in items:
        memory.add(item)
    ids = [one.id for one in memory.list(limit=40).items]
    memory.update(ids[3], content="The scanners cost 940 euros now \0 \ufdd0 \U0001f4e0")
    memory.update(ids[3], tags=("again",))
    memory.forget(ids[5], ids[6])
    memory.restore(ids[5])
    memory.erase(ids[8])
    memory.background.put("Tidewater builds a harbour desk.", collection="main")
    memory.remember("Sarah prefers to be called after 2pm", entity="Sarah.calls")
    memory.remember("Sarah prefers to be called after 3pm", entity="Sarah.calls")
    memory.record_usage(ids[0], how="cited")
    memory.entities.alias("topic:tom", "Thomas of the quay")
    for text in (
        "The quay is closed on 18 March.",
        "Rows 18 to 20 lack a total, and March as well.",
    ):
        memory.add(text, kind="email", source="gmail", happened_at=NOON - timedelta(days=2))


def plain(answer: Any) -> Any:
    """Return an answer as JSON without what differs by nature."""
    found = answer.to_dict() if hasattr(answer, "to_dict") else answer
    if isinstance(found, dict):
        return {name: plain(one) for name, one in found.items() if name not in BY_NATURE}
    return [plain(one) for one in found] if isinstance(found, list) else found


def answers(memory: Memory, *, back: int = 14) -> list[str]:
    """Return the answers to all questions, in every way to ask, one line each.

    `back` is by how many revisions the past that is asked lies back.
    """
    past = memory.stats().revision - back
    asked = [
        answer
        for question in QUESTIONS
        if question
        for answer in (
            *(memory.search(question, scorer=scorer, limit=20) for scorer in Scorer),
            memory.search(question, as_of=past),
            memory.search(question, filter={"kinds": ["email"]}),
            memory.brief(question, budget_tokens=300),
            memory.brief(question, budget_tokens=900, layout="scoped"),
        )
    ]
    return [json.dumps(plain(one), ensure_ascii=False) for one in asked]


def as_before(answer: str) -> Any:
    """Return an answer without its notes: that something was erased is not in an export."""
    found = json.loads(answer)
    return {**found, "diagnostics": {**found["diagnostics"], "notes": []}}


def exported(memory: Memory) -> bytes:
    stream = io.BytesIO()
    memory.export(stream)
    return stream.getvalue()


def test_the_same_writes_give_the_same_answers(both: tuple[Memory, Memory]) -> None:
    files, database = both
    filled(files)
    filled(database)

    expected = answers(files)

    assert len(expected) > 90
    assert any('"score"' in one or '"_score"' in one for one in expected)
    assert answers(database) == expected
    assert [plain(one) for one in database.list(limit=50).items] == [
        plain(one) for one in files.list(limit=50).items
    ]


def test_a_cold_start_gives_the_same_answers(both: tuple[Memory, Memory]) -> None:
    files, database = both
    filled(files)
    filled(database)
    expected = answers(files)

    database.close()

    assert answers(database) == expected


def test_what_is_exported_differs_in_the_id_of_the_space_alone(
    both: tuple[Memory, Memory],
) -> None:
    texts = []
    for memory in both:
        filled(memory)
        head, *rest = exported(memory).splitlines()
        texts.append((json.loads(head) | {"uuid": ""}, rest[:-1]))  # the last one is a checksum

    assert texts[0] == texts[1]


@pytest.mark.parametrize("way", ["to the database", "to files"])
def test_an_export_moves_to_the_other_store_and_back(
    both: tuple[Memory, Memory], tmp_path: Path, way: str
) -> None:
    source, target = both if way == "to the database" else both[::-1]
    filled(source)
    source.export(tmp_path / "moved.simonides.jsonl")

    moved = target.in_space("moved")
    moved.import_(tmp_path / "moved.simonides.jsonl")

    assert exported(moved) == exported(source) == (tmp_path / "moved.simonides.jsonl").read_bytes()
    assert [as_before(one) for one in answers(moved)] == [as_before(one) for one in answers(source)]
    receipt = source.brief(QUESTIONS[0], budget_tokens=300).receipt
    assert moved.brief(QUESTIONS[0], budget_tokens=300).receipt.space_uuid == receipt.space_uuid


def test_retention_removes_the_same_from_both(both: tuple[Memory, Memory]) -> None:
    reports = []
    for memory in both:
        filled(memory)
        done = memory.compact(before=NOON + timedelta(days=1))
        reports.append((done.versions, done.backgrounds, done.engagements, done.oldest))

    assert reports[0] == reports[1]
    assert reports[0][0] > 0
    assert answers(both[1], back=0) == answers(both[0], back=0)
