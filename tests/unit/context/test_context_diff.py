"""Why two briefs differ: every difference of settings and items, its reason, and its sentences."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from simonides.context.diff import diff, format_change, format_value
from simonides.context.receipt import receipt_id
from simonides.model.answer import Mode, Scorer
from simonides.model.brief import (
    RECEIPT_FORMAT,
    ContextConfig,
    ContextMode,
    DropReason,
    Form,
    Layout,
    Receipt,
    ReceiptItem,
    Stage,
)
from simonides.model.filter import AllOf, AnyOf, Compare, Filter, Not, Operator, Viewer
from simonides.model.item import Kind, Trust
from simonides.model.receipt_diff import DiffChange, Difference, ItemDiff
from simonides.model.stored import Tier

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
    assert found.told == ("The texts are the same, byte for byte.",)


def test_settings_are_told_by_their_places_with_both_values() -> None:
    after = receipt(
        A, budget=700, config=ContextConfig(layout=Layout.SCOPED, why=True), text_hash="11",
        filter=Filter(sources=("gmail",), viewer=Viewer(user_id="u")), mode_used=Mode.TEXT,
        owner=("me@x.example",), min_score=0.25,
    )  # fmt: skip
    found = diff(receipt(A), after)

    assert not found.same_text
    assert [(one.field, one.was, one.now) for one in found.settings] == [
        ("mode_used", Mode.HYBRID, Mode.TEXT),
        ("filter.sources", (), ("gmail",)),
        ("filter.viewer", None, Viewer(user_id="u")),
        ("min_score", None, 0.25),
        ("budget", 1500, 700),
        ("config.layout", Layout.BRIEF, Layout.SCOPED),
        ("config.why", False, True),
        ("owner", (), ("me@x.example",)),
    ]
    assert found.told == (
        "The texts differ.",
        "mode_used was hybrid, is text.",
        'filter.sources was nothing, is "gmail".',
        "filter.viewer was none, is -/u/-.",
        "min_score was none, is 0.25.",
        "budget was 1500, is 700.",
        "config.layout was brief, is scoped.",
        "config.why was no, is yes.",
        'owner was nothing, is "me@x.example".',
    )


def test_what_came_out_is_no_setting() -> None:
    after = replace(receipt(A), id="other", dropped=(("z", DropReason.BUDGET),), text_hash="11")

    assert diff(receipt(A), after).settings == ()


@pytest.mark.parametrize("reason", DropReason)
def test_an_item_that_went_out_names_why_it_is_dropped_now(reason: DropReason) -> None:
    one = only(diff(receipt(A, B), receipt(A, dropped=(("b", reason),))).items)

    assert (one.id, one.change, one.differences) == ("b", DiffChange.REMOVED, ())
    assert one.reason.startswith(f"now it is dropped ({reason}): ")
    assert len(one.reason) > len(f"now it is dropped ({reason}): ")


def test_an_item_that_came_in_names_why_it_was_dropped_before() -> None:
    before = receipt(A, dropped=(("b", DropReason.BUDGET),), budget=100)
    found = diff(before, receipt(A, B))

    reason = "before it was dropped (budget): the budget has no room for it"
    assert found.items == (ItemDiff(id="b", change=DiffChange.ADDED, reason=reason),)
    assert found.told[-1] == f"Item b came in: {reason}."


def test_what_is_no_candidate_names_the_settings_that_can_be_the_reason() -> None:
    before = receipt(A, B, revision=7)
    after = receipt(
        A, revision=9, limit=3, budget=7, filter=Filter(kinds=(Kind.EMAIL,)),
        config=ContextConfig(why=True),
    )  # fmt: skip

    assert only(diff(before, after).items).reason == (
        "now it is no candidate (differing: filter.kinds, limit, revision)"
    )
    assert only(diff(after, before).items).reason == (
        "before it was no candidate (differing: filter.kinds, limit, revision)"
    )


def test_where_no_setting_differs_none_is_named() -> None:
    assert only(diff(receipt(A, B), receipt(A)).items).reason == "now it is no candidate"


def test_an_item_kept_since_is_told_to_be_new() -> None:
    new = shown("b", revision=9)
    one = only(diff(receipt(A, revision=7), receipt(A, new, revision=9)).items)

    assert one.reason == (
        "it was kept or changed at revision 9; before it was no candidate (differing: revision)"
    )


@pytest.mark.parametrize(("revision", "uuid"), [(7, "u1"), (9, "u2")])
def test_an_item_that_was_there_or_is_of_another_space_is_not_told_to_be_new(
    revision: int, uuid: str
) -> None:
    new = shown("b", revision=revision)
    before = receipt(A, dropped=(("b", DropReason.BUDGET),))
    one = only(diff(before, receipt(A, new, space_uuid=uuid, revision=9)).items)

    assert one.reason == "before it was dropped (budget): the budget has no room for it"


def test_a_new_version_is_told_with_its_revision() -> None:
    changed = shown("a", version=2, revision=9, spans=((0, 12),))
    one = only(diff(receipt(A), receipt(changed, revision=9)).items)

    assert one.change is DiffChange.CHANGED
    assert [(d.field, d.was, d.now) for d in one.differences] == [
        ("version", 1, 2),
        ("revision", 3, 9),
        ("spans", ((0, 10),), ((0, 12),)),
    ]
    assert one.reason == (
        "version 1 → 2: it was changed; kept at revision 3, then at 9; "
        "spans 0-10 → 0-12 (differing: revision)"
    )


def test_how_an_item_is_shown_names_what_decides_it() -> None:
    dense = shown("a", stage=Stage.SURROGATE, form=Form.SUMMARY, tier=Tier.GIST, spans=())
    config = ContextConfig(context_mode=ContextMode.DENSE)
    after = receipt(dense, config=config, budget=300, surrogates="extractive 1", limit=3)
    causes = "(differing: budget, config.context_mode, surrogates)"

    assert only(diff(receipt(A), after).items).reason == (
        f"stage snippet → surrogate {causes}; form whole → summary {causes}; "
        f"tier none → gist {causes}; spans 0-10 → nothing {causes}"
    )


def test_a_score_names_what_it_depends_on_and_not_the_budget() -> None:
    after = receipt(shown("a", score=0.25), query="and Beta?", budget=3, limit=3, revision=8)

    assert only(diff(receipt(A), after).items).reason == (
        "score 0.5 → 0.25 (differing: query, revision)"
    )


def test_trust_names_the_owner() -> None:
    after = receipt(shown("a", trust=Trust.UNKNOWN), owner=("me",), query="other")

    assert only(diff(receipt(A), after).items).reason == "trust own → unknown (differing: owner)"


def test_places_are_counted_from_one_and_told_with_the_rest_in_one_sentence() -> None:
    found = diff(receipt(A, B, C), receipt(C, A, B, revision=8))

    assert [(one.id, one.differences) for one in found.items] == [
        ("a", (Difference(field="place", was=1, now=2),)),
        ("b", (Difference(field="place", was=2, now=3),)),
        ("c", (Difference(field="place", was=3, now=1),)),
    ]
    assert found.items[0].reason == "place 1 → 2 (what stands before it is not the same)"
    assert found.told == (
        "The texts are the same, byte for byte.",
        "revision was 7, is 8.",
        "3 more items have another score or place.",
    )


def test_one_slight_change_is_told_in_the_singular() -> None:
    assert diff(receipt(A), receipt(shown("a", score=0.4))).told[-1] == (
        "1 more item has another score or place."
    )


def test_items_are_told_by_what_went_then_what_came_then_what_changed() -> None:
    found = diff(receipt(A, B), receipt(C, shown("b", form=Form.EXCERPT)))

    assert [(one.id, one.change) for one in found.items] == [
        ("a", DiffChange.REMOVED),
        ("c", DiffChange.ADDED),
        ("b", DiffChange.CHANGED),
    ]
    assert [sentence.split(":")[0] for sentence in found.told[1:]] == [
        "Item a went out",
        "Item c came in",
        "Item b is shown otherwise",
    ]


# ── values in words ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "none"),
        (True, "yes"),
        (0, "0"),
        (0.123456, "0.1235"),
        ("a\n b", '"a b"'),
        ("x" * 100, '"' + "x" * 79 + '…"'),
        (Mode.TEXT, "text"),
        (NOW, "2026-03-12T09:00:00Z"),
        ((), "nothing"),
        (("a", "b"), '"a", "b"'),
        (((0, 4), (6, 9)), "0-4, 6-9"),
        ((Kind.EMAIL, Kind.TASK), "email, task"),
        (["a", 1], '"a", 1'),
        (Viewer(workspace_id="w"), "w/-/-"),
        (Compare(key="n", operator=Operator.GTE, value=3), "n gte 3"),
        (Compare(key="n", path=("a",), operator=Operator.GTE, value=3), "n.a gte 3"),
        (
            AllOf(
                parts=(
                    Compare(key="n", operator=Operator.EQ, value="x"),
                    Not(part=Compare(key="m", operator=Operator.EXISTS, value=True)),
                )
            ),
            '(n eq "x" and not m exists yes)',
        ),
        (AnyOf(parts=()), "(or of nothing)"),
        ({"a": 1}, "{'a': 1}"),
    ],
)
def test_a_value_is_told_in_plain_words(value: Any, told: str) -> None:
    assert format_value(value) == told


def test_two_values_that_differ_never_look_the_same() -> None:
    assert format_change(0.12345, 0.12346) == ("0.12345", "0.12346")
    assert format_change(1, 2) == ("1", "2")
    assert (
        format_change("x" * 90 + "a", "x" * 90 + "b")[0]
        != format_change("x" * 90 + "a", "x" * 90 + "b")[1]
    )
