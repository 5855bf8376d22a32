"""`--as-of`, `--if-version`, `history`, `restore` and `compact`, on a space of its own."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.cli.main import run
from simonides.ports.models import Clock
from simonides_bench import churn

Call = Callable[..., tuple[int, str, str]]
FIRST, SECOND, THIRD, LATER = (f"2026-03-{day:02}T09:00:00Z" for day in (1, 2, 3, 12))


def opened(home: Path, *, space: str, settings: Settings, clock: Clock) -> Memory:
    return Memory(home, space=space, settings=settings, clock=clock)


@pytest.fixture
def call(tmp_path: Path) -> Call:
    """Run `simonides …` at a time; return status, stdout and stderr."""

    def called(*argv: str, now: str = LATER, **settings: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        environment = {
            "SIMONIDES_HOME": str(tmp_path / "home"),
            "SIMONIDES_EMBEDDER": "none",
            "SIMONIDES_TIMEZONE": "UTC",
            **settings,
        }
        status = run(
            [*argv, "--now", now], stdin=io.StringIO(), out=out, err=err,
            environment=environment, open_memory=opened,
        )  # fmt: skip
        return status, out.getvalue(), err.getvalue()

    return called


@pytest.fixture
def tea(call: Call) -> str:
    """Keep that Tom prefers tea, then green tea, then forget it; return the id."""
    item_id: str = answer(call, "add", "Tom prefers tea.", now=FIRST)["outcomes"][0]["id"]
    answer(call, "update", item_id, "--content", "Tom prefers green tea.", now=SECOND)
    answer(call, "forget", item_id, now=THIRD)
    return item_id


def answer(call: Call, *argv: str, **how: Any) -> Any:
    status, out, err = call(*argv, "--json", **how)

    assert (status, err) == (0, "")
    assert out.count("\n") == 1
    return json.loads(out)


@pytest.mark.parametrize(
    ("when", "text"),
    [
        ("1", "Tom prefers tea."),
        ("2", "Tom prefers green tea."),
        ("2026-03-01T10:00", "Tom prefers tea."),
        ("2026-03-03", "Tom prefers green tea."),
    ],
)
@pytest.mark.usefixtures("tea")
def test_each_verb_that_asks_can_ask_the_past(call: Call, tea: str, when: str, text: str) -> None:
    found = answer(call, "search", "tea", "--as-of", when)

    assert [entry["item"]["content"] for entry in found["entries"]] == [text]
    assert answer(call, "get", tea, "--as-of", when)["content"] == text
    assert [one["content"] for one in answer(call, "list", "--as-of", when)["items"]] == [text]
    assert text in answer(call, "brief", "tea", "--as-of", when)["text"]
    assert text in call("explain", "tea", "--as-of", when)[1]
    assert answer(call, "search", "tea")["entries"] == []


@pytest.mark.parametrize("when", ["", "soon", "2026-13-01", "99", "²"])
def test_what_is_no_time_and_no_revision_is_refused(call: Call, tea: str, when: str) -> None:
    for argv in (["search", "tea"], ["list"], ["get", tea], ["brief", "tea"]):
        status, out, err = call(*argv, "--as-of", when)

        assert (status, out) == (4, "")
        assert "[invalid_input]" in err


def test_history_is_a_table_and_says_how_it_ended(call: Call, tea: str) -> None:
    status, out, err = call("history", tea)

    assert status == 0
    assert [line.split() for line in out.splitlines()] == [
        "version date revisions changed text".split(),
        "1 2026-03-01 09:00 UTC 1 to 2 Tom prefers tea.".split(),
        "2 2026-03-02 09:00 UTC 2 to 3 content Tom prefers green tea.".split(),
    ]
    assert err == "forgotten at revision 3, 2026-03-03 09:00 UTC\n"


def test_history_as_json_has_each_version_whole(call: Call, tea: str) -> None:
    found = answer(call, "history", tea)

    assert [(one["version"], one["cause"], one["changed"]) for one in found["versions"]] == [
        (1, "replaced", []),
        (2, "forgotten", ["content"]),
    ]
    assert found["versions"][0]["item"]["content"] == "Tom prefers tea."
    assert (found["versions"][0]["born_at"], found["versions"][0]["died_at"]) == (FIRST, SECOND)


def test_what_is_present_goes_on(call: Call) -> None:
    item_id = answer(call, "add", "Tom prefers tea.", now=FIRST)["outcomes"][0]["id"]

    _, out, err = call("history", item_id)

    assert "1 on" in out
    assert err == ""
    assert answer(call, "history", item_id)["versions"][0]["died"] is None


def test_restore_brings_back_the_last_or_a_named_version(call: Call, tea: str) -> None:
    assert answer(call, "restore", tea)["content"] == "Tom prefers green tea."
    assert answer(call, "restore", tea, "--version", "1")["content"] == "Tom prefers tea."
    assert "Tom prefers green tea." in call("restore", tea, "--version", "2")[1]
    assert call("restore", tea)[0] == 4
    assert call("restore", tea, "--version", "99")[0] == 3
    assert call("restore", "nobody")[0] == 3
    assert call("restore", tea, "--version", "0")[0] == 2


def test_a_change_of_another_version_has_a_status_of_its_own(call: Call) -> None:
    item_id = answer(call, "add", "Tom prefers tea.", now=FIRST)["outcomes"][0]["id"]
    assert answer(call, "update", item_id, "--title", "Tom", "--if-version", "1")["version"] == 2

    status, out, err = call("update", item_id, "--title", "Tea", "--if-version", "1", "--json")

    assert (status, out) == (10, "")
    assert json.loads(err)["error"]["code"] == "conflict"
    assert not json.loads(err)["error"]["retryable"]


def test_compaction_says_what_it_took_and_the_past_what_is_gone(call: Call, tea: str) -> None:
    kept = answer(call, "compact")
    assert (kept["versions"], kept["oldest"], kept["is_done"]) == (0, 0, True)

    done = answer(call, "compact", "--before", "2026-03-02T12:00")

    assert (done["versions"], done["oldest"]) == (1, 2)
    assert [one["version"] for one in answer(call, "history", tea)["versions"]] == [2]
    status, _, err = call("search", "tea", "--as-of", "1")
    assert (status, "[history_gone]" in err, "revision 2" in err) == (3, True, True)


def test_compaction_as_text(call: Call, tea: str) -> None:
    assert "history      whole\n" in call("compact")[1]
    _, out, _ = call("compact", "--before", "3")

    assert "versions     2\n" in out
    assert "history      from revision 3 on\n" in out
    assert call("history", tea)[0] == 3
    assert call("compact", "--before", "whenever")[0] == 4


def test_retention_is_a_setting(call: Call, tea: str) -> None:
    done = answer(call, "compact", SIMONIDES_RETENTION_DAYS="9.5")

    assert done["versions"] == 1
    assert answer(call, "history", tea)["versions"][0]["version"] == 2
    assert call("compact", SIMONIDES_RETENTION_DAYS="-1")[0] == 4
    assert call("compact", SIMONIDES_COMPACTION_THRESHOLD="-1")[0] == 4


def test_the_options_of_churn_are_handed_on(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}

    def run(**given: Any) -> dict[str, Any]:
        seen.update(given)
        given["on_progress"](1, 2)
        return {"file_ratio": 1.0}

    monkeypatch.setattr(churn, "run", run)

    status, out, _ = call("bench", "churn", "--updates", "7", "--items", "3", "--json")

    assert (status, json.loads(out)) == (0, {"file_ratio": 1.0})
    assert (seen["updates"], seen["items"]) == (7, 3)
