"""After any accepted item, every operation answers; what is refused is refused by its field's name.

Tried with values at the limits of every sort, for every field of an item, through Python, the
command line, HTTP and the import of an export, which all take and refuse the same.
"""

import io
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from simonides import Filter, Item, Memory, MemoryTraits, Person, Settings
from simonides.api.operations.items import AddRequest
from simonides.cli.main import run as command_line
from simonides.codec.request import request_schema
from simonides.errors import InvalidInput, SimonidesError
from simonides.http.app import make_app, make_server
from simonides.http.limits import Limits
from simonides.index.columns import ItemColumns
from simonides.model import bounds
from simonides.model.bounds import EXACT_MAX, ITEM_TEXTS, SETTINGS, Number, Text, Whole
from simonides.model.filter import Operator, parse_condition
from simonides.storage.sqlite import pages
from simonides_bench.boundaries import JSON, NUMBERS, TEXTS, TIMES, WHOLES, nest

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
PLAIN: Final = Settings(embedder="none", timezone="UTC", durability="relaxed")

TRAITS = ("entity", "workspace_id", "user_id", "session_id", "source_run_id")
LISTS: tuple[Any, ...] = (
    [], ["a"] * 3, [""], ["x" * 1_000], ["x" * 1_001], ["x"] * 1_000, ["x"] * 1_001,
    *([one] for one in TEXTS[::3]), "a", 5,
)  # fmt: skip
PEOPLE: tuple[Any, ...] = (
    [{"name": text} for text in TEXTS[:45]], *([{"address": text}] for text in TEXTS[::3]),
    *([text] for text in TEXTS[1::3]), [{"name": "a", "role": "to"}] * 1_500, [{}], [{"age": 3}],
    [{"name": 5}], [["a"]],
)  # fmt: skip
METADATA: tuple[Any, ...] = (
    *({"a": one} for one in (*WHOLES, *NUMBERS, *TEXTS[::3], *JSON)),
    *({text: 1} for text in TEXTS[1::3]),
    nest(32), nest(33), {"a": ["x"] * 90_000}, {"a": ["x"] * 100_001}, [], "x", 5,
)  # fmt: skip


ASKED_EVERY, LOOKED_AFTER_EVERY = 20, 12
"""After so many items that were taken the space is asked, or all done with it, in between."""


def at(bound: Text) -> tuple[str, ...]:
    """Return texts as long as a field may hold, and one character longer."""
    return tuple("x" * (bound.chars_max + more) for more in (0, 1) if bound.chars_max <= 200_000)


FIELDS: dict[str, tuple[Any, ...]] = {
    **{
        name: (*TEXTS[n % 3 :: 3], *at(bound), 5, None)
        for n, (name, bound) in enumerate(ITEM_TEXTS.items())
    },
    **{f"traits.{name}": (*TEXTS[n::5], *at(bounds.NAME), 5) for n, name in enumerate(TRAITS)},
    "position": (*WHOLES, True, 1.5, "1"),
    "happened_at": (*TIMES, *TEXTS[:8], 5),
    "traits.expires_at": (*TIMES, *TEXTS[:8], 5),
    "traits.importance": (*NUMBERS, *WHOLES[::2], "1", True),
    "traits.confidence": (*NUMBERS, *WHOLES[1::2], "1", True),
    "traits.half_life_hours": (*NUMBERS, *WHOLES, "1", True),
    "tags": LISTS,
    "people": PEOPLE,
    "metadata": METADATA,
    "kind": ("email", "message", "memory", "event", "", "x", 5),
    "traits.scope": ("user", "global", "", 5),
    "traits.status": ("active", "deleted", "superseded", "x"),
}


def is_json(value: Any) -> bool:
    """Return whether JSON has a word for a value; else a whole line or body is refused as none."""
    try:
        return bool(json.dumps(value, allow_nan=False, ensure_ascii=False).encode())
    except ValueError:
        return False


def item_of(name: str, value: Any, number: int) -> dict[str, Any]:
    """Return an item in words of JSON, one field of which has a value at a limit."""
    made: dict[str, Any] = {"content": "x harbor deadline", "id": f"t{number}"}
    outer, _, inner = name.partition(".")
    made[outer] = {inner: value} if inner else value
    return made


Outcome = str
"""Empty where an item was taken, else what was said of it."""


class Doors:
    """The four ways by which an item comes into the one space of a home."""

    def __init__(self, home: Path, client: TestClient, memory: Memory) -> None:
        self._home = home
        self._client = client
        self._memory = memory

    def python(self, record: Mapping[str, Any]) -> Outcome:
        """Add it as a program does."""
        try:
            self._memory.add(**record)
        except InvalidInput as error:
            return str(error)
        return ""

    def cli(self, record: Mapping[str, Any]) -> Outcome:
        """Add it as a line of JSON."""
        out, err = io.StringIO(), io.StringIO()
        status = command_line(
            ["add", "--jsonl", "-", "--json"], stdin=io.StringIO(json.dumps(record)), out=out,
            err=err, environment={"SIMONIDES_HOME": str(self._home), "HOME": str(self._home)},
            open_memory=lambda *_, **__: Lasting(self._memory),  # type: ignore[arg-type]
        )  # fmt: skip

        assert status in (0, 2, 3, 4), err.getvalue()
        return err.getvalue()

    def http(self, record: Mapping[str, Any]) -> Outcome:
        """Send it."""
        sent = json.dumps(record).encode()
        got = self._client.post(
            "/v1/items", content=sent, headers={"Content-Type": "application/json"}
        )

        assert got.status_code < 500, got.text
        return "" if got.status_code < 300 else got.text

    def export(self, record: Mapping[str, Any]) -> Outcome:
        """Import an export that holds it."""
        stored = {"stored_at": "2026-03-12T09:00:00Z", "revision": 1, "version": 1}
        head = {"simonides_export": 1, "uuid": "u", "revision": 1, "floor": 0}
        lines = [json.dumps(one) for one in (head, {"version": {"item": record, **stored}})]
        path = self._home / "in.jsonl"
        path.write_text("\n".join([*lines, ""]))
        report = self._memory.import_(path)
        said = [one.reason for one in report.skipped if "is missing" not in one.reason]
        return "; ".join(said)


class Lasting:
    """A memory that a verb of the command line does not close."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memory, name)

    def close(self) -> None:
        """Leave it open."""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A space that holds an item already: what comes in is not the first."""
    made = Memory(tmp_path / "home", settings=PLAIN, clock=lambda: NOW)
    made.add("the harbor deadline is Friday", id="anchor", session="s")
    yield made
    made.close()


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A space of that item alone, for tests that ask and write nothing."""
    home = tmp_path_factory.mktemp("asked") / "home"
    with Memory(home, settings=PLAIN, clock=lambda: NOW) as made:
        made.add("the harbor deadline is Friday", id="anchor", session="s")
        made.add("x", id="m", metadata={"a": 2**60})
        yield made


@pytest.fixture
def doors(tmp_path: Path, memory: Memory) -> Iterator[Doors]:
    """Every way into that space."""
    limits = Limits(rate_per_s=1e6, rate_burst=10**6)
    server = make_server(memory, uploads=tmp_path / "uploads", limits=limits)
    with TestClient(make_app(server), base_url="http://localhost") as client:
        yield Doors(tmp_path, client, memory)


def refused(do: Callable[..., object], *given: Any, **named: Any) -> str:
    """Return what is said of what is refused; nothing where it is done."""
    try:
        do(*given, **named)
    except SimonidesError as error:
        return str(error)
    return ""


def check_asking(memory: Memory) -> None:
    """Ask of a space what is asked most."""
    assert memory.search("harbor deadline").hits
    assert memory.brief("harbor deadline").text
    for scorer in ("classic", "rrf"):
        assert memory.search("harbor deadline", scorer=scorer).hits
    assert memory.list(limit=1_000).items
    assert memory.stats().items


def check_everything(memory: Memory, elsewhere: Path) -> None:
    """Do with a space whatever can be done with one."""
    check_asking(memory)
    items = memory.list(limit=1_000, filter=Filter(statuses=(), expired=True)).items
    kept = memory.brief("harbor deadline", keep_receipt=True, context_mode="dense", why=True)
    assert memory.replay(kept.receipt.id).exact
    memory.entities()
    memory.surrogates.build()
    for one in items[:3]:
        assert memory.get(one.id) == one
        assert memory.history(one.id)
        memory.record_usage(one.id)
        memory.update(one.id, summary="seen")
        memory.forget(one.id)
        memory.restore(one.id)
    assert [one for one in memory.verify() if not one.sound] == []
    memory.compact(before=memory.stats().revision)
    elsewhere.mkdir()
    memory.export(elsewhere / "out.jsonl")
    with Memory(elsewhere / "home", settings=PLAIN, clock=lambda: NOW) as other:
        report = other.import_(elsewhere / "out.jsonl")
        assert report.skipped == ()
        assert other.list(limit=1_000, filter=ANY) == memory.list(limit=1_000, filter=ANY)
        assert [one for one in other.verify() if not one.sound] == []
        check_asking(other)
    memory.reembed()
    memory.add("to be erased", id="erased")
    gone = memory.erase("erased", *(one.id for one in items if one.id != "anchor"))
    assert gone.complete
    check_asking(memory)


ANY = Filter(statuses=(), expired=True)


# ── the law ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
@pytest.mark.parametrize("name", FIELDS)
def test_what_is_taken_is_taken_by_all_and_everything_answers_after_it(
    doors: Doors, memory: Memory, tmp_path: Path, name: str
) -> None:
    ways: dict[str, Callable[[Mapping[str, Any]], Outcome]] = {
        "python": doors.python, "cli": doors.cli, "http": doors.http, "export": doors.export,
    }  # fmt: skip
    taken = 0
    for number, value in enumerate(FIELDS[name]):
        record = item_of(name, value, number)
        said = {way: add(record) for way, add in ways.items()}

        assert len({bool(one) for one in said.values()}) == 1, (value, said)
        if said["http"]:
            field = name.rpartition(".")[2]
            is_document = is_json(value) and "recursion limit" not in said["http"]
            naming = said.values() if is_document else [said["python"]]
            assert all(field in one for one in naming), (value, said)
        else:
            taken += 1
            if taken % ASKED_EVERY == 0:
                check_asking(memory)

    assert taken
    check_everything(memory, tmp_path / "elsewhere")


values = st.sampled_from([(name, one) for name, known in FIELDS.items() for one in known])


@pytest.mark.slow
@settings(suppress_health_check=list(HealthCheck))
@given(chosen=st.lists(values, min_size=2, max_size=6))
def test_fields_at_their_limits_together_are_taken_or_refused_as_one(
    tmp_path_factory: pytest.TempPathFactory, chosen: list[tuple[str, Any]]
) -> None:
    record: dict[str, Any] = {"content": "x harbor deadline"}
    for name, value in chosen:
        made = item_of(name, value, 0)
        outer = name.partition(".")[0]
        is_inner = "." in name and isinstance(record.get(outer), dict)
        record[outer] = {**record[outer], **made[outer]} if is_inner else made[outer]
    home = tmp_path_factory.mktemp("home")
    with Memory(home / "home", settings=PLAIN, clock=lambda: NOW) as memory:
        memory.add("the harbor deadline is Friday", id="anchor")
        with suppress(InvalidInput):
            memory.add(**record)
        check_everything(memory, home / "elsewhere")


# ── one source ────────────────────────────────────────────────────────────────────────────────


def test_the_columns_of_the_index_hold_both_ends_of_every_number() -> None:
    growing = ItemColumns().growing
    for name, bound in {"position": bounds.POSITION, "born": bounds.REVISION}.items():
        held = np.iinfo(growing[name].rows(0).dtype)

        assert held.min <= bound.low
        assert bound.high <= held.max
    for name in ("importance", "half_life"):
        assert growing[name].rows(0).dtype == np.float64


@pytest.mark.parametrize("name", ITEM_TEXTS)
def test_the_schema_of_http_says_what_an_item_may_hold(name: str) -> None:
    reported = request_schema(AddRequest)["properties"][name]
    [text] = [one for one in reported.get("anyOf", [reported]) if one.get("type") == "string"]

    assert text["maxLength"] == ITEM_TEXTS[name].chars_max
    assert text.get("minLength", 0) == ITEM_TEXTS[name].chars_min


def test_the_schema_of_http_says_which_numbers_an_item_may_hold() -> None:
    reported = request_schema(AddRequest)
    [position] = [one for one in reported["properties"]["position"]["anyOf"] if "minimum" in one]
    traits = reported["$defs"]["TraitsRequest"]["properties"]
    [half_life] = [one for one in traits["half_life_hours"]["anyOf"] if "maximum" in one]

    assert (position["minimum"], position["maximum"]) == (-EXACT_MAX, EXACT_MAX)
    assert half_life["maximum"] == bounds.HALF_LIFE_HOURS.high


@pytest.mark.parametrize("name", ITEM_TEXTS)
def test_the_longest_text_is_taken_and_one_more_character_is_not(name: str) -> None:
    bound = ITEM_TEXTS[name]
    given: dict[str, Any] = {"content": "x", name: "x" * bound.chars_max}
    kept = Item(**given)

    assert len(getattr(kept, name)) == bound.chars_max
    with pytest.raises(InvalidInput, match=f"^{name}: must have at most"):
        Item(**{**given, name: "x" * (bound.chars_max + 1)})


# ── what is asked ─────────────────────────────────────────────────────────────────────────────

ASKED: dict[str, tuple[Any, ...]] = {
    "limit": (*WHOLES, True, 1.5, "1"),
    "min_score": (*NUMBERS, *WHOLES, True, "1"),
    "min_relevance": (*NUMBERS, *WHOLES, True, "1"),
    "as_of": (*WHOLES, True, 1.5, "x"),
    "session_id": (*TEXTS, 5),
    "timezone": (*TEXTS, "Europe/Vienna"),
    "mode": ("text", "", "x", 5),
    "now": (
        datetime(1, 1, 1), datetime(9999, 12, 31), datetime(1, 1, 1, tzinfo=UTC),  # noqa: DTZ001
        datetime(9999, 12, 31, 23, 59, tzinfo=UTC), 5,
    ),
}  # fmt: skip
BUDGETS = ("budget_tokens", "budget_words", "top_k", "items_max", "reserve", "limit", "max_items")


@pytest.mark.parametrize("name", ASKED)
def test_a_question_at_a_limit_is_answered_or_refused_by_name(asked: Memory, name: str) -> None:
    for value in ASKED[name]:
        for ask in (asked.search, asked.brief):
            try:
                ask("harbor", **{name: value})
            except SimonidesError as error:
                said = f"{error.code} {error}"
            else:
                said = name

            assert name in said or "history_gone" in said, value


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_is_a_question(asked: Memory, text: str) -> None:
    for ask in (asked.search, asked.brief, asked.background.best):
        said = refused(ask, text)

        assert said == "" or said.startswith("query:")


def briefed_again(memory: Memory, **given: Any) -> None:
    """Make a brief, and make it again of its receipt."""
    assert memory.replay(memory.brief("harbor", **given).receipt).exact


@pytest.mark.parametrize("name", BUDGETS)
def test_a_brief_with_a_number_at_a_limit_is_made_or_refused(asked: Memory, name: str) -> None:
    for value in (*WHOLES, True, 1.5, "1"):
        said = refused(briefed_again, asked, **{name: value})

        assert said == "" or said.startswith(("budget", name)), value


def asked_where(memory: Memory, tree: Any) -> None:
    """List by a condition, and brief and replay by it."""
    wanted = Filter(where=parse_condition(tree))
    memory.list(filter=wanted)
    assert memory.replay(memory.brief("harbor", filter=wanted).receipt).exact


@pytest.mark.parametrize("operator", Operator)
def test_a_condition_on_any_value_holds_or_is_refused(asked: Memory, operator: Operator) -> None:
    for value in (*WHOLES, *NUMBERS, *TEXTS, *JSON):
        said = refused(asked_where, asked, {"a": {operator.value: value}})

        assert said == "" or said.startswith("where"), value


# ── exports, settings, and what else is given ─────────────────────────────────────────────────

HEADS: dict[str, tuple[Any, ...]] = {
    "revision": (*WHOLES, 1.5, "1", None),
    "floor": (*WHOLES, 1.5, "1", None),
    "uuid": (*TEXTS, 5),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HEADS)
def test_a_space_is_writable_after_any_head_that_is_taken(tmp_path: Path, name: str) -> None:
    for number, value in enumerate(HEADS[name]):
        head = {"simonides_export": 1, "uuid": "u", "revision": 5, "floor": 0, name: value}
        path = tmp_path / f"{number}.jsonl"
        path.write_text(json.dumps(head) + "\n")
        with Memory(tmp_path / f"home{number}", settings=PLAIN, clock=lambda: NOW) as memory:
            said = refused(memory.import_, path)

            assert said == "" or name in said or "half a character" in said, value
            memory.add("the harbor deadline is Friday", id="anchor")
            check_asking(memory)
            if number % LOOKED_AFTER_EVERY == 0:
                check_everything(memory, tmp_path / f"elsewhere{number}")


BESIDE: dict[str, dict[str, Any]] = {
    "erased": {"id_hash": "00" * 16, "at": "2026-03-12T09:00:00Z", "version": 1},
    "background": {"id": "b", "collection": "main", "text": "harbor", "revision": 1,
                   "created_at": "2026-03-12T09:00:00Z"},
    "engagement": {"item_id": "t", "how": "used", "at": "2026-03-12T09:00:00Z", "revision": 1,
                   "times": 1},
    "receipt": {"id": "r", "at": "2026-03-12T09:00:00Z", "text": "{}"},
    "proposal": {"id": "p", "created_at": "2026-03-12T09:00:00Z", "status": "pending",
                 "decided_at": None, "body": "{}"},
    "version": {"item": {"content": "x harbor", "id": "t"}, "stored_at": "2026-03-12T09:00:00Z",
                "revision": 1, "version": 1, "died": 2, "died_at": "2026-03-12T09:00:00Z",
                "cause": "forgotten"},
}  # fmt: skip
NASTY: tuple[Any, ...] = (
    *WHOLES, *TIMES, *TEXTS[:30], 1.5, None, [], {}, "[]", '{"text": "x"}', "[" * 9_999,
)  # fmt: skip
"""What each field of a line is given."""

ITS_OWN: dict[str, Callable[[int], dict[str, Any]]] = {
    "erased": lambda n: {"id_hash": f"{n:032x}"},
    "background": lambda n: {"id": f"b{n}"},
    "engagement": lambda n: {"item_id": f"t{n}"},
    "receipt": lambda n: {"id": f"r{n}"},
    "proposal": lambda n: {"id": f"p{n}"},
    "version": lambda n: {"item": {"content": "x harbor", "id": f"t{n}"}},
}
"""What tells a line from all others of its kind, so that none takes the place of another."""


@pytest.mark.parametrize("kind", BESIDE)
@pytest.mark.parametrize("is_empty", [True, False])
def test_any_line_of_an_export_that_is_taken_is_kept_as_well_as_an_item(
    tmp_path: Path, kind: str, is_empty: bool
) -> None:
    names = [name for name in BESIDE[kind] if name != "item"]
    tried = [(name, value) for name in names for value in NASTY]
    lines: list[dict[str, Any]] = [
        {"simonides_export": 1, "uuid": "u", "revision": 5, "floor": 0},
        *({kind: BESIDE[kind] | ITS_OWN[kind](n) | {name: v}} for n, (name, v) in enumerate(tried)),
    ]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    with Memory(tmp_path / "home", settings=PLAIN, clock=lambda: NOW) as memory:
        if not is_empty:
            memory.add("own", id="own")
        report = memory.import_(path)
        memory.add("the harbor deadline is Friday", id="anchor")

        numbers = [
            int(one.where.rpartition(" ")[2]) for one in report.skipped if "line" in one.where
        ]
        assert {tried[number - 2][0] for number in numbers} == set(names)
        assert memory.proposals.list(limit=1_000).proposals is not None
        assert memory.background.history(limit=1_000) is not None
        check_everything(memory, tmp_path / "elsewhere")


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_at_a_limit_is_taken_or_refused_by_name(name: str) -> None:
    bound = SETTINGS[name]
    table: tuple[Any, ...] = TEXTS if isinstance(bound, Text) else (*WHOLES, *NUMBERS, "1", True)
    for value in table:
        said = refused(Settings, **{name: value})

        assert said == "" or said.startswith(f"{name}:"), value


def test_every_setting_that_is_a_number_or_a_text_has_a_bound() -> None:
    chosen = {
        "embedder", "durability", "encoding", "chat_provider", "chat_mode", "store", "lanes",
        "redis", "extraction",
    }  # fmt: skip
    bounded = {
        one.name for one in fields(Settings)
        if isinstance(one.default, int | float | str) and not isinstance(one.default, bool)
    }  # fmt: skip

    assert set(SETTINGS) == bounded - chosen


@pytest.mark.parametrize("position", [EXACT_MAX, -EXACT_MAX, EXACT_MAX // 2, 0])
def test_a_session_goes_on_after_any_position(memory: Memory, position: int) -> None:
    memory.add("first", id="m", kind="message", source="chat", session="c", position=position)
    memory.sessions.add("c", "user", "and the harbor?")
    memory.sessions.add("c", "assistant", "On Friday.")

    assert len(memory.sessions.messages("c").items) == 3


def test_what_an_earlier_version_accepted_is_still_read(tmp_path: Path) -> None:
    with Memory(tmp_path, settings=PLAIN, clock=lambda: NOW) as memory:
        memory.add("the harbor deadline is Friday", id="anchor", tags=("x",))
    sqlite = pages.open_file(tmp_path / "spaces/default.sqlite3")
    sqlite.execute("UPDATE item SET position = ?, session = ?", (2**63 - 1, "s" * 5_000))
    sqlite.close()

    with Memory(tmp_path, settings=PLAIN, clock=lambda: NOW) as memory:
        check_asking(memory)
        assert memory.get("anchor").position == 2**63 - 1


@pytest.mark.parametrize("value", [*WHOLES, *NUMBERS])
def test_an_error_repeats_any_number_in_short(value: Any) -> None:
    for check in (Whole(low=5, high=4).check, Number(low=5, high=4).check):
        with pytest.raises(InvalidInput) as reported:
            check(value, field="n")

        assert len(str(reported.value)) < 300


@pytest.mark.parametrize("make", [Person, MemoryTraits, Item], ids=lambda one: one.__name__)
def test_a_record_names_the_field_of_any_value_that_it_refuses(make: Any) -> None:
    given = {"content": "x"} if make is Item else {"name": "x"} if make is Person else {}
    for one in fields(make):
        for value in (*WHOLES, *NUMBERS, *TEXTS, *JSON, b"x", object()):
            said = refused(make, **{**given, one.name: value})

            assert said == "" or one.name in said, (one.name, value)
