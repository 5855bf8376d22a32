"""What every record of an answer can do: a short `repr`, `to_dict`, and HTML for notebooks."""

import dataclasses
import json
import pickle
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

import pytest

import simonides
from simonides import (
    Agenda,
    AgendaEntry,
    Contribution,
    Diagnostics,
    Entity,
    Explanation,
    Hit,
    Item,
    Kind,
    Mode,
    NewKey,
    Page,
    Permission,
    Plan,
    Scorer,
    SearchResult,
    SpaceStats,
)
from simonides.codec.write import to_wire
from simonides.model.result import Result, short

HOSTILE = '<script>alert("x")</script>&<b>'
NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)
EXPLANATION = Explanation(
    contributions=(Contribution(name=HOSTILE, value=0.5, detail=HOSTILE),), lanes=("lexical",)
)
DIAGNOSTICS = Diagnostics(
    revision=1, mode_requested=Mode.TEXT, mode_used=Mode.TEXT, scorer=Scorer.FUSED, notes=(HOSTILE,)
)


def hit(text: str = "Alpha is due.", *, title: str = "Alpha") -> Hit:
    item = Item(content=text, title=title, source=text[:900], happened_at=NOON)
    return Hit(item=item, score=0.5, explanation=EXPLANATION, passage=text)


def found(*hits: Hit) -> SearchResult:
    return SearchResult(hits=hits, plan=Plan(), diagnostics=DIAGNOSTICS)


class Elements(HTMLParser):
    """Collects the elements of a page, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.names.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: str) -> Elements:
    elements = Elements()
    elements.feed(page)
    return elements


def test_a_hit_has_the_text_and_the_title_of_its_item() -> None:
    assert (hit().text, hit().title) == ("Alpha is due.", "Alpha")


def test_a_search_shows_its_first_hits_and_how_many_there_are() -> None:
    shown = repr(found(*[hit()] * 5))

    assert shown == "SearchResult(5 hits: 0.500 'Alpha', 0.500 'Alpha', 0.500 'Alpha', …)"
    assert repr(found()) == "SearchResult(0 hits: none)"


@pytest.mark.parametrize(
    "record",
    [
        hit("x" * 100_000, title="y" * 9_000),
        found(*[hit("x" * 10_000, title="")] * 1_000),
        Page(items=(hit("x" * 100_000).item,) * 100, cursor="c" * 5_000),
        Item(content="x" * 100_000, tags=("t" * 900,) * 900, metadata={"k" * 900: "v" * 9_000}),
        SpaceStats(
            space="s" * 900, revision=1, items=1, chunks=1, archived=0,
            by_kind={str(n): n for n in range(9_999)}, by_source={}, oldest=NOON, newest=NOON,
            bytes_on_disk=1, embedder="e" * 900,
        ),
    ],
    ids=lambda one: type(one).__name__,
)  # fmt: skip
def test_a_repr_is_short_whatever_the_record_holds(record: Any) -> None:
    assert len(repr(record)) < 600


def test_a_repr_leaves_out_what_says_nothing() -> None:
    shown = repr(Item(content="x", id="a", title=""))

    assert shown.startswith("Item(kind='memory', content='x', source='note', id='a'")
    assert "title" not in shown


def test_the_secret_of_a_new_key_is_not_shown() -> None:
    key = NewKey(
        key="sim_abc_secret", id="abc", prefix="sim_abc", space="desk", created_at=NOON, name="",
        shared=(), permissions=(Permission.READ,), expires_at=None,
    )  # fmt: skip

    assert "secret" not in repr(key)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Mode.TEXT, "'text'"),
        (NOON, "2026-03-12T12:00:00+00:00"),
        ("x" * 61, "'" + "x" * 59 + "…'"),
        ({"a": 1}, "{… 1}"),
        ({}, "{}"),
        (("a", "b"), "('a', 'b')"),
        (("a",) * 4, "(… 4)"),
        (0.5, "0.5"),
    ],
)
def test_a_value_is_cut_short(value: object, shown: str) -> None:
    assert short(value) == shown


def test_a_dictionary_is_the_json_of_the_record() -> None:
    result = found(hit())

    assert result.to_dict() == to_wire(result)
    assert result.to_dict()["entries"] == [hit().to_dict()]
    assert json.loads(json.dumps(result.to_dict())) == result.to_dict()


def test_an_explanation_says_of_itself_what_its_hit_says() -> None:
    wire = hit().to_dict()

    assert EXPLANATION.to_dict() == {name: wire[name] for name in ("explanation", "lanes")}


def test_every_public_record_of_an_answer_can_be_written_and_shown_in_short() -> None:
    taken = {"AllOf", "AnyOf", "ChatMessage", "Compare", "ContextConfig", "DecayConfig",
             "EmbedderIdentity", "Filter", "MergeConfig", "ModelReply", "ModelRequest", "Not",
             "Opening", "Settings", "SurrogateTexts", "Tool",
             "ToolCall", "ToolSchema", "Usage", "Viewer"}  # fmt: skip
    records = {
        name: one
        for name in simonides.__all__
        if isinstance(one := getattr(simonides, name), type) and dataclasses.is_dataclass(one)
    }

    assert {name for name, one in records.items() if not issubclass(one, Result)} == taken


def test_a_record_stays_what_it_was() -> None:
    assert pickle.loads(pickle.dumps(hit())) == hit()  # noqa: S301  our own bytes
    assert not hasattr(hit(), "__dict__")
    with pytest.raises(dataclasses.FrozenInstanceError):
        hit().score = 1.0  # type: ignore[misc]


def test_whatever_is_kept_is_text_in_a_notebook_and_never_markup() -> None:
    hostile = hit(HOSTILE, title=HOSTILE)

    entity = Entity(id="person:x", kind="person", names=(HOSTILE,), mentions=2)
    entry = AgendaEntry(id="x", kind=Kind.EVENT, title=HOSTILE, starts_at="2026-03-06")
    agenda = Agenda(entries=(entry,), since=NOON, until=NOON, timezone="UTC", notes=("late",))
    listed = (hostile.item, Page(items=(hostile.item,)), entity, agenda)

    for record in (found(hostile), hostile, EXPLANATION, *listed):
        page = read(record._repr_html_())

        assert page.names <= {"table", "thead", "tbody", "tr", "th", "td", "p"}
        assert HOSTILE in page.text


def test_a_long_text_is_cut_in_a_notebook() -> None:
    assert len(found(hit("x" * 100_000))._repr_html_()) < 2_000
