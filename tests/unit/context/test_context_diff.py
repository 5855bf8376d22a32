"""Why two briefs differ: every difference of settings and items, its reason, and its sentences."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from simonides.context.diff import diff
from simonides.context.receipt import receipt_id
from simonides.model.answer import Mode, Scorer
from simonides.model.brief import (
    RECEIPT_FORMAT,
    ContextConfig,
    DropReason,
    Form,
    Layout,
    Receipt,
    ReceiptItem,
    ReceiptSpace,
    Stage,
)
from simonides.model.filter import Filter, Viewer
from simonides.model.item import Trust
from simonides.model.receipt_diff import DiffChange, Difference, ItemDiff

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
Make = Callable[..., Receipt]


def shown(item_id: str, **given: Any) -> ReceiptItem:
    """Return one item of a receipt."""
    standard: dict[str, Any] = {
        "version": 1, "revision": 3, "score": 0.5, "stage": Stage.SNIPPET, "form": Form.WHOLE,
        "trust": Trust.OWN, "spans": ((0, 10),),
    }  # fmt: skip
    return ReceiptItem(id=item_id, **standard | given)


def receipt(*items: ReceiptItem, **given: Any) -> Receipt:
    """Return a receipt that shows these items."""
    standard: dict[str, Any] = {
        "id": "", "format": RECEIPT_FORMAT, "engine": "0.1.0", "space": "default",
        "space_uuid": "u1", "revision": 7, "epoch": 0, "query": "when is Alpha due?", "now": NOW,
        "timezone": "UTC", "limit": 24, "mode": Mode.HYBRID, "mode_used": Mode.HYBRID,
        "scorer": Scorer.FUSED, "filter": Filter(), "session_id": "", "min_score": None,
        "min_relevance": None, "as_of": None, "budget": 1500, "unit": "tokens",
        "encoding": "cl100k_base",
        "config": ContextConfig(), "embedder": "minilm", "owner": (), "language": "en",
        "items": items, "dropped": (), "entities": (), "background": "",
        "nothing": "", "surrogates": "", "text_hash": "00",
    }  # fmt: skip
    made = Receipt(**standard | given)
    return replace(made, id=receipt_id(made))


A, B, C = shown("a"), shown("b"), shown("c")


def only(found: tuple[ItemDiff, ...]) -> ItemDiff:
    """Return the one item that differs."""
    [one] = found
    return one


def test_the_same_receipt_differs_in_nothing() -> None:
    found = diff(receipt(A, B), receipt(A, B))

    assert (found.before, found.after) == (receipt(A, B).id, receipt(A, B).id)
    assert (found.same_text, found.settings, found.items) == (True, (), ())
    assert found.sentences == ("The texts are the same, byte for byte.",)


def test_settings_are_reported_by_their_places_with_both_values() -> None:
    after = receipt(
        A, budget=700, config=ContextConfig(layout=Layout.SCOPED, why=True), text_hash="11",
        filter=Filter(sources=("gmail",), viewer=Viewer(user_id="u")), mode_used=Mode.TEXT,
        owner=("me@x.example",), min_score=0.25,
    )  # fmt: skip
    found = diff(receipt(A), after)

    assert not found.same_text
    assert [(one.field, one.was, one.now) for one in found.settings] == [
        ("budget", 1500, 700),
        ("config.layout", Layout.BRIEF, Layout.SCOPED),
        ("config.why", False, True),
        ("filter.sources", (), ("gmail",)),
        ("filter.viewer", None, Viewer(user_id="u")),
        ("min_score", None, 0.25),
        ("mode_used", Mode.HYBRID, Mode.TEXT),
        ("owner", (), ("me@x.example",)),
    ]
    assert found.sentences == (
        "The texts differ.",
        "budget was 1500, is 700.",
        'config.layout was "brief", is "scoped".',
        "config.why was false, is true.",
        'filter.sources was [], is ["gmail"].',
        'filter.viewer was null, is {"workspace_id":"","user_id":"u","session_id":""}.',
        "min_score was null, is 0.25.",
        'mode_used was "hybrid", is "text".',
        'owner was [], is ["me@x.example"].',
    )


def test_long_values_are_cut_off_but_never_look_alike() -> None:
    queries = ("x" * 100, "y", "x" * 100 + "y")
    reported = [
        diff(receipt(query=queries[0]), receipt(query=one)).sentences[1] for one in queries[1:]
    ]

    assert reported[0] == f'query was "{"x" * 79}…, is "y".'
    assert reported[1] == f'query was "{queries[0]}", is "{queries[2]}".'


def test_states_of_further_spaces_are_settings_and_the_own_one_has_no_label() -> None:
    own = ReceiptSpace(
        space="own", space_uuid="u1", revision=7, epoch=0, embedder="", mode_used=Mode.HYBRID
    )
    team = replace(own, space="team", space_uuid="u2")
    labelled = replace(A, space="own")
    before = receipt(labelled, B, spaces=(own, team), dropped=(("c", DropReason.BUDGET),),
                     dropped_spaces=("own",))  # fmt: skip
    after = receipt(A, C, replace(B, space="team", revision=9),
                    spaces=(own, replace(team, revision=9)))  # fmt: skip
    found = diff(before, after)

    assert [(one.field, one.was, one.now) for one in found.settings] == [
        ("spaces.team.revision", 7, 9)
    ]
    assert [one.split(": ")[0] for one in found.sentences[2:]] == [
        "Item b was removed", "Item c was added", "Item b of space team was added",
    ]  # fmt: skip
    assert [one.reason for one in found.items] == [
        "now it is no candidate",
        "before it was dropped (budget)",
        "it was kept or changed at revision 9; before it was no candidate",
    ]


def test_what_came_out_is_no_setting() -> None:
    after = replace(receipt(A), id="other", dropped=(("z", DropReason.BUDGET),), text_hash="11")

    assert diff(receipt(A), after).settings == ()


@pytest.mark.parametrize("reason", DropReason)
def test_an_item_that_went_out_names_why_it_is_dropped_now(reason: DropReason) -> None:
    one = only(diff(receipt(A, B), receipt(A, dropped=(("b", reason),))).items)

    assert (one.id, one.change, one.differences) == ("b", DiffChange.REMOVED, ())
    assert one.reason == f"now it is dropped ({reason})"


def test_an_item_that_came_in_names_why_it_was_dropped_before() -> None:
    before = receipt(A, dropped=(("b", DropReason.BUDGET),), budget=100)
    found = diff(before, receipt(A, B))

    reason = "before it was dropped (budget)"
    assert found.items == (ItemDiff(id="b", change=DiffChange.ADDED, reason=reason),)
    assert found.sentences[-1] == f"Item b was added: {reason}."


def test_what_no_receipt_lists_is_no_candidate() -> None:
    assert only(diff(receipt(A, B), receipt(A, limit=3)).items).reason == "now it is no candidate"
    assert only(diff(receipt(A), receipt(A, B)).items).reason == "before it was no candidate"


def test_an_item_kept_since_is_told_to_be_new() -> None:
    new = shown("b", revision=9)
    one = only(diff(receipt(A, revision=7), receipt(A, new, revision=9)).items)

    assert one.reason == ("it was kept or changed at revision 9; before it was no candidate")


@pytest.mark.parametrize(("revision", "uuid"), [(7, "u1"), (9, "u2")])
def test_an_item_that_was_there_or_is_of_another_space_is_not_told_to_be_new(
    revision: int, uuid: str
) -> None:
    new = shown("b", revision=revision)
    before = receipt(A, dropped=(("b", DropReason.BUDGET),))
    one = only(diff(before, receipt(A, new, space_uuid=uuid, revision=9)).items)

    assert one.reason == "before it was dropped (budget)"


def test_a_new_version_is_reported_with_its_revision() -> None:
    changed = shown("a", version=2, revision=9, spans=((0, 12),))
    one = only(diff(receipt(A), receipt(changed, revision=9)).items)

    assert one.change is DiffChange.CHANGED
    assert [(d.field, d.was, d.now) for d in one.differences] == [
        ("revision", 3, 9),
        ("spans", ((0, 10),), ((0, 12),)),
        ("version", 1, 2),
    ]
    assert one.reason == "revision 3 → 9; spans [[0,10]] → [[0,12]]; version 1 → 2"


def test_places_are_counted_from_one_and_told_with_the_rest_in_one_sentence() -> None:
    found = diff(receipt(A, B, C), receipt(C, A, B, revision=8))

    assert [(one.id, one.differences) for one in found.items] == [
        ("a", (Difference(field="place", was=1, now=2),)),
        ("b", (Difference(field="place", was=2, now=3),)),
        ("c", (Difference(field="place", was=3, now=1),)),
    ]
    assert found.items[0].reason == "place 1 → 2"
    assert found.sentences == (
        "The texts are the same, byte for byte.",
        "revision was 7, is 8.",
        "3 more: only the score or the place is another one.",
    )


def test_a_change_of_the_score_alone_is_summed_up() -> None:
    assert diff(receipt(A), receipt(shown("a", score=0.4))).sentences[-1] == (
        "1 more: only the score or the place is another one."
    )


def test_items_are_reported_by_what_went_then_what_came_then_what_changed() -> None:
    found = diff(receipt(A, B), receipt(C, shown("b", form=Form.EXCERPT)))

    assert [(one.id, one.change) for one in found.items] == [
        ("a", DiffChange.REMOVED),
        ("c", DiffChange.ADDED),
        ("b", DiffChange.CHANGED),
    ]
    assert [sentence.split(":")[0] for sentence in found.sentences[1:]] == [
        "Item a was removed",
        "Item c was added",
        "Item b was changed",
    ]
