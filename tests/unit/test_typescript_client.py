"""The generated part of the TypeScript client is that of the present routes."""

import importlib.util
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
OUTDATED = "run make js"


@pytest.fixture(scope="module")
def script() -> Any:
    """Return the module that writes the files."""
    path = ROOT / "scripts/typescript_client.py"
    spec = importlib.util.spec_from_file_location("typescript_client", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_types_are_made_of_the_present_openapi_document(script: Any) -> None:
    assert script.TYPES.read_text("utf-8").startswith(script.head_of_types()), OUTDATED


def test_the_methods_are_those_of_the_present_routes(script: Any) -> None:
    assert script.OPERATIONS.read_text("utf-8") == script.operations(), OUTDATED


def test_every_route_but_those_of_other_protocols_has_a_method_of_its_own(script: Any) -> None:
    names = Counter(map(script.name_of, script.routes()))

    assert max(names.values()) == 1
    assert {"search", "recordUsage", "sessions.create", "memories.get", "health.live"} <= set(names)


def test_an_object_of_which_no_field_is_reported_may_have_any(script: Any) -> None:
    schemas = script.openapi()["components"]["schemas"]

    assert schemas["Receipt"] == {"type": "object", "additionalProperties": True}
    assert schemas["Nothing"]["additionalProperties"] is False
