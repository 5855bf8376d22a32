"""The stand-ins of items: those stored if they are of these very words, else made on the spot."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from simonides import Item, Memory, Settings
from simonides.context.summary_level import (
    CHARS_MIN,
    LOOKED_AT,
    extractive_surrogate,
    surrogates_of,
    tier_text,
)
from simonides.model.brief import ContextConfig
from simonides.model.item import digest
from simonides.model.stored import Surrogate, Tier
from simonides.ports.space import Space
from simonides.text.surrogates import ALGORITHM, BUDGETS, VERSION, surrogate_texts
from simonides.text.tokens import count
from simonides_bench.testing.hashing import HashingEmbedder

LONG = "The harbor has forty slots, and Tom counted every one of them last week. " * 8
CONFIG = ContextConfig()
MODEL = ContextConfig(surrogates="model-7")
NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    settings = Settings(timezone="UTC", durability="relaxed")
    with Memory(tmp_path, settings=settings, embedder=HashingEmbedder(16)) as opened:
        opened.add(Item(id="a", content=LONG))
        yield opened


@pytest.fixture
def space(memory: Memory) -> Space:
    return memory._runtime.store.open_any("default")


def find_surrogates(
    space: Space, *items: Item, config: ContextConfig = CONFIG
) -> dict[str, Surrogate]:
    with space.read() as reader:
        return surrogates_of(items, reader=reader, config=config)


def keep(space: Space, item: Item, **fields: object) -> None:
    with space.read() as reader:
        (key,) = reader.keys([item.id])
    one = Surrogate(
        item_key=key, algorithm=ALGORITHM, version=VERSION, source_hash=digest(item),
        full="kept", gist="kept", micro="kept",
    )  # fmt: skip
    space.put_surrogates([replace(one, **fields)])  # type: ignore[arg-type]


def test_a_missing_one_is_made_of_the_items_own_sentences(memory: Memory, space: Space) -> None:
    item = memory.get("a")
    expected = surrogate_texts(LONG)
    [one] = find_surrogates(space, item).values()

    assert (one.full, one.gist, one.micro) == (expected.full, expected.gist, expected.micro)
    assert (one.algorithm, one.version, one.source_hash) == (ALGORITHM, VERSION, digest(item))
    assert extractive_surrogate(item, key=7) == replace(one, item_key=7)


@pytest.mark.parametrize(
    ("algorithm", "preset"), [("extractive-compact", "compact"), ("extractive-verbose", "verbose")]
)
def test_one_of_another_preset_is_made_in_its_lengths(
    memory: Memory, space: Space, algorithm: str, preset: str
) -> None:
    item, config = memory.get("a"), ContextConfig(surrogates=algorithm)
    expected = surrogate_texts(LONG, budgets=BUDGETS[preset])
    [one] = find_surrogates(space, item, config=config).values()

    assert (one.full, one.gist, one.micro) == (expected.full, expected.gist, expected.micro)
    assert (one.algorithm, one.full) != (ALGORITHM, surrogate_texts(LONG).full)
    keep(space, item)
    keep(space, item, algorithm=algorithm, version=VERSION + 1)
    assert find_surrogates(space, item, config=config)["a"] == extractive_surrogate(
        item, algorithm=algorithm
    )


def test_a_stored_one_is_served(memory: Memory, space: Space) -> None:
    keep(space, memory.get("a"))

    assert find_surrogates(space, memory.get("a"))["a"].full == "kept"


def test_one_of_another_version_of_ours_is_made_anew(memory: Memory, space: Space) -> None:
    keep(space, memory.get("a"), version=VERSION + 1)

    assert find_surrogates(space, memory.get("a"))["a"].full == surrogate_texts(LONG).full


def test_one_of_other_words_than_the_items_is_never_served(memory: Memory, space: Space) -> None:
    searched = memory.get("a")
    keep(space, searched)
    memory.update("a", content=f"Today, {LONG}")

    assert find_surrogates(space, searched)["a"] == extractive_surrogate(searched)
    assert find_surrogates(space, memory.get("a"))["a"].full.startswith("Today")


def test_what_a_model_wrote_is_served_only_where_it_is_stored(memory: Memory, space: Space) -> None:
    item = memory.get("a")

    assert find_surrogates(space, item, config=MODEL) == {}
    keep(space, item, algorithm="model-7", version=99)
    assert find_surrogates(space, item, config=MODEL)["a"].version == 99
    assert find_surrogates(space, item)["a"] == extractive_surrogate(item)


def test_a_short_text_needs_none(space: Space) -> None:
    assert find_surrogates(space, Item(id="b", content="x" * (CHARS_MIN - 1))) == {}
    assert set(find_surrogates(space, Item(id="b", content="x" * CHARS_MIN))) == {"b"}


def test_only_the_first_long_ones_are_looked_at(space: Space) -> None:
    config = ContextConfig(surrogates_max=1)
    items = [Item(id="short", content="x")]
    items += [Item(id=f"i{n}", content=LONG) for n in range(LOOKED_AT + 1)]

    assert list(find_surrogates(space, *items, config=config)) == [
        f"i{n}" for n in range(LOOKED_AT)
    ]
    assert find_surrogates(space, *items, config=ContextConfig(surrogates_max=0)) == {}


# ── as it is shown ────────────────────────────────────────────────────────────────────────────

STORY = Surrogate(
    item_key=1, algorithm="x", version=1, source_hash=b"",
    full="The unbelievably overcautious harbormaster waited for the tide. ",
    gist="気圧計は第二室にあります。", micro="",
)  # fmt: skip


@pytest.mark.parametrize("tokens_max", range(1, 20))
def test_a_tier_is_cut_after_a_word_and_then_marked(tokens_max: int) -> None:
    text = tier_text(STORY, Tier.FULL, tokens_max=tokens_max, encoding="cl100k_base")
    full = STORY.full.strip()

    assert 0 < count(text) <= tokens_max
    assert text == full or tokens_max == 1 or text.endswith("…")
    if tokens_max > 6:
        assert text == full or full.startswith(f"{text[:-1]} ")


def test_a_tier_that_fits_is_shown_as_it_is() -> None:
    exactly = count(STORY.full.strip())

    for encoding in ("cl100k_base", "o200k_base"):
        assert tier_text(STORY, Tier.FULL, tokens_max=exactly, encoding=encoding).endswith("tide.")
    assert tier_text(STORY, Tier.GIST, tokens_max=60, encoding="cl100k_base") == STORY.gist
    assert tier_text(STORY, Tier.MICRO, tokens_max=60, encoding="cl100k_base") == ""
    assert tier_text(STORY, Tier.FULL, tokens_max=0, encoding="cl100k_base") == ""
