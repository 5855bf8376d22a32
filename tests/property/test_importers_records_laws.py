"""Laws of the readers of trackers and of other programs' memories: nothing makes them fail."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.importers.task_files import change, document, issue, jira_user

from simonides.importers.json_parts import parts
from simonides.importers.local_dates import local_moment
from simonides.model.item import digest
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_bench.testing.depth import examples
from simonides_formats.memories.langgraph_store import read_langgraph_store
from simonides_formats.memories.letta import read_letta
from simonides_formats.memories.mcp_memory import read_mcp_memory
from simonides_formats.memories.mem0 import read_mem0
from simonides_formats.trackers.atlassian import read_rich
from simonides_formats.trackers.github import read_github
from simonides_formats.trackers.jira import read_jira
from simonides_formats.trackers.linear import read_linear
from simonides_formats.trackers.task_csv import read_jira_csv, read_linear_csv
from simonides_formats.trackers.todo_txt import read_todo_txt

READERS = {
    "jira": read_jira,
    "linear": read_linear,
    "github": read_github,
    "mem0": read_mem0,
    "mcp": read_mcp_memory,
    "langgraph": read_langgraph_store,
    "letta": read_letta,
}
TABLES = {"jira": read_jira_csv, "linear": read_linear_csv, "todo": read_todo_txt}

NAMES = (
    "issues values key fields summary description status assignee reporter created updated comment "
    "comments body author changelog histories items field fromString toString from to labels id "
    "identifier title state user number html_url memory memory_id new_memory results metadata "
    "namespace value content kind entities relations entityType observations relationType name "
    "type agents blocks messages role text label core_memory agent_type message_type history nodes "
    "data issuelinks parent sprint customfield_1 attachment text attrs level duedate resolutiondate"
).split()
text = st.text(st.characters(), max_size=12)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    text,
    st.sampled_from(["2026-03-01T10:00:00Z", "A-1", "status", "doc", "text", "paragraph", "user"]),
)


def objects_of(one: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return objects with names that the readers look for."""
    return st.dictionaries(st.sampled_from(NAMES), one, max_size=6)


values = st.recursive(
    scalars,
    lambda one: (
        st.lists(one, max_size=4) | st.dictionaries(st.sampled_from(NAMES), one, max_size=6)
    ),
    max_leaves=25,
)

WHOLE = issue(
    "A-1",
    changelog=[
        change("2026-03-03T09:00:00Z", "status", "To Do", "Done"),
        change("2026-03-04T09:00:00Z", "labels", "a b", "b"),
        change("2026-03-05T09:00:00Z", "description", "old", "new"),
    ],
    description=document("One.", {"type": "table", "content": [{"type": "tableRow"}]}),
    comment={"comments": [{"id": "1", "author": jira_user("Tom B"), "body": document("Hi.")}]},
    labels=["b"],
    issuelinks=[{"type": {"name": "Blocks"}, "outwardIssue": {"key": "A-2"}}],
    customfield_1=[{"name": "S", "boardId": 1}],
)


def events(reader: Any, content: bytes) -> list[ImportEvent]:
    """Return the events of a file with this content, held against the laws of all readers."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "export"
        path.write_bytes(content)
        file = SourceFile(path=path, where="export", size_bytes=len(content))
        found = list(reader(file))
    done = [one.bytes_done for one in found]
    assert found, "a file that holds nothing says so"
    assert done == sorted(done)
    assert all(0 <= one <= len(content) for one in done)
    assert all((one.item is None) != (one.skipped is None) for one in found)
    for one in found:
        if one.item is not None:
            digest(one.item)
    return found


@given(st.sampled_from(sorted(READERS)), values)
def test_no_json_makes_a_reader_fail(name: str, value: Any) -> None:
    events(READERS[name], json.dumps(value).encode())


@given(st.sampled_from(sorted(READERS)), st.lists(st.dictionaries(st.sampled_from(NAMES), values)))
def test_no_lines_make_a_reader_fail(name: str, rows: list[Any]) -> None:
    events(READERS[name], "\n".join(map(json.dumps, rows)).encode() or b"[]")


@given(st.sampled_from(sorted(READERS)), st.binary(max_size=200))
def test_no_bytes_make_a_reader_fail(name: str, raw: bytes) -> None:
    events(READERS[name], raw or b" ")


@given(st.sampled_from(sorted(TABLES)), st.binary(max_size=200) | text.map(str.encode))
def test_no_bytes_make_a_table_fail(name: str, raw: bytes) -> None:
    header = b"Issue key,Summary,Created,Comment\n" if name == "jira" else b"ID,Title,Created\n"
    events(TABLES[name], header + raw)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Return a whole issue with some of its bytes replaced, left out or doubled."""
    raw = bytearray(json.dumps({"issues": [WHOLE, WHOLE]}).encode())
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(raw) - 1))
        to = min(len(raw), at + draw(st.integers(0, 30)))
        raw[at:to] = draw(st.binary(max_size=6) | st.just(bytes(raw[at:to]) * 2))
    return bytes(raw)


@given(mutated())
def test_no_damage_makes_the_reader_of_issues_fail(raw: bytes) -> None:
    events(read_jira, raw)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values inside of a JSON value."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    found = [path] if path else []
    for name, one in inner:
        found += places(one, (*path, name))
    return found


def with_value(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a JSON value with the value at a path replaced."""
    copy = json.loads(json.dumps(value))
    place = copy
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = new
    return copy


PLACES = places(WHOLE)


@given(st.sampled_from(PLACES), values)
def test_one_bad_value_costs_no_other_issue(path: tuple[Any, ...], new: Any) -> None:
    bad = with_value(WHOLE, path, new)
    good = issue("B-2")
    found = events(read_jira, json.dumps([bad, good]).encode())

    if not any(one.skipped and "malformed" in one.skipped.reason for one in found):
        assert "B-2" in [one.item.source_id for one in found if one.item]


@given(values)
def test_rich_text_is_bounded_and_printable(value: Any) -> None:
    found = read_rich(value)

    found.text.encode()
    assert found.text == found.text.strip()


@given(st.text(max_size=60), st.booleans())
def test_no_text_makes_the_reader_of_dates_fail(value: str, day_first: bool) -> None:
    found, _ = local_moment(value, day_first=day_first)

    assert found is None or found.utcoffset() is not None


@settings(max_examples=examples(30))
@given(st.lists(st.integers(), max_size=40), st.sampled_from(["utf-8", "utf-16", "utf-8-sig"]))
def test_records_are_all_handed_out_in_their_order(numbers: list[int], encoding: str) -> None:
    rows = [{"n": str(number)} for number in numbers]
    for content in (json.dumps(rows), json.dumps({"a": 1, "rows": rows, "b": [1]})):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "x"
            path.write_bytes(content.encode(encoding))
            file = SourceFile(path=path, where="x", size_bytes=path.stat().st_size)
            found = [one.value for one in parts(file, "rows")]
        assert found == rows
