"""After any accepted item, every question is answered in the database, too, whatever the filter."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
from tests.property.test_boundary_laws import FIELDS, NOW, check_asking, item_of

from simonides import Filter, Memory, MemoryTraits, Settings
from simonides.errors import InvalidInput

FILTERS: Final[tuple[dict[str, Any], ...]] = (
    {"viewer": {"user_id": "a", "session_id": "s", "workspace_id": "x"}},
    {"where": {"a": {"in": [1, "x", None]}}},
    {"scopes": ["user"], "types": ["episodic"], "expired": True},
)
QUESTIONS: Final = ("harbor deadline", "What did Tom Becker say in last week's email?")


@pytest.fixture
def memory(tmp_path: Path, pooled_dsn: str) -> Iterator[Memory]:
    """A space that holds an item already, and is answered in the database."""
    settings = Settings(embedder="none", timezone="UTC", store=pooled_dsn, lanes="database")
    with Memory(tmp_path, settings=settings, clock=lambda: NOW) as made:
        made.add("the harbor deadline is Friday, says Tom Becker", id="anchor", session="s")
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("name", FIELDS)
def test_questions_are_answered_after_whatever_was_taken(memory: Memory, name: str) -> None:
    for number, value in enumerate(FIELDS[name]):
        with suppress(InvalidInput):
            memory.add(**item_of(name, value, number))

    check_asking(memory)
    for question in QUESTIONS:
        for wanted in FILTERS:
            memory.search(question, filter=Filter(**wanted))


@pytest.mark.parametrize(
    "user", ["a\0b", "\0\0", "a\\u0000", "\\\0", "\ufdd0", "\ufdd00\0"], ids=ascii
)
def test_a_viewer_of_any_name_sees_what_is_theirs(memory: Memory, user: str) -> None:
    traits = MemoryTraits(scope="user", user_id=user)
    memory.add("the harbor deadline moved", id="theirs", kind="memory", traits=traits)

    seen = {
        one: {
            hit.id
            for hit in memory.search("harbor deadline", filter=Filter(viewer={"user_id": one}))
        }
        for one in (user, "another")
    }

    assert seen == {user: {"anchor", "theirs"}, "another": {"anchor"}}
