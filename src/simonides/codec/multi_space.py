"""A search through several spaces as JSON: as a search answers, each entry with its space."""

from typing import Any

from simonides.codec.write import to_wire
from simonides.model.multi_space import MultiSpaceResult, SpaceHit


@to_wire.register
def _(value: SpaceHit) -> dict[str, Any]:
    return {**to_wire(value.hit), "space": value.space}


@to_wire.register
def _(value: MultiSpaceResult) -> dict[str, Any]:
    """The background is that of the space named first; `diagnostics` are told by space."""
    answers = {space: to_wire(result) for space, result in value.results.items()}
    first = next(iter(answers.values()))
    return {
        "entries": to_wire(value.hits),
        "latestContext": first["latestContext"],
        "contextTimestamp": first["contextTimestamp"],
        "diagnostics": {space: answer["diagnostics"] for space, answer in answers.items()},
    }
