"""The laws of engagement: it is noted for what is present, counted, and told as of a revision."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from simonides.errors import InvalidInput
from simonides.model.stored import Engaged, Engagement, Prepared
from simonides.ports.space import Space

Prepare = Callable[..., Prepared]

HOUR = timedelta(hours=1)


def revision(space: Space) -> int:
    with space.read() as reader:
        return reader.revision


def engaged(space: Space, *ids: str, upto: int | None = None) -> dict[str, Engagement]:
    with space.read() as reader:
        return reader.engagements(ids, revision=upto)


def test_engagement_is_counted_and_the_last_time_kept(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("a", id="a"), prepare("b", id="b")], stored_at=noon)

    space.record_usage(["a", "b"], how=Engaged.CITED, at=noon + HOUR)
    space.record_usage(["a"], how=Engaged.OPENED, at=noon + 5 * HOUR)
    space.record_usage(["a"], how=Engaged.USED, at=noon + 2 * HOUR)

    assert engaged(space, "b", "a", "unknown", "a", "\ud800") == {
        "b": Engagement(count=1, last_at=noon + HOUR),
        "a": Engagement(count=3, last_at=noon + 5 * HOUR),
    }


def test_only_present_items_are_engaged_with_and_each_once(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare(one, id=one) for one in "abc"], stored_at=noon)
    space.forget(["b"], at=noon)

    there = space.record_usage(
        ["c", "b", "unknown", "a", "c", "\ud800", ""], how=Engaged.USED, at=noon
    )

    assert there == ("c", "a")
    assert {one: reported.count for one, reported in engaged(space, *"abc").items()} == {
        "a": 1,
        "c": 1,
    }


def test_engagement_takes_a_revision_if_there_is_any(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("a", id="a")], stored_at=noon)

    assert space.record_usage(["unknown"], how=Engaged.USED, at=noon) == ()
    assert space.record_usage([], how=Engaged.USED, at=noon) == ()
    assert revision(space) == 1
    assert space.record_usage(["a"], how=Engaged.USED, at=noon) == ("a",)
    assert revision(space) == 2


def test_engagement_is_reported_as_of_a_revision(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("a", id="a")], stored_at=noon)
    for hour in (1, 3, 2):
        space.record_usage(["a"], how=Engaged.USED, at=noon + hour * HOUR)

    counts = {upto: engaged(space, "a", upto=upto) for upto in (0, 1, 2, 3, 4, 99, 2**70)}

    assert [one["a"].count if one else 0 for one in counts.values()] == [0, 0, 1, 2, 3, 3, 3]
    hours = [(one["a"].last_at - noon) // HOUR for one in counts.values() if one]
    assert hours == [1, 3, 3, 3, 3]


def test_a_look_keeps_its_engagement(space: Space, prepare: Prepare, noon: datetime) -> None:
    space.commit([prepare("a", id="a")], stored_at=noon)
    space.record_usage(["a"], how=Engaged.USED, at=noon)
    with space.read() as before:
        space.record_usage(["a"], how=Engaged.USED, at=noon)

        assert before.engagements(["a"])["a"].count == 1
    assert engaged(space, "a")["a"].count == 2


def test_engagement_is_with_the_item_whichever_version_it_has(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("old", id="a")], stored_at=noon)
    space.record_usage(["a"], how=Engaged.USED, at=noon)
    space.commit([prepare("new", id="a")], stored_at=noon)
    space.forget(["a"], at=noon)
    space.commit([prepare("back", id="a")], stored_at=noon)
    space.record_usage(["a"], how=Engaged.USED, at=noon)

    assert engaged(space, "a")["a"].count == 2


def test_engagement_changes_no_item(space: Space, prepare: Prepare, noon: datetime) -> None:
    space.commit([prepare("a", id="a")], stored_at=noon)
    with space.read() as before:
        rows = list(before.item_rows(0))

    space.record_usage(["a"], how=Engaged.USED, at=noon)

    with space.read() as after:
        assert list(after.item_rows(0)) == rows
        assert [*after.item_rows(1), *after.chunk_rows(1), *after.deaths(0)] == []


def test_engagement_of_another_sort_or_without_a_zone_is_refused(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("a", id="a")], stored_at=noon)
    unknown: Any = "found"

    with pytest.raises(InvalidInput, match="how: must be one of used, cited, opened"):
        space.record_usage(["a"], how=unknown, at=noon)
    with pytest.raises(InvalidInput, match="at: needs a time zone"):
        space.record_usage(["a"], how=Engaged.USED, at=noon.replace(tzinfo=None))
    assert engaged(space, "a") == {}
