"""How a brief is to be assembled: what is clamped, what is refused, and the settings by name."""

import math
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.errors import InvalidInput
from simonides.model.brief import (
    PRESETS,
    ContextConfig,
    ContextMode,
    Layout,
    TierPolicy,
)
from simonides.model.item import Trust

SHARES = (
    "full_importance", "gist_importance", "query_boost_max", "likeness_max", "worth_min",
    "worth_min",
)  # fmt: skip
DAYS = ("recent_days", "old_days")
COUNTS = (
    "top_k", "expansion_tokens_max", "expansion_bytes_max", "snippet_words_max", "snippets_max",
    "surrogate_tokens_max", "surrogates_max", "items_max", "source_items_max", "reserve",
)  # fmt: skip
CAPS = ("snippets_max", "items_max", "source_items_max")
DEFAULT = ContextConfig()


def config(**given: Any) -> Any:
    return ContextConfig(**given)


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize(
    ("value", "kept"), [(-0.5, 0.0), (0, 0.0), (0.25, 0.25), (1, 1.0), (1.5, 1.0), (math.inf, 1.0)]
)
def test_a_share_is_brought_into_its_range(name: str, value: float, kept: float) -> None:
    found = getattr(config(**{name: value}), name)

    assert found == kept
    assert isinstance(found, float)


@pytest.mark.parametrize("name", DAYS)
@pytest.mark.parametrize(("value", "kept"), [(-1, 0.0), (0.5, 0.5), (1e9, 1e9)])
def test_days_are_not_negative_and_have_no_end(name: str, value: float, kept: float) -> None:
    assert getattr(config(**{name: value}), name) == kept


@pytest.mark.parametrize("name", [*SHARES, *DAYS])
def test_what_is_no_number_to_reckon_with_becomes_the_default(name: str) -> None:
    assert getattr(config(**{name: math.nan}), name) == getattr(DEFAULT, name)


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize(("value", "kept"), [(-3, 0), (0, 0), (7, 7)])
def test_a_count_is_not_negative(name: str, value: int, kept: int) -> None:
    assert getattr(config(**{name: value}), name) == kept


@pytest.mark.parametrize("name", CAPS)
def test_a_cap_may_be_left_open(name: str) -> None:
    assert getattr(config(**{name: None}), name) is None


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        *(({name: 1.5}, f"{name}: must be a whole number, got 1.5") for name in COUNTS),
        *(({name: True}, f"{name}: must be a whole number, got True") for name in COUNTS),
        *(({name: "1"}, f"{name}: must be a number, got '1'") for name in (*SHARES, *DAYS)),
        *(({name: False}, f"{name}: must be a number, got False") for name in (*SHARES, *DAYS)),
        ({"score_min": "1"}, "score_min: must be a number, got '1'"),
        ({"headers": "no"}, "headers: must be true or false, got 'no'"),
        ({"why": 1}, "why: must be true or false, got 1"),
        ({"surrogates": 5}, "surrogates: must be text, got int"),
        ({"layout": "letter"}, "layout: must be one of brief, sourced, scoped; got 'letter'"),
        ({"context_mode": ""}, "context_mode: must be one of fast, dense; got ''"),
        ({"tier_policy": None}, "tier_policy: must be one of disabled, age, importance; got None"),
        ({"trust_min": "me"}, "trust_min: must be one of own, known, unknown, external; got 'me'"),
    ],
)
def test_what_does_not_fit_is_refused_by_the_fields_name(
    given: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InvalidInput) as reported:
        config(**given)

    assert str(reported.value) == problem


def test_enumerations_may_be_named_by_their_texts() -> None:
    made = config(layout="scoped", context_mode="dense", tier_policy="age", trust_min="known")

    assert (made.layout, made.context_mode) == (Layout.SCOPED, ContextMode.DENSE)
    assert (made.tier_policy, made.trust_min) == (TierPolicy.AGE, Trust.KNOWN)
    assert type(made.layout) is Layout


@pytest.mark.parametrize(("value", "kept"), [(math.nan, None), (None, None), (-2.0, -2.0), (0, 0)])
def test_the_least_score_may_be_any_number_or_none(value: Any, kept: Any) -> None:
    assert config(score_min=value).score_min == kept


@given(
    values=st.fixed_dictionaries(
        {},
        optional={
            **{name: st.floats() | st.integers() for name in (*SHARES, *DAYS)},
            **{name: st.integers() for name in COUNTS},
        },
    )
)
def test_whatever_numbers_are_given_the_record_is_in_range_and_stays_as_it_is(
    values: dict[str, Any],
) -> None:
    made = config(**values)

    assert all(0.0 <= getattr(made, name) <= 1.0 for name in SHARES)
    assert all(getattr(made, name) >= 0.0 for name in DAYS)
    assert all(getattr(made, name) is None or getattr(made, name) >= 0 for name in COUNTS)
    assert config(**{one.name: getattr(made, one.name) for one in fields(made)}) == made


def test_the_presets_are_those_of_the_seeds() -> None:
    seed, chat = PRESETS["seed"], PRESETS["chat"]

    assert (seed.config.top_k, seed.config.snippets_max, seed.budget_tokens) == (24, 24, 1500)
    assert (chat.config.items_max, chat.budget_tokens) == (10, 4000)
    assert (PRESETS["brief"].config, PRESETS["brief"].budget_tokens) == (DEFAULT, 1500)


def test_the_defaults_of_stages_and_tiers_are_those_of_the_seeds() -> None:
    assert (DEFAULT.expansion_tokens_max, DEFAULT.snippet_words_max) == (600, None)
    assert (DEFAULT.recent_days, DEFAULT.old_days) == (7.0, 30.0)
    assert (DEFAULT.full_importance, DEFAULT.gist_importance) == (0.6, 0.3)
    assert (DEFAULT.surrogate_tokens_max, DEFAULT.surrogates_max) == (60, 8)
