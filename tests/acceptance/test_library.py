"""The library as a program uses it: the first lines of the README, and a whole sample desk."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from simonides import Filter, Kind, Memory, Settings
from simonides.context.receipt import text_hash
from simonides_bench.testing.hashing import HashingEmbedder

SAMPLES: Final = Path(__file__).parents[2] / "samples"
NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
QUESTIONS: Final = (
    "When is Alpha due?",
    "What did Sarah send me last week?",
    "what will the scanners cost?",
    "when does my brother arrive?",
)

ELSEWHERE: Final = """
import json, sys
from datetime import datetime
from simonides import Memory, Settings
from simonides_bench.testing.hashing import HashingEmbedder

home, now, *questions = sys.argv[1:]
with Memory(home, settings=Settings(timezone="UTC"), embedder=HashingEmbedder()) as memory:
    briefs = [memory.brief(one, now=datetime.fromisoformat(now)) for one in questions]
print(json.dumps([[one.text, one.receipt.text_hash, one.receipt.revision] for one in briefs]))
"""


def opened(home: Path, **given: Any) -> Memory:
    settings = Settings(timezone="UTC", durability="relaxed")
    return Memory(home, settings=settings, embedder=HashingEmbedder(), clock=lambda: NOW, **given)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Return a memory that holds the whole sample desk."""
    with opened(tmp_path_factory.mktemp("home")) as memory:
        memory.import_(SAMPLES / "desk")
        yield memory


def test_the_first_lines_anyone_writes_work_as_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(SAMPLES / "desk" / "mail.mbox", tmp_path / "inbox.mbox")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))

    with Memory("~/.simonides", space="alice") as memory:
        memory.add("Sarah moved the Alpha deadline to Friday.", source="note")
        memory.import_("inbox.mbox")
        hits = memory.search("when is Alpha due?", limit=5)
        brief = memory.brief("when is Alpha due?", budget_tokens=1500)

    assert (tmp_path / ".simonides" / "spaces" / "alice.sqlite3").is_file()
    assert len(hits) == 5
    assert any("Alpha" in hit.item.title + hit.item.content for hit in hits)
    assert 0 < brief.tokens <= 1500
    assert "Project Alpha is now due on Friday, 27 March 2026." in hits[0].item.content
    assert "Project Alpha is now due on Friday, 27 March 2026." in brief.text
    assert brief.receipt.text_hash == text_hash(brief.text)


def test_importing_the_desk_again_changes_nothing(desk: Memory) -> None:
    before = desk.stats()
    report = desk.import_(SAMPLES / "desk")

    assert report.added == report.updated == 0
    assert report.unchanged == before.items - before.by_source["quoted"]
    assert replace(desk.stats(), bytes_on_disk=0) == replace(before, bytes_on_disk=0)  # leases


def test_another_process_gives_the_same_briefs_to_the_byte(desk: Memory) -> None:
    here = [desk.brief(question) for question in QUESTIONS]
    ran = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, desk._runtime.path, NOW.isoformat(), *QUESTIONS],
        check=True, capture_output=True, text=True, encoding="utf-8", timeout=60,
    )  # fmt: skip

    assert json.loads(ran.stdout) == [
        [one.text, one.receipt.text_hash, one.receipt.revision] for one in here
    ]


def test_what_is_listed_and_added_elsewhere_gives_the_same_answers(
    desk: Memory, tmp_path: Path
) -> None:
    with opened(tmp_path, space="copy") as other:
        other.add(reversed(desk.list(limit=1000).items))
        for question in QUESTIONS:
            mine, theirs = desk.search(question), other.search(question)

            assert [(hit.id, hit.score) for hit in theirs] == [(hit.id, hit.score) for hit in mine]
        assert [item.id for item in other.list().items] == [item.id for item in desk.list().items]


def test_the_brief_of_a_desk_accounts_for_every_candidate(desk: Memory) -> None:
    for question in QUESTIONS:
        for budget in (0, 60, 400, 1500, 6000):
            made = desk.brief(question, budget_tokens=budget)
            found = [hit.id for hit in desk.search(question, limit=made.receipt.limit)]
            reported = [one.id for one in made.items] + [one.id for one in made.dropped]

            assert made.tokens <= budget
            assert sorted(reported) == sorted(found)


def test_a_filter_holds_over_a_whole_desk(desk: Memory) -> None:
    sarah = Filter(authors=("Sarah Lindqvist",), kinds=(Kind.EMAIL,))
    listed = desk.list(filter=sarah, limit=1000).items
    found = desk.search("the", filter=sarah, limit=1000)

    assert len(listed) > 5
    assert {item.author.name for item in listed if item.author} == {"Sarah Lindqvist"}
    assert {hit.id for hit in found} <= {item.id for item in listed}


def test_forgetting_over_a_restart_and_an_import(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.import_(SAMPLES / "desk" / "chat.jsonl")
        gone = memory.search("steering committee", limit=1)[0]
        memory.forget(gone.id)
    with opened(tmp_path) as memory:
        report = memory.import_(SAMPLES / "desk" / "chat.jsonl")

        assert len(report.skipped) == 1
        assert gone.id not in {hit.id for hit in memory.search("steering committee", limit=100)}
        memory.add(gone.item)
        assert gone.id in {hit.id for hit in memory.search("steering committee", limit=100)}
