"""Trust and surrogates on the wire."""

import json
from typing import Final

import pytest

from simonides.cli.hits import TRUST_SHOWN
from simonides.codec.write import to_line, to_wire
from simonides.context.labels import TRUST_MARKS
from simonides.model.answer import Hit
from simonides.model.item import Item, Trust
from simonides.model.stored import Surrogate, SurrogatesBuilt, Unwritten

MADE: Final = Surrogate(
    item_key=7, algorithm="extractive", version=1, source_hash=bytes(range(16)),
    full="full", gist="gist", micro="m\u2026",
)  # fmt: skip


@pytest.mark.parametrize("trust", Trust)
def test_each_entry_of_a_search_says_how_far_it_may_be_trusted(trust: Trust) -> None:
    wire = to_wire(Hit(item=Item(content="x"), score=0.5, trust=trust))

    assert wire["trust"] == trust.value
    assert type(wire["trust"]) is str


def test_a_surrogate_is_reported_without_the_key_of_the_store() -> None:
    assert to_wire(MADE) == {
        "algorithm": "extractive",
        "version": 1,
        "source_hash": "000102030405060708090a0b0c0d0e0f",
        "full": "full",
        "gist": "gist",
        "micro": "m\u2026",
    }


def test_a_build_is_reported_with_all_that_failed() -> None:
    built = SurrogatesBuilt(built=2, left=1, unwritten=(Unwritten(id="a", reason="torn"),))

    assert json.loads(to_line(built)) == {
        "built": 2,
        "up_to_date": 0,
        "left": 1,
        "unwritten": [{"id": "a", "reason": "torn"}],
        "took_s": 0.0,
    }


def test_the_command_line_says_of_trust_what_a_brief_says() -> None:
    assert TRUST_SHOWN == TRUST_MARKS
