"""Erasing chooses exactly, leaves nothing, says what it did, and what it could not do."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from simonides import Filter, Item, Kind, Memory, Person, parse_condition
from simonides.errors import InvalidInput, NotFound, StoreBusy
from simonides.index import snapshot
from simonides.maintenance import proof as proving
from simonides.maintenance.erase import ANSWERS_STAY, BACKGROUNDS_STAY, FINISHED
from simonides.model.item import Status
from simonides.model.maintenance import Proof
from simonides.ports.space import Space

Open = Callable[..., Memory]
Left = Callable[..., list[str]]


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    """A space with mails of two people in two threads, and a note that only mentions one."""
    made = open_memory()
    sarah = Person(name="Sarah Lindqvist", address="sarah@example.com")
    tom = Person(name="Tom Becker", address="tom@example.com")
    made.add([
        Item(id="m1", kind=Kind.EMAIL, source="gmail", content="the frobnicate plan",
             people=(sarah,), session="alpha", happened_at=made._runtime.clock(), tags=("red",)),
        Item(id="m2", kind=Kind.EMAIL, source="gmail", content="an answer", people=(tom,),
             session="alpha", metadata={"stars": 3}),
        Item(id="m3", kind=Kind.EMAIL, source="outlook", content="another", people=(tom,),
             session="beta"),
        Item(id="n1", content="Sarah Lindqvist was mentioned in this note"),
    ])  # fmt: skip
    return made


@pytest.mark.parametrize(
    ("wanted", "gone"),
    [
        (Filter(sources=("gmail",)), {"m1", "m2"}),
        (Filter(people=("tom@example.com",)), {"m2", "m3"}),
        (Filter(people=("Sarah",)), {"m1"}),
        (Filter(sessions=("beta",)), {"m3"}),
        (Filter(kinds=(Kind.MEMORY,)), {"n1"}),
        (Filter(since=datetime.fromisoformat("2026-03-12T09:00:00Z")), {"m1"}),
        (Filter(until=datetime.fromisoformat("2026-03-12T09:00:00Z")), set()),
        (Filter(tags=("red",)), {"m1"}),
        (Filter(ids=("m1", "nobody")), {"m1"}),
        (Filter(where=parse_condition({"stars": {"gte": 3}})), {"m2"}),
        (Filter(sources=("gmail",), people=("tom",)), {"m2"}),
        (Filter(sources=("jira",)), set()),
    ],
)
def test_a_filter_takes_what_passes_it_and_nothing_else(
    memory: Memory, wanted: Filter, gone: set[str]
) -> None:
    assert set(memory.preview_erase(wanted)) == gone

    report = memory.erase(filter=wanted)

    assert set(report.items) == gone
    assert {item.id for item in memory.list().items} == {"m1", "m2", "m3", "n1"} - gone


def test_a_filter_takes_items_of_which_only_a_past_version_passes(memory: Memory) -> None:
    memory.update("m3", session="gamma", content="moved")
    memory.forget("m2")

    assert memory.preview_erase(Filter(sessions=("beta",))) == ("m3",)
    assert memory.preview_erase(Filter(people=("tom",))) == ("m2", "m3")
    assert set(memory.erase(filter=Filter(people=("tom",))).items) == {"m2", "m3"}


def test_memories_of_every_status_go_unless_one_is_named(memory: Memory) -> None:
    for status in Status:
        memory.add(f"about {status}", id=status, source="x", traits={"status": status})
    memory.add("expired", id="old", source="x", traits={"expires_at": "2020-01-01T00:00:00Z"})

    assert set(memory.preview_erase(Filter(sources=("x",)))) == {*Status, "old"}
    one = Filter(sources=("x",), statuses=(Status.QUARANTINED,))
    assert memory.erase(filter=one).items == ("quarantined",)


def test_a_filter_that_restricts_nothing_erases_nothing(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="to erase the whole space, say everything"):
        memory.erase(filter=Filter())

    assert len(memory.list().items) == 4


@pytest.mark.parametrize(
    "given",
    [
        ((), {}),
        (("m1",), {"everything": True}),
        (("m1",), {"filter": Filter(sources=("x",))}),
        ((), {"filter": Filter(sources=("x",)), "everything": True}),
    ],
)
def test_just_one_thing_is_named(memory: Memory, given: tuple[Any, Any]) -> None:
    with pytest.raises(InvalidInput, match="just one of them"):
        memory.erase(*given[0], **given[1])


def test_the_report_counts_what_went(memory: Memory) -> None:
    memory.update("m1", content="the frobnicate plan, changed")
    memory.record_usage("m1", "m2")
    memory.brief("frobnicate", keep_receipt=True)

    report = memory.erase("m1", "nobody", prove=True)

    assert report.items == ("m1",)
    assert report.missing == ("nobody",)
    assert (report.versions, report.chunks, report.engagements, report.receipts) == (2, 2, 1, 1)
    assert report.mentions > 0
    assert report.complete
    assert report.notes == ()
    assert {Path(name).name for name in report.files} == {"ana.sqlite3", "ana.sqlite3-wal"}
    assert report.took_s > 0


def test_words_are_counted_that_nothing_else_has(open_memory: Open) -> None:
    memory = open_memory()
    memory.add("alpha beta gamma", id="a")
    memory.add("beta", id="b")
    memory.add("gamma", id="c")
    memory.forget("c")

    assert memory.erase("a").words == 1
    assert memory.erase("b").words == 1
    assert memory.erase("c").words == 1


def test_no_lane_finds_it_and_no_import_brings_it_back(memory: Memory, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("the zorkmid note")
    memory.import_(note)
    [item] = memory.list(filter=Filter(sources=("file",))).items
    assert memory.search("zorkmid")[0].id == item.id

    memory.erase(item.id)

    assert item.id not in [hit.id for hit in memory.search("zorkmid", mode="text")]
    with pytest.raises(NotFound):
        memory.get(item.id)
    report = memory.import_(note)
    assert (report.added, len(report.skipped)) == (0, 1)
    assert "was forgotten" in report.skipped[0].reason
    assert memory.add("mine again", id=item.id).change == "added"


def test_no_byte_is_left_of_any_version(memory: Memory, bytes_left: Left) -> None:
    memory.update("m1", content="the zorkmid plan")
    memory.forget("m3")
    memory.search("zorkmid")
    memory.brief("frobnicate zorkmid", keep_receipt=True)
    memory.erase("m1", "m3")
    memory.close()

    assert bytes_left("frobnicate", "zorkmid", "another", "sarah@example.com") == []
    assert bytes_left("an answer") == ["ana.sqlite3: an answer"]


def test_the_index_on_disk_and_in_other_processes_forgets_it(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch, bytes_left: Left
) -> None:
    monkeypatch.setattr(snapshot, "CHUNKS_MIN", 0)
    memory, other = open_memory(), open_memory()
    memory.add("zorkmid", people=["Zora Quillfeather <zora@example.com>"], id="a")
    memory.add("stays")
    assert len(other.search("zorkmid", mode="text")) == 1
    memory.search("zorkmid")
    memory.close()

    other.erase("a")
    assert len(memory.search("zorkmid", mode="text")) == 0
    memory.close()
    other.close()

    assert bytes_left("Quillfeather", "zora@example.com") == []
    assert bytes_left("stays") == ["ana.sqlite3: stays"]


def test_this_process_forgets_words_and_questions(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from simonides.index import facets
    from simonides.text import terms

    forgotten: list[str] = []
    embedder: Any = memory._runtime.embedder
    monkeypatch.setattr(
        type(embedder), "forget_questions", lambda _: forgotten.append("questions"), raising=False
    )
    memory.search("zorkmid")
    memory.erase("m1")

    assert forgotten == ["questions"]
    assert not any(terms._TABLES)
    assert "zorkmid" not in terms._KEYS
    assert facets._mention_keys.cache_info().currsize == 0


def test_backgrounds_stay_and_the_report_says_so(memory: Memory) -> None:
    memory.background.put("about the frobnicate plan")

    report = memory.erase("m1", prove=True)

    assert report.notes == (BACKGROUNDS_STAY,)
    assert report.complete
    assert memory.background.get() is not None


def test_a_background_that_was_deleted_goes_with_the_next_erasure(
    memory: Memory, bytes_left: Left
) -> None:
    one = memory.background.put("the zorkmid background")
    memory.background.delete(one.id)
    assert memory.erase("m1").backgrounds == 1
    memory.close()

    assert bytes_left("zorkmid") == []


def test_what_a_reader_keeps_in_the_log_is_told_and_finished_later(
    memory: Memory, space_of: Callable[[Memory], Space], bytes_left: Left
) -> None:
    with space_of(memory).read() as reader:
        assert reader.revision
        report = memory.erase("m1", prove=True)

        assert not report.complete
        assert report.items == ("m1",)
        assert any("cannot be emptied under a reader" in note for note in report.notes)
    again = memory.erase("m1")
    assert (again.items, again.missing, again.complete) == ((), ("m1",), True)
    assert again.notes == (FINISHED,)
    assert memory.erase("m1").notes == ()
    memory.close()
    assert bytes_left("frobnicate") == []


def test_a_busy_space_loses_nothing(memory: Memory, tmp_path: Path) -> None:
    import apsw

    other = apsw.Connection(str(tmp_path / "home" / "spaces" / "ana.sqlite3"))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy):
        memory.erase("m1")
    other.execute("ROLLBACK")
    other.close()

    assert memory.get("m1").content == "the frobnicate plan"


def test_a_space_that_was_never_written_to_has_nothing_to_erase(open_memory: Open) -> None:
    memory = open_memory()

    for given in ({"everything": True}, {"filter": Filter(sources=("x",))}):
        with pytest.raises(NotFound):
            memory.erase(**given)
    with pytest.raises(NotFound):
        memory.erase("a")


def test_a_space_of_another_embedder_can_be_erased_from(memory: Memory, open_memory: Open) -> None:
    memory.close()
    other = open_memory(dimension=8)

    assert other.erase("m1", prove=True).complete
    assert other.erase(filter=Filter(sources=("gmail",))).items == ("m2",)


def test_everything_goes_with_the_space(
    memory: Memory, open_memory: Open, bytes_left: Left
) -> None:
    other = open_memory(space="ben")
    other.add("of another space")
    memory.background.put("the zorkmid background")
    memory.record_usage("m1")
    memory.brief("zorkmid", keep_receipt=True)
    memory.forget("m2")

    report = memory.erase(everything=True, prove=True)

    assert set(report.items) == {"m1", "m2", "m3", "n1"}
    assert (report.versions, report.chunks) == (4, 3)
    assert (report.engagements, report.receipts, report.backgrounds) == (1, 1, 1)
    assert report.complete
    assert report.proof is not None
    assert report.proof.looked_for > 0
    assert memory.spaces() == ("ben",)
    assert len(memory.search("frobnicate")) == 0
    assert memory.add("begun anew").revision == 1
    assert [item.content for item in memory.list().items] == ["begun anew"]
    memory.close()
    other.close()
    assert bytes_left("frobnicate", "zorkmid", "an answer", "tom@example.com") == []


def test_a_proof_that_finds_bytes_or_can_not_be_done_is_reported(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    aside = tmp_path / "home" / "spaces" / "ana.sqlite3.damaged-1"
    aside.write_bytes(b"... the frobnicate plan ...")

    report = memory.erase("m1", prove=True)

    assert not report.complete
    assert report.proof is not None
    assert report.proof.where == (str(aside),)
    assert "remove what a repair set aside" in report.notes[0]
    monkeypatch.setattr(proving, "PROGRAM", "raise SystemExit(3)")
    failed = memory.erase("m2", prove=True)
    assert not failed.complete
    assert "nothing is proven" in failed.notes[0]
    assert failed.proof is not None
    assert not failed.proof.holds


def test_a_proof_is_only_made_where_it_is_asked_for(memory: Memory) -> None:
    assert memory.erase("m1").proof is None
    proof = memory.erase("m2", prove=True).proof

    assert isinstance(proof, Proof)
    assert proof.holds
    assert proof.looked_for > 3
    assert proof.bytes > 4096
    assert {Path(name).name for name in proof.files} >= {"ana.sqlite3"}


# ── answers ───────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def answered(memory: Memory) -> Memory:
    """The same space with three answers: of a mail, of that answer, of nothing that goes."""
    for answer_id, used in (("a1", ["m1", "n1"]), ("a2", ["a1"]), ("a3", ["m3"]), ("a4", "m1")):
        memory.add(
            f"It says frobnicate, says {answer_id}.", id=answer_id, kind=Kind.MESSAGE,
            metadata={"_context": used},
        )  # fmt: skip
    return memory


def test_answers_made_with_what_goes_are_named_and_stay(answered: Memory) -> None:
    report = answered.erase("m1")

    assert report.items == ("m1",)
    assert report.answers == ("a1", "a2")
    assert ANSWERS_STAY in report.notes
    assert answered.get("a1").id == "a1"


def test_answers_go_along_if_they_are_told_to_with_all_that_was_made_of_them(
    answered: Memory,
) -> None:
    report = answered.erase("m1", answers=True)

    assert set(report.items) == {"m1", "a1", "a2"}
    assert report.answers == ()
    assert ANSWERS_STAY not in report.notes
    assert {one.id for one in answered.list().items} == {"m2", "m3", "n1", "a3", "a4"}


def test_an_earlier_version_of_an_answer_names_what_it_was_made_with(answered: Memory) -> None:
    answered.update("a3", metadata={"_context": ["m2"]})

    assert answered.erase("m3").answers == ("a3",)


def test_answers_by_a_filter_go_along_too(answered: Memory) -> None:
    report = answered.erase(filter=Filter(people=("sarah@example.com",)), answers=True)

    assert set(report.items) == {"m1", "a1", "a2"}


def test_what_no_answer_was_made_with_has_no_word_of_answers(answered: Memory) -> None:
    report = answered.erase("m2")

    assert (report.answers, report.notes) == ((), ())
