"""`add`, `update`, `forget`, `import_`: what is kept, what is refused, and nothing by halves."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from simonides import Item, Kind, Memory, MemoryTraits, Person, Role
from simonides.errors import Conflict, EmbedderError, ImportFailed, InvalidInput, NotFound
from simonides.model.stored import Change
from simonides_bench.testing.hashing import HashingEmbedder

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
Open = Callable[..., Memory]

MAIL = """From sarah@x.example Tue Mar  3 10:00:00 2026
From: Sarah Lindqvist <sarah@x.example>
Message-ID: <{id}@x.example>
Date: Tue, 3 Mar 2026 10:00:00 +0000
Subject: {id}

{body}

"""


class BrokenEmbedder(HashingEmbedder):
    """An embedder whose model is gone."""

    def embed(self, _texts: object) -> Any:
        """Fail."""
        raise EmbedderError("the model is gone")


def mailbox(path: Path, **mails: str) -> Path:
    path.write_text("".join(MAIL.format(id=name, body=body) for name, body in mails.items()))
    return path


def kept(memory: Memory) -> list[str]:
    return sorted(item.content for item in memory.list().items)


def test_the_others_of_what_is_no_mail_are_mentioned(memory: Memory) -> None:
    note = memory.add("Sarah met Tom.", kind="document", people=["Sarah", "Tom"])
    mail = memory.add("Hi Tom.", kind="email", people=["Sarah"])
    memory.update(mail.id, people=["Sarah", "Tom"])

    assert memory.get(note.id).people[1].role is Role.MENTIONED
    assert memory.get(mail.id).people[1].role is Role.TO


def test_one_text_is_kept_with_its_fields(memory: Memory) -> None:
    outcome = memory.add(
        "The deadline of Alpha moved to Friday.",
        kind="email",
        source="gmail",
        source_id="18e",
        title="Re: Alpha",
        people=["Sarah <sarah@x.example>", "Tom"],
        tags=["alpha"],
        metadata={"folder": "inbox"},
        happened_at="2026-03-06T16:30:00+01:00",
    )
    item = memory.get(outcome.id)

    assert outcome.change is Change.ADDED
    assert (item.kind, item.source, item.source_id) == (Kind.EMAIL, "gmail", "18e")
    assert item.author == Person(name="Sarah", address="sarah@x.example")
    assert item.people[1] == Person(name="Tom", role=Role.TO)
    assert (item.tags, item.metadata) == (("alpha",), {"folder": "inbox"})
    assert item.happened_at == datetime(2026, 3, 6, 15, 30, tzinfo=UTC)
    assert (item.stored_at, item.revision, item.version) == (NOW, 1, 1)


def test_an_item_comes_back_as_it_was_kept(memory: Memory) -> None:
    item = Item(
        content="Prefers tea.",
        language="en",
        traits=MemoryTraits(importance=0.9, half_life_hours=24.0, entity="person:~tom"),
    )
    memory.add(item)

    back = memory.get(item.id)
    assert (back.content, back.traits, back.kind) == (item.content, item.traits, Kind.MEMORY)


def test_the_same_text_twice_is_one_item(memory: Memory) -> None:
    first = memory.add("Tom has a dog.")
    second = memory.add("Tom has a dog.")

    assert second.id == first.id
    assert second.change is Change.UNCHANGED
    assert second.revision == first.revision == 1
    assert kept(memory) == ["Tom has a dog."]


def test_the_same_source_id_replaces_what_was_there(memory: Memory) -> None:
    first = memory.add("due on Friday", source="jira", source_id="ALPHA-7")
    second = memory.add("due on Monday", source="jira", source_id="ALPHA-7")

    assert second.id == first.id
    assert second.change is Change.UPDATED
    assert kept(memory) == ["due on Monday"]
    assert memory.get(first.id).version == 2
    assert "Friday" not in str(memory.search("when is ALPHA-7 due?").hits)


def test_the_same_source_id_under_two_sources_is_two_items(memory: Memory) -> None:
    memory.add("one", source="work", source_id="1")
    memory.add("two", source="home", source_id="1")

    assert kept(memory) == ["one", "two"]


def test_many_are_kept_in_one_revision_and_answered_in_their_order(memory: Memory) -> None:
    texts: list[str | Item] = ["one", Item(content="two"), "three"]
    outcomes = memory.add(given for given in texts)

    assert [memory.get(one.id).content for one in outcomes] == ["one", "two", "three"]
    assert {one.revision for one in outcomes} == {1}


def test_fields_apply_to_each_text_of_many(memory: Memory) -> None:
    outcomes = memory.add(["one", "two"], source="chat", tags=["x"])

    assert [(memory.get(o.id).source, memory.get(o.id).tags) for o in outcomes] == [
        ("chat", ("x",)),
        ("chat", ("x",)),
    ]


def test_nothing_of_many_is_nothing(memory: Memory, home: Path) -> None:
    assert memory.add([]) == ()
    assert not home.exists()


@pytest.mark.parametrize("bad", ["", " \n", "half \ud800", 5, None, {"content": "x"}])
def test_one_bad_item_of_many_keeps_all_of_them_out(memory: Memory, bad: Any) -> None:
    memory.add("there before")
    with pytest.raises(InvalidInput):
        memory.add(["good", bad, "good too"])

    assert kept(memory) == ["there before"]
    assert memory.stats().revision == 1


def test_what_the_store_refuses_of_many_keeps_all_of_them_out(memory: Memory) -> None:
    memory.add("there before")
    with pytest.raises(InvalidInput, match=r"metadata.x: cannot be kept as JSON"):
        memory.add([Item(content="good"), Item(content="bad", metadata={"x": object()})])

    assert kept(memory) == ["there before"]


def test_if_the_model_fails_nothing_is_written(open_memory: Open) -> None:
    memory = open_memory(embedder=BrokenEmbedder())
    with pytest.raises(EmbedderError, match="the model is gone"):
        memory.add(["one", "two"])

    assert memory.list().items == ()


def test_of_many_with_one_id_the_last_stands(memory: Memory) -> None:
    outcomes = memory.add([Item(id="a", content="one"), Item(id="a", content="two")])

    assert [one.id for one in outcomes] == ["a", "a"]
    assert kept(memory) == ["two"]


@pytest.mark.parametrize(
    ("content", "fields", "reported"),
    [
        ("", {}, "content: is empty, and so is the title: nothing to keep"),
        ("\t\r\n", {}, "content: is empty"),
        ("half \udfff", {}, "content: holds half a character"),
        ("x", {"title": "\ud800"}, "title: holds half a character"),
        ("x", {"happened_at": 3}, "happened_at: 3 is no date"),
        ("x", {"happened_at": "soon"}, "happened_at: 'soon' is no date"),
        ("x", {"kind": "letter"}, "kind: must be one of email, document"),
        ("x", {"tags": "alpha"}, "tags: must be a list"),
        ("x", {"flavour": "sweet"}, "flavour: is not known; there are collection"),
        ("x", {"stored_at": NOW}, "stored_at: is not known"),
        ("x", {"source": ""}, "source: must not be empty"),
        ("x", {"id": "a" * 257}, "id: must have at most 256"),
        ("x", {"id": "a\x00"}, "id: must have printable"),
        ("x", {"metadata": [1]}, "metadata: must be an object"),
        ("x", {"metadata": {"a": float("nan")}}, "metadata.a: must be a finite number"),
        ("x", {"traits": {"importance": 1.5}}, r"importance: must lie in \[0, 1\]"),
        ("x", {"traits": {"mood": 1}}, r"traits\.mood: is not known; there are"),
        ({"content": "x"}, {}, r"content: must be text or an Item, got an object; use add\(\*\*it"),
        (b"the crane", {}, "content: must be text or an Item, got bytes; decode it first"),
        (b"", {}, "content: must be text or an Item, got bytes; decode it first"),
        (Item(content="x"), {"title": "t"}, "title: belongs into the item that is added"),
    ],
)
def test_bad_input_is_refused_by_name_and_leaves_no_trace(
    memory: Memory, content: Any, fields: dict[str, Any], reported: str
) -> None:
    memory.add("there before")
    with pytest.raises(InvalidInput, match=reported):
        memory.add(content, **fields)

    assert kept(memory) == ["there before"]
    assert memory.stats().revision == 1


@pytest.mark.parametrize(
    "text",
    [
        "a\x00b",
        "'; DROP TABLE item; --",
        '"NEAR(alpha beta)" AND *',
        "👩‍👩‍👧 🙂 e\u0301",
        "שלום עולם \u202eabc",
        "one\r\ntwo\u2028three",
        "漢" * 5_000,
        "x" * 1_000_000,
    ],
)
def test_every_text_comes_back_byte_for_byte(memory: Memory, text: str) -> None:
    outcome = memory.add(text)

    assert memory.get(outcome.id).content == text
    assert memory.search(text[:50]).hits[0].id == outcome.id


def test_a_megabyte_on_one_line_is_found_and_briefed(memory: Memory) -> None:
    outcome = memory.add("harbor " * 150_000)
    made = memory.brief("harbor", budget_tokens=400)

    assert [item.id for item in made.items] == [outcome.id]
    assert made.items[0].form == "excerpt"


def test_an_update_replaces_some_fields_and_keeps_the_rest(memory: Memory) -> None:
    item_id = memory.add("due on Friday", title="Alpha", tags=["a"]).id
    item = memory.update(item_id, title="Alpha moved", tags=["b"])

    assert (item.title, item.tags, item.content) == ("Alpha moved", ("b",), "due on Friday")
    assert (item.id, item.version) == (item_id, 2)
    assert memory.get(item_id) == item


def test_an_update_that_changes_nothing_makes_no_version(memory: Memory) -> None:
    item_id = memory.add("due on Friday").id

    assert memory.update(item_id, content="due on Friday").version == 1
    assert memory.update(item_id).version == 1
    assert memory.stats().revision == 1


def test_after_an_update_only_the_new_words_are_found(memory: Memory) -> None:
    item_id = memory.add("the invoice of Kestrel").id
    memory.update(item_id, content="the contract of Baltika")

    assert memory.search("invoice Kestrel", mode="text").hits == ()
    assert memory.search("contract Baltika", mode="text").hits[0].id == item_id


@pytest.mark.parametrize("fields", [{"id": "b"}, {"source_id": "b"}, {"content": ""}, {"x": 1}])
def test_an_update_that_does_not_fit_changes_nothing(
    memory: Memory, fields: dict[str, Any]
) -> None:
    item_id = memory.add("due on Friday").id
    with pytest.raises(InvalidInput):
        memory.update(item_id, **fields)

    assert memory.get(item_id).version == 1


def test_what_is_not_there_can_not_be_updated(memory: Memory) -> None:
    with pytest.raises(NotFound, match="no item 'nobody'"):
        memory.update("nobody", title="x")


def test_forget_answers_with_what_was_there(memory: Memory) -> None:
    one, two = (outcome.id for outcome in memory.add(["one", "two"]))

    assert memory.forget(one, "nobody", "half \ud800") == (one,)
    assert memory.forget(one) == ()
    assert memory.forget() == ()
    assert [item.id for item in memory.list().items] == [two]


def test_an_item_that_somebody_changed_meanwhile_is_not_forgotten(memory: Memory) -> None:
    item_id = memory.add("one").id
    memory.update(item_id, content="two")

    with pytest.raises(Conflict, match="version 1 was to be replaced, version 2 is present"):
        memory.forget(item_id, if_version=1)
    assert memory.get(item_id).content == "two"
    assert memory.forget(item_id, if_version=2) == (item_id,)


def test_what_is_forgotten_is_nowhere(memory: Memory) -> None:
    item_id = memory.add("Sarah moved the Alpha deadline.", people=["Sarah"]).id
    memory.search("Alpha")
    memory.forget(item_id)

    for mode in ("hybrid", "text", "vector"):
        assert memory.search("Sarah Alpha deadline", mode=mode).hits == ()
    assert memory.brief("Sarah").items == ()
    assert memory.entities() == ()
    assert memory.stats().items == 0
    with pytest.raises(NotFound):
        memory.get(item_id)


def test_what_was_forgotten_can_be_added_again(memory: Memory) -> None:
    item_id = memory.add("Tom has a dog.").id
    memory.forget(item_id)
    outcome = memory.add("Tom has a dog.")

    assert outcome.id == item_id
    assert memory.get(item_id).content == "Tom has a dog."


def test_importing_twice_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    box = mailbox(tmp_path / "inbox.mbox", alpha="Due on Friday.", harbor="Starts on Monday.")
    first = memory.import_(box)
    second = memory.import_(str(box))

    assert (first.added, first.read, first.skipped) == (2, 2, ())
    assert (second.added, second.unchanged, second.updated) == (0, 2, 0)
    assert memory.stats().revision == 2  # the words, then the vectors


def test_what_changed_in_an_export_is_updated(memory: Memory, tmp_path: Path) -> None:
    memory.import_(mailbox(tmp_path / "inbox.mbox", alpha="Due on Friday."))
    report = memory.import_(mailbox(tmp_path / "inbox.mbox", alpha="Due on Monday.", new="Hello."))

    assert (report.added, report.updated, report.unchanged) == (1, 1, 0)


def test_what_was_forgotten_is_not_imported_again(memory: Memory, tmp_path: Path) -> None:
    box = mailbox(tmp_path / "inbox.mbox", alpha="Due on Friday.", harbor="Starts on Monday.")
    memory.import_(box)
    gone = next(item for item in memory.list().items if item.title == "alpha")
    memory.forget(gone.id)
    report = memory.import_(box)

    assert (report.added, report.unchanged) == (0, 1)
    assert [(one.where, one.reason) for one in report.skipped] == [
        ("inbox.mbox: alpha", "was forgotten here; add it yourself to bring it back")
    ]
    memory.add(gone)
    assert memory.get(gone.id).content == "Due on Friday."


def test_a_source_can_be_given_to_an_import(memory: Memory, tmp_path: Path) -> None:
    memory.import_(mailbox(tmp_path / "inbox.mbox", alpha="Due."), source="work")

    assert memory.stats().by_source == {"work": 1}


def test_progress_is_reported(memory: Memory, tmp_path: Path) -> None:
    reported: list[Any] = []
    memory.import_(mailbox(tmp_path / "i.mbox", a="one", b="two"), on_progress=reported.append)

    assert reported[-1].read == reported[-1].added == 2
    assert reported[-1].bytes_done == reported[-1].bytes_total > 0


def test_an_import_of_nothing_says_what_was_looked_for(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(ImportFailed, match=r"nowhere.mbox: there is no such file"):
        memory.import_(tmp_path / "nowhere.mbox")

    assert memory.spaces() == ()


def test_a_chat_is_imported_in_its_order(memory: Memory, tmp_path: Path) -> None:
    lines = [{"session": "s", "speaker": "Tom", "text": text} for text in ("one", "two")]
    chat = tmp_path / "chat.jsonl"
    chat.write_text("".join(json.dumps(line) + "\n" for line in lines))
    memory.import_(chat)

    by_text = {item.content: item.position for item in memory.list().items}
    assert by_text == {"one": 0, "two": 1}


def test_times_are_kept_in_utc_whatever_zone_they_came_in(memory: Memory) -> None:
    zone = timezone(timedelta(hours=5, minutes=30))
    item_id = memory.add("x", happened_at=datetime(2026, 3, 1, 2, tzinfo=zone)).id

    assert memory.get(item_id).happened_at == datetime(2026, 2, 28, 20, 30, tzinfo=UTC)


def test_items_are_added_and_others_forgotten_at_once(memory: Memory) -> None:
    old, other = memory.add(["the quay is closed", "lunch at noon"])

    outcomes = memory.write(add=["the quay is open", "lunch at noon"], forget=[old.id, "nobody"])

    assert [one.change for one in outcomes] == [Change.ADDED, Change.UNCHANGED, Change.FORGOTTEN]
    assert [one.item.content for one in memory.search("quay").hits] == ["the quay is open"]
    assert memory.write(forget=[other.id])[0].change is Change.FORGOTTEN
    assert memory.history(old.id)[-1].cause == "forgotten"


def test_an_id_is_added_or_forgotten_and_not_both(memory: Memory) -> None:
    item = Item(content="the quay is closed", id="quay")

    with pytest.raises(InvalidInput, match="forget: 'quay' is to be added, too"):
        memory.write(add=[item], forget=["quay"])

    assert memory.write(forget=["quay"]) == memory.write() == ()
