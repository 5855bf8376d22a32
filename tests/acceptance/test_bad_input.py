"""Whatever is handed in: a clear error or a reported skip, and the space stays sound.

Through the command line and the library; through the real binary where a process matters.
"""

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from simonides import Filter, Memory, Settings
from simonides.errors import InvalidInput, InvalidSpaceName
from simonides.importers import read

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.acceptance.conftest import Home, Post

NO_MODEL = Settings(embedder="none", timezone="UTC")
GUEST_TABLE = "'; DROP TABLE item; --"

# ── files ────────────────────────────────────────────────────────────────────────────────────

BAD_FILES = {
    "empty.mbox": (b"", "empty"),
    "empty.eml": (b"", "empty"),
    "empty.md": (b"", "empty"),
    "empty.jsonl": (b"", "empty"),
    "blank.txt": (b" \n\n\t\n", "empty"),
    "binary.mbox": (b"\x00\xff\x10" * 900, "does not look like mail"),
    "binary.eml": (b"\x00\xff\x10" * 900, "does not look like mail"),
    "binary.md": (b"\x00\xff\x10" * 900, "binary, though it is called .md"),
    "binary.jsonl": (b"\x00\xff\x10" * 900, "binary, though it is called .jsonl"),
    "picture.png": (b"\x89PNG\r\n\x1a\n" + bytes(900), ".png files are not read"),
    "other.jsonl": (b'{"name": "no chat"}\n', "not a chat"),
    "deep.jsonl": (b"[" * 100_000 + b"\n", "JSON: is malformed"),
}


def test_bad_files_of_a_folder_are_each_reported_and_the_rest_is_read(
    home: "Home", tmp_path: Path
) -> None:
    folder = tmp_path / "desk"
    folder.mkdir()
    for name, (content, _) in BAD_FILES.items():
        (folder / name).write_bytes(content)
    (folder / "good.md").write_text("# Good\n\nThe crane costs 85.\n")

    report = home.answer("import", str(folder))

    reported = {one["where"].split(":")[0].removeprefix("desk/"): one for one in report["skipped"]}
    assert report["added"] == 1
    assert set(reported) == set(BAD_FILES)
    assert all(reason in reported[name]["reason"] for name, (_, reason) in BAD_FILES.items())


@pytest.mark.parametrize("name", ["binary.mbox", "binary.md", "picture.png"])
def test_a_file_that_holds_nothing_to_import_is_an_error(
    home: "Home", tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_bytes(BAD_FILES[name][0])

    assert "nothing to import" in home.refuses("import", str(tmp_path / name), code="import_failed")


@pytest.mark.parametrize("path", ["no-such.mbox", "no/such/folder", "x" * 5000, "caf\udce9.mbox"])
def test_a_path_where_nothing_lies_is_an_error(home: "Home", path: str) -> None:
    home.refuses("import", path, code="import_failed")


def test_an_mbox_cut_off_at_any_byte_is_read_as_far_as_it_goes(
    tmp_path: Path, post: "Post"
) -> None:
    whole = post.mail(1, b"one") + post.mail(2, b"two") + post.mail(3, b"three")
    path = tmp_path / "cut.mbox"
    for end in range(len(post.mail(1, b"one")), len(whole), 3):
        path.write_bytes(whole[:end])
        steps = list(read(path))

        assert steps[0].item is not None
        assert steps[0].item.content.startswith("one")
        assert all((step.item is None) != (step.skipped is None) for step in steps)


def test_a_truncated_mbox_is_completed_by_importing_the_whole_one(
    home: "Home", post: "Post"
) -> None:
    path = post.large("a.mbox", range(40))
    whole = Path(path).read_bytes()
    Path(path).write_bytes(whole[: len(whole) * 2 // 3])
    home.answer("import", path)
    Path(path).write_bytes(whole)
    home.answer("import", path)

    kept = home.answer("list", "--limit", "100")["items"]
    assert {item["title"] for item in kept} == {f"mail {n}" for n in range(40)}


@pytest.mark.slow
def test_a_mail_of_50_mb_is_kept_in_part_and_hides_nothing_after_it(
    home: "Home", post: "Post"
) -> None:
    line = b"all the cranes of the harbor in one mail\n"
    path = post.box(
        "a.mbox", post.mail(1, line * (50_000_000 // len(line))), post.mail(2, b"walrus")
    )
    began = time.monotonic()
    report = home.answer("import", path)

    assert time.monotonic() - began < 10
    assert (report["added"], len(report["skipped"])) == (2, 1)
    assert report["skipped"][0]["where"] == "a.mbox: message 1 at byte 0"
    assert "its text is cut" in report["skipped"][0]["reason"]
    with home.memory() as memory:
        [large] = [item for item in memory.list().items if item.title == "mail 1"]
        assert large.metadata["_cut_from_bytes"] > 49_000_000
        assert memory.search("walrus")[0].item.title == "mail 2"


def test_text_in_another_charset_than_declared_is_still_read(home: "Home", post: "Post") -> None:
    lies = [("latin-1", "utf-8"), ("utf-8", "iso-2022-jp"), ("utf-8", "klingon"),
            ("utf-8", "hex"), ("utf-16", "us-ascii"), ("utf-8", "\udcff")]  # fmt: skip
    mails = [
        post.mail(n, "Grüße aus Köln".encode(true), b"Content-Type: text/plain; charset="
             + said.encode("utf-8", "surrogateescape"))
        for n, (true, said) in enumerate(lies)
    ]  # fmt: skip
    home.answer("import", post.box("a.mbox", *mails))

    found = home.answer("search", "Grüße Köln", "--limit", "20")["entries"]
    assert {entry["item"]["content"][:14] for entry in found} == {"Grüße aus Köln"}
    assert len(found) == len(lies)


@pytest.mark.slow
def test_nul_bytes_and_half_characters_in_files_are_taken_out(
    home: "Home", tmp_path: Path, post: "Post"
) -> None:
    odd = (
        b'{"text": "a \\ud800 cat\\u0000", "session": "\\udfff", "speaker": "\\ud83d", '
        b'"id": "\\ud800"}'
    )
    (tmp_path / "chat.jsonl").write_bytes(
        odd + b'\n{"text": "b", "metadata": {"\\ud800": "\\ud800"}}\n'
    )
    path = post.box("a.mbox", post.mail(1, b"a\0 cat \0bath", b"X-Odd: a\0b", b"Keywords: a\0b"))
    (tmp_path / "late.md").write_bytes(b"# cat\n\n" + b"x " * 9000 + b"\0end")
    for name in (path, str(tmp_path / "chat.jsonl"), str(tmp_path / "late.md")):
        assert home.answer("import", name)["skipped"] == []

    kept = json.dumps(home.answer("list"))
    assert "\\u0000" not in kept
    assert "\\ud8" not in kept
    assert len(home.answer("search", "cat")["entries"]) == 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.jsonl", "a.mbox"])
def test_a_megabyte_on_one_line_is_kept_and_found(
    home: "Home", tmp_path: Path, post: "Post", name: str
) -> None:
    line = b"word " * 200_000 + b"walrus"
    texts = {"a.jsonl": b'{"text": "' + line + b'"}', "a.mbox": post.mail(1, line)}
    (tmp_path / name).write_bytes(texts.get(name, line))

    assert home.answer("import", str(tmp_path / name))["added"] == 1
    assert len(home.answer("search", "walrus")["entries"]) == 1


def test_names_of_files_and_items_can_not_steer_the_terminal(home: "Home", tmp_path: Path) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "\x1b[2J\nevil.md").write_text("# \x1b]0;owned\x07title\n\nbody\n")
    (folder / "invoice\u202egpj.md").write_text("no heading, so that its name is the title\n")
    (folder / os.fsdecode(b"b\xff\xfed.bin")).write_text("nothing to read")
    shown = home.run("import", str(folder))[1] + home.run("list")[1]

    assert "invoice<U+202E>gpj" in shown
    assert not set(shown) & {"\x1b", "\x07", "\u202e"}


def test_duplicate_ids_in_one_import_keep_the_first_and_report_the_others(
    home: "Home", post: "Post"
) -> None:
    path = post.box(
        "a.mbox", post.mail(1, b"first"), post.mail(1, b"second"), post.mail(1, b"first")
    )
    report, again = home.answer("import", path), home.answer("import", path)

    assert (report["added"], report["unchanged"], len(report["skipped"])) == (1, 1, 1)
    assert report["skipped"][0]["where"] == "a.mbox: mail 1"
    assert (again["added"], again["updated"]) == (0, 0)
    assert home.answer("list")["items"][0]["content"] == "first"


def test_the_same_id_twice_in_json_lines_is_one_item_and_the_last_one_stands(home: "Home") -> None:
    lines = b'{"content": "old", "id": "a"}\n{"content": "new", "id": "a"}\n'
    home.answer("add", "--jsonl", "-", stdin=lines)

    assert [item["content"] for item in home.answer("list")["items"]] == ["new"]


# ── what is typed ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("value", ["caf\udce9", "\ud800", "a\udfffb"])
def test_half_characters_are_refused_where_they_would_be_kept(home: "Home", value: str) -> None:
    with home.memory() as memory:
        for field in ("title", "source", "source_id", "id", "collection", "session", "summary"):
            with pytest.raises(InvalidInput, match=field):
                memory.add("text", **{field: value})  # type: ignore[call-overload]
        for given in ({"tags": [value]}, {"metadata": {value: 1}}, {"metadata": {"a": [value]}},
                      {"people": [value]}):  # fmt: skip
            with pytest.raises(InvalidInput):
                memory.add("text", **given)
        with pytest.raises(InvalidInput, match="content"):
            memory.add(value)

        assert memory.list().items == ()


@pytest.mark.parametrize("verb", ["search", "explain", "brief", "get", "forget"])
def test_half_characters_may_be_asked_for_and_are_not_found(home: "Home", verb: str) -> None:
    home.answer("add", "caf\u00e9")

    status, _, err = home.run(verb, "caf\udce9")
    assert status == (3 if verb in ("get", "forget") else 0)
    assert "surrogate" not in err


@pytest.mark.parametrize(
    ("argv", "locale"),
    [(("add", "-"), "C"), (("add", "--jsonl", "-"), "C.UTF-8"), (("search", "-"), "C")],
)
def test_standard_input_that_is_not_utf8_is_refused(
    home: "Home", argv: tuple[str, ...], locale: str
) -> None:
    stdin = b'{"content": "caf\xe9"}\n'

    reported = home.refuses(
        *argv, code="invalid_input", stdin=stdin, environment={"LC_ALL": locale}
    )
    assert "is not UTF-8" in reported


@pytest.mark.parametrize(
    "line",
    [b"{", b"[1]", b"null", b'"text"', b"{}", b'{"content": 5}', b'{"content": "x", "colour": 1}',
     b'{"content": "x", "happened_at": "soon"}', b'{"content": "x", "tags": "a"}',
     b'{"content": "x", "people": [{"name": 1}]}', b'{"content": "x", "metadata": {"a": NaN}}',
     b'{"content": "\\ud800"}', b"[" * 100_000],
)  # fmt: skip
def test_a_line_that_is_no_item_is_refused_with_its_number(home: "Home", line: bytes) -> None:
    stdin = b'{"content": "good"}\n' + line + b"\n"

    reported = home.refuses("add", "--jsonl", "-", code="invalid_input", stdin=stdin)
    assert "line 2: " in reported
    assert "(nothing was kept)" in reported
    assert not home.space.exists()


def test_a_byte_order_mark_before_json_lines_is_read_over(home: "Home", tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'\xef\xbb\xbf{"content": "from a file"}\n')
    stdin = b'\xef\xbb\xbf{"content": "from a pipe"}\n'

    assert home.answer("add", "--jsonl", str(tmp_path / "a.jsonl"))["added"] == 1
    assert home.answer("add", "--jsonl", "-", stdin=stdin)["added"] == 1


ODD_QUESTIONS = [
    GUEST_TABLE, "%", "_", "*", "\\", "\\%", '"', '""', "'", '"open quote', "a AND", "NEAR(a b)",
    "title:x", "a* OR *", "^x", "-x", "--", "(", ")", "[", "{}", "NULL", "\x00", "a\x00b",
    "\x1b[2J", "\u202e\u202e", "😀", "👩‍👩‍👧‍👦", "שלום", "مرحبا بالعالم", "日本語", "ﷺ",
    "İ", "ß", "\ud800",
    "a" * 50_000, "a " * 20_000, "?" * 5_000, "1e999", "NaN", "between and", "last last week",
    "31 February 9999", "in the year 99999999999", "-5 days ago", "99999999999 days ago",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("scorer", ["fused", "rrf", "classic"])
def test_any_question_gets_an_answer_and_changes_nothing(home: "Home", scorer: str) -> None:
    with home.memory() as memory:
        memory.add(["the crane costs 85 %", "שלום עולם", "a_b and 100*2", "日本語の手紙 😀"])
        before = memory.stats()
        for question in ODD_QUESTIONS:
            result = memory.search(question, scorer=scorer, limit=3)
            brief = memory.brief(question, scorer=scorer, budget_tokens=50)

            assert all(hit.score == hit.score for hit in result)
            assert brief.tokens <= 50
        assert memory.stats() == before


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["search", "explain"])
def test_odd_questions_come_through_the_shell_unharmed(home: "Home", verb: str) -> None:
    home.answer("add", "Robert'); DROP TABLE item; -- said hello")
    for question in (GUEST_TABLE, "%_*\\", "😀 שלום \u202e x", '"open'):
        home.answer(verb, question)

    assert home.answer("stats")["items"] == 1


def test_sql_in_every_filter_finds_nothing_and_harms_nothing(home: "Home") -> None:
    home.answer("add", "hello", "--tag", "a")
    where = json.dumps({GUEST_TABLE: GUEST_TABLE, "a\\'\"%": {"contains": "%"}})
    for flag in ("--source", "--person", "--author", "--entity", "--collection", "--session",
                 "--tag"):  # fmt: skip
        assert home.answer("list", flag, GUEST_TABLE)["items"] == []
    assert home.answer("search", "hello", "--where", where)["entries"] == []
    assert home.answer("entities", "--name", GUEST_TABLE)["entities"] == []

    assert home.answer("stats")["items"] == 1


def test_emoji_and_text_from_right_to_left_come_back_as_they_were(home: "Home") -> None:
    text = "👩‍👩‍👧‍👦 🎉 שלום מרחבא مرحبا e\u0301 \u202emirror\u202c 日本語"
    home.answer("add", text, "--title", "כותרת 🎉", "--tag", "🎉", "--author", "אסתר")

    [item] = home.answer("list", "--tag", "🎉", "--author", "אסתר")["items"]
    assert (item["content"], item["title"]) == (text, "כותרת 🎉")
    shown = home.run("get", item["id"])[1]
    assert "<U+202E>mirror<U+202C>" in shown
    assert "👩‍👩‍👧‍👦 🎉 שלום" in shown


NUMBERS = [
    ("search", "x", "--limit"), ("explain", "x", "--limit"), ("brief", "x", "--limit"),
    ("brief", "x", "--budget"), ("brief", "x", "--budget-words"), ("list", "--limit"),
    ("entities", "--limit"), ("bench", "speed", "--chunks"),
]  # fmt: skip


@pytest.mark.parametrize("argv", NUMBERS, ids=" ".join)
def test_zero_and_negative_limits_are_refused(home: "Home", argv: tuple[str, ...]) -> None:
    for number in ("0", "-1"):
        assert "must be 1 or more" in home.refuses(*argv, number, code="usage")


@pytest.mark.parametrize("limit", [0, -1, -(10**30), 10**30])
def test_limits_out_of_range_are_refused_by_the_library_too(tmp_path: Path, limit: int) -> None:
    calls: list[Callable[[Memory], Any]] = [
        lambda memory: memory.search("x", limit=limit),
        lambda memory: memory.brief("x", limit=limit),
        lambda memory: memory.brief("x", budget_tokens=limit or -1),
        lambda memory: memory.brief("x", budget_words=limit or -1),
        lambda memory: memory.list(limit=limit),
    ]
    with Memory(tmp_path, settings=NO_MODEL) as memory:
        memory.add("x")
        for call in calls:
            with pytest.raises(InvalidInput, match=r"limit|budget"):
                call(memory)


@pytest.mark.parametrize("wrong", ["soon", 3, "2026-02-30", "99999-01-01"])
def test_what_is_no_time_is_refused_by_the_library(home: "Home", wrong: Any) -> None:
    with home.memory() as memory:
        memory.add("x", happened_at="2026-03-06T10:00:00Z")
        calls: list[Callable[[], Any]] = [
            lambda: memory.add("y", happened_at=wrong),
            lambda: memory.search("x", now=wrong),
            lambda: memory.brief("x", now=wrong),
            lambda: memory.list(filter={"since": wrong}),
            lambda: memory.list(filter=Filter(until=wrong)),
        ]
        for call in calls:
            with pytest.raises(InvalidInput, match="is no date"):
                call()

        assert memory.stats().items == 1


def test_times_without_a_zone_are_in_the_users_zone_on_the_command_line(home: "Home") -> None:
    home.answer("add", "x", "--happened-at", "2026-03-06T10:00", "--timezone", "Asia/Tokyo")

    assert home.answer("list")["items"][0]["happened_at"] == "2026-03-06T01:00:00Z"


@pytest.mark.parametrize(
    "argv",
    [("add", "x", "--happened-at", "0001-01-01"), ("list", "--since", "0001-01-01"),
     ("list", "--time", "last_week", "--now", "0001-01-03"), ("list", "--now", "soon"),
     ("list", "--since", "2026-02-30"), ("list", "--until", "99999-01-01")],
    ids=" ".join,
)  # fmt: skip
def test_times_that_can_not_be_are_refused(home: "Home", argv: tuple[str, ...]) -> None:
    home.refuses(*argv, "--timezone", "Asia/Tokyo", code="invalid_input")


# ── names of spaces and homes ────────────────────────────────────────────────────────────────

BAD_NAMES = [
    "../x", "a/b", "a\\b", "/etc/passwd", ".", "..", "a..b", ".hidden", "a.", "-x", "a b", " ",
    "con", "NUL", "lpt1.txt", "Alice", "é", "a\nb", "a\x1b[2J", "\udce9", "x" * 101, "C:x", "~",
]  # fmt: skip


@pytest.mark.parametrize("name", BAD_NAMES, ids=ascii)
def test_a_name_that_plays_tricks_with_paths_can_not_be_a_space(tmp_path: Path, name: str) -> None:
    with Memory(tmp_path / "home", settings=NO_MODEL) as memory:
        for trick in (name, f"{name}\x00", ""):
            other = memory.in_space(trick)
            for verb, given in ((other.add, ["x"]), (other.search, ["x"]), (other.stats, [])):
                with pytest.raises(InvalidSpaceName):
                    verb(*given)

    assert list(tmp_path.rglob("*")) == []


def test_bad_names_are_refused_by_the_binary_and_an_empty_one_is_nobody(home: "Home") -> None:
    for name in ("../x", "Alice", "con"):
        home.refuses("add", "x", f"--space={name}", code="invalid_space_name")
        home.refuses("add", "x", code="invalid_space_name", environment={"SIMONIDES_SPACE": name})
    home.refuses("add", "x", "--space", "", code="usage")

    assert home.answer("spaces") == {"spaces": []}


@pytest.mark.parametrize("verb", ["add", "search", "list", "stats", "init", "forget"])
def test_a_home_that_is_a_file_or_below_one_is_reported(
    home: "Home", tmp_path: Path, verb: str
) -> None:
    (tmp_path / "file").write_text("mine")
    argv = (verb,) if verb in ("list", "stats", "init") else (verb, "x")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        status, out, err = home.run(*argv, environment={"SIMONIDES_HOME": str(place)})

        assert (status, out) == (5, "")
        assert str(tmp_path / "file") in err
    assert (tmp_path / "file").read_text() == "mine"


# ── settings ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (b'embeder = "none"', "'embeder' is no setting"),
        (b"embedder = none", "is not valid TOML"),
        (b'embedder = "none', "is not valid TOML"),
        (b"\xff\xfe\x00", "is not valid TOML"),
        (b"[threads]", "threads must be a"),
        (b"[server]\nport = 1", "'server' is no setting"),
        (b'threads = "many"', "threads must be a"),
        (b"threads = -1", "threads: must lie in 0 to 1024, got -1"),
        (b'timeout_s = "soon"', "timeout_s must be a"),
        (b"timeout_s = 0", "timeout_s: must lie above 0 and at most 86400, got 0"),
        (b"timeout_s = nan", "timeout_s: must lie above 0 and at most 86400, got nan"),
        (b"owner = 3", "owner must be a"),
        (b'detect_language = "perhaps"', "detect_language must be"),
        (b'durability = "some"', "durability: must be one of full, relaxed"),
    ],
)
def test_a_mistake_in_the_settings_is_named(home: "Home", text: bytes, reported: str) -> None:
    home.path.mkdir()
    (home.path / "config.toml").write_bytes(text)
    assert reported in home.refuses("list", code="invalid_input")

    (home.path / "config.toml").unlink()


@pytest.mark.parametrize(
    ("name", "value", "reported"),
    [("SIMONIDES_EMBEDER", "none", "is no setting"), ("SIMONIDES_THREADS", "x", "must be a"),
     ("SIMONIDES_TIMEZONE", "Mars/Base", "no time zone"),
     ("SIMONIDES_TIMEZONE", "../../etc/passwd", "no time zone")],
)  # fmt: skip
def test_a_mistake_in_the_environment_is_named(
    home: "Home", name: str, value: str, reported: str
) -> None:
    assert reported in home.refuses("list", code="invalid_input", environment={name: value})
