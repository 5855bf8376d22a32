"""Memories of other programs: mem0, the MCP memory server, LangGraph stores and Letta."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.unit.importers.task_files import events, items, skip

from simonides.importers.formats import detect
from simonides.model.item import Item, Kind, MemoryType, Status


def texts(found: list[Item]) -> list[str]:
    return [one.content for one in found]


# ── mem0 ──────────────────────────────────────────────────────────────────────────────────────


def mem0(**fields: Any) -> dict[str, Any]:
    """Return a memory as `get_all` of mem0 answers it."""
    return {
        "id": "bf4d4092-cf91-4181-bfeb-b6fa2ed3061b",
        "memory": "Mira mends cranes",
        "hash": "d1a9",
        "metadata": {"place": "yard", "_trust": "own"},
        "score": 0.31,
        "created_at": "2026-03-01T10:00:00.123456-08:00",
        "updated_at": None,
        "user_id": "mira",
    } | fields


def row(text: str | None, at: str, **fields: Any) -> dict[str, Any]:
    """Return a row of a history of mem0."""
    return {
        "id": at,
        "memory_id": "bf4d",
        "old_memory": None,
        "new_memory": text,
        "event": "UPDATE",
        "created_at": "2026-03-01T10:00:00+00:00",
        "updated_at": at,
        "is_deleted": False,
    } | fields


def test_a_memory_of_mem0_keeps_its_id_times_and_fields(tmp_path: Path) -> None:
    more = {"run_id": "r1", "agent_id": "helper", "categories": ["work"], "immutable": True}
    (item,) = items(tmp_path, {"results": [mem0(**more, expiration_date="2027-01-01")]})

    assert (item.kind, item.source) == (Kind.MEMORY, "mem0")
    assert item.source_id == "bf4d4092-cf91-4181-bfeb-b6fa2ed3061b"
    assert item.content == "Mira mends cranes"
    assert item.happened_at == datetime(2026, 3, 1, 18, 0, 0, 123456, tzinfo=UTC)
    assert item.tags == ("work",)
    assert item.traits is not None
    assert (item.traits.user_id, item.traits.session_id) == ("mira", "r1")
    assert item.traits.expires_at == datetime(2027, 1, 1, tzinfo=UTC)
    assert item.metadata == {
        "place": "yard",
        "trust": "own",
        "immutable": True,
        "agent": "helper",
        "_revised_at": "2026-03-01T18:00:00.123456+00:00",
    }


@pytest.mark.parametrize(
    "content",
    [
        {"results": [mem0()]},
        {"count": 1, "next": None, "previous": None, "results": [mem0()]},
        [mem0()],
        [{"results": [mem0()]}],
        {"memories": [mem0()]},
        json.dumps(mem0()) + "\n" + json.dumps(mem0(id="other")),
        {"memories": [{"id": "m", "text": "Mira mends cranes", "app_id": "a", "state": "active"}]},
    ],
)
def test_every_shape_of_mem0_is_read(tmp_path: Path, content: Any) -> None:
    assert texts(items(tmp_path, content, name="m.json"))[0] == "Mira mends cranes"


def test_a_history_beside_a_memory_gives_its_earlier_states(tmp_path: Path) -> None:
    history = [
        row("Mira mends cranes", "2026-03-03T10:00:00+00:00"),
        row("Mira mends boats", "2026-03-02T10:00:00+00:00", event="ADD"),
    ]
    found = items(tmp_path, [mem0(history=history, updated_at="2026-03-03T10:00:00+00:00")])

    assert texts(found) == ["Mira mends boats", "Mira mends cranes"]
    assert len({one.id for one in found}) == 1
    assert [str(one.metadata["_revised_at"])[:10] for one in found] == ["2026-03-02", "2026-03-03"]


def test_rows_of_histories_are_put_in_the_order_of_their_times(tmp_path: Path) -> None:
    rows = [
        row(None, "2026-03-04T10:00:00+00:00", event="DELETE", old_memory="Mira mends cranes"),
        row("Mira mends cranes", "2026-03-03T10:00:00+00:00"),
        row("Mira mends boats", "2026-03-01T10:00:00+00:00", event="ADD"),
    ]
    found = items(tmp_path, rows)

    assert texts(found) == ["Mira mends boats", "Mira mends cranes", "Mira mends cranes"]
    statuses = [one.traits.status for one in found if one.traits]
    assert statuses == [Status.ACTIVE, Status.ACTIVE, Status.DELETED]
    assert {one.source_id for one in found} == {"bf4d"}
    assert {one.happened_at for one in found} == {datetime(2026, 3, 1, 10, 0, tzinfo=UTC)}


def test_relations_of_mem0_are_sentences(tmp_path: Path) -> None:
    link = {"source": "mira", "relationship": "works_at", "target": "yard"}
    found = items(tmp_path, [mem0(), link])

    assert texts(found) == ["Mira mends cranes", "mira works at yard"]


def test_what_is_no_memory_of_mem0_is_reported(tmp_path: Path) -> None:
    bad = [mem0(), mem0(id=None), mem0(id="m-3", memory=""), {"source": "a", "relationship": "b"}]

    assert skip(tmp_path, bad) == [
        ("record 2", "not a memory of mem0: it has no id"),
        ("m-3", "content: is empty, and so is the title: nothing to keep"),
        ("b", "a relation without both its ends"),
    ]  # fmt: skip


# ── the MCP memory server ─────────────────────────────────────────────────────────────────────

ENTITY = {
    "type": "entity",
    "name": "Mira_Holm",
    "entityType": "person",
    "observations": ["Speaks Danish", "Mira_Holm mends cranes"],
}
RELATION = {"type": "relation", "from": "Mira_Holm", "to": "Yard", "relationType": "works_at"}


def jsonl(*rows: Any) -> str:
    return "\n".join(map(json.dumps, rows))


def test_observations_and_relations_are_memories(tmp_path: Path) -> None:
    found = items(tmp_path, jsonl(ENTITY, RELATION), name="memory.jsonl")

    speaks, works, mends = found
    assert texts(found) == [
        "Mira_Holm: Speaks Danish",
        "Mira_Holm works at Yard",
        "Mira_Holm mends cranes",
    ]
    assert {one.source for one in found} == {"mcp-memory"}
    assert {one.happened_at for one in found} == {None}
    assert (speaks.tags, mends.tags, works.tags) == (("person",), ("person",), ())
    assert speaks.metadata == {"entity": "Mira_Holm", "entity_type": "person"}
    assert works.source_id == "Mira_Holm/works_at/Yard"


def test_relations_whose_names_have_the_same_letters_are_two(tmp_path: Path) -> None:
    one = RELATION | {"from": "src", "relationType": "has", "to": "a/b"}
    other = RELATION | {"from": "src/has", "relationType": "a", "to": "b"}
    found = items(tmp_path, jsonl(one, other), name="memory.jsonl")

    assert sorted(texts(found)) == ["src has a/b", "src/has a b"]
    assert len({item.id for item in found}) == 2


def test_observations_keep_their_ids_when_others_come_in_between(tmp_path: Path) -> None:
    more = ENTITY | {"observations": ["Rows", "Speaks Danish", "Mira_Holm mends cranes"]}
    before = items(tmp_path, jsonl(ENTITY), name="memory.jsonl")
    after = items(tmp_path, jsonl(more), name="memory.jsonl")

    assert {one.id for one in before} < {one.id for one in after}


@pytest.mark.parametrize(
    "content",
    [
        {"entities": [ENTITY], "relations": [RELATION]},
        json.dumps({"entities": [ENTITY], "relations": [RELATION]}, indent=2),
        jsonl({"type": "_aim", "source": "mcp-knowledge-graph"}, ENTITY, RELATION),
        jsonl(RELATION, ENTITY),
    ],
)
def test_every_shape_of_a_graph_is_read(tmp_path: Path, content: Any) -> None:
    assert len(items(tmp_path, content, name="graph")) == 3


def test_dated_observations_keep_their_times(tmp_path: Path) -> None:
    said = {"content": "Rows", "timestamp": "2026-03-02T10:00:00Z"}
    dated = ENTITY | {"observations": [said], "createdAt": "2026-03-01T10:00:00Z"}
    (item,) = items(tmp_path, jsonl(dated, RELATION), name="memory.jsonl")[:1]

    assert item.content == "Mira_Holm: Rows"
    assert item.happened_at == datetime(2026, 3, 1, 10, 0, tzinfo=UTC)


def test_odd_lines_of_a_graph_are_reported(tmp_path: Path) -> None:
    odd = [ENTITY, {"type": "entity", "name": ""}, {"type": "relation", "from": "a"}, {"x": 1}]
    odd += [ENTITY | {"name": "Empty", "observations": []}, ENTITY | {"observations": [7]}]
    content = jsonl(*odd) + "\n{broken\n"
    found = [one.item for one in events(tmp_path, content, name="memory.jsonl") if one.item]

    assert "Empty (person)" in texts(found)
    assert skip(tmp_path, content, name="memory.jsonl")[:4] == [
        ("line 2", "an entity without a name"),
        ("line 3", "a relation without both its ends"),
        ("line 4", "neither an entity nor a relation"),
        ("Mira_Holm", "an observation without words"),
    ]


# ── LangGraph ─────────────────────────────────────────────────────────────────────────────────


def stored(value: Any, **fields: Any) -> dict[str, Any]:
    """Return an item of a LangGraph store, as `Item.dict()` gives it."""
    return {
        "namespace": ["mira", "memories"],
        "key": "07e0caf4",
        "value": value,
        "created_at": "2026-03-01T10:00:00.000001+00:00",
        "updated_at": "2026-03-02T10:00:00.000001+00:00",
    } | fields


def test_an_item_of_a_store_becomes_a_memory(tmp_path: Path) -> None:
    (item,) = items(tmp_path, [stored({"content": "Mira rows", "mood": "glad"})])

    assert (item.kind, item.source) == (Kind.MEMORY, "langgraph")
    assert (item.source_id, item.content) == ("mira/memories/07e0caf4", "Mira rows")
    assert item.happened_at == datetime(2026, 3, 1, 10, 0, 0, 1, tzinfo=UTC)
    assert item.metadata == {
        "mood": "glad",
        "namespace": ["mira", "memories"],
        "key": "07e0caf4",
        "_revised_at": "2026-03-02T10:00:00.000001+00:00",
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"kind": "Memory", "content": {"content": "Mira rows"}}, "Mira rows"),
        ({"data": "Mira rows"}, "Mira rows"),
        ({"food": "pizza", "likes": ["tea", "rye"]}, "food: pizza\nlikes: tea, rye"),
        ({"kind": "Profile", "content": {"name": "Mira", "age": 41}}, "name: Mira\nage: 41"),
        ("Mira rows", "Mira rows"),
        ('{"memory": "Mira rows"}', "Mira rows"),
        ("{not json", "{not json"),
        (["tea", "rye"], "tea, rye"),
    ],
)  # fmt: skip
def test_values_of_a_store_in_words(tmp_path: Path, value: Any, text: str) -> None:
    assert texts(items(tmp_path, [stored(value)])) == [text]


@pytest.mark.parametrize(
    "content",
    [
        {"items": [stored({"text": "Mira rows"})]},
        stored({"text": "Mira rows"}),
        jsonl(stored({"text": "Mira rows"}), stored({"text": "b"}, key="2")),
        [{"prefix": "mira.memories", "key": "07e0caf4", "value": {"text": "Mira rows"}}],
    ],
)
def test_every_shape_of_a_store_is_read(tmp_path: Path, content: Any) -> None:
    assert items(tmp_path, content)[0].source_id == "mira/memories/07e0caf4"


def test_items_without_words_are_reported(tmp_path: Path) -> None:
    content = [stored({"text": "Mira rows"}), stored({}), stored({"a": 1}, key="")]

    assert skip(tmp_path, content) == [
        ("mira/memories/07e0caf4", "has no words"),
        ("record 3", "not an item of a store: it has no key, or no value"),
    ]


# ── Letta ─────────────────────────────────────────────────────────────────────────────────────


def said(role: str, content: Any, **fields: Any) -> dict[str, Any]:
    made = {"type": "message", "role": role, "content": content, "id": "message-0"}
    return made | {"created_at": "2026-03-01T10:00:00+00:00"} | fields


def agent_file(*messages: Any) -> dict[str, Any]:
    """Return an agent file with two blocks and these messages."""
    agent = {"name": "Ada", "llm_config": {}, "block_ids": ["block-0", "block-1"], "id": "agent-0"}
    block = {
        "label": "human",
        "value": "Mira mends cranes.",
        "description": "User.",
        "id": "block-0",
    }
    persona = {"label": "persona", "value": "I am Ada.", "id": "block-1"}
    loose = {"label": "plans", "value": "Row in May.", "id": "block-9"}
    return {
        "agents": [agent | {"messages": list(messages)}],
        "groups": [],
        "blocks": [block, persona, loose],
        "files": [{"id": "file-0", "file_name": "jib.md", "content": "Grease weekly."}],
        "tools": [],
    }  # fmt: skip


def test_blocks_and_files_of_an_agent_file(tmp_path: Path) -> None:
    human, persona, loose, file = items(tmp_path, agent_file(), name="ada.af")

    assert (human.kind, human.source, human.source_id) == (Kind.MEMORY, "letta", "Ada/block/human")
    assert (human.title, human.content) == ("human", "Mira mends cranes.")
    assert human.metadata == {"agent": "Ada", "description": "User."}
    types = [one.traits.type for one in (human, persona, loose) if one.traits]
    assert types == [MemoryType.PROFILE, MemoryType.POLICY, MemoryType.EPISODIC]
    assert loose.source_id == "block-9"
    assert (file.kind, file.title, file.content) == (Kind.DOCUMENT, "jib.md", "Grease weekly.")


def test_messages_of_an_agent_file(tmp_path: Path) -> None:
    wrapped = json.dumps({"type": "user_message", "message": "Hello", "time": "now"})
    call = {"function": {"name": "send_message", "arguments": '{"message": "Hi Mira"}'}}
    other = {"function": {"name": "archival_memory_search", "arguments": "{}"}}
    content = agent_file(
        said("system", "You are Ada."),
        said("user", [{"type": "text", "text": "What sticks?"}]),
        said("assistant", [{"type": "text", "text": "The jib."}]),
        said("user", wrapped),
        said("user", json.dumps({"type": "heartbeat", "reason": "x"})),
        said("assistant", "They greet me.", tool_calls=[call]),
        said("assistant", "I must look.", tool_calls=[other]),
        said("tool", '{"status": "OK"}'),
    )
    found = [one for one in items(tmp_path, content, name="ada.af") if one.kind is Kind.MESSAGE]

    assert [(one.author and one.author.name, one.content) for one in found] == [
        ("user", "What sticks?"),
        ("assistant", "The jib."),
        ("user", "Hello"),
        ("assistant", "Hi Mira"),
    ]
    assert {one.session for one in found} == {"Ada"}
    assert found[0].happened_at == datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
    assert len({one.id for one in found}) == 4


def test_passages_keep_their_ids_and_times(tmp_path: Path) -> None:
    passage = {
        "id": "passage-b0d1c2e3-0000-4000-8000-000000000001",
        "text": "Mira rows on Sundays.",
        "created_at": "2026-03-01T10:00:00Z",
        "tags": ["sport"],
        "metadata": {"from": "chat"},
        "archive_id": "archive-1",
    }
    gone = passage | {"id": "passage-b0d1c2e3-0000-4000-8000-000000000002", "is_deleted": True}
    one, other = items(tmp_path, [passage, gone])

    assert (one.kind, one.source_id, one.content) == (Kind.MEMORY, passage["id"], passage["text"])
    assert one.happened_at == datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
    assert (one.tags, one.metadata["from"]) == (("sport",), "chat")
    assert other.traits is not None
    assert other.traits.status is Status.DELETED


def test_messages_as_the_interface_answers_them(tmp_path: Path) -> None:
    hi = {"message_type": "user_message", "content": "Hi", "date": "2026-03-01T10:00:00Z"}
    hello = {"message_type": "assistant_message", "content": [{"text": "Hello"}]}
    thought = {"message_type": "reasoning_message", "reasoning": "They greet."}
    answers = [hi | {"id": "m-1"}, thought | {"id": "m-2"}, hello | {"id": "m-3"}]
    found = items(tmp_path, answers)

    assert [(one.source_id, one.content) for one in found] == [("m-1", "Hi"), ("m-3", "Hello")]


HUMAN = {"label": "human", "value": "x"}


@pytest.mark.parametrize(
    "content",
    [
        {"agent_type": "memgpt_agent", "name": "Ada", "core_memory": [HUMAN]},
        {"id": "agent-1", "agent_type": "a", "name": "Ada", "memory": {"blocks": [HUMAN]}},
        [{"id": "block-0a1b2c3d", "label": "human", "value": "x"}],
    ],
)  # fmt: skip
def test_older_agents_and_lists_of_blocks(tmp_path: Path, content: Any) -> None:
    assert [(one.title, one.content) for one in items(tmp_path, content)] == [("human", "x")]


def test_empty_blocks_are_reported(tmp_path: Path) -> None:
    content = agent_file()
    content["blocks"][0]["value"] = "  "

    assert skip(tmp_path, content) == [("Ada/block/human", "an empty block")]


# ── told apart ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ([mem0()], "mem0"),
        ([row("x", "2026-03-01")], "mem0"),
        (ENTITY, "mcp-memory"),
        ([stored({"content": "Mira rows"})], "langgraph"),
        (agent_file(), "letta"),
        ([{"id": "passage-0a1b2c3d", "text": "x"}], "letta"),
        ({"session": "s", "speaker": "Mira", "text": "My memory fails."}, "chat"),
    ],
)
def test_exports_are_told_apart_by_their_content(tmp_path: Path, content: Any, name: str) -> None:
    path = tmp_path / "export.jsonl"
    path.write_text(json.dumps(content))

    assert detect(path).name == name


def test_an_agent_of_which_nothing_is_there_is_reported(tmp_path: Path) -> None:
    agent = {"name": "helper", "agent_type": "memgpt_agent", "block_ids": ["block-0"]}

    assert skip(tmp_path, {"agents": [agent]}, name="a.af") == [("a.af", "holds no memories")]


# ── memories of no program in particular ──────────────────────────────────────────────────────


def memory_file(tmp_path: Path, content: str, name: str = "memories.jsonl") -> list[Item]:
    return items(tmp_path, content, name=name)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('{"memory": "Lives in Hamburg"}', "Lives in Hamburg"),
        ('{"fact": "Works at Acme"}', "Works at Acme"),
        ('{"text": "Prefers tea", "id": "7"}', "Prefers tea"),
        ('{"content": "Allergic to nuts", "type": "fact"}', "Allergic to nuts"),
        ('{"note": "Buy milk"}', "Buy milk"),
        ('{"subject": "user", "predicate": "lives_in", "object": "Hamburg"}',
         "user lives in Hamburg"),
        ('{"key": "favourite_colour", "value": "blue"}', "favourite colour: blue"),
        ('{"value": "Owns a bike"}', "Owns a bike"),
    ],
)  # fmt: skip
def test_a_line_of_a_list_of_memories_is_read(tmp_path: Path, line: str, text: str) -> None:
    first, other = memory_file(tmp_path, f'{line}\n{{"memory": "Another one"}}\n')

    assert (first.kind, first.source, first.content) == (Kind.MEMORY, "memories", text)
    assert other.content == "Another one"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ('["Likes tea", "Likes chess"]', "memories.json"),
        ('{"memories": [{"memory": "Likes tea"}, {"memory": "Likes chess"}]}', "export.json"),
        ('{"facts": ["Likes tea", {"fact": "Likes chess"}]}', "facts.json"),
        ('{"fact": "Likes tea"}\n{"fact": "Likes chess"}\n', "anything.jsonl"),
    ],
)
def test_a_list_of_memories_is_known_by_its_fields_or_its_name(
    tmp_path: Path, content: str, name: str
) -> None:
    assert texts(memory_file(tmp_path, content, name)) == ["Likes tea", "Likes chess"]


def test_a_memory_keeps_its_times_labels_and_how_sure_it_is(tmp_path: Path) -> None:
    line = {
        "statement": "My dog is called Rex", "timestamp": 1736503200, "category": "pets",
        "tags": ["dog"], "confidence": 0.9, "importance": 8, "type": "preference",
        "updatedAt": "2026-01-01", "mood": "good", "metadata": {"where": "home"},
    }  # fmt: skip
    (item,) = memory_file(tmp_path, json.dumps(line))

    assert item.happened_at == datetime(2025, 1, 10, 10, tzinfo=UTC)
    assert item.tags == ("dog", "pets")
    assert item.traits is not None
    assert (item.traits.confidence, item.traits.importance) == (0.9, 0.8)
    assert item.traits.type is MemoryType.PROFILE
    assert (item.metadata["mood"], item.metadata["where"]) == ("good", "home")


def test_a_memory_without_words_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    content = '{"memory": "Likes tea"}\n{"memory": "", "id": "7"}\n{"memory": "Likes chess"}\n'
    found = [one.item for one in events(tmp_path, content, name="memories.jsonl") if one.item]
    [(place, reason)] = skip(tmp_path, content, name="memories.jsonl")

    assert texts(found) == ["Likes tea", "Likes chess"]
    assert reason.startswith("a memory without memory, fact, statement")
    assert "7" in place or "line 2" in place


def test_a_chat_is_no_list_of_memories(tmp_path: Path) -> None:
    line = '{"role": "user", "content": "Hello", "memory": "x"}\n'
    (item,) = memory_file(tmp_path, line)

    assert item.kind is Kind.MESSAGE
