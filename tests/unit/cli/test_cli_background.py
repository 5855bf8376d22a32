"""`simonides background` and `search --best-context`, run in this process on a space of its own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., tuple[int, str, str]]
NINE = "2026-03-12T09:00:00Z"
TEN = "2026-03-12T10:00:00Z"
ELEVEN = "2026-03-12T11:00:00Z"


@pytest.fixture
def call(call_at_nine: Call) -> Call:
    """Run `simonides …` on a space of its own."""
    return call_at_nine


def answer(call: Call, *argv: str, **how: Any) -> Any:
    status, out, err = call(*argv, "--json", **how)

    assert (status, err) == (0, "")
    assert out.count("\n") == 1
    return json.loads(out)


def put(call: Call, text: str, *argv: str, now: str = NINE) -> str:
    made: str = answer(call, "background", "put", text, *argv, now=now)["id"]
    return made


def test_put_says_what_it_put(call: Call) -> None:
    made = answer(call, "background", "put", "Alpha", "launches", "in May.")

    assert made == {
        "id": made["id"],
        "collection": "main",
        "text": "Alpha launches in May.",
        "created_at": "2026-03-12T09:00:00Z",
        "revision": 1,
    }
    assert call("background", "put", "Alpha launches in May.") == (0, f"put {made['id']}\n", "")


def test_a_dash_reads_the_text_from_standard_input_as_it_is(call: Call) -> None:
    answer(call, "background", "put", "-", stdin=" May\n\tJune\n")

    assert answer(call, "background", "get")["text"] == " May\n\tJune\n"


def test_a_file_is_read_as_it_is(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "background.md"
    file.write_bytes(b"\xef\xbb\xbfMay\r\nJune \xf0\x9f\x8c\x9e\n")
    answer(call, "background", "put", "--file", str(file))

    assert answer(call, "background", "get")["text"] == "May\r\nJune \U0001f31e\n"


def test_a_file_of_the_longest_sort_is_read_whole(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "background.md"
    file.write_text("ü" * 65_536, encoding="utf-8")

    assert len(answer(call, "background", "put", "--file", str(file))["text"]) == 65_536


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\xff", "--file: {} is not UTF-8"),
        (b"x" * 65_537, "text: must have at most 65536 characters"),
        (b"x\x00", "text: character 2 (U+0000) is a control character"),
        (b" \n", "text: is empty or blank"),
        (None, "--file: cannot read {}: No such file or directory"),
    ],
)
def test_a_file_that_can_not_be_a_background_is_refused(
    call: Call, tmp_path: Path, content: bytes | None, problem: str
) -> None:
    file = tmp_path / "f"
    if content is not None:
        file.write_bytes(content)
    status, out, err = call("background", "put", "--file", str(file))

    assert (status, out) == (4, "")
    assert problem.format(file) in err
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("argv", "status"),
    [
        ((), 2),
        (("put",), 4),
        (("put", "x", "--file", "y"), 4),
        (("put", ""), 4),
        (("put", "--file", ""), 2),
        (("put", "x", "--collection", ""), 4),
        (("lift",), 2),
        (("get", "--as-of", ""), 2),
        (("get", "--as-of", "soon"), 4),
        (("history", "--limit", "0"), 2),
        (("history", "--limit", "1001"), 4),
        (("history", "--cursor", "x"), 4),
        (("delete",), 2),
        (("delete", "x", "--due", "soon"), 4),
        (("best",), 2),
        (("best", " "), 4),
    ],
)
def test_what_does_not_fit_has_its_status(call: Call, argv: tuple[str, ...], status: int) -> None:
    found, out, err = call("background", *argv)

    assert (found, out) == (status, "")
    assert err.startswith("simonides background")


@pytest.mark.parametrize("task", ["put", "get", "history", "delete", "best"])
def test_each_task_has_help_and_the_shared_options(call: Call, task: str) -> None:
    status, _, err = call("background", task, "--help")

    assert (status, err) == (0, "")


def test_get_writes_the_text_alone_to_stdout(call: Call) -> None:
    made = put(call, "May\nJune\n")

    status, out, err = call("background", "get")
    assert (status, out) == (0, "May\nJune\n")
    assert err == f"put 2026-03-12 09:00 UTC, id {made}\n"


def test_get_as_of_a_time_gives_what_it_was_then(call: Call) -> None:
    put(call, "May", now=NINE)
    put(call, "June", now=TEN)

    def text(*argv: str) -> str:
        return str(answer(call, "background", "get", *argv)["text"])

    assert text() == text("--as-of", TEN) == text("--as-of", "2026-03-13") == "June"
    assert text("--as-of", NINE) == text("--as-of", "2026-03-12T10:59+01:00") == "May"
    assert text("--as-of", "2026-03-12T10:30", "--timezone", "Europe/Vienna") == "May"
    assert call("background", "get", "--as-of", "2026-03-12")[0] == 3


def test_where_there_is_none_get_says_so(call: Call) -> None:
    reported = "simonides background: no background of collection 'work' [not_found]\n"

    assert call("background", "get", "--collection", "work") == (3, "", reported)


def test_a_text_can_not_steer_the_terminal(call: Call) -> None:
    put(call, "a\u202eb\tc")

    assert call("background", "get")[1] == "a<U+202E>b\tc\n"
    assert "a<U+202E>b c" in call("background", "history")[1]
    assert "a<U+202E>b c" in call("background", "best", "c")[1]


def test_history_shows_time_length_beginning_and_id(call: Call) -> None:
    first = put(call, "May\nand so on", now=NINE)
    second = put(call, "word " * 400, now=TEN)

    rows = [line.split() for line in call("background", "history")[1].splitlines()]
    assert rows[0] == ["date", "characters", "text", "id"]
    assert rows[1][:4] == ["2026-03-12", "10:00", "UTC", "2,000"]
    assert rows[1][-2:] == ["word…", second]
    assert rows[2] == ["2026-03-12", "09:00", "UTC", "13", "May", "and", "so", "on", first]


def test_history_goes_on_with_its_cursor(call: Call) -> None:
    ids = [put(call, text, now=now) for text, now in (("a", NINE), ("b", TEN), ("c", ELEVEN))]
    first = answer(call, "background", "history", "--limit", "2")
    rest = answer(call, "background", "history", "--limit", "2", "--cursor", first["cursor"])

    assert [one["id"] for one in (*first["snapshots"], *rest["snapshots"])] == ids[::-1]
    assert rest["cursor"] == ""
    reported = call("background", "history", "--limit", "2")[2]
    assert reported == f"more: --cursor {first['cursor']}\n"


def test_without_snapshots_history_and_best_say_so(call: Call) -> None:
    assert call("background", "history") == (0, "", "no background was put\n")
    assert call("background", "best", "x") == (0, "", "no background fits\n")
    assert answer(call, "background", "history") == {"snapshots": [], "cursor": ""}
    assert answer(call, "background", "best", "x") == {"snapshots": []}


def test_delete_hides_at_once_whenever_it_is_due(call: Call) -> None:
    first, second = put(call, "May", now=NINE), put(call, "June", now=TEN)
    reported = answer(call, "background", "delete", second, "--due", "2027-01-01", now=ELEVEN)

    assert reported == {"deleted": [second]}
    assert answer(call, "background", "get")["id"] == first
    assert call("background", "delete", first) == (0, f"deleted {first}\n", "")
    assert call("background", "get")[0] == 3


def test_deleting_what_is_not_there_has_a_status(call: Call) -> None:
    made = put(call, "May")
    call("background", "delete", made)

    for gone in (made, "unknown"):
        reported = f"simonides background: no background '{gone}' [not_found]\n"
        assert call("background", "delete", gone) == (3, "", reported)


def test_best_shows_score_time_beginning_and_id(call: Call) -> None:
    put(call, "Alpha launches in May.", now=NINE)
    made = put(call, "Harbor has a pilot.", now=TEN)
    [best] = answer(call, "background", "best", "pilot")["snapshots"]

    assert best["background"]["id"] == made
    assert 0.0 < best["score"] <= 1.0
    assert call("background", "best", "pilot")[1].splitlines()[1].split() == [
        f"{best['score']:.3f}", "2026-03-12", "10:00", "UTC", "Harbor", "has", "a", "pilot.", made,
    ]  # fmt: skip


def test_best_reads_its_question_from_standard_input_and_has_a_limit(call: Call) -> None:
    for now in (NINE, TEN, ELEVEN):
        put(call, "Alpha", now=now)

    assert len(answer(call, "background", "best", "-", stdin="alpha?\n")["snapshots"]) == 2
    assert len(answer(call, "background", "best", "alpha", "--limit", "9")["snapshots"]) == 3


def test_each_collection_has_its_own(call: Call) -> None:
    put(call, "May", "--collection", "work")

    assert call("background", "get")[0] == 3
    assert answer(call, "background", "get", "--collection", "work")["text"] == "May"
    assert answer(call, "background", "history")["snapshots"] == []
    assert answer(call, "background", "best", "may", "--collection", "work")["snapshots"]


def test_a_search_has_the_latest_background(call: Call) -> None:
    empty = answer(call, "search", "Alpha")
    put(call, "May", now=NINE)
    put(call, "June", now=TEN)
    found = answer(call, "search", "Alpha")

    assert (empty["latestContext"], empty["contextTimestamp"]) == ("", None)
    assert (found["latestContext"], found["contextTimestamp"]) == ("June", TEN)
    assert list(found) == ["entries", "latestContext", "contextTimestamp", "nothing", "diagnostics"]


def test_a_search_has_the_background_of_the_only_collection_asked(call: Call) -> None:
    put(call, "here")
    put(call, "at work", "--collection", "work")

    def latest(*argv: str) -> str:
        return str(answer(call, "search", "Alpha", *argv)["latestContext"])

    assert latest("--collection", "work") == "at work"
    assert latest() == latest("--collection", "work", "--collection", "home") == "here"
    assert latest("--collection", "home") == ""


def test_the_best_one_comes_along_if_asked_for(call: Call) -> None:
    put(call, "Alpha launches in May.", now=NINE)
    put(call, "Harbor has a pilot.", now=TEN)
    found = answer(call, "search", "when does Alpha launch?", "--best-context")

    assert list(found) == [
        "entries", "latestContext", "contextTimestamp", "bestContext", "bestContextTimestamp",
        "bestContextScore", "nothing", "diagnostics",
    ]  # fmt: skip
    assert (found["latestContext"], found["contextTimestamp"]) == ("Harbor has a pilot.", TEN)
    assert (found["bestContext"], found["bestContextTimestamp"]) == ("Alpha launches in May.", NINE)
    [best] = answer(call, "background", "best", "when does Alpha launch?")["snapshots"]
    assert found["bestContextScore"] == best["score"]


def test_the_best_one_is_of_the_collection_whose_latest_comes_along(call: Call) -> None:
    put(call, "Alpha here")
    put(call, "Alpha at work", "--collection", "work")
    found = answer(call, "search", "Alpha", "--best-context", "--collection", "work")

    assert found["bestContext"] == found["latestContext"] == "Alpha at work"


def test_where_none_fits_the_best_one_is_empty(call: Call) -> None:
    put(call, "Harbor has a pilot.")
    found = answer(call, "search", "Alpha", "--best-context")

    assert found["latestContext"] == "Harbor has a pilot."
    assert found["bestContext"] == ""
    assert found["bestContextTimestamp"] is found["bestContextScore"] is None


def test_people_see_the_best_one_below_the_hits_if_they_ask_for_it(call: Call) -> None:
    call("add", "Alpha is due on Friday.")
    put(call, "Alpha launches in May.")
    plain, best = call("search", "Alpha")[1], call("search", "Alpha", "--best-context")[1]

    assert "Alpha launches in May." in plain.splitlines()[-1]
    assert plain.splitlines()[-1].startswith("background of 2026-03-12 09:00 UTC: ")
    assert best.startswith(plain)
    assert "Alpha launches in May." in best[len(plain) :]


def test_the_best_one_of_several_spaces_is_refused(call: Call) -> None:
    put(call, "Alpha launches in May.")
    status, _, err = call("search", "Alpha", "--across", "default", "--best-context")

    assert status == 4
    assert "best-context" in err
