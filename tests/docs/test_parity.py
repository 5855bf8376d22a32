"""Every operation and every field is offered by every interface, but for reasons that are told."""

import importlib.util
import io
import json
from dataclasses import fields
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("mcp", reason="needs the extra mcp")
pytest.importorskip("starlette", reason="needs the extra server")

from simonides import Memory, Settings
from simonides.api.operations import OPERATIONS
from simonides.cli.main import run
from simonides.codec.request import read_request
from simonides.codec.write import to_wire
from simonides.mcp.tools import reason_against
from simonides.model.filter import Filter

ROOT = Path(__file__).parents[2]


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("parity", ROOT / "scripts/parity_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCRIPT = _script()
ROWS = {row.operation.name: row for row in SCRIPT.rows()}
NEEDS_FILES = {"import_", "export", "backup"}


def test_the_page_is_what_the_script_makes() -> None:
    made = SCRIPT.page()

    assert SCRIPT.PAGE.read_text("utf-8") == made, "run python scripts/parity_table.py"


def test_every_operation_is_a_method_of_memory_and_a_command() -> None:
    with Memory(":memory:", settings=Settings(embedder="none")) as memory:
        assert [name for name in OPERATIONS if not callable(attrgetter(name)(memory))] == []
    assert [name for name, row in ROWS.items() if not row.command] == []


def test_what_is_not_offered_over_http_and_mcp_are_these_and_no_others() -> None:
    assert [name for name, row in ROWS.items() if not row.route] == []
    assert {name for name, row in ROWS.items() if not row.tool} == NEEDS_FILES
    assert all(reason_against(row.operation) for row in ROWS.values() if not row.tool)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_field_of_a_request_is_in_every_interface_that_offers_it(name: str) -> None:
    row = ROWS[name]

    assert {one.name for one in row.fields} == {one.name for one in fields(row.operation.request)}
    assert [one.name for one in row.fields if not one.command] == []
    if row.tool:
        assert [one.name for one in row.fields if not one.tool] == []
    if row.route:
        assert [one.name for one in row.fields if not one.route] == []


def test_every_field_of_a_filter_is_reported() -> None:
    page = SCRIPT.PAGE.read_text("utf-8").partition("### Fields of `filter`")[2]

    assert {one.name for one in fields(Filter) if f"| `{one.name}` | `--" not in page} == set()


@pytest.mark.parametrize(
    ("name", "argv", "request_"),
    [
        ("search", ("search", "Alpha", "--best-context"), {"query": "Alpha", "best_context": True}),
        ("brief", ("brief", "Alpha"), {"query": "Alpha"}),
        ("explain", ("explain", "Alpha"), {"query": "Alpha"}),
        ("retrieve", ("retrieve", "Alpha"), {"query": "Alpha"}),
        ("list", ("list",), {}),
        ("add", ("add", "Tom owns it"), {"content": "Tom owns it"}),
        ("remember", ("remember", "Sarah drinks tea"), {"text": "Sarah drinks tea"}),
        ("entities", ("entities",), {}),
        ("stats", ("stats",), {}),
        ("background.put", ("background", "put", "Late."), {"text": "Late."}),
        ("background.best", ("background", "best", "Alpha"), {"query": "Alpha"}),
        ("proposals.list", ("proposals", "list"), {}),
        ("sessions.list", ("sessions", "list"), {}),
        ("preferences.set", ("preferences", "set", "tone", "plain"),
         {"key": "tone", "value": "plain"}),
        ("surrogates.build", ("surrogates", "build"), {}),
        ("compact", ("compact",), {}),
        ("spaces", ("spaces",), {}),
    ],
)  # fmt: skip
def test_the_command_line_writes_the_json_of_the_operation(
    tmp_path: Path, name: str, argv: tuple[str, ...], request_: dict[str, Any]
) -> None:
    operation = OPERATIONS[name]
    out = io.StringIO()
    settings = Settings(embedder="none", timezone="UTC", durability="relaxed")
    with Memory(tmp_path / "home", settings=settings) as memory:
        memory.add("Alpha is due on Friday.", kind="email", source="gmail")
        asked = read_request(operation.request, request_)
        answer = to_wire(operation.answer(asked, operation.run(memory, asked)))
        status = run(
            (*argv, "--json"), stdin=io.StringIO(), out=out, err=io.StringIO(),
            environment={"SIMONIDES_HOME": str(tmp_path / "home")},
            open_memory=lambda *_, **__: memory,
        )  # fmt: skip

    assert status == 0
    assert set(json.loads(out.getvalue())) == set(answer)
    names = {one.partition("`")[2].partition("`")[0] for one in ROWS[name].results}
    assert set(answer) == names
