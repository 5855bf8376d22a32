"""Every statement is about one space: on each table that it touches, the space is a condition.

The server itself says so: its plan for a statement names each table that it reads, and the
conditions by which. It is asked as a superuser, for whom no policy adds a condition. So no row of
another space is read, nothing is joined across spaces, and in tables that are distributed by space
one node answers each statement.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import psycopg
import pytest
from psycopg import ClientCursor

from simonides.model.filter import Filter, Viewer
from simonides.ports.lanes import Wanted
from simonides_bench.testing.servers.postgres import PostgresServer
from simonides_postgres.commit_mark import CommitMark
from simonides_postgres.distribution import LOCAL
from simonides_postgres.facts import FACTS
from simonides_postgres.for_each import for_each
from simonides_postgres.lanes.conditions import condition
from simonides_postgres.lanes.statements import LANES
from simonides_postgres.lanes.vector_indexes import nearest_of_all
from simonides_postgres.migrations import table_names
from simonides_postgres.queries import STATEMENTS

SPACE: Final = 424242
CONDITIONS: Final = ("Index Cond", "Recheck Cond", "Filter")
OF_ALL_SPACES: Final = {
    "clock_us": "asks the server for the time, and no table",
}
"""Named statements that name no space, and why."""

VALUES: Final[dict[str, Any]] = {
    **dict.fromkeys(
        "id algorithm needle cause session collection before work holder status body "
        "mark item_id how entity full gist micro role kind".split(),
        "x",
    ),
    **dict.fromkeys(("vector", "source_hash", "id_hash"), b"\1\2"),
    "space": SPACE,
    "ids": '["x"]',
    "statuses": '["pending"]',
    "terms": "'1.ab'",
    "query": "[1,2,3,4]",
    "texts": ["%x%"],
    "owner": ["x"],
    "among": [1],
    "vector_total": [1],
    "imports": True,
    "counts": "{}",
}
"""What is asked for, by name; 1 unless said otherwise. Nothing that makes a part needless."""

OWN_VALUES: Final[dict[str, dict[str, Any]]] = {
    "note_request": {"digest": "x"},
    "forget_request": {"digest": "x"},
    "past_due": {"before": 1},
    "count_due": {"before": 1},
}
POSITIONAL: Final = {
    "same_engagement": (SPACE, "x", "used", 1, 1, 1),
    "add_receipt": (SPACE, "x", 1, "x"),
    "add_engagement": (SPACE, "x", 1, "used", 1),
    "put_background": (SPACE, "x", "x", 1, 1, "x", b""),
    "fill_background": (SPACE, "x", "x", 1, 1, "x", b""),
    "fill_engagement": (SPACE, "x", "used", 1, 1, 1),
    "fill_erased": (SPACE, b"x" * 16, 1, 1),
    "fill_proposal": (SPACE, "x", 1, "pending", 1, "x"),
    "add_proposal": (SPACE, "x", 1, "pending", 1, "x"),
    "stage_chunk": (SPACE, 1, 0, 0, 1, 1, 0, 1, b"", b""),
}
EVERYTHING: Final = Wanted(
    filter=Filter(
        sources=("x",),
        scopes=("user",),
        statuses=("active",),
        viewer=Viewer(user_id="x"),
    ),
    now_us=1,
    mentioned=(("author", ("x",)), ("any", ("y",))),
    keys=((1, 2),),
)


def lane_text(name: str) -> str:
    if name == "nearest_of_all":
        return nearest_of_all(SPACE, dimension=4, limit=1)
    return str(LANES[name]).replace("{wanted}", condition(EVERYTHING)[0])


def values_of(name: str, text: str) -> Any:
    """Return values for a statement, whatever it takes."""
    if "%s" in text:
        return POSITIONAL[name]
    lists: dict[str, Any] = {one: [] for one in re.findall(r"%\((\w+)\)[sb]::\w+\[\]", text)}
    wanted = condition(EVERYTHING)[1] if name.startswith("lanes.") else {}
    given = {**VALUES, **wanted, **OWN_VALUES.get(name, {}), **lists}
    return {one: given.get(one, 1) for one in re.findall(r"%\((\w+)\)[sb]", text)}


TEXTS: Final[dict[str, str]] = {
    **{name: text for name, text in STATEMENTS.items() if name not in OF_ALL_SPACES},
    **{f"lanes.{name}": lane_text(name) for name in LANES},
}
"""Every named statement."""


def own(text: str) -> str:
    return text.replace("OWN", str(SPACE))


BESIDE: Final = {
    "the facts": f"{FACTS}{SPACE} FOR UPDATE",
    "a fact that is set": own("UPDATE spaces SET revision = 1 WHERE space_id = OWN"),
    "a space that is removed": own("DELETE FROM spaces WHERE space_id = OWN"),
    "the question after a commit": CommitMark(SPACE).ask(since_us=1).decode(),
    **{
        f"the mark of a commit, {at}": text
        for at, text in enumerate(CommitMark(SPACE).commit(since_us=1).decode().split("; ")[:-1])
    },
}
"""What the store runs besides the named statements."""


@pytest.fixture(scope="module")
def connection(
    postgres_server: PostgresServer, postgres_template: str
) -> Iterator[psycopg.Connection[Any]]:
    """A connection of the superuser to tables without rows, that binds values in the client."""
    name = postgres_server.make_database(template=postgres_template)
    dsn = postgres_server.dsn(name)
    with psycopg.connect(dsn, autocommit=True, cursor_factory=ClientCursor) as made:
        made.execute("SET constraint_exclusion = off")
        yield made
    postgres_server.drop_database(name)


def nodes_of(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes_of(below)


def planned(connection: psycopg.Connection[Any], text: str, values: Any) -> list[dict[str, Any]]:
    """Return every step of the server's plan."""
    text = re.sub(r"%\((\w+)\)b", r"%(\1)s", text).rstrip(";")
    [(found,)] = connection.execute(
        f"EXPLAIN (VERBOSE, FORMAT JSON) {text}".encode(), values
    ).fetchall()
    plan = json.loads(found) if isinstance(found, str) else found
    return list(nodes_of(plan[0]["Plan"]))


def strays(nodes: list[dict[str, Any]]) -> list[str]:
    """Return the tables of spaces that a plan reads or writes without the space as a condition."""
    of_space = re.compile(rf"\bspace_id = (?:'{SPACE}'::bigint|{SPACE})\)")
    names = set(table_names())
    found = []
    for node in nodes:
        if node.get("Relation Name") not in names:
            continue
        if node["Node Type"] != "ModifyTable":
            said = [node[one] for one in CONDITIONS if one in node]
            if not any(of_space.search(one) for one in said if " OR " not in outer_part(one)):
                found.append(node["Relation Name"])
        elif node["Operation"] == "Insert":
            first = node["Plans"][0]["Output"][0]
            if first != f"'{SPACE}'::bigint" and not re.search(r"\bspace_id$", first):
                found.append(node["Relation Name"])
    return found


def outer_part(said: str) -> str:
    """Return what a condition says outside of its inner parentheses."""
    depth, out = 0, []
    for letter in said:
        depth += (letter == "(") - (letter == ")")
        out.append(letter if depth <= 1 else "")
    return "".join(out)


def named_in(text: str) -> Counter[str]:
    """Return the tables that a statement reads or writes, by its text, and how often."""
    text = re.sub(r"DO UPDATE SET", "", text)
    found = re.findall(r"\b(?:FROM|JOIN|INTO|UPDATE) (\w+)", text)
    return Counter(one for one in found if one in table_names())


@pytest.mark.parametrize("name", [*TEXTS, *BESIDE])
def test_the_space_is_a_condition_on_every_table(
    connection: psycopg.Connection[Any], name: str
) -> None:
    text = {**TEXTS, **BESIDE}[name]
    values = values_of(name, text) if name in TEXTS else None

    nodes = planned(connection, text, values)

    assert strays(nodes) == []
    planned_tables = {node["Relation Name"] for node in nodes if "Relation Name" in node}
    assert set(named_in(text)) - planned_tables == set(), "a part was left out of the plan"


@pytest.mark.parametrize("name", OF_ALL_SPACES)
def test_what_names_no_space_touches_no_table(name: str) -> None:
    assert not named_in(STATEMENTS[name])


@pytest.mark.parametrize(
    ("names", "value"),
    [
        (("item_by_key", "chunk_span"), {"key": 1, "ordinal": 0}),
        (("past.item_by_key",), {"key": 1, "revision": 1, "ceiling": 9}),
        (("every.item_by_key", "every.chunk_span"), {"key": 1, "ordinal": 0}),
        (("surrogate",), {"key": 1, "algorithm": "a"}),
        (("engagement",), {"id": "x", "revision": 1}),
    ],
)
def test_the_space_is_a_condition_on_what_is_looked_up_for_several(
    connection: psycopg.Connection[Any], *, names: tuple[str, ...], value: dict[str, int | str]
) -> None:
    asked = {name: [one] * 3 for name, one in value.items()} | {"space": SPACE}

    nodes = planned(connection, for_each(names, [value] * 3), asked)

    assert strays(nodes) == []
    assert len([node for node in nodes if "Relation Name" in node]) >= len(names)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT key FROM knowledge_items WHERE id = 'x'",
        "SELECT key FROM knowledge_items WHERE space_id = OWN AND id = 'x' OR version = 2",
        "SELECT 1 FROM chunks JOIN embeddings USING (item_key) WHERE chunks.space_id = OWN",
        "SELECT 1 FROM chunks JOIN embeddings USING (space_id, item_key)",
        "SELECT 1 FROM chunks WHERE space_id = OWN + 1",
        "SELECT 1 FROM chunks WHERE space_id >= OWN",
        "UPDATE chunks SET start = 0 WHERE item_key = 1 AND start <> OWN",
        "INSERT INTO receipts (space_id, id, at_us, text) VALUES (7, 'x', 1, 'x')",
        "DELETE FROM revisions WHERE space_id = OWN AND revision IN (SELECT epoch FROM revisions)",
    ],
)
def test_a_statement_that_strays_is_found(connection: psycopg.Connection[Any], text: str) -> None:
    assert strays(planned(connection, own(text), None))


INSERTS: Final = [
    name for name, text in TEXTS.items() if re.search(r"INSERT INTO \w+[^;]*\)\s*SELECT", text)
]


@pytest.mark.parametrize("name", INSERTS)
def test_added_rows_take_their_space_from_a_table(
    connection: psycopg.Connection[Any], name: str
) -> None:
    """Only so does Citus add them where they lie, and not by COPY, which the walls refuse."""
    text = TEXTS[name]

    nodes = planned(connection, text, values_of(name, text))

    [insert] = [node for node in nodes if node["Node Type"] == "ModifyTable"]
    assert insert["Plans"][0]["Output"][0].endswith("space_id")
    assert " LIMIT " not in text
    assert not re.search(r"\bWITH\b", text)


@pytest.mark.parametrize("text", [*TEXTS.values(), *BESIDE.values()])
def test_no_row_is_chosen_to_be_changed_by_what_may_differ_from_node_to_node(text: str) -> None:
    """Citus refuses such conditions."""
    if re.match(r"(?:UPDATE|DELETE)\b", text):
        assert not re.search(r"\b(?:clock_timestamp|now|random)\(", text)


def test_every_key_of_a_table_begins_with_the_space(connection: psycopg.Connection[Any]) -> None:
    """Citus keeps nothing unique across nodes, and refers to no row of another one."""
    keys = connection.execute(
        "SELECT conrelid::regclass::text, confrelid::regclass::text, contype::text,"
        " (SELECT attname FROM pg_attribute WHERE attrelid = conrelid AND attnum = conkey[1]),"
        " (SELECT attname FROM pg_attribute WHERE attrelid = confrelid AND attnum = confkey[1])"
        " FROM pg_constraint WHERE contype IN ('p', 'u', 'f')"
        " AND connamespace = 'public'::regnamespace"
    ).fetchall()
    ours = [one for one in keys if one[0] in table_names() and one[0] not in LOCAL]

    assert {one[0] for one in ours} == set(table_names()) - set(LOCAL)
    assert {one[3] for one in ours} == {"space_id"}
    assert {one[4] for one in ours if one[2] == "f"} == {"space_id"}
    assert not {one[1] for one in ours} & set(LOCAL)


def from_subqueries(text: str) -> Iterator[str]:
    """Yield what follows the closing parenthesis of each subquery that is read from."""
    for found in re.finditer(r"\bFROM\s*\(\s*\(?\s*SELECT", text):
        start = text.index("(", found.start())
        depth = 0
        for at in range(start, len(text)):
            depth += (text[at] == "(") - (text[at] == ")")
            if not depth:
                yield text[at + 1 :].lstrip()
                break


@pytest.mark.parametrize("text", TEXTS.values())
def test_every_statement_is_understood_by_the_oldest_server(text: str) -> None:
    """PostgreSQL 15 wants a name for each subquery, and cannot tell what is JSON."""
    assert [after for after in from_subqueries(text) if not after.startswith("AS ")] == []
    assert "IS JSON" not in text


@pytest.mark.parametrize("name", LANES)
def test_what_is_asked_for_is_read_once_and_not_for_each_row(name: str) -> None:
    """A parameter that becomes another type in a condition is read anew for each row."""
    text = lane_text(name)

    casts = re.findall(r"(\(SELECT )?%\(\w+\)s::(?:halfvec|tsquery)", text)

    assert all(casts)
