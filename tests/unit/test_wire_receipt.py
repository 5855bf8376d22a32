"""Receipts as JSON and back: the form of each sort, what is refused and by which name."""

import json
import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from simonides.codec.lossless import read, to_tree
from simonides.codec.read import read_receipt
from simonides.codec.write import to_line, to_wire
from simonides.context.receipt import receipt_id
from simonides.errors import InvalidInput
from simonides.model.answer import Diagnostics, Mode, Plan, Scorer, SearchResult
from simonides.model.bounds import DEPTH_MAX
from simonides.model.brief import (
    RECEIPT_FORMAT,
    Brief,
    ContextConfig,
    DropReason,
    Explained,
    Form,
    Receipt,
    ReceiptItem,
    Stage,
)
from simonides.model.filter import (
    AllOf,
    AnyOf,
    Compare,
    Filter,
    Not,
    Operator,
    Viewer,
    parse_condition,
)
from simonides.model.item import Kind, Trust
from simonides.model.stored import Tier

NOW = datetime(2026, 3, 12, 9, 30, 0, 5, tzinfo=UTC)

PRIORITY = Compare(key="priority", operator=Operator.GTE, value=3)
FOLDER = Compare(key="folder", operator=Operator.IN, value=("inbox", "sent"))


def receipt(**given: Any) -> Receipt:
    """Return a receipt with something in every field."""
    items = (
        ReceiptItem(
            id="a", version=2, revision=5, score=0.5, stage=Stage.SURROGATE, form=Form.SUMMARY,
            trust=Trust.KNOWN, tier=Tier.GIST,
        ),
        ReceiptItem(
            id="b", version=1, revision=3, score=0.25, stage=Stage.SNIPPET, form=Form.EXCERPT,
            trust=Trust.OWN, spans=((0, 4), (9, 12)), why=(("lexical", 0.2), ("time", -0.0)),
        ),
    )  # fmt: skip
    standard: dict[str, Any] = {
        "id": "26 characters", "format": RECEIPT_FORMAT, "engine": "0.1.0", "space": "default",
        "space_uuid": "u1", "revision": 7, "epoch": 1, "query": "when is Älpha due?", "now": NOW,
        "timezone": "Europe/Vienna", "limit": 24, "mode": Mode.HYBRID, "mode_used": Mode.TEXT,
        "scorer": Scorer.RRF, "session_id": "s1", "min_score": None, "min_relevance": None,
        "as_of": 6,
        "budget": 1500,
        "unit": "words", "encoding": "o200k_base", "embedder": "minilm", "owner": ("Mira",),
        "language": "en", "items": items, "dropped": (("c", DropReason.BUDGET),),
        "entities": ("Sarah (person): sarah@x.example",), "background": "On leave.",
        "nothing": "", "surrogates": "extractive 1",
        "text_hash": "0f",
        "config": ContextConfig(recent_days=math.inf, score_min=0.1, snippets_max=24),
        "filter": Filter(
            sources=("gmail",), kinds=(Kind.EMAIL,), since=NOW, viewer=Viewer(user_id="u"),
            where=AllOf(parts=(PRIORITY, Not(part=AnyOf(parts=(FOLDER,))))),
        ),
    }  # fmt: skip
    return Receipt(**standard | given)


def changed(path: str, value: Any) -> str:
    """Return the JSON of a receipt with one value replaced; its place is to_tree with dots."""
    tree = to_wire(receipt())
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    where = tree
    for step in steps:
        where = where[step]
    where[last] = value
    return json.dumps(tree)


# ── there and back ────────────────────────────────────────────────────────────────────────────


def test_a_receipt_comes_back_as_it_was_written() -> None:
    assert read_receipt(to_line(receipt())) == receipt()
    assert read_receipt(json.dumps(to_wire(receipt()), indent=2)) == receipt()


def test_a_receipt_may_lie_in_a_briefs_json() -> None:
    assert read_receipt(json.dumps({"text": "…", "receipt": to_wire(receipt())})) == receipt()


def test_a_receipt_of_the_first_format_is_read_with_what_its_later_fields_stand_for() -> None:
    tree = json.loads(to_line(receipt()))
    for name in ("min_relevance", "background", "nothing"):
        del tree[name]
    del tree["config"]["worth_min"]
    found = read_receipt(json.dumps({**tree, "format": 1}))

    assert (found.format, found.min_relevance, found.background) == (1, None, "")
    assert (found.nothing, found.config.worth_min) == ("Nothing in memory answers this.", 0.0)
    assert replace(found, format=RECEIPT_FORMAT, background="On leave.", nothing="",
                   config=receipt().config) == receipt()  # fmt: skip


def test_times_come_back_in_utc_and_to_the_microsecond() -> None:
    there = timezone(timedelta(hours=5, minutes=45))
    again = read_receipt(to_line(receipt(now=NOW.astimezone(there), as_of=NOW.astimezone(there))))

    assert (again.now, again.now.tzinfo) == (again.as_of, UTC) == (NOW, UTC)


def test_each_sort_has_its_form() -> None:
    tree = to_wire(receipt())

    later = {"spaces", "dropped_spaces", "ignore"}  # only where they say something
    assert list(tree) == [one for one in Receipt.__slots__ if one not in later]
    assert tree["now"] == "2026-03-12T09:30:00.000005Z"
    assert (tree["mode"], tree["min_score"], tree["owner"]) == ("hybrid", None, ["Mira"])
    assert tree["dropped"] == [["c", "budget"]]
    assert tree["config"]["recent_days"] == "inf"
    assert (tree["config"]["score_min"], tree["config"]["items_max"]) == (0.1, None)
    assert (tree["items"][0]["tier"], tree["items"][0]["spans"]) == ("gist", [])
    assert tree["items"][1]["spans"] == [[0, 4], [9, 12]]
    assert tree["items"][1]["why"] == [["lexical", 0.2], ["time", -0.0]]
    assert tree["filter"]["viewer"] == {"workspace_id": "", "user_id": "u", "session_id": ""}
    assert tree["filter"]["where"] == {
        "all": [
            {"key": "priority", "operator": "gte", "value": 3},
            {"not": {"any": [
                {"key": "folder", "operator": "in", "value": {"$tuple": ["inbox", "sent"]}},
            ]}},
        ],
    }  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [
        (), [], {}, ("a", ["b", ("c",)]), {"$tuple": [1]}, {"$object": {"$number": "inf"}},
        {"$": 1, "b": (2,)}, math.inf, -math.inf, -0.0, 1e-300, 10**30, True, None, "\ud800",
    ],
)  # fmt: skip
def test_any_value_of_a_condition_comes_back(value: Any) -> None:
    one = Compare(key="not", operator=Operator.EQ, value=value)
    again = read_receipt(to_line(receipt(filter=Filter(where=one)))).filter.where

    assert repr(again) == repr(one)


def test_a_comparison_inside_an_object_comes_back_with_its_path() -> None:
    one = Compare(key="project", path=("lead", "name"), operator=Operator.EQ, value="Sarah")

    assert to_wire(one)["path"] == ["lead", "name"]
    assert read_receipt(to_line(receipt(filter=Filter(where=one)))).filter.where == one


@pytest.mark.parametrize(
    "condition",
    [AllOf(parts=()), AnyOf(parts=()), AllOf(parts=(AllOf(parts=(PRIORITY,)),)), Not(part=FOLDER)],
)
def test_conditions_that_mean_much_the_same_stay_apart(condition: Any) -> None:
    wire = to_wire(condition)

    assert read(Filter, {**to_wire(Filter()), "where": wire}, path="filter").where == condition


def test_the_deepest_condition_that_can_be_asked_for_comes_back() -> None:
    tree: Any = {"n": {"gt": 1}}
    for _ in range(DEPTH_MAX):
        tree = {"and": [tree], "n": {"gt": 1, "lt": 3}}
    deep = receipt(filter=Filter(where=parse_condition(tree)))

    assert read_receipt(to_line(deep)) == deep


def test_what_json_can_not_give_back_is_not_written() -> None:
    with pytest.raises(InvalidInput, match=r"where\.n: cannot be kept as JSON: it is a set"):
        Compare(key="n", operator=Operator.EQ, value={1, 2})
    with pytest.raises(InvalidInput, match=r"where\.n: must have texts as keys"):
        Compare(key="n", operator=Operator.EQ, value={1: 2})
    with pytest.raises(TypeError, match="has no exact form"):
        to_tree(object())


# ── what is refused ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("path", "value", "reported"),
    [
        ("format", 5, "receipt.format: is 5, this engine reads 4; use the simonides that wrote it"),
        ("format", 3, "receipt.spaces: are 0, which is not what format 3 has"),
        ("format", 0, "receipt.format: is 0"),
        ("format", "1", "receipt.format: must be a whole number, got str"),
        ("engine", 1, "receipt.engine: must be text, got int"),
        ("revision", 1.0, "receipt.revision: must be a whole number, got float"),
        ("revision", True, "receipt.revision: must be a whole number, got bool"),
        ("revision", 2**63, "receipt.revision: must fit 64 bits"),
        ("now", "2026-03-12T09:00:00", "receipt.now: needs a time zone"),
        ("now", "yesterday", "receipt.now: must be a time such as"),
        ("now", "0001-01-01T00:00:00+10:00", "receipt.now: .* lies outside the years 1 to 9999"),
        ("now", 5, "receipt.now: must be text, got int"),
        ("timezone", "Mars/Olympus", "receipt.timezone: no time zone is called 'Mars/Olympus'"),
        ("timezone", "../../etc", "receipt.timezone: no time zone"),
        ("timezone", "\x00", "receipt.timezone: no time zone"),
        ("unit", "pages", "receipt.unit: must be one of tokens, words; got 'pages'"),
        ("encoding", "latin", "receipt.encoding: must be one of cl100k_base, o200k_base"),
        ("mode", "magic", "receipt.mode: must be one of hybrid, text, vector; got 'magic'"),
        ("mode", None, "receipt.mode: must be text, got NoneType"),
        ("as_of", 1.5, "receipt.as_of: must be a whole number, got float"),
        ("as_of", "then", "receipt.as_of: must be a time such as"),
        ("min_score", "high", "receipt.min_score: must be a number, or one of nan, inf, -inf"),
        ("min_score", True, "receipt.min_score: must be a number, or one of"),
        ("min_score", 10**400, "receipt.min_score: must fit 64 bits"),
        ("owner", "Mira", "receipt.owner: must be a list, got str"),
        ("owner", [1], r"receipt.owner\[0\]: must be text, got int"),
        ("mood", "good", "receipt.mood: is not known; there are id, format, engine"),
        ("dropped", [["c"]], r"receipt.dropped\[0\]: must have 2 parts, got 1"),
        ("dropped", [["c", "bored"]], r"receipt.dropped\[0\]\[1\]: must be one of budget"),
        ("dropped", [["a", "budget"]], r"receipt.dropped\[0\]: 'a' is there twice"),
        ("items", {}, "receipt.items: must be a list, got dict"),
        ("items.0", [], r"receipt.items\[0\]: must be an object, got list"),
        ("items.0.mood", 1, r"receipt.items\[0\].mood: is not known; there are id, version"),
        ("items.1.id", "a", r"receipt.items\[1\].id: 'a' is there twice"),
        ("items.1.tier", "tiny", r"receipt.items\[1\].tier: must be one of full, gist, micro"),
        ("items.1.spans", [[0, 4, 9]], r"receipt.items\[1\].spans\[0\]: must have 2 parts, got 3"),
        ("items.1.spans", [[4, 0]], r"receipt.items\[1\].spans: must rise and not overlap"),
        ("items.1.spans", [[0, 5], [4, 9]], r"receipt.items\[1\].spans: must rise"),
        ("items.1.spans", [[-1, 5]], r"receipt.items\[1\].spans: must rise"),
        ("items.1.why", [["lexical", None]], r"receipt.items\[1\].why\[0\]\[1\]: must be a number"),
        ("config", None, "receipt.config: must be an object, got NoneType"),
        ("config.layout", "wild", "receipt.config.layout: must be one of brief, sourced, scoped"),
        ("config.headers", 1, "receipt.config.headers: must be true or false, got int"),
        ("config.reserve", -1, "receipt.config.reserve: is out of range: -1"),
        ("config.likeness_max", 7, "receipt.config.likeness_max: is out of range: 7"),
        ("config.old_days", "nan", "receipt.config.old_days: is out of range: nan"),
        ("filter.since", "soon", "receipt.filter.since: must be a time"),
        ("filter.kinds", ["mail"], r"receipt.filter.kinds\[0\]: must be one of email"),
        ("filter.viewer", {}, "receipt.filter.viewer.workspace_id: is missing"),
        ("filter.where", {}, "receipt.filter.where.key: is missing"),
        ("filter.where", {"all": [], "any": []}, "receipt.filter.where.key: is missing"),
        ("filter.where", {"all": {}}, "receipt.filter.where.all: must be a list, got dict"),
        ("filter.where", {"not": None}, "receipt.filter.where.not: must be an object"),
        ("filter.where", {"any": [3]}, r"receipt.filter.where.any\[0\]: must be an object"),
        ("filter.where.all.0.operator", "near", r"where.all\[0\].operator: must be one of eq, ne"),
        ("filter.where.all.0.operator", "in", r"where.all\[0\]: where.priority: `in` needs a list"),
        ("filter.where.all.0.value", {"$set": 1}, r"where.all\[0\].value: must not have keys that"),
        ("filter.where.all.0.value", {"$tuple": 1}, r"value.\$tuple: must be a list, got int"),
        ("filter.where.all.0.value", {"$number": "x"}, r"value.\$number: must be a number"),
        ("filter.where.all.0.value", {"$object": 1}, r"value.\$object: must be an object"),
    ],
)  # fmt: skip
def test_a_receipt_that_does_not_fit_is_refused_by_the_place(
    path: str, value: Any, reported: str
) -> None:
    with pytest.raises(InvalidInput, match=reported):
        read_receipt(changed(path, value))


@pytest.mark.parametrize("path", ["id", "config.why", "items.1.score", "filter.where.all.0.key"])
def test_a_field_that_is_missing_is_named(path: str) -> None:
    tree = to_wire(receipt())
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    where = tree
    for step in steps:
        where = where[step]
    del where[last]

    with pytest.raises(InvalidInput, match=rf"^receipt\..*\b{last}: is missing$"):
        read_receipt(json.dumps(tree))


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("", "receipt: is no JSON"),
        ("no receipt", "receipt: is no JSON"),
        ("[]", "receipt: must be an object, got list"),
        ("{}", "receipt.id: is missing"),
        ('{"receipt": 3}', "receipt: must be an object, got int"),
        ('{"format": -Infinity}', "receipt: is no JSON: -Infinity is no number"),
        ("[" * 100_000, "receipt: is no JSON"),
        ('{"receipt": ' + "[" * 300 + "]" * 300 + "}", "receipt: is nested more than 200 deep"),
    ],
)
def test_what_is_no_receipt_is_refused(text: str, reported: str) -> None:
    with pytest.raises(InvalidInput, match=reported):
        read_receipt(text)


def test_a_long_value_does_not_make_a_long_error() -> None:
    with pytest.raises(InvalidInput) as refused:
        read_receipt(changed("now", "x" * 10_000))

    assert len(str(refused.value)) < 200


# ── answers that hold receipts ────────────────────────────────────────────────────────────────


def test_the_id_of_a_receipt_is_of_all_that_it_says() -> None:
    assert len(receipt_id(receipt())) == 26
    assert receipt_id(receipt()) == receipt_id(receipt(id="another"))
    assert receipt_id(receipt()) == receipt_id(read_receipt(to_line(receipt())))
    for name, value in (("query", "?"), ("items", ()), ("min_score", 0.0), ("owner", ())):
        assert receipt_id(receipt(**{name: value})) != receipt_id(receipt())


def test_conditions_that_are_joined_otherwise_make_another_receipt() -> None:
    made = {
        receipt_id(receipt(filter=Filter(where=kind(parts=(PRIORITY,))))) for kind in (AllOf, AnyOf)
    }

    assert len(made) == 2


def test_an_explanation_answers_as_a_search_with_its_brief_and_what_more_would_bring() -> None:
    seen = Diagnostics(
        revision=7, mode_requested=Mode.HYBRID, mode_used=Mode.TEXT, scorer=Scorer.RRF
    )
    result = SearchResult(hits=(), plan=Plan(words=("alpha",)), diagnostics=seen)
    brief = Brief(
        text="…", tokens=1, budget=10, unit="words", items=(), dropped=(), receipt=receipt(),
        diagnostics=seen,
    )  # fmt: skip
    wire = to_wire(Explained(result=result, brief=brief, more=200, more_items=()))

    assert list(wire) == [*to_wire(result), "brief", "more", "more_items"]
    assert {name: wire[name] for name in to_wire(result)} == to_wire(result)
    assert wire["brief"] == to_wire(brief)
    assert (wire["more"], wire["more_items"]) == (200, [])
    assert read_receipt(json.dumps(wire["brief"])) == receipt()
