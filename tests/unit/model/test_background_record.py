"""Which background goes with a search."""

import pytest

from simonides.model.filter import Filter
from simonides.model.stored import MAIN, background_collection


@pytest.mark.parametrize(
    ("collections", "asked"),
    [
        ((), "main"),
        (("work",), "work"),
        (("work", "work"), "work"),
        (("work", "home"), "main"),
        (("main", "work"), "main"),
        (("",), ""),
    ],
)
def test_it_is_that_of_the_only_collection_named_or_else_of_main(
    collections: tuple[str, ...], asked: str
) -> None:
    assert background_collection(Filter(collections=collections)) == asked


def test_main_is_where_items_are_unless_they_say_otherwise() -> None:
    from simonides.model.item import Item

    assert Item(content="x").collection == MAIN
