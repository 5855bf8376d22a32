"""What the verbs take and refuse: times and filters in every form, wrong values by their name."""

import contextlib
import inspect
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from simonides import (
    Backgrounds,
    Filter,
    InvalidInput,
    Item,
    Keys,
    Memory,
    Preferences,
    Proposals,
    ProposedMemory,
    Sessions,
    Settings,
    SimonidesError,
    Surrogates,
)
from simonides.codec.write import to_wire

VIENNA = timezone(timedelta(hours=1))
NAIVE = datetime(2026, 3, 2, 9)  # noqa: DTZ001  the point
WRONG = [None, 3, -1.5, object(), [3], {"a": 3}, "", b"x", True, "no such thing"]
SIDES: dict[str, type] = {
    "": Memory, "background": Backgrounds, "keys": Keys, "preferences": Preferences,
    "proposals": Proposals, "sessions": Sessions, "surrogates": Surrogates,
}  # fmt: skip

# They take a way to a file, or nothing that could be wrong; `build` and `watch` wait.
APART = {
    "backup", "build", "build_in_background", "close", "erase", "export", "import_", "in_space",
    "repair", "watch",
}  # fmt: skip


@pytest.fixture
def memory() -> Iterator[Memory]:
    """Return a memory with one item, of a user in Vienna."""
    settings = Settings(embedder="none", timezone="Europe/Vienna")
    with Memory(":memory:", settings=settings) as made:
        made.add("Alpha is due on Friday.", id="a", source="note", happened_at="2026-03-02")
        yield made


def odd(value: Any) -> Any:
    """Return a value that type checkers let through."""
    return value


def taken(verb: Any) -> list[inspect.Parameter]:
    """Return what a verb takes by name or place."""
    parameters = list(inspect.signature(verb).parameters.values())
    return [one for one in parameters if one.kind is not one.VAR_KEYWORD]


def every_argument() -> list[tuple[str, str, str]]:
    """Return every argument of every verb of a memory and of what stands beside it."""
    return [
        (side, name, one.name)
        for side, kind in SIDES.items()
        for name, verb in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_") and name not in APART
        for one in taken(verb)
        if one.name != "self"
    ]


def fitting(memory: Memory) -> dict[str, Any]:
    """Return a value that fits for each argument that has no default."""
    receipt = memory.brief("Alpha").receipt
    words = dict.fromkeys(("query", "content", "text", "message", "value", "by"), "Alpha")
    ids = dict.fromkeys(("item_id", "session_id", "key_id", "proposal_id", "background_id"), "a")
    return {
        **words, **ids, "role": "user", "key": "tone", "space": "default", "spaces": ["default"],
        "receipt": receipt, "before": receipt, "after": receipt, "filter": Filter(ids=("a",)),
        "extractor": NothingToSay(), "messages": [{"role": "user", "content": "Alpha"}],
    }  # fmt: skip


class NothingToSay:
    """An extractor that proposes nothing."""

    name = "nothing"

    def extract(self, _: Any) -> list[ProposedMemory]:
        """Return nothing."""
        return []


def called(verb: Any, wrong: str, value: Any, fits: dict[str, Any]) -> None:
    """Call a verb with one wrong value, and with as little else as it wants."""
    places, names = [], {}
    for one in taken(verb):
        if one.name != wrong and (one.default is not one.empty or one.kind is one.VAR_POSITIONAL):
            continue
        given = value if one.name == wrong else fits[one.name]
        if one.kind is one.KEYWORD_ONLY:
            names[one.name] = given
        else:
            places.append(given)
    verb(*places, **names)


@pytest.mark.parametrize(("side", "name", "argument"), every_argument(), ids="{}".format)
def test_a_wrong_value_is_taken_or_refused_but_never_trips_the_engine(
    side: str, name: str, argument: str, memory: Memory
) -> None:
    fits = fitting(memory)
    verb = getattr(getattr(memory, side) if side else memory, name)

    for value in WRONG:
        with contextlib.suppress(SimonidesError):
            called(verb, argument, value, fits)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda m: m.search(None), "query: must be text, got NoneType"),
        (lambda m: m.search("x", limit="3"), "limit: must be a whole number, got '3'"),
        (lambda m: m.search("x", now="soon"), "now: 'soon' is no date"),
        (lambda m: m.search("x", as_of="soon"), "as_of: 'soon' is no date"),
        (lambda m: m.search("x", filter={"surce": ["a"]}), "did you mean 'sources'"),
        (lambda m: m.search("x", timezone=3), "timezone: no time zone is called 3"),
        (lambda m: m.brief("x", budgt_tokens=3), "budgt_tokens: .*did you mean 'budget_tokens'"),
        (lambda m: m.explain("x", layuot="brief"), "layuot: .*did you mean 'layout'"),
        (lambda m: m.brief("x", config={}), "config: must be a ContextConfig"),
        (lambda m: m.search_across("x", spaces=["a"], mod="text"), "mod: .*'mode'"),
        (lambda m: m.search_across("x", spaces="a"), "spaces: must be a list"),
        (lambda m: m.add("x", tgas=["a"]), "tgas: .*did you mean 'tags'"),
        (lambda m: m.add("x", happened_at="soon"), "happened_at: 'soon' is no date"),
        (lambda m: m.add(None), "content: must be text or an Item"),
        (lambda m: m.add("x", traits={"confidance": 1}), r"traits\.confidance: .*'confidence'"),
        (lambda m: m.update("a", titel="x"), "titel: .*did you mean 'title'"),
        (lambda m: m.remember("x", confidance=1), "confidance: .*did you mean 'confidence'"),
        (lambda m: m.forget(3), "item_ids: must be text, got 3"),
        (lambda m: m.get(None), "item_id: must be text, got None"),
        (lambda m: m.watch(".", changes=[], on_report=3), "on_report: must be a function, got 3"),
        (lambda m: m.watch(".", changes=[], stop=3), "stop: must be a threading.Event, got 3"),
        (lambda m: m.chat("x", model="gpt"), "model: must be a ChatModel, got 'gpt'"),
        (lambda m: m.chat("x", tools=[3]), "tools: must hold functions, got 3"),
        (lambda m: m.chat("x", on_event=3), "on_event: must be a function, got 3"),
        (lambda m: m.keys.create(space="a", expires="soon"), "expires: 'soon' is no date"),
        (lambda _: Memory(odd(3)), "home: must be a path, got 3"),
        (lambda _: Memory(":memory:", space=odd(3)), "space: must be text, got 3"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_its_name(
    call: Any, problem: str, memory: Memory
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        call(memory)


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("embedder", "none"), ("embedder", 3), ("chat_model", "openai"), ("clock", 3),
        ("settings", {"embedder": "none"}), ("settings", 0),
    ],
)  # fmt: skip
def test_a_memory_is_made_of_what_fits_or_not_at_all(field: str, wrong: object) -> None:
    with pytest.raises(InvalidInput, match=rf"^{field}: must be ") as caught:
        Memory(**{"home": ":memory:", field: wrong})  # type: ignore[arg-type]  # that is what is tested

    if field == "embedder":
        assert "Settings(embedder=…)" in str(caught.value)


def test_a_misspelt_argument_of_an_explicit_signature_stays_a_mistake_of_the_program(
    memory: Memory,
) -> None:
    wrong: Any = memory.search

    with pytest.raises(TypeError, match="limt"):
        wrong("x", limt=3)


@pytest.mark.parametrize("given", ["2026-03-02", date(2026, 3, 2), datetime(2026, 3, 2)])  # noqa: DTZ001
def test_times_without_a_zone_are_in_that_of_the_settings(given: Any, memory: Memory) -> None:
    midnight = datetime(2026, 3, 2, tzinfo=VIENNA)
    added = memory.add("Beta.", happened_at=given, traits={"expires_at": given})
    item = memory.get(added.id)

    assert item.happened_at == midnight
    assert item.traits is not None
    assert item.traits.expires_at == midnight
    assert memory.update("a", happened_at=given).happened_at == midnight
    assert memory.brief("Alpha", now=given).receipt.now == midnight
    assert memory.sessions.add("s", "user", "Hello", happened_at=given).change == "added"
    assert [one.happened_at for one in memory.sessions.last("s")] == [midnight]
    remembered = memory.remember("Tom drinks tea.", happened_at=given)
    assert memory.get(remembered.id).happened_at == midnight


def test_the_zone_of_the_call_wins(memory: Memory) -> None:
    receipt = memory.brief("Alpha", now="2026-03-02", timezone="UTC").receipt

    assert receipt.now == datetime(2026, 3, 2, tzinfo=UTC)


def test_a_filter_is_read_in_the_zone_of_the_settings(memory: Memory) -> None:
    in_utc, here = "2026-03-01T23:00:00Z", "2026-03-02"

    for since in (in_utc, here, NAIVE.replace(hour=0), date(2026, 3, 2)):
        assert [hit.id for hit in memory.search("Alpha", filter={"since": since})] == ["a"]
        assert [item.id for item in memory.list(filter={"since": since}).items] == ["a"]
        assert memory.preview_erase({"since": since}) == ("a",)
        assert memory.retrieve("Alpha", now=since).found == 1
    assert memory.search("Alpha", filter={"until": here}).hits == ()
    assert memory.erase(filter={"sources": ["note"]}).items == ("a",)


def test_a_state_is_named_by_a_time_in_any_form_or_by_a_revision(memory: Memory) -> None:
    memory.add("Beta.", id="b")
    tomorrow = (datetime.now(VIENNA) + timedelta(days=2)).date()

    for as_of in (1, 2, tomorrow, tomorrow.isoformat()):
        assert memory.get("a", as_of=as_of).id == "a"
        assert [hit.id for hit in memory.search("Alpha", as_of=as_of)] == ["a"]
        assert memory.list(as_of=as_of).items
    memory.background.put("Alpha is what counts.")
    assert memory.background.get(as_of=tomorrow) is not None
    assert memory.compact(before="2026-03-02").versions == 0


def test_a_key_expires_at_midnight_of_a_date(memory: Memory) -> None:
    day = datetime.now(VIENNA).date() + timedelta(days=90)
    key = memory.keys.create(space="desk", expires=day.isoformat())

    assert key.expires_at == memory.keys.create(space="desk", expires=day).expires_at
    assert key.expires_at is not None
    assert key.expires_at.astimezone(UTC).hour in (22, 23)


def test_a_brief_is_its_text_and_each_result_its_json(memory: Memory) -> None:
    brief, found, explained = memory.brief("Alpha"), memory.search("Alpha"), memory.explain("Alpha")

    assert str(brief) == brief.text
    assert repr(brief).startswith("Brief(")
    for result in (brief, found, explained, memory.list(), memory.stats(), memory.get("a")):
        assert result.to_dict() == to_wire(result)
        assert len(repr(result)) < 600
    assert "<table>" in explained._repr_html_()
    assert "<pre" in brief._repr_html_()


def test_what_was_added_is_escaped_in_every_notebook(memory: Memory) -> None:
    memory.add('<script>alert("Gamma")</script>', title="<img src=x> Gamma", source="<b>")

    for result in (memory.search("Gamma"), memory.brief("Gamma"), memory.explain("Gamma")):
        page = result._repr_html_()
        assert "script" in page
        assert not any(mark in page for mark in ("<script", "<img", "<b>"))


def test_one_and_many_are_kept_each_with_its_outcome(memory: Memory) -> None:
    one = memory.add(Item(content="One.", kind="memory", happened_at="2026-03-01T10:00:00Z"))
    many = memory.add(text for text in ("Two.", "Three."))

    assert one.change == "added"
    assert [outcome.change for outcome in many] == ["added", "added"]


@pytest.mark.parametrize("told", ["now", datetime(2026, 3, 1), None])  # noqa: DTZ001  without a zone
def test_a_clock_that_tells_no_aware_time_is_named(told: Any) -> None:
    refused = pytest.raises(InvalidInput, match=r"^clock: must tell a time with its zone, got ")
    with Memory(":memory:", clock=lambda: told) as memory, refused:
        memory.add("x")
