"""A brief built again from its receipt: byte for byte, whatever came after, or what is missing."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simonides import Item, Kind, Memory, MemoryTraits, Person, Settings
from simonides.codec.read import read_receipt
from simonides.codec.write import to_line
from simonides.context import receipt as receipts
from simonides.context.receipt import receipt_id, text_hash
from simonides.errors import InvalidInput, NotFound
from simonides.model.brief import Brief, ContextMode, Form, Layout, Receipt, Stage
from simonides.model.item import Role, digest
from simonides.model.stored import Surrogate, Tier
from simonides.ports.space import Space
from simonides.storage.sqlite import pages
from simonides_bench.testing.depth import examples
from simonides_bench.testing.hashing import HashingEmbedder

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
ASKED = "when is Alpha due, and what did Sarah say of the harbor?"
SARAH = Person(name="Sarah Lindqvist", address="sarah@x.example")
LONG = "Alpha was discussed at length, with Tom. " * 20 + "Alpha is due on Friday the 13th. "
LONG += "Nobody objected to the plan of the harbor. " * 20

Open = Callable[..., Memory]


@pytest.fixture
def open_memory(tmp_path: Path) -> Iterator[Open]:
    """Return a maker of memories of one home, each closed at the end."""
    opened: list[Memory] = []

    def make(**given: Any) -> Memory:
        standard: dict[str, Any] = {
            "settings": Settings(timezone="Europe/Vienna", durability="relaxed"),
            "embedder": HashingEmbedder(),
            "clock": lambda: NOW,
        }
        opened.append(Memory(tmp_path / "home", **standard | given))
        return opened[-1]

    yield make
    for memory in opened:
        memory.close()


@pytest.fixture
def desk(open_memory: Open) -> Memory:
    """Return a memory of all kinds of things about Alpha and the harbor."""
    memory = open_memory()
    memory.add(things())
    return memory


def things() -> list[Item]:
    """Return items of every kind, long and short, dated and undated, with traits and without."""
    days = [NOW - timedelta(days=n) for n in range(9)]
    tom = Person(name="Tom", role=Role.TO)
    return [
        Item(id="due", kind=Kind.EMAIL, source="gmail", title="Alpha", people=(SARAH, tom),
             content="Alpha is due on Friday. Sarah said so.", happened_at=days[1], session="t1"),
        Item(id="long", kind=Kind.DOCUMENT, source="file", title="Minutes", content=LONG,
             happened_at=days[2], language="en"),
        Item(id="longer", kind=Kind.DOCUMENT, source="gdrive", title="Plan of the harbor",
             content=LONG.replace("Alpha", "The harbor"), happened_at=days[8], language="en"),
        Item(id="sum", kind=Kind.TASK, source="jira", title="ALPHA-7", content="Fix Alpha. " * 9,
             summary="Alpha must be fixed.", happened_at=days[3]),
        Item(id="chat", kind=Kind.MESSAGE, source="chat", session="s1", position=4,
             content="Alpha? Due on Friday, said Sarah.", people=(SARAH,), happened_at=days[4]),
        Item(id="note", content="The harbor opens in May, Sarah said.", source="note"),
        Item(id="fact", content="Alpha is due on Monday.",
             traits=MemoryTraits(entity="alpha", confidence=0.3)),
        Item(id="rule", content="Alpha is due whenever Sarah says.",
             traits=MemoryTraits(entity="alpha", confidence=0.9)),
    ]  # fmt: skip


def made_again(memory: Memory, made: Brief) -> None:
    """Assert that the brief can be built again, from its receipt and from that on paper."""
    for receipt in (made.receipt, to_line(made.receipt), to_line(made)):
        again = memory.replay(receipt)

        assert again.changed == ()
        assert again.exact
        assert (again.text, again.tokens) == (made.text, made.tokens)
        assert again.receipt_id == made.receipt.id


SHAPES = [
    {"layout": layout, "context_mode": mode, "why": why, "headers": headers, "budget_tokens": 900}
    for layout in Layout
    for mode in ContextMode
    for why, headers in ((False, True), (True, False))
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda one: "-".join(map(str, one.values())))
def test_a_brief_of_any_shape_is_built_again_byte_for_byte(
    desk: Memory, shape: dict[str, Any]
) -> None:
    made = desk.brief(ASKED, **shape)

    assert len(made.items) > 3
    made_again(desk, made)


def test_stand_ins_excerpts_summaries_and_whole_items_are_all_among_them(desk: Memory) -> None:
    dense = desk.brief(ASKED, context_mode="dense", budget_tokens=900, expansion_tokens_max=0)
    fast = desk.brief(ASKED, budget_tokens=900, worth_min=0.0)
    sourced = desk.brief(ASKED, layout="sourced", items_max=9)

    assert Stage.SURROGATE in {one.stage for one in dense.items}
    assert {Form.WHOLE, Form.EXCERPT} <= {one.form for one in fast.items}
    assert Form.SUMMARY in {one.form for one in sourced.items}
    assert "differs from" in fast.text
    for made in (dense, fast, sourced):
        made_again(desk, made)


@pytest.mark.parametrize(
    "shape",
    [
        {"budget_words": 120},
        {"budget_tokens": 0},
        {"budget_tokens": 40},
        {"budget_tokens": 60, "layout": "sourced"},
        {"budget_tokens": 400, "timezone": "Asia/Tokyo"},
        {"budget_tokens": 400, "now": NOW + timedelta(days=700)},
        {"budget_tokens": 400, "now": NOW.astimezone(tz=None)},
        {"budget_tokens": 400, "mode": "text", "scorer": "rrf"},
        {"preset": "seed"},
        {"preset": "chat"},
    ],
)
def test_a_brief_of_any_budget_clock_and_preset_is_built_again(
    desk: Memory, shape: dict[str, Any]
) -> None:
    made_again(desk, desk.brief(ASKED, **shape))


@pytest.mark.parametrize("budget", range(0, 200, 7))
def test_known_entities_are_there_again_or_again_left_out(desk: Memory, budget: int) -> None:
    made_again(desk, desk.brief("what did sarah@x.example say?", budget_tokens=budget,
                                layout="sourced"))  # fmt: skip


def test_a_question_that_finds_nothing_is_reported_again(desk: Memory) -> None:
    empty = desk.brief("zebra crossing", mode="text")
    unborn = desk.in_space("later").brief(ASKED)
    made_again(desk.in_space("later"), unborn)
    desk.in_space("later").add(things())

    assert unborn.receipt.space_uuid == ""
    made_again(desk, empty)
    made_again(desk.in_space("later"), unborn)


# ── whatever came after ───────────────────────────────────────────────────────────────────────


@pytest.fixture(params=["fast", "dense"])
def before(desk: Memory, request: pytest.FixtureRequest) -> Brief:
    """Return a brief that shows everything there is."""
    made = desk.brief(ASKED, context_mode=request.param, budget_tokens=3000, worth_min=0.0)

    assert {one.id for one in made.items} == {one.id for one in things()}
    return made


def test_items_that_were_updated_since_are_shown_as_they_were(desk: Memory, before: Brief) -> None:
    for n in range(3):
        for one in things():
            desk.update(one.id, content=f"{n}. Something else altogether.", title="Other")

    assert desk.brief(ASKED, budget_tokens=3000).text != before.text
    made_again(desk, before)


def test_items_that_were_forgotten_since_are_shown_as_they_were(
    desk: Memory, before: Brief
) -> None:
    desk.forget(*(one.id for one in things()))

    assert desk.brief(ASKED).items == ()
    made_again(desk, before)


def test_items_forgotten_and_added_anew_are_another_version(desk: Memory, before: Brief) -> None:
    desk.forget("due", "fact")
    desk.add([Item(id="due", content="Alpha is done."), Item(id="fact", content="It is Sunday.")])

    assert desk.get("due").version == 2
    made_again(desk, before)


def test_engagement_and_backgrounds_change_nothing(desk: Memory, before: Brief) -> None:
    desk.background.put("Alpha launches in May; Sarah leads it.")
    desk.record_usage("long", "due", how="cited")

    made_again(desk, before)


def test_surrogates_that_are_built_later_change_nothing(desk: Memory, before: Brief) -> None:
    desk.surrogates.build()

    made_again(desk, before)
    assert desk.brief(ASKED, context_mode="dense", budget_tokens=3000).items


def test_a_space_with_other_vectors_still_has_the_words(
    desk: Memory, before: Brief, open_memory: Open
) -> None:
    desk.close()
    other = open_memory(embedder=HashingEmbedder(dimension=32))
    other.reembed()

    made_again(other, before)


def test_another_process_with_other_threads_and_another_zone_says_the_same(
    desk: Memory, before: Brief, open_memory: Open
) -> None:
    paper = to_line(before.receipt)
    desk.close()
    later = open_memory(
        settings=Settings(timezone="Asia/Tokyo", threads=1, encoding="o200k_base"),
        clock=lambda: NOW + timedelta(days=3000),
    )

    assert later.replay(paper).text == before.text
    made_again(later, before)


def test_without_an_index_snapshot_nothing_is_lost(
    desk: Memory, before: Brief, tmp_path: Path
) -> None:
    desk.close()
    for path in (tmp_path / "home").rglob("*"):
        if path.is_file() and "sqlite3" not in path.name:
            path.unlink()

    made_again(desk, before)


def test_a_kept_receipt_is_replayed_by_its_id(desk: Memory, open_memory: Open) -> None:
    made = desk.brief(ASKED, keep_receipt=True)
    desk.close()

    assert open_memory().replay(made.receipt.id).text == made.text
    with pytest.raises(NotFound, match="no receipt 'nobody'"):
        desk.replay("nobody")


def test_receipts_of_one_text_are_kept_apart(open_memory: Open) -> None:
    hours = iter(range(1000))
    memory = open_memory(clock=lambda: NOW + timedelta(minutes=next(hours)))
    memory.add(things())
    one, two = (memory.brief(ASKED, keep_receipt=True) for _ in range(2))

    assert one.text == two.text
    assert one.receipt.id != two.receipt.id
    assert memory.replay(one.receipt.id).exact
    assert [x.field for x in memory.diff(one.receipt.id, two.receipt.id).settings] == ["now"]


# ── what is missing ───────────────────────────────────────────────────────────────────────────


def space_of(memory: Memory) -> Space:
    """Return the space below a memory."""
    return memory._runtime.store.open_any("default")


def remove(memory: Memory, *item_ids: str, archive: bool = False) -> None:
    """Remove all rows of items, as an erasure does, from the present or from the archive."""
    [path] = Path(memory._runtime.path).rglob("default.sqlite3")
    memory.close()
    tail = "_archive" if archive else ""
    file = pages.open_file(path)
    for item_id in item_ids:
        for table in (f"chunk{tail}", f"mention{tail}", *(() if archive else ("surrogate",))):
            file.execute(
                f"DELETE FROM {table} WHERE item_key IN (SELECT key FROM item{tail} WHERE id = ?)",  # noqa: S608  our own names
                (item_id,),
            )
        file.execute(f"DELETE FROM item{tail} WHERE id = ?", (item_id,))  # noqa: S608  our own names
    file.close()


def test_an_item_that_was_erased_is_named_and_nothing_is_shown(desk: Memory, before: Brief) -> None:
    remove(desk, "due")
    again = desk.replay(before.receipt)

    gone = "version 1 of item due was erased, or compacted away; nothing of that id is there"
    assert again.changed == (gone,)
    assert (again.exact, again.text, again.tokens) == (False, "", 0)


def test_every_item_that_is_missing_is_named_in_the_order_of_the_text(
    desk: Memory, before: Brief
) -> None:
    remove(desk, "note", "fact", "long")
    again = desk.replay(before.receipt)

    named = [one.split(" was erased")[0].split()[-1] for one in again.changed]
    assert named == [one.id for one in before.items if one.id in {"note", "fact", "long"}]


def test_a_history_that_was_compacted_away_is_reported_with_what_is_there_now(
    desk: Memory, before: Brief
) -> None:
    for n in range(2):
        desk.update("due", content=f"Alpha is due on the {n}th.")
    remove(desk, "due", archive=True)

    [reported] = desk.replay(before.receipt).changed
    assert reported == "version 1 of item due was erased, or compacted away; version 3 is there now"


def test_an_item_erased_and_added_anew_is_not_taken_for_the_one_that_was(
    desk: Memory, before: Brief
) -> None:
    remove(desk, "due")
    desk.add(next(one for one in things() if one.id == "due"))

    [reported] = desk.replay(before.receipt).changed
    assert reported == (
        "version 1 of item due (of revision 1) was erased, and another one of that number was "
        "kept at revision 2"
    )


def test_what_an_erasure_took_is_named_and_kept_receipts_of_it_go_too(
    desk: Memory, before: Brief
) -> None:
    kept = desk.brief(ASKED, keep_receipt=True, budget_tokens=3000).receipt
    desk.erase("due")

    gone, rows = desk.replay(before.receipt).changed
    assert gone.startswith("version 1 of item due was erased, or compacted away; nothing of that")
    assert rows == "rows of the space were erased or made anew since"
    with pytest.raises(NotFound, match="no receipt"):
        desk.replay(kept.id)


def test_what_a_compaction_took_is_named(desk: Memory, before: Brief) -> None:
    desk.update("due", content="Alpha is done.")
    made_again(desk, before)
    desk.compact(before=2)

    reported = desk.replay(before.receipt).changed[0]
    assert reported == "version 1 of item due was erased, or compacted away; version 2 is there now"


def test_a_space_that_was_moved_to_another_home_still_has_the_words(
    desk: Memory, before: Brief, tmp_path: Path
) -> None:
    desk.update("due", content="Alpha is done.")
    desk.export(tmp_path / "moved.jsonl")
    plain = Settings(timezone="UTC", durability="relaxed")
    with Memory(tmp_path / "new", settings=plain, embedder=HashingEmbedder()) as moved:
        moved.import_(tmp_path / "moved.jsonl")

        made_again(moved, before)


def test_what_else_has_changed_is_reported_after_what_is_missing(
    desk: Memory, before: Brief, open_memory: Open
) -> None:
    remove(desk, "due")
    later = open_memory(embedder=HashingEmbedder(dimension=32))
    later.reembed()
    old = replace(before.receipt, engine="0.0.1", embedder="a model of old")
    old = replace(old, id=receipt_id(old))

    missing, *others = later.replay(old).changed
    assert missing.startswith("version 1 of item due was erased")
    assert others == [
        f"the engine was 0.0.1, is {before.receipt.engine}",
        "the embedder was a model of old, is testing-hash/1",
        "rows of the space were erased or made anew since",
    ]


def test_another_engine_that_says_the_same_is_no_change(desk: Memory, before: Brief) -> None:
    old = replace(before.receipt, engine="0.0.1")

    assert desk.replay(old).exact
    assert desk.replay(old).changed == ()


def test_another_engine_that_tells_it_otherwise_is_the_reason(desk: Memory, before: Brief) -> None:
    old = replace(before.receipt, engine="0.0.1", text_hash=text_hash("told otherwise"))
    again = desk.replay(replace(old, id=receipt_id(old)))

    assert again.changed == (f"the engine was 0.0.1, is {before.receipt.engine}",)
    assert again.text == before.text


def test_rows_that_were_changed_from_outside_are_suspected(
    desk: Memory, before: Brief, tmp_path: Path
) -> None:
    desk.close()
    file = pages.open_file(tmp_path / "home" / "spaces" / "default.sqlite3")
    file.execute("UPDATE item SET content = replace(content, 'Friday', 'Sunday')")
    file.close()

    again = desk.replay(before.receipt)
    assert not again.exact
    [reported] = again.changed
    assert reported.startswith(
        "every version is there: the rules of time zone Europe/Vienna changed"
    )
    assert reported.endswith(", or rows were changed from outside")


@pytest.mark.parametrize(
    "changes",
    [{"text_hash": "0" * 32}, {"query": "another", "text_hash": ""}, {"items": ()}],
)
def test_a_receipt_that_was_changed_says_so(
    desk: Memory, before: Brief, changes: dict[str, Any]
) -> None:
    again = desk.replay(replace(before.receipt, **changes))

    assert not again.exact
    assert again.changed == (
        "the receipt was changed since it was made: its id does not fit what it says",
    )


def test_a_receipt_of_another_space_or_format_is_refused(desk: Memory, before: Brief) -> None:
    other = desk.in_space("other")
    other.add("Alpha is due.")

    with pytest.raises(InvalidInput, match="receipt: is of another space \\('default' as it was"):
        other.replay(before.receipt)
    with pytest.raises(InvalidInput, match="receipt: is of another space"):
        desk.in_space("nobody").replay(before.receipt)
    with pytest.raises(InvalidInput, match="receipt: has format 99, this engine reads 4"):
        desk.replay(replace(before.receipt, format=99))


# ── stand-ins ─────────────────────────────────────────────────────────────────────────────────


def write_stand_in(memory: Memory, item_id: str, words: str) -> None:
    """Keep stand-ins that a model wrote, of the version that is there."""
    item = memory.get(item_id)
    space = space_of(memory)
    with space.read() as reader:
        [key] = reader.keys([item_id])
    one = Surrogate(
        item_key=key, algorithm="model-x", version=1, source_hash=digest(item), full=words,
        gist=words, micro=words,
    )  # fmt: skip
    assert space.put_surrogates([one]) == 1


@pytest.fixture
def brief_by_model(desk: Memory) -> Brief:
    """Return a brief in which a model's words stand for the long minutes."""
    write_stand_in(desk, "long", "The minutes say that Alpha is due on Friday.")
    made = desk.brief(ASKED, context_mode="dense", surrogates="model-x", expansion_tokens_max=0)
    [shown] = [one for one in made.items if one.stage is Stage.SURROGATE]

    assert (shown.id, made.receipt.surrogates) == ("long", "model-x")
    return made


def test_words_of_a_model_are_shown_again_as_long_as_they_are_kept(
    desk: Memory, brief_by_model: Brief
) -> None:
    made_again(desk, brief_by_model)
    desk.update("due", content="Something else.")
    made_again(desk, brief_by_model)


@pytest.mark.parametrize("verb", ["update", "forget"])
def test_words_of_a_model_that_went_with_their_item_are_missing(
    desk: Memory, brief_by_model: Brief, verb: str
) -> None:
    if verb == "update":
        desk.update("long", content=LONG + "Something else.")
        write_stand_in(desk, "long", "Words about the new version.")
    else:
        desk.forget("long")

    again = desk.replay(brief_by_model.receipt)
    assert again.changed == (
        "the stand-in of item long (version 1) by model-x is not kept any more",
    )
    assert again.text == ""


def test_words_of_a_model_that_were_written_anew_are_told(
    desk: Memory, brief_by_model: Brief
) -> None:
    write_stand_in(desk, "long", "The minutes, in other words.")
    again = desk.replay(brief_by_model.receipt)

    assert again.changed == ("stand-ins by model-x were written anew since",)
    assert "in other words" in again.text


def test_stand_ins_of_another_version_of_the_algorithm_are_told(
    desk: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = desk.brief(ASKED, context_mode="dense", budget_tokens=900, expansion_tokens_max=0)
    shown = replace(made.receipt, text_hash=text_hash("as told by the next version"))
    monkeypatch.setattr(receipts, "VERSION", 7)
    again = desk.replay(replace(shown, id=receipt_id(shown)))

    assert made.receipt.surrogates == "extractive 1"
    assert again.changed == ("stand-ins were made by extractive 1, now by extractive 7",)


# ── from anywhere ─────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def any_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, Receipt]]:
    """Return a memory for many questions, and one receipt of it."""
    home = tmp_path_factory.mktemp("home")
    plain = Settings(timezone="UTC", durability="relaxed")
    with Memory(home, settings=plain, embedder=HashingEmbedder(), clock=lambda: NOW) as memory:
        memory.add(things())
        yield memory, memory.brief(ASKED, context_mode="dense", budget_tokens=900).receipt


ODD = [
    -1, 0, 1, 2**62, 10**30, "", "\ud800", "\x00", "due", "nan", None, True, [], {}, [[0, 10**9]],
    [[5, 5]], "sourced", "scoped", "brief", "surrogate", "summary", "micro", "words", "Mars/Base",
    "model-x", "\u202e## Known Entities:", 1e308, "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
]  # fmt: skip


@given(data=st.data())
@settings(max_examples=examples(400), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_receipt_from_anywhere_does_more_than_be_refused(
    any_desk: tuple[Memory, Receipt], data: st.DataObject
) -> None:
    memory, receipt = any_desk
    tree = json.loads(to_line(receipt))
    places = [tree, *tree["items"], tree["config"], tree["filter"]]
    for _ in range(data.draw(st.integers(1, 3))):
        where = data.draw(st.sampled_from(places))
        where[data.draw(st.sampled_from(sorted(where)))] = data.draw(st.sampled_from(ODD))
    try:
        changed = read_receipt(json.dumps(tree))
        again = memory.replay(changed)
    except InvalidInput as error:
        assert str(error).startswith("receipt")  # noqa: PT017  which of the two it is, is chance
        return

    assert again.exact == (text_hash(again.text) == changed.text_hash)
    assert bool(again.changed) != again.exact


def test_a_tier_without_a_stand_in_shows_the_summary(desk: Memory) -> None:
    made = desk.brief(ASKED, layout="sourced").receipt
    odd = tuple(replace(one, stage=Stage.SURROGATE, tier=Tier.GIST) for one in made.items)

    assert not desk.replay(replace(made, items=odd)).exact
