"""`/v1/search`: what answers a question, in the seeds' shape."""

from typing import Any

from simonides.http.arguments import question
from simonides.http.bodies.asking import SearchBody
from simonides.http.errors import RequestRefused
from simonides.http.route import Answer, Call, Route
from simonides.http.schema import array, record, schema_of
from simonides.model.access import ApiKey
from simonides.model.answer import Hit, SearchResult


def search(call: Call) -> Any:
    """Answer a question, of the key's own space or of several that it may read."""
    body: SearchBody = call.body
    how = question(body, now=call.server.now(), timezone=call.memory.settings.timezone)
    if body.spaces is None:
        found = call.memory.search(body.query, **how)
        return Answer(record=found, count=len(found.hits))
    spaces = readable(call.caller, body.spaces)
    across = call.memory.search_across(body.query, spaces=spaces, **how)
    return Answer(record=across, count=len(across.hits))


def readable(caller: ApiKey, spaces: list[str]) -> tuple[str, ...]:
    """Return the spaces that are named, if the key may read them all.

    Raises:
        Refused: It may not read one of them, or there is none of that name: it says not which.
    """
    allowed = {caller.space, *caller.shared}
    if not set(spaces) <= allowed:
        raise RequestRefused(403, "spaces: this key may not read all of them; see /v1/spaces")
    return tuple(dict.fromkeys(spaces))


_ANSWER = {
    "anyOf": [
        schema_of(SearchResult),
        record(
            "Of several spaces: each entry says of which one it is.",
            entries=array({"allOf": [schema_of(Hit),
                                     record(space=str)]}),
            latestContext=str,
            contextTimestamp={"type": ["string", "null"]},
            diagnostics={
                "type": "object",
                "additionalProperties": {"$ref": "#/components/schemas/SearchDiagnostics"},
            },
        ),
    ]
}  # fmt: skip

ROUTES = (
    Route(
        method="POST", path="/v1/search", verb="search", tag="questions", run=search,
        told="Find what answers a question, best first, each hit with its explanation.",
        body=SearchBody, answers={200: _ANSWER},
        example={"query": "When is Alpha due?", "limit": 5, "filter": {"kinds": ["email"]}},
        problems=(410,),
    ),
)  # fmt: skip
