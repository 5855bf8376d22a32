"""The tools with the names of the reference MCP memory server do what they do there."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.unit.mcp.conftest import NOW, Desk, Visitor

from simonides.mcp.answers import ANSWER_TOKENS_MAX, as_json
from simonides.mcp.reference import EACH_MAX
from simonides.mcp.tools import REFERENCE
from simonides.model.access import Permission
from simonides.text.tokens import count

ADA = {"name": "Ada", "entityType": "person", "observations": ["Sails", "Ada: rows"]}
YARD = {"name": "src/yard", "entityType": "place", "observations": []}
WORKS = {"from": "Ada", "to": "src/yard", "relationType": "works_at"}
NOTHING: dict[str, Any] = {"entities": [], "relations": []}


def add(desk: Desk, name: str, *texts: str) -> Any:
    """Return the answer to observations of one entity."""
    observations = [{"entityName": name, "contents": list(texts)}]
    return desk.answer("add_observations", observations=observations)


def drop(desk: Desk, name: str, *texts: str) -> Any:
    """Return the answer to deletions of observations of one entity."""
    deletions = [{"entityName": name, "observations": list(texts)}]
    return desk.answer("delete_observations", deletions=deletions)


class Ticking(Visitor):
    """Somebody for whom each call is a second after the one before."""

    ticks = 0

    def now(self) -> datetime:
        self.ticks += 1
        return NOW + timedelta(seconds=self.ticks)


@pytest.fixture(autouse=True)
def _lists_them(desk: Desk) -> None:
    desk.tools, desk.visitor = "reference", Ticking(desk.memory)


@pytest.fixture
def graph(desk: Desk) -> Desk:
    """A memory of two entities and a relation between them."""
    desk.answer("create_entities", entities=[ADA, YARD])
    desk.answer("create_relations", relations=[WORKS])
    return desk


def test_the_graph_is_as_it_was_created_in_its_order(graph: Desk) -> None:
    response = graph.call("read_graph")

    assert response.structured_content == {"entities": [ADA, YARD], "relations": [WORKS]}
    assert json.loads(response.content[0].text) == response.structured_content


def test_only_what_is_new_is_created_and_told(graph: Desk) -> None:
    again, bob = ADA | {"observations": ["Other"]}, ADA | {"name": "Bob"}
    back = {"from": "src/yard", "to": "Nobody", "relationType": "employs"}

    response = graph.call("create_entities", entities=[again, bob, bob])
    assert response.structured_content == {"entities": [bob]}
    assert json.loads(response.content[0].text) == [bob]
    assert graph.answer("create_relations", relations=[WORKS, back]) == {"relations": [back]}
    assert graph.answer("read_graph") == {
        "entities": [ADA, YARD, bob],
        "relations": [WORKS, back],
    }


def test_only_new_observations_are_added_and_told(graph: Desk) -> None:
    reported = add(graph, "Ada", "Sails", "Dives", "Dives", "Ada: rows", " ")

    assert reported == {"results": [{"entityName": "Ada", "addedObservations": ["Dives"]}]}
    (ada, _) = graph.answer("read_graph")["entities"]
    assert ada["observations"] == ["Sails", "Ada: rows", "Dives"]


def test_an_unknown_entity_is_an_error_and_nothing_is_written(graph: Desk) -> None:
    observations = [
        {"entityName": "Ada", "contents": ["Dives"]},
        {"entityName": "Nobody", "contents": ["Dives"]},
    ]

    assert graph.error("add_observations", observations=observations)["code"] == "not_found"
    assert graph.answer("open_nodes", names=["Ada"])["entities"] == [ADA]


def test_an_entity_goes_with_its_relations(graph: Desk) -> None:
    response = graph.call("delete_entities", entityNames=["src/yard", "Nobody"])

    message = "Entities deleted successfully"
    assert response.content[0].text == message
    assert response.structured_content == {"success": True, "message": message}
    assert graph.answer("read_graph") == {"entities": [ADA], "relations": []}


def test_an_entity_stays_in_its_place_without_its_observations(graph: Desk) -> None:
    drop(graph, "Ada", "Sails", "Ada: rows", "Unknown")
    drop(graph, "Nobody", "Sails")

    assert graph.answer("read_graph")["entities"] == [ADA | {"observations": []}, YARD]


def test_just_the_named_relation_is_deleted(graph: Desk) -> None:
    other = WORKS | {"relationType": "owns"}
    graph.answer("create_relations", relations=[other])
    graph.answer("delete_relations", relations=[WORKS, WORKS | {"to": "Nobody"}])

    assert graph.answer("read_graph")["relations"] == [other]


@pytest.mark.parametrize(
    ("query", "found"),
    [("SAIL", ["Ada"]), ("place", ["src/yard"]), ("a", ["Ada", "src/yard"]), ("", None), ("?", [])],
)
def test_entities_are_found_by_name_type_or_observation(
    graph: Desk, query: str, found: list[str] | None
) -> None:
    response = graph.answer("search_nodes", query=query)
    wanted = ["Ada", "src/yard"] if found is None else found

    assert [one["name"] for one in response["entities"]] == wanted
    assert response["relations"] == ([WORKS] if wanted else [])  # one end inside is enough


def test_where_nothing_contains_the_query_a_search_finds_the_entity(graph: Desk) -> None:
    assert graph.answer("search_nodes", query="Who sails boats?")["entities"] == [ADA]
    assert graph.answer("search_nodes", query="quantum chromodynamics") == NOTHING


def test_nodes_are_opened_by_their_exact_names(graph: Desk) -> None:
    response = graph.answer("open_nodes", names=["Ada", "ada", "Nobody"])

    assert response == {"entities": [ADA], "relations": [WORKS]}


def test_relations_of_names_with_slashes_are_told_apart(desk: Desk) -> None:
    alike = [
        {"from": "src", "relationType": "has", "to": "a/b"},
        {"from": "src/has", "relationType": "a", "to": "b"},
        {"from": "src", "relationType": "has/a", "to": "b"},
    ]
    desk.answer("create_relations", relations=alike)

    assert desk.answer("read_graph")["relations"] == alike


def test_an_imported_graph_is_there_and_is_not_stored_twice(desk: Desk, tmp_path: Path) -> None:
    lines = [{"type": "entity", **ADA}, {"type": "entity", **YARD}, {"type": "relation", **WORKS}]
    file = tmp_path / "memory.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    desk.memory.import_(file)
    before = desk.answer("read_graph")

    assert sorted(one["name"] for one in before["entities"]) == ["Ada", "src/yard"]
    (ada,) = desk.answer("open_nodes", names=["Ada"])["entities"]
    assert (ada["entityType"], sorted(ada["observations"])) == ("person", ["Ada: rows", "Sails"])
    assert desk.answer("create_entities", entities=[ADA]) == {"entities": []}
    assert desk.answer("create_relations", relations=[WORKS]) == {"relations": []}
    assert add(desk, "Ada", *ADA["observations"])["results"][0]["addedObservations"] == []
    assert desk.answer("read_graph") == before


def test_what_was_deleted_is_not_imported_again(graph: Desk, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    file.write_text(json.dumps({"type": "entity", **ADA}), "utf-8")
    drop(graph, "Ada", "Sails")
    graph.memory.import_(file)

    (ada,) = graph.answer("open_nodes", names=["Ada"])["entities"]
    assert ada["observations"] == ["Ada: rows"]


def test_observations_are_memories_and_memories_of_an_entity_are_observations(
    graph: Desk,
) -> None:
    graph.memory.add("Ada dives at night.", metadata={"entity": "Ada"})
    graph.memory.add("Ada is a ship, too.", metadata={"entity": 7})

    hit = graph.memory.search("Who sails?").hits[0].item
    assert (hit.content, hit.tags) == ("Ada: Sails", ("person",))
    (ada,) = graph.answer("open_nodes", names=["Ada"])["entities"]
    assert sorted(ada["observations"]) == ["Ada dives at night.", "Ada: rows", "Sails"]


def test_a_deleted_observation_can_be_restored_and_a_changed_one_is_reported(graph: Desk) -> None:
    item = graph.memory.search("Who sails?").hits[0].item
    drop(graph, "Ada", "Sails")
    graph.memory.restore(item.id)
    graph.memory.update(item.id, content="Ada: Sails far")

    (ada,) = graph.answer("open_nodes", names=["Ada"])["entities"]
    assert ada["observations"] == ["Ada: Sails far", "Ada: rows"]
    drop(graph, "Ada", "Ada: Sails far")
    (ada,) = graph.answer("open_nodes", names=["Ada"])["entities"]
    assert ada["observations"] == ["Ada: rows"]


def test_clients_at_once_lose_nothing(graph: Desk) -> None:
    texts = [f"Fact {number}" for number in range(16)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(partial(add, graph, "Ada"), texts))
        (ada,) = graph.answer("open_nodes", names=["Ada"])["entities"]
        list(pool.map(partial(drop, graph, "Ada"), ada["observations"]))

    assert sorted(ada["observations"]) == sorted([*ADA["observations"], *texts])
    assert graph.answer("open_nodes", names=["Ada"])["entities"] == [ADA | {"observations": []}]


def test_a_graph_that_is_too_large_is_cut_and_says_so(desk: Desk) -> None:
    large = [ADA | {"name": f"Ada {i}", "observations": ["word " * 300]} for i in range(40)]
    relations = [WORKS | {"to": f"Place {i}"} for i in range(EACH_MAX)]
    desk.answer("create_entities", entities=large)
    new = desk.call("create_relations", relations=relations)
    assert json.loads(new.content[0].text) == new.structured_content
    assert new.structured_content["cut"] is True
    response = desk.call("read_graph").structured_content

    assert response["cut"] is True
    assert 0 < len(response["entities"]) < 40
    assert 0 < len(response["relations"]) < EACH_MAX
    assert count(as_json(response)) <= ANSWER_TOKENS_MAX
    assert desk.answer("open_nodes", names=["Ada 39"])["entities"][0]["name"] == "Ada 39"


def test_one_large_entity_is_cut_and_its_text_stays_json(desk: Desk) -> None:
    large = ADA | {"observations": [f"Fact {i}: " + "word " * 50 for i in range(400)]}
    desk.answer("create_entities", entities=[large])
    response = desk.call("read_graph")

    assert json.loads(response.content[0].text) == response.structured_content
    assert response.structured_content["cut"] is True
    assert 0 < len(response.structured_content["entities"][0]["observations"]) < 400


@pytest.mark.parametrize(
    ("name", "arguments", "field"),
    [
        ("create_entities", {"entities": [ADA | {"name": " "}]}, "entities.name"),
        ("create_entities", {"entities": [{"name": "Ada"}]}, "entities[0].entityType"),
        ("create_relations", {"relations": [WORKS | {"to": ""}]}, "relations.to"),
        ("read_graph", {"all": True}, "all"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_written(
    desk: Desk, name: str, arguments: dict[str, Any], field: str
) -> None:
    reported = desk.error(name, **arguments)

    assert reported["code"] == "invalid_input"
    assert reported["message"].startswith(f"{field}: ")
    assert desk.answer("read_graph") == NOTHING


@pytest.mark.parametrize("name", REFERENCE)
def test_who_may_only_read_changes_nothing(desk: Desk, name: str) -> None:
    tool, may_read = REFERENCE[name], name in {"read_graph", "search_nodes", "open_nodes"}
    desk.visitor.allowed = (Permission.READ,)

    assert (tool.is_reading, tool.destroys) == (may_read, name.startswith("delete"))
    if not may_read:
        assert desk.error(name)["code"] == "access_denied"


def test_a_call_is_noted_as_its_operation(graph: Desk) -> None:
    graph.visitor.noted.clear()
    drop(graph, "Ada", "Sails")

    assert graph.visitor.noted == [("forget", Permission.WRITE, 200, 1)]


def test_just_these_tools_are_listed_and_the_others_can_be_called(graph: Desk) -> None:
    listed = graph.asked(lambda client: client.list_tools()).tools

    assert [one.name for one in listed] == list(REFERENCE)
    assert "Ada: Sails" in graph.text("retrieve_context", query="Who sails?")
