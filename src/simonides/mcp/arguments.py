"""What the tools take: models with bounds and defaults, shown to clients as JSON Schema.

An argument that is not known is refused, so that nobody believes to have named a space with one.
Must not know what a tool does.
"""

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from simonides.errors import InvalidInput
from simonides.mcp.bounds import ANSWER_TOKENS_MAX
from simonides.model.bounds import EXACT_MAX, ID, REVISION, SESSION_ID, TIME
from simonides.model.item import Kind
from simonides.model.query import NamedTime

SEARCH_MAX, PAGE_MAX, ENTITIES_MAX = 50, 50, 200
CONTENT_MAX = 6_000
"""Tokens of a content: in a text each of its lines may take a mark more."""

TEXT_CHARS_MAX = 20_000
"""Characters of what is to be remembered: some pages."""

QUESTION_CHARS_MAX = 8_000
TITLE_CHARS_MAX = 1_000
"""Both are what a model writes in one go, well within what a record holds."""

PROBLEMS_SHOWN = 5
NAME_CHARS_MAX = 80
"""Characters of an argument's name that an error repeats."""


def _several(value: Any) -> Any:
    """Return a list where a client sends it as text: some write lists as JSON in a string."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return [value] if value else []


Id = Annotated[str, Field(min_length=1, max_length=ID.chars_max)]
Question = Annotated[str, Field(min_length=1, max_length=QUESTION_CHARS_MAX)]
Text = Annotated[str, Field(min_length=1, max_length=TEXT_CHARS_MAX)]
Budget = Annotated[int, Field(ge=50, le=ANSWER_TOKENS_MAX)]
Words = Annotated[
    list[Annotated[str, Field(max_length=200)]], Field(max_length=50), BeforeValidator(_several)
]
Kinds = Annotated[list[Kind], Field(max_length=6), BeforeValidator(_several)]
Version = Annotated[int, Field(ge=1, le=REVISION.high)]
Session = Annotated[str, Field(max_length=SESSION_ID.chars_max)]


class Arguments(BaseModel):
    """What every tool's arguments have: no other is known."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Asking(Arguments):
    """A question, and what it is asked of."""

    query: Question
    """What is to be found, in whole words: a question or a topic."""
    sources: Words = []
    """Only these sources, such as gmail, jira, file, note; empty for all."""
    kinds: Kinds = []
    """Only these kinds of item; empty for all."""
    time_filter: NamedTime | None = None
    """Only what happened in this range, which ends now."""
    session_id: Session = ""
    """The conversation in which it is asked, if it is one that is kept."""


class Retrieving(Asking):
    """What `retrieve_context` and `explain_context` take."""

    budget_tokens: Budget = 1_500
    """Tokens that the context may have."""


class Searching(Asking):
    """What `search_memories` takes."""

    limit: Annotated[int, Field(ge=1, le=SEARCH_MAX)] = 10
    """How many entries at most."""


class Adding(Arguments):
    """What `add_memory` takes."""

    text: Text
    """One statement, whole by itself: who, what, when."""
    entity: Annotated[str, Field(max_length=200)] = ""
    """Whom or what it is about; a newer statement of the same may take the place of an older."""
    type: Literal["profile", "episodic", "policy", "artifact_summary"] = "episodic"
    """profile: how somebody is; episodic: what happened; policy: a rule; artifact_summary."""
    tags: Words = []
    happened_at: Annotated[str, Field(max_length=TIME.chars_max)] = ""
    """When it happened, ISO 8601; now unless told."""


class Getting(Arguments):
    """What `get_memory` takes."""

    id: Id
    offset: Annotated[int, Field(ge=0, le=EXACT_MAX)] = 0
    """From which character of its content on: the next_offset of the answer before."""
    tokens_max: Annotated[int, Field(ge=50, le=CONTENT_MAX)] = 4_000
    """Tokens of the content at most."""


class Listing(Arguments):
    """What `list_memories` takes."""

    limit: Annotated[int, Field(ge=1, le=PAGE_MAX)] = 20
    cursor: Annotated[str, Field(max_length=4_000)] = ""
    """The cursor of the page before."""
    kinds: Kinds = []
    """Only these kinds of item; empty for all."""
    sources: Words = []


class Updating(Arguments):
    """What `update_memory` takes; what is left out stays."""

    id: Id
    text: Text | None = None
    title: Annotated[str, Field(max_length=TITLE_CHARS_MAX)] | None = None
    tags: Words | None = None
    if_version: Version | None = None
    """Only if this version is the present one."""


class Deleting(Arguments):
    """What `delete_memory` takes."""

    id: Id
    if_version: Version | None = None
    """Only if this version is the present one."""


class Naming(Arguments):
    """What `list_entities` takes."""

    name: Annotated[str, Field(max_length=200)] = ""
    """A part of the name."""
    limit: Annotated[int, Field(ge=1, le=ENTITIES_MAX)] = 50


def read(model: type[Arguments], given: dict[str, Any]) -> Any:
    """Return arguments as their model.

    Raises:
        InvalidInput: Some do not fit; says which, never what was sent.
    """
    try:
        return model.model_validate(given)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
    first, *rest = [(_place(one), _problem(one)) for one in found[:PROBLEMS_SHOWN]]
    more = "".join(f"; {place}: {problem}" for place, problem in rest)
    raise InvalidInput(first[0], first[1] + more)


def _place(error: Any) -> str:
    return ".".join(map(str, error["loc"]))[:NAME_CHARS_MAX] or "arguments"


def _problem(error: Any) -> str:
    if error["type"] == "extra_forbidden":
        return "is no argument of this tool (the space comes from the key or the program's own)"
    return str(error["msg"])
