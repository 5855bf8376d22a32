"""`memory.entities`: what is one, under which names, and how its owner says so."""

import asyncio
from collections.abc import Callable

import pytest

from simonides import Filter, Memory
from simonides.errors import InvalidInput, NotFound

Open = Callable[..., Memory]


@pytest.fixture
def desk(memory: Memory) -> Memory:
    """Return a memory in which one project is written in several ways."""
    memory.add("The budget of Project Alpha is fixed.", id="a", title="Project Alpha Update")
    memory.add("the Alpha project starts in May", id="b")
    memory.add("we asked whether Alpha is late", id="c")
    memory.add("nothing to do with it, said Tom Berger", id="d")
    memory.add("a crane", id="e", metadata={"project": "Alpha"})
    memory.add("we dropped Apollo in March", id="f")
    memory.add(
        "Hello", id="m", kind="email", people=["Sarah Lind <sarah@a.example>", "user", "assistant"]
    )
    memory.add("Dear Jonas, we meet at 15 Uhr.", id="n", people=["Sarah Lind <lind@b.example>"])
    return memory


def ids(memory: Memory, entity: str) -> set[str]:
    found = memory.search("what about it", filter=Filter(entities=(entity,)), limit=50)
    return {hit.id for hit in found}


def listed(memory: Memory, name: str = "") -> dict[str, int]:
    return {one.id: one.mentions for one in memory.entities(name=name)}


@pytest.mark.parametrize(
    "name", ["Project Alpha", "alpha", "Alpha project", "project:alpha", "Projekt Alpha"]
)
def test_a_project_is_found_by_each_of_its_names(desk: Memory, name: str) -> None:
    assert ids(desk, name) == {"a", "b", "c", "e"}


def test_a_project_is_listed_once(desk: Memory) -> None:
    assert listed(desk, "alpha") == {"project:alpha": 4}
    [alpha] = desk.entities(name="alpha")
    assert {"Project Alpha", "Alpha project", "Alpha"} == set(alpha.names)


def test_a_topic_alone_is_no_project(desk: Memory) -> None:
    assert listed(desk, "apollo") == {"topic:apollo": 1}


def test_roles_greetings_and_clock_words_are_not_listed(desk: Memory) -> None:
    desk.preferences.set("tone", "short")

    names = {name.casefold() for one in desk.entities(limit=200) for name in one.names}
    assert names.isdisjoint({"user", "assistant", "dear jonas", "uhr", "tone", "hello"})


def test_the_known_entities_of_a_question_hold_its_project(desk: Memory) -> None:
    desk.add("Project Alpha is due on Friday.", id="g", people=["Sarah Lind <sarah@a.example>"])
    brief = desk.brief("What did Sarah say about Project Alpha?", layout="sourced")

    assert any(line.startswith("Project Alpha (project)") for line in brief.receipt.entities)
    assert "Project Alpha (project)" in brief.text


def test_an_alias_is_a_further_name(desk: Memory) -> None:
    made = desk.entities.alias("Project Alpha", "Apollo", "the rewrite")

    assert made.id == "project:alpha"
    assert {"Apollo", "the rewrite"} <= set(made.names)
    assert ids(desk, "Apollo") == ids(desk, "the rewrite") == {"a", "b", "c", "e", "f"}
    assert listed(desk, "apollo") == {"project:alpha": 5}
    assert desk.search("what about Apollo").plan.entities == ("project:alpha",)


def test_what_is_merged_is_one_and_forgetting_the_record_undoes_it(desk: Memory) -> None:
    merged = desk.entities.merge("sarah@a.example", "person:lind@b.example")
    asked = Filter(people=("lind@b.example",))

    assert (merged.id, merged.mentions) == ("person:sarah@a.example", 2)
    assert {hit.id for hit in desk.search("hello meet", filter=asked)} == {"m", "n"}
    [record] = desk.list(filter={"sources": ("entity",)}).items
    desk.forget(record.id)
    assert {hit.id for hit in desk.search("hello meet", filter=asked)} == {"n"}
    assert len(listed(desk, "lind")) == 2


def test_an_item_that_only_looks_like_a_record_says_nothing(desk: Memory) -> None:
    for metadata in ({}, {"_names": 3}, {"_names": [], "_same": ["x"]}):
        desk.add("odd", source="entity", collection="entities", metadata=metadata)

    assert ids(desk, "Project Alpha") == {"a", "b", "c", "e"}
    assert listed(desk, "alpha") == {"project:alpha": 4}


def test_an_alias_goes_with_its_record(desk: Memory) -> None:
    desk.entities.alias("Project Alpha", "Apollo", "the rewrite")
    [record] = desk.list(filter={"sources": ("entity",)}).items
    desk.forget(record.id)

    assert (ids(desk, "Apollo"), ids(desk, "the rewrite")) == ({"f"}, set())
    desk.restore(record.id)
    assert ids(desk, "the rewrite") == {"a", "b", "c", "e", "f"}


def test_merging_two_that_were_named_keeps_one_record(desk: Memory) -> None:
    desk.add("Project Beta begins.", id="h")
    desk.entities.alias("project:beta", "Bravo")
    desk.entities.alias("project:alpha", "Apollo")
    merged = desk.entities.merge("project:alpha", "project:beta")

    assert {"Bravo", "Apollo"} <= set(merged.names)
    assert ids(desk, "Bravo") == {"a", "b", "c", "e", "f", "h"}
    assert len(desk.list(filter={"sources": ("entity",)}).items) == 1


def test_a_renamed_entity_is_shown_by_its_name_and_answers_to_the_old_one(desk: Memory) -> None:
    renamed = desk.entities.rename("alpha", "Harbor Works")

    assert renamed.names[0] == "Harbor Works"
    assert [one.names[0] for one in desk.entities(name="alpha")] == ["Harbor Works"]
    assert ids(desk, "Harbor Works") == ids(desk, "Project Alpha") == {"a", "b", "c", "e"}


def test_a_record_is_no_hit_unless_it_is_asked_for(desk: Memory) -> None:
    desk.entities.alias("Project Alpha", "Apollo")

    assert all(hit.item.source != "entity" for hit in desk.search("project alpha apollo", limit=50))
    found = desk.search("project alpha apollo", filter={"sources": ("entity",)})
    assert [hit.item.title for hit in found] == ["Alpha"]


def test_names_hold_after_the_space_is_opened_again_and_in_the_past(
    desk: Memory, open_memory: Open
) -> None:
    before = desk.stats().revision
    desk.entities.alias("Project Alpha", "Apollo")
    desk.close()

    again = open_memory()
    assert ids(again, "Apollo") == {"a", "b", "c", "e", "f"}
    past = again.search("it", filter=Filter(entities=("Apollo",)), as_of=before)
    assert {hit.id for hit in past} == {"f"}


@pytest.mark.parametrize(
    ("verb", "arguments", "error"),
    [
        ("merge", ("nobody", "alpha"), NotFound),
        ("merge", ("alpha", "nobody"), NotFound),
        ("merge", ("alpha",), InvalidInput),
        ("merge", ("alpha", "project:alpha"), InvalidInput),
        ("merge", ("project:alpha", "sarah@a.example"), InvalidInput),
        ("merge", ("Sarah", "alpha"), InvalidInput),
        ("alias", ("alpha",), InvalidInput),
        ("alias", ("alpha", " "), InvalidInput),
        ("rename", ("alpha", "x" * 1_001), InvalidInput),
        ("rename", ("alpha", "Project Beta"), InvalidInput),
    ],
)
def test_what_cannot_be_meant_is_refused(
    desk: Memory, verb: str, arguments: tuple[str, ...], error: type[Exception]
) -> None:
    desk.add("Project Beta begins.", id="h")
    revision = desk.stats().revision

    with pytest.raises(error):
        getattr(desk.entities, verb)(*arguments)
    assert desk.stats().revision == revision


def test_the_same_as_coroutines(desk: Memory) -> None:
    async def ask() -> list[str]:
        await desk.aio.entities.alias("alpha", "Apollo")
        return [one.id for one in await desk.aio.entities(name="apollo")]

    assert asyncio.run(ask()) == ["project:alpha"]
