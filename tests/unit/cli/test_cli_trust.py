"""What `add`, `import`, `get`, `record-usage` and `surrogates` ask and answer."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simonides.api.memory import Memory
from simonides.cli.main import run
from simonides.errors import NotFound
from simonides.model.item import Item, Trust, declared_trust
from simonides.model.stored import Engaged, Surrogate, SurrogatesBuilt, Unwritten

Call = Callable[..., tuple[int, str, str]]


class DictSurrogates:
    """Answers as a test says, and notes every call."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.unwritten = 0
        self.kept: Surrogate | None = Surrogate(
            item_key=1, algorithm="extractive", version=1, source_hash=b"\x07" * 16,
            full="Alpha moved to Friday. Tom told the client.", gist="Alpha moved.", micro="Alpha…",
        )  # fmt: skip

    def build(self, *, on_progress: Callable[[int, int], None], **how: Any) -> SurrogatesBuilt:
        self.calls.append(how)
        on_progress(64, 1_300)
        on_progress(0, 0)
        failed = tuple(Unwritten(id=f"i{n}", reason="torn") for n in range(self.unwritten))
        return SurrogatesBuilt(built=1_234, up_to_date=5, left=66, unwritten=failed, took_s=2.25)

    def get(self, item_id: str, *, algorithm: str) -> Surrogate | None:
        assert algorithm == "extractive"
        if item_id == "nobody":
            raise NotFound("item", item_id)
        return self.kept


@pytest.fixture
def surrogates(memory: Any) -> DictSurrogates:
    """The surrogates of the memory that the command line opens; it can be engaged with, too."""
    memory.surrogates = DictSurrogates()
    memory.engaged = []

    def record_usage(*ids: str, how: str) -> tuple[str, ...]:
        memory.engaged.append((ids, how))
        return tuple(one for one in dict.fromkeys(ids) if one in memory.items)

    memory.record_usage = record_usage
    found: DictSurrogates = memory.surrogates
    return found


# ── surrogates ───────────────────────────────────────────────────────────────────────────────────


def test_build_passes_its_limits_on_and_says_what_was_done(
    call: Call, surrogates: DictSurrogates
) -> None:
    assert call("surrogates", "build", "--max", "1000", "--seconds", "2.5") == (
        0, "1,234 built in 2.2 s, 5 up to date, 66 left\n", "",
    )  # fmt: skip
    call("surrogates", "build")

    assert surrogates.calls == [
        {"algorithm": "extractive", "items_max": 1000, "time_max_s": 2.5},
        {"algorithm": "extractive"},
    ]


def test_what_could_not_be_written_is_reported_up_to_ten(
    call: Call, surrogates: DictSurrogates
) -> None:
    surrogates.unwritten = 12
    err = call("surrogates", "build")[2].splitlines()

    assert err[0] == "not written: i0: torn"
    assert err[9:] == ["not written: i9: torn", "and 2 more; --json lists all"]
    assert len(json.loads(call("surrogates", "build", "--json")[1])["unwritten"]) == 12


def test_get_shows_the_three_lengths(call: Call, surrogates: DictSurrogates) -> None:
    assert call("surrogates", "get", "mail-1") == (
        0,
        "full   Alpha moved to Friday. Tom told the client.\ngist   Alpha moved.\nmicro  Alpha…\n",
        "",
    )
    assert surrogates.kept is not None
    assert json.loads(call("surrogates", "get", "mail-1", "--json")[1]) == {
        "algorithm": "extractive", "version": 1, "source_hash": "07" * 16,
        "full": surrogates.kept.full, "gist": "Alpha moved.", "micro": "Alpha…",
    }  # fmt: skip


def test_what_is_not_there_is_told_apart(call: Call, surrogates: DictSurrogates) -> None:
    assert call("surrogates", "get", "nobody") == (
        3, "", "simonides surrogates: no item 'nobody' [not_found]\n",
    )  # fmt: skip
    surrogates.kept = None
    assert call("surrogates", "get", "mail-1") == (
        3, "", "simonides surrogates: no surrogate of item 'mail-1' [not_found]\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    "argv",
    [
        (), ("burn",), ("build", "--max", "0"), ("build", "--seconds", "-1"),
        ("build", "--seconds", "nan"), ("get",),
    ],
)  # fmt: skip
def test_surrogates_asked_for_wrongly_are_refused(
    call: Call, surrogates: DictSurrogates, argv: tuple[str, ...]
) -> None:
    status, out, _ = call("surrogates", *argv)

    assert (status, out) == (2, "")
    assert surrogates.calls == []


# ── engagement ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("surrogates")
def test_record_usage_says_of_what_it_was_noted(call: Call, memory: Any) -> None:
    assert call("record-usage", "mail-1") == (0, "used mail-1\n", "")
    assert call("record-usage", "mail-1", "zz", "zz", "--how", "cited") == (
        3, "cited mail-1\n", "simonides record-usage: no item 'zz' [not_found]\n",
    )  # fmt: skip
    status, out, err = call("record-usage", "zz", "--json")

    assert (status, err) == (3, "")
    assert json.loads(out) == {"engaged": [], "how": "used", "missing": ["zz"]}
    assert memory.engaged[1] == (("mail-1", "zz", "zz"), "cited")


@pytest.mark.usefixtures("surrogates")
@pytest.mark.parametrize("argv", [(), ("mail-1", "--how", "seen")])
def test_record_usage_without_an_id_or_with_another_way_is_refused(
    call: Call, memory: Any, argv: tuple[str, ...]
) -> None:
    assert call("record-usage", *argv)[0] == 2
    assert memory.engaged == []


@pytest.mark.usefixtures("surrogates")
def test_getting_an_item_is_no_engagement_unless_it_is_said_to_be(call: Call, memory: Any) -> None:
    plain = call("get", "mail-1")
    assert memory.engaged == []
    assert call("get", "mail-1", "--record-usage") == plain
    assert memory.engaged == [(("mail-1",), Engaged.OPENED)]
    assert call("get", "zz", "--record-usage")[0] == 3
    assert len(memory.engaged) == 1


# ── trust ────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def added(memory: Any) -> Callable[[], list[Item]]:
    """Return a function that returns every item added so far."""

    def items() -> list[Item]:
        return [one for verb, how in memory.calls if verb == "add" for one in how["items"]]

    return items


@pytest.mark.parametrize("level", Trust)
def test_a_text_is_said_to_be_trusted_so_far(
    call: Call, added: Callable[[], list[Item]], level: Trust
) -> None:
    call("add", "x", "--trust", level.value, "--metadata", '{"n": 1}')

    assert [dict(one.metadata) for one in added()] == [{"n": 1, "_trust": level.value}]


def test_without_a_level_nothing_is_said(call: Call, added: Callable[[], list[Item]]) -> None:
    call("add", "x")

    assert [dict(one.metadata) for one in added()] == [{}]


def test_of_many_items_each_is_said_to_be_unless_it_says_less(
    call: Call, added: Callable[[], list[Item]]
) -> None:
    lines = [
        {"content": "a"},
        {"content": "b", "metadata": {"_trust": "own"}},
        {"content": "c", "metadata": {"_trust": "external"}},
    ]
    text = "\n".join(map(json.dumps, lines))
    call("add", "--jsonl", "-", "--trust", "unknown", stdin=text)

    assert [declared_trust(one) for one in added()] == [
        Trust.UNKNOWN,
        Trust.UNKNOWN,
        Trust.EXTERNAL,
    ]


def test_an_import_passes_the_level_on(call: Call, memory: Any) -> None:
    call("import", "a.mbox", "--trust", "external")
    call("import", "a.mbox")

    assert [how["trust"] for verb, how in memory.calls if verb == "import"] == ["external", None]


@pytest.mark.parametrize("verb", ["add", "import"])
def test_what_is_no_level_is_refused(call: Call, memory: Any, verb: str) -> None:
    status, _, err = call(verb, "x", "--trust", "friend")

    assert status == 2
    assert "choose from 'own', 'known', 'unknown', 'external'" in err
    assert memory.calls == []


def test_when_a_memory_expires_is_read_in_the_users_zone(
    call: Call, added: Callable[[], list[Item]]
) -> None:
    call("add", "x", "--expires-at", "2026-03-12T13:00", "--timezone", "Europe/Vienna")
    [item] = added()

    assert item.traits is not None
    assert str(item.traits.expires_at) == "2026-03-12 12:00:00+00:00"
    assert call("add", "x", "--kind", "email", "--expires-at", "2026-03-12")[0] == 4
    assert "traits.expires_at: 'soon' is no date" in call("add", "x", "--expires-at", "soon")[2]


def test_only_what_is_trusted_little_is_marked_in_a_list_of_hits(tmp_path: Path) -> None:
    home = str(tmp_path / "home")

    def called(*argv: str) -> list[str]:
        out = io.StringIO()
        run(
            [*argv, "--home", home], stdin=io.StringIO(), out=out, err=io.StringIO(),
            environment={"SIMONIDES_EMBEDDER": "none", "SIMONIDES_TIMEZONE": "UTC"},
            open_memory=Memory,
        )  # fmt: skip
        return out.getvalue().splitlines()

    for level in Trust:
        called("add", f"harbor note, {level.value}", "--trust", level.value, "--title", level.value)
    heads = [line[26:].split() for line in called("search", "harbor note") if line[3:4] == "."]

    assert sorted(heads) == [
        ["note", "external", "external"],
        ["note", "known"],
        ["note", "own"],
        ["note", "unknown", "sender", "unknown"],
    ]
    called(
        "add",
        "zebra",
        "--kind",
        "email",
        "--source",
        "mail",
        "--author",
        "Ann Own <zed@evil.example>",
    )
    assert "mail · Ann Own at zed@evil.example  unknown sender" in called("search", "zebra")[0]
