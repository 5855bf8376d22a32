"""What each verb asks of the memory, and what it answers."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from simonides.config import Settings, load
from simonides.errors import NotFound, StoreCorrupt
from simonides.model.filter import AllOf, Compare, Filter
from simonides.model.item import Kind, Scope, Status

Call = Callable[..., tuple[int, str, str]]


def _asked(memory: Any, verb: str) -> dict[str, Any]:
    return next(how for name, how in memory.calls if name == verb)


IMPORT_KEYS = {
    "read", "added", "unchanged", "updated", "skipped", "kinds", "dry_run", "owner", "owner_maybe",
    "took_s", "waiting", "skipped_groups", "withdrawn", "languages",
}  # fmt: skip


@pytest.mark.parametrize(
    ("argv", "keys"),
    [
        (("init",), {"home", "config", "written", "owner"}),
        (("add", "x"), {"outcomes", "added", "updated", "unchanged", "forgotten"}),
        (("import", "x"), IMPORT_KEYS),
        (("search", "x"), {"entries", "latestContext", "contextTimestamp", "diagnostics",
                           "nothing"}),
        (("explain", "x"), {"entries", "latestContext", "contextTimestamp", "diagnostics",
                            "nothing", "brief", "more", "more_items"}),
        (("brief", "x"), {"text", "tokens", "budget", "unit", "items", "dropped", "receipt",
                          "diagnostics", "account"}),
        (("replay", "r-1"), {"receipt_id", "exact", "text", "tokens", "changed"}),
        (("diff", "r-1", "r-2"), {"before", "after", "same_text", "settings", "items",
                          "sentences"}),
        (("list",), {"items", "cursor"}),
        (("forget", "mail-1"), {"forgotten", "missing"}),
        (("entities",), {"entities"}),
        (("spaces",), {"spaces"}),
        (("doctor",), {"sound", "spaces"}),
        (("reembed",), {"space", "embedder", "items"}),
        (("config",), {"home", "config", "settings"}),
    ],
)  # fmt: skip
def test_json_is_one_object_on_one_line_and_stderr_is_silent(
    call: Call, argv: tuple[str, ...], keys: set[str]
) -> None:
    status, out, err = call(*argv, "--json")

    assert (status, err) == (0, "")
    assert out.count("\n") == 1
    assert set(json.loads(out)) == keys


def test_get_and_update_answer_with_the_item(call: Call) -> None:
    got = json.loads(call("get", "mail-1", "--json")[1])
    changed = json.loads(call("update", "mail-1", "--title", "New", "--json")[1])

    assert got["people"] == [
        {"name": "Sarah Johnson", "address": "sarah@example.com", "role": "author"}
    ]
    assert changed == {**got, "title": "New"}


def test_a_question_of_several_words_needs_no_quotes(call: Call, memory: Any) -> None:
    call("search", "when", "is", "Alpha", "due?")

    assert _asked(memory, "search")["query"] == "when is Alpha due?"


@pytest.mark.parametrize("verb", ["search", "brief", "explain"])
def test_a_dash_reads_the_question_from_standard_input(call: Call, memory: Any, verb: str) -> None:
    call(verb, "-", stdin="when is Alpha due?\n")

    assert _asked(memory, verb)["query"] == "when is Alpha due?"


def test_how_to_search_is_passed_on(call: Call, memory: Any) -> None:
    call(
        "search", "x", "--limit", "3", "--mode", "text", "--scorer", "rrf", "--min-score", "0.2",
        "--session-id", "s1",
    )  # fmt: skip

    how = _asked(memory, "search")
    assert (how["limit"], how["mode"], how["scorer"]) == (3, "text", "rrf")
    assert (how["min_score"], how["session_id"]) == (0.2, "s1")


@pytest.mark.parametrize("verb", ["search", "brief", "explain", "list"])
def test_every_filter_is_passed_on(call: Call, memory: Any, verb: str) -> None:
    question = () if verb == "list" else ("x",)
    call(
        verb, *question, "--source", "gmail", "--source", "jira", "--kind", "email",
        "--person", "Sarah", "--author", "Tom", "--entity", "issue:ALPHA-7",
        "--collection", "work", "--session", "s1", "--tag", "alpha", "--scope", "global",
        "--type", "policy", "--status", "superseded", "--since", "2026-03-01",
        "--until", "2026-03-08T12:00Z", "--where", '{"folder": "inbox"}',
        "--timezone", "Europe/Vienna",
    )  # fmt: skip

    wanted = _asked(memory, verb)["filter"]
    assert wanted.sources == ("gmail", "jira")
    assert wanted.kinds == (Kind.EMAIL,)
    assert (wanted.people, wanted.authors) == (("Sarah",), ("Tom",))
    assert (wanted.entities, wanted.tags) == (("issue:ALPHA-7",), ("alpha",))
    assert (wanted.collections, wanted.sessions) == (("work",), ("s1",))
    assert (wanted.scopes, wanted.types) == ((Scope.GLOBAL,), ("policy",))
    assert wanted.statuses == (Status.SUPERSEDED,)
    assert wanted.since == datetime(2026, 2, 28, 23, 0, tzinfo=UTC)
    assert wanted.until == datetime(2026, 3, 8, 12, 0, tzinfo=UTC)
    assert wanted.where == AllOf(parts=(Compare(key="folder", operator="eq", value="inbox"),))  # type: ignore[arg-type]


def test_without_filters_only_active_memories_are_asked_for(call: Call, memory: Any) -> None:
    call("list")

    assert _asked(memory, "list").get("filter", Filter()).statuses == (Status.ACTIVE,)


def test_a_named_time_is_rolling_from_the_given_clock(call: Call, memory: Any) -> None:
    call("search", "x", "--time", "last_week", "--now", "2026-03-12T09:00Z")

    wanted = _asked(memory, "search")["filter"]
    assert wanted.since == datetime(2026, 3, 5, 9, 0, tzinfo=UTC)


def test_search_shows_score_date_source_author_title_passage_and_id(call: Call) -> None:
    status, out, err = call("search", "when is Alpha due?")

    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "  1. 0.375 ##########  2026-03-06  gmail · Sarah Johnson  Re: Alpha",
        "      The Alpha deadline moved to Friday, said the client.",
        "      mail-1",
    ]


def test_a_date_is_shown_in_the_users_zone(call: Call) -> None:
    assert "2026-03-07" in call("search", "x", "--timezone", "Asia/Tokyo")[1]


def test_a_search_without_hits_says_so_on_stderr(call: Call, memory: Any) -> None:
    memory.items.clear()

    assert call("search", "x") == (0, "", "nothing found\n")


def test_what_could_not_run_is_reported_on_stderr(call: Call, memory: Any) -> None:
    memory.notes = ("the semantic lane did not run",)

    assert "note: the semantic lane did not run" in call("search", "x")[2]
    assert "note: the semantic lane did not run" in call("brief", "x")[2]


def test_explain_shows_the_plan_the_lanes_every_part_of_a_score_and_the_budget(
    call: Call,
) -> None:
    out = call("explain", "when is Alpha due?", "--reserve", "100")[1]

    assert out.splitlines() == [
        "plan",
        "  words     when, alpha",
        "  time      2026-03-06 15:30 UTC to … (since friday)",
        '  phrases   "alpha"',
        "  asks      when it is",
        "lanes",
        "  lexical        1 found      0.2 ms",
        "  semantic  did not run  no embedder",
        "  text mode, fused scorer, revision 7, 1.5 ms in all",
        "hits",
        "  1. 0.375 ##########  2026-03-06  gmail · Sarah Johnson  Re: Alpha",
        "      words  +0.500 ##########  alpha, deadline",
        "      length -0.125 ##--------",
        "             +0.375  in all; found by lexical",
        "budget of 1,500 tokens  brief layout, fast mode",
        "   tokens  in all    left",
        "      100           1,400  kept in reserve",
        "        4       4   1,396  head",
        "        5       9   1,391  1 Re: Alpha (surrogate, summary, gist)",
        "dropped",
        "  0.100 budget          x  needs 12",
        "with 200 tokens more",
        "  0.375       9  Re: Alpha (surrogate, summary, gist)",
    ]


def test_a_brief_is_its_text_alone_on_stdout_and_its_cost_on_stderr(call: Call) -> None:
    status, out, err = call("brief", "x", "--budget", "800")

    assert (status, out) == (0, "[GMAIL] Re: Alpha\nmoved to Friday\n")
    assert err == "9 of 800 tokens, 1 item; dropped: 1 budget\n"


def test_a_brief_is_budgeted_in_tokens_or_words(call: Call, memory: Any) -> None:
    call("brief", "x")
    call("brief", "x", "--budget-words", "200", "--limit", "5")

    first, second = (how for name, how in memory.calls if name == "brief")
    assert {"budget_tokens", "budget_words", "top_k"} & first.keys() == set()
    assert (second["budget_words"], second["top_k"]) == (200, 5)
    assert "budget_tokens" not in second


def test_add_keeps_a_text_with_its_fields(call: Call, memory: Any) -> None:
    status, out, _ = call(
        "add", "moved", "to", "Friday", "--kind", "memory", "--source", "chat", "--tag", "a",
        "--tag", "b", "--author", "Sarah <s@example.com>", "--metadata", '{"n": 1}',
        "--happened-at", "2026-03-06T10:00", "--scope", "global", "--importance", "0.9",
        "--title", "Alpha", "--id", "m1", "--timezone", "Europe/Vienna",
    )  # fmt: skip

    assert (status, out) == (0, "added m1\n")
    item = memory.items["m1"]
    assert (item.content, item.title, item.source) == ("moved to Friday", "Alpha", "chat")
    assert (item.tags, dict(item.metadata)) == (("a", "b"), {"n": 1})
    assert item.author.address == "s@example.com"
    assert item.happened_at == datetime(2026, 3, 6, 9, 0, tzinfo=UTC)
    assert (item.traits.scope, item.traits.importance) == (Scope.GLOBAL, 0.9)


def test_add_reads_standard_input(call: Call, memory: Any) -> None:
    call("add", "-", "--id", "m1", stdin="from a pipe\nsecond line\n")

    assert memory.items["m1"].content == "from a pipe\nsecond line\n"


def test_adding_the_same_text_twice_is_one_item(call: Call) -> None:
    first = json.loads(call("add", "the same", "--json")[1])
    second = json.loads(call("add", "the same", "--json")[1])

    assert (first["added"], second["unchanged"]) == (1, 1)
    assert first["outcomes"][0]["id"] == second["outcomes"][0]["id"]


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        (("add",), "TEXT: give a text to keep, or --jsonl FILE"),
        (("add", "x", "--jsonl", "-"), "and not both"),
        (("add", " "), "content: is empty"),
        (("add", "x", "--metadata", "[]"), "--metadata: must be a JSON object"),
        (("add", "x", "--importance", "3"), "importance: must lie in [0, 1]"),
        (("add", "x", "--kind", "email", "--half-life-hours", "3"), "--half-life-hours: is for"),
        (("add", "--jsonl", "missing.jsonl"), "--jsonl: cannot read missing.jsonl: No such file"),
    ],
)
def test_what_cannot_be_added_is_reported(call: Call, argv: tuple[str, ...], problem: str) -> None:
    status, out, err = call(*argv)

    assert (status, out) == (4, "")
    assert problem in err


def test_items_in_json_lines_are_added_in_transactions_of_a_thousand(
    call: Call, memory: Any
) -> None:
    lines = "\n".join(json.dumps({"content": f"note {n}"}) for n in range(2_500))

    status, out, _ = call("add", "--jsonl", "-", stdin=lines + "\n\n")

    assert (status, out) == (0, "2,500 added\n")
    sizes = [len(how["items"]) for name, how in memory.calls if name == "add"]
    assert sizes == [1000, 1000, 500]


def test_items_in_a_file_of_json_lines_are_added(call: Call, memory: Any, tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text('{"content": "a", "id": "one"}\n{"title": "b", "id": "two"}\n')

    assert call("add", "--jsonl", str(path))[1] == "2 added\n"
    assert {"one", "two"} <= set(memory.items)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "line 2: is not JSON"),
        ('{"content": 5}', "line 2: content: must be text"),
        ('"x"', "line 2: item: must be an object"),
    ],
)
def test_a_line_that_does_not_fit_is_told_by_its_number_and_nothing_was_kept(
    call: Call, memory: Any, line: str, problem: str
) -> None:
    status, _, err = call("add", "--jsonl", "-", stdin='{"content": "fine"}\n' + line)

    assert status == 4
    assert problem in err
    assert "(nothing was kept)" in err
    assert len(memory.items) == 1


def test_a_late_line_that_does_not_fit_says_what_is_kept(call: Call, memory: Any) -> None:
    lines = '{"content": "fine"}\n' * 1_000 + "{"

    _, _, err = call("add", "--jsonl", "-", stdin=lines)

    assert "line 1001: is not JSON" in err
    assert "(lines up to 1000 are kept)" in err
    assert len(memory.items) == 2


def test_a_line_that_is_not_utf8_is_told_by_its_number(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "latin.jsonl"
    path.write_bytes(b'{"content": "caf\xe9"}\n')

    assert "line 1: is not UTF-8" in call("add", "--jsonl", str(path))[2]


def test_folders_are_watched_and_each_change_is_a_line(call: Call, memory: Any) -> None:
    status, out, _ = call("import", "desk", "attic", "--watch", "--source", "home")

    asked = _asked(memory, "watch")
    assert status == 0
    assert [path.name for path in asked["paths"]] == ["desk", "attic"]
    assert (asked["source"], asked["trust"]) == ("home", None)
    assert out.splitlines() == [
        "2 read in 0.0 s: 2 added, 0 updated, 0 unchanged, 0 skipped",
        "0 read in 0.0 s: 0 added, 0 updated, 0 unchanged, 0 skipped, 1 gone from their files",
    ]
    lines = call("import", "desk", "--watch", "--json")[1].splitlines()
    assert [json.loads(line)["withdrawn"] for line in lines] == [0, 1]


def test_a_watch_keeps_what_it_reads(call: Call) -> None:
    status, _, err = call("import", "desk", "--watch", "--dry-run")

    assert status != 0
    assert "--dry-run keeps nothing" in err
    assert "mapped" in call("import", "desk", "--watch", "--map", "content=Text")[2]


def test_columns_are_mapped_to_fields(call: Call, memory: Any) -> None:
    status, _, _ = call("import", "a.csv", "--map", "content=Text", "--map", "title=A=B")

    assert status == 0
    asked = _asked(memory, "import")
    assert (asked["mapping"], asked["kind"]) == ({"content": "Text", "title": "A=B"}, "document")


@pytest.mark.parametrize("pair", ["content", "=Text", "content=", ""])
def test_a_mapping_without_both_names_is_refused(call: Call, pair: str) -> None:
    status, _, problem = call("import", "a.csv", "--map", pair)

    assert status == 4
    assert "FIELD=COLUMN" in problem


def test_several_paths_are_imported_into_one_report(call: Call, memory: Any) -> None:
    memory.skipped = 6

    status, out, _ = call("import", "a.mbox", "b.ics", "--source", "gmail")

    assert status == 0
    assert out.splitlines() == [
        "9 read in 0.5 s: 2 added, 0 updated, 1 unchanged, 6 skipped",
        "  6 skipped: torn (part 0, part 1, part 2 and 3 more)",
    ]
    asked = _asked(memory, "import")
    assert [path.name for path in asked["paths"]] == ["a.mbox", "b.ics"]
    assert (asked["source"], asked["dry_run"]) == ("gmail", False)


def test_a_dry_run_says_so_and_what_kinds_there_are(call: Call, memory: Any) -> None:
    memory.kinds = {"document": 1, "email": 2}

    status, out, _ = call("import", "a.mbox", "--dry-run")

    assert status == 0
    assert out.splitlines() == [
        "dry run, nothing kept: 3 read in 0.5 s: 2 added, 0 updated, 1 unchanged, 0 skipped",
        "  kinds: 1 document, 2 email",
    ]


def test_json_tells_every_skipped_part(call: Call, memory: Any) -> None:
    memory.skipped = 25

    assert len(json.loads(call("import", "a.mbox", "--json")[1])["skipped"]) == 25


def test_get_shows_what_is_known_and_then_the_content(call: Call) -> None:
    out = call("get", "mail-1", "--timezone", "UTC")[1]

    assert out.splitlines() == [
        "id        mail-1",
        "title     Re: Alpha",
        "kind      email from gmail",
        "happened  2026-03-06 15:30 UTC",
        "author    Sarah Johnson <sarah@example.com>",
        "tags      alpha",
        "folder    inbox",
        "",
        "The Alpha deadline moved to Friday, said the client.",
    ]


def test_an_unknown_id_is_not_found(call: Call) -> None:
    assert call("get", "zz") == (3, "", "simonides get: no item 'zz' [not_found]\n")


def test_list_shows_a_page_and_where_the_next_begins(call: Call, memory: Any) -> None:
    status, out, err = call("list", "--limit", "1", "--cursor", "c0")

    assert status == 0
    assert out.splitlines() == [
        "date        kind   source  title      id",
        "2026-03-06  email  gmail   Re: Alpha  mail-1",
    ]
    assert err == "more: --cursor next-1\n"
    assert (_asked(memory, "list")["limit"], _asked(memory, "list")["cursor"]) == (1, "c0")


def test_an_empty_list_says_so_on_stderr(call: Call, memory: Any) -> None:
    memory.items.clear()

    assert call("list") == (0, "", "nothing kept that fits\n")


def test_update_changes_only_what_is_named(call: Call, memory: Any) -> None:
    call(
        "update", "mail-1", "--content", "-", "--tag", "x", "--tag", "y",
        "--metadata", '{"a": 1}', "--happened-at", "2026-03-01", "--timezone", "UTC",
        stdin="new words",
    )  # fmt: skip

    changes = _asked(memory, "update")
    assert changes == {
        "id": "mail-1",
        "content": "new words",
        "tags": ["x", "y"],
        "metadata": {"a": 1},
        "happened_at": "2026-03-01",
        "if_version": None,
    }
    assert memory.items["mail-1"].happened_at == datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        ((), "update: names nothing to change"),
        (("--metadata", "3"), "--metadata: must be a JSON object"),
        (("--happened-at", "x"), "--happened-at: 'x' is no date"),
    ],
)
def test_an_update_that_does_not_fit_is_reported(
    call: Call, argv: tuple[str, ...], problem: str
) -> None:
    status, _, err = call("update", "mail-1", *argv)

    assert status == 4
    assert problem in err


def test_forget_says_what_is_gone_and_what_was_not_there(call: Call) -> None:
    status, out, err = call("forget", "mail-1", "zz")

    assert (status, out) == (3, "forgotten mail-1\n")
    assert err == "simonides forget: no item 'zz' [not_found]\n"


def test_forget_takes_only_the_version_that_is_named(call: Call, memory: Any) -> None:
    call("forget", "mail-1", "--if-version", "3")

    assert _asked(memory, "forget") == {"ids": ("mail-1",), "if_version": 3}
    assert call("forget", "mail-1", "--if-version", "0")[0] == 2


def test_entities_are_a_table(call: Call, memory: Any) -> None:
    out = call("entities", "--name", "sar", "--limit", "5")[1]

    assert out.splitlines() == [
        "name           kind    mentions  also   id",
        "Sarah Johnson  person         3  Sarah  person:sarah",
    ]
    assert _asked(memory, "entities") == {"name": "sar", "limit": 5, "after": ""}


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        (("merge", "sarah", "lind", "s@x.example"),
         {"entity": "sarah", "others": ("lind", "s@x.example")}),
        (("rename", "sarah", "Sarah Lind"), {"entity": "sarah", "name": "Sarah Lind"}),
        (("alias", "sarah", "Sal", "Sally"), {"entity": "sarah", "names": ("Sal", "Sally")}),
    ],
)  # fmt: skip
def test_entities_are_said_to_be_one(
    call: Call, memory: Any, line: tuple[str, ...], asked: dict[str, Any]
) -> None:
    status, out, _ = call("entities", *line)

    assert (status, _asked(memory, line[0])) == (0, asked)
    assert "person:sarah" in out
    assert "Sarah Johnson" in out
    assert call("entities", line[0], "sarah")[0] == 2


def test_entities_are_listed_by_their_task_too(call: Call, memory: Any) -> None:
    assert call("entities", "list", "--name", "sar")[1] == call("entities", "--name", "sar")[1]
    assert _asked(memory, "entities")["name"] == "sar"


def test_stats_are_reported_with_their_names(call: Call) -> None:
    out = call("stats")[1]

    assert "items      1\n" in out
    assert "by kind    1 email\n" in out
    assert "happened   2026-03-06 to 2026-03-06\n" in out
    assert "on disk    0.0 MB\n" in out


def test_spaces_are_one_on_each_line(call: Call) -> None:
    assert call("spaces")[1] == "default\nteam\n"


def test_the_doctor_looks_at_all_spaces_or_at_one(call: Call, memory: Any) -> None:
    every = json.loads(call("doctor", "--json")[1])
    one = json.loads(call("doctor", "--space", "team", "--json")[1])

    assert [space["space"] for space in every["spaces"]] == ["default", "team"]
    assert [space["space"] for space in one["spaces"]] == ["team"]
    assert memory.opened[-1]["space"] == "team"


def test_a_problem_of_one_space_is_an_exit_status(call: Call, memory: Any) -> None:
    memory.problems = {"team"}

    status, out, _ = call("doctor")

    assert status == 8
    assert out.splitlines() == [
        "space    check      result   detail",
        "default  structure  sound    ok",
        "team     structure  PROBLEM  ok",
    ]


def test_a_space_that_cannot_be_opened_is_a_finding_and_no_crash(call: Call, memory: Any) -> None:
    memory.fails = StoreCorrupt("page 3 is torn")

    status, out, _ = call("doctor", "--space", "team", "--json")

    assert status == 8
    [finding] = json.loads(out)["spaces"][0]["findings"]
    assert (finding["check"], finding["sound"]) == ("opens", False)
    assert finding["detail"] == "page 3 is torn"


def test_the_doctor_of_a_space_that_is_not_there_has_nothing_to_look_at(
    call: Call, memory: Any
) -> None:
    memory.fails = NotFound("space", "zz")

    assert call("doctor", "--space", "zz")[0] == 3


def test_a_space_whose_making_was_cut_short_is_sound_and_does_not_stop_the_doctor(
    call: Call, memory: Any
) -> None:
    memory.fails = NotFound("space", "default")
    memory.spaces = lambda: ["default"]

    status, out, _ = call("doctor", "--json")

    assert status == 0
    [finding] = json.loads(out)["spaces"][0]["findings"]
    assert finding["sound"]
    assert finding["detail"].startswith("empty: ")


def test_reembed_says_how_many_items_were_done(call: Call) -> None:
    assert call("reembed", "--embedder", "none")[1] == "1 items of default embedded by none\n"


def test_init_makes_a_home_whose_settings_load_and_never_writes_over_them(
    call: Call, tmp_path: Path
) -> None:
    home = tmp_path / "new home"
    first = json.loads(call("init", "--home", str(home), "--json")[1])
    (home / "config.toml").write_text('timezone = "Asia/Tokyo"\n')
    second = json.loads(call("init", "--home", str(home), "--json")[1])

    assert (first["written"], second["written"]) == (True, False)
    assert load(home) == Settings(timezone="Asia/Tokyo")


def test_init_says_what_to_do_next(call: Call, tmp_path: Path) -> None:
    out = call("init", "--home", str(tmp_path / "new home"))[1]

    assert "Next:\n" in out
    assert f"""search "when is Alpha due?" --home '{tmp_path}/new home'""" in out


def test_a_home_that_cannot_be_made_is_reported(call: Call, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    status, _, err = call("init", "--home", str(tmp_path / "file" / "home"))

    assert status == 5
    assert "choose another with --home [store_full]" in err


def test_config_shows_every_setting_with_its_meaning(call: Call) -> None:
    out = call("config", SIMONIDES_OWNER="Tom, tom@example.com")[1]

    assert "Tom, tom@example.com" in out
    assert "seconds that a writer waits" in out
