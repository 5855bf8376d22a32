"""The command line, as a user calls it: every verb on one small home, answers as documented."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance import called, forked
from tests.acceptance.forked import BINARY

PAGE = Path(__file__).parents[2] / "docs/reference/command-line.md"

NOTES = [
    {"id": "alpha", "content": "Sarah moved the Alpha deadline to Friday.", "tags": ["alpha"],
     "people": ["Sarah Lind <sarah@example.com>"], "happened_at": "2026-03-06T10:00:00Z"},
    {"id": "harbor", "content": "We decided to keep the Harbor pricing at 40 euros.",
     "source": "chat", "metadata": {"team": "red"}, "happened_at": "2026-02-01T10:00:00Z"},
    {"id": "lunch", "content": "Lunch with Tom on Monday.", "source": "chat"},
]  # fmt: skip


class Home:
    """One home and the command line that works on it. No model: words alone keep this fast."""

    def __init__(self, path: Path, *, apart: bool = False) -> None:
        self.path = path
        self._run = forked.run if apart else called.run

    def run(self, *argv: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "SIMONIDES_HOME": str(self.path)}
        environment |= {"SIMONIDES_EMBEDDER": "none", "SIMONIDES_TIMEZONE": "UTC"}
        ran = self._run(*argv, stdin=stdin.encode(), environment=environment)
        out, err = ran.stdout.decode(), ran.stderr.decode()
        return subprocess.CompletedProcess(argv, ran.returncode, out, err)

    def answer(self, *argv: str, stdin: str = "") -> Any:
        ran = self.run(*argv, "--json", stdin=stdin)

        assert (ran.returncode, ran.stderr) == (0, "")
        return json.loads(ran.stdout)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home that holds three notes."""
    made = Home(tmp_path_factory.mktemp("home"))
    lines = "\n".join(json.dumps(note) for note in NOTES)
    assert made.answer("add", "--jsonl", "-", stdin=lines)["added"] == 3
    return made


@pytest.fixture
def fresh(tmp_path: Path) -> Home:
    """A home that holds nothing."""
    return Home(tmp_path / "fresh")


def _documented(verb: str) -> dict[str, Any]:
    """Return the JSON object that the reference shows for a verb."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {verb}\n")[1].split("\n## ")[0]
    found: dict[str, Any] = json.loads(re.findall(r"```json\n(.*?)\n```", section)[0])
    return found


def _same_shape(documented: Any, answered: Any, *, at: str) -> None:
    """Fail unless every object of the answer has the documented keys; `{}` stands for any."""
    if isinstance(documented, dict) and documented:
        assert set(documented) == set(answered), at
        for name, value in documented.items():
            if name == "kinds":  # its keys are values
                continue
            _same_shape(value, answered[name], at=f"{at}.{name}")
    elif isinstance(documented, list) and documented:
        for one in answered:
            _same_shape(documented[0], one, at=f"{at}[]")


@pytest.mark.parametrize(
    ("verb", "argv"),
    [
        ("search", ("when is Alpha due?",)),
        ("explain", ("when is Alpha due?",)),
        ("brief", ("when is Alpha due?",)),
        ("list", ()),
        ("entities", ()),
        ("spaces", ()),
        ("doctor", ()),
        ("reembed", ()),
    ],
)
def test_a_verb_answers_in_the_documented_shape(home: Home, verb: str, argv: tuple[str]) -> None:
    _same_shape(_documented(verb), home.answer(verb, *argv), at=verb)


def test_stats_and_config_answer_with_the_documented_keys(home: Home) -> None:
    stats, config = home.answer("stats"), home.answer("config")

    assert set(stats) == set(_documented("stats"))
    assert set(config) == set(_documented("config"))
    assert (stats["items"], stats["by_source"]) == (3, {"chat": 2, "note": 1})


def test_a_question_finds_its_note_and_the_score_is_the_sum_of_its_parts(home: Home) -> None:
    entry = home.answer("search", "when is Alpha due?")["entries"][0]

    assert entry["entryId"] == "alpha"
    assert entry["item"]["people"][0]["address"] == "sarah@example.com"
    assert sum(part["value"] for part in entry["explanation"]) == pytest.approx(entry["_score"])


def test_filters_exclude(home: Home) -> None:
    def ids(*argv: str) -> set[str]:
        return {item["id"] for item in home.answer("list", *argv)["items"]}

    assert ids("--source", "chat") == {"harbor", "lunch"}
    assert ids("--where", '{"team": "red"}') == {"harbor"}
    assert ids("--tag", "alpha") == {"alpha"}
    assert ids("--since", "2026-03-01") == {"alpha"}
    assert ids("--until", "2026-03-01") == {"harbor"}
    assert ids("--time", "last_week", "--now", "2026-03-12") == {"alpha"}


def test_a_brief_holds_its_budget_and_pipes_as_plain_text(home: Home) -> None:
    made = home.answer("brief", "what about Harbor?", "--budget", "60")
    text = home.run("brief", "what about Harbor?", "--budget", "60")

    assert made["tokens"] <= made["budget"] == 60
    assert text.stdout.rstrip("\n") == made["text"].rstrip("\n")
    assert f"{made['tokens']} of 60 tokens" in text.stderr


def test_explain_draws_the_lanes_and_the_parts_plainly_in_a_pipe(home: Home) -> None:
    out = home.run("explain", "when is Alpha due?").stdout

    assert "\nlanes\n" in out
    assert re.search(r"^ +\w+ +[+-]\d\.\d{3} #+-*", out, re.MULTILINE)
    assert "\x1b" not in out


def test_an_item_can_be_kept_read_changed_and_forgotten(tmp_path: Path) -> None:
    """Each call in a process of its own, which knows nothing of those before it."""
    fresh = Home(tmp_path / "fresh", apart=True)
    item_id = fresh.answer("add", "-", "--title", "Plan", stdin="ship on Monday")["outcomes"][0][
        "id"
    ]
    assert fresh.answer("get", item_id)["content"] == "ship on Monday"

    changed = fresh.answer("update", item_id, "--content", "-", stdin="ship on Tuesday")
    assert (changed["content"], changed["title"], changed["version"]) == (
        "ship on Tuesday", "Plan", 2,
    )  # fmt: skip
    assert fresh.answer("search", "Monday")["entries"] == []

    assert fresh.answer("forget", item_id) == {"forgotten": [item_id], "missing": []}
    assert fresh.run("get", item_id).returncode == 3
    assert fresh.run("forget", item_id).returncode == 3


def test_what_was_listed_can_be_added_elsewhere(home: Home, fresh: Home) -> None:
    listed = home.answer("list")["items"]

    added = fresh.answer("add", "--jsonl", "-", stdin="\n".join(map(json.dumps, listed)))
    again = fresh.answer("add", "--jsonl", "-", stdin="\n".join(map(json.dumps, listed)))

    assert (added["added"], again["unchanged"]) == (3, 3)


def test_a_chat_is_imported_once(fresh: Home, tmp_path: Path) -> None:
    chat = tmp_path / "chat.jsonl"
    said = [("Ana", "The cat is called Pixel."), ("Ben", "Lovely name!")]
    chat.write_text(
        "\n".join(
            json.dumps(
                {"session": "s1", "speaker": who, "text": text, "at": f"2026-03-01T10:0{n}Z"}
            )
            for n, (who, text) in enumerate(said)
        )
    )
    first, second = fresh.answer("import", str(chat)), fresh.answer("import", str(chat))

    _same_shape(_documented("import"), first, at="import")
    assert (first["added"], second["added"], second["unchanged"]) == (2, 0, 2)
    assert (
        fresh.answer("search", "what is the cat called?")["entries"][0]["item"]["session"] == "s1"
    )


def test_spaces_are_apart(fresh: Home) -> None:
    fresh.answer("add", "the vault code is 4711", "--space", "bob")
    fresh.answer("add", "lunch at noon", "--space", "alice")

    assert fresh.answer("spaces") == {"spaces": ["alice", "bob"]}
    assert fresh.answer("search", "vault code", "--space", "alice")["entries"] == []


@pytest.mark.parametrize(
    ("argv", "status", "code"),
    [
        (("search", "x", "--limit", "0"), 2, "usage"),
        (("get", "zz"), 3, "not_found"),
        (("add", " "), 4, "invalid_input"),
        (("add", "x", "--space", "../up"), 4, "invalid_space_name"),
        (("import", "no-such-file.mbox"), 7, "import_failed"),
    ],
)
def test_an_error_has_its_status_and_its_code(
    home: Home, argv: tuple[str, ...], status: int, code: str
) -> None:
    text, as_json = home.run(*argv), home.run(*argv, "--json")

    assert (text.returncode, as_json.returncode) == (status, status)
    assert (text.stdout, as_json.stdout) == ("", "")
    assert f"[{code}]" in text.stderr
    assert json.loads(as_json.stderr)["error"]["code"] == code


def test_a_damaged_space_is_a_problem_that_the_doctor_finds(fresh: Home) -> None:
    fresh.answer("add", "x", "--space", "torn")
    [path] = fresh.path.rglob("torn*.sqlite3")
    path.write_bytes(b"this is no database" * 500)

    ran = fresh.run("doctor", "--json")

    assert ran.returncode == 8
    assert json.loads(ran.stdout)["sound"] is False


def test_reading_a_home_that_is_not_there_makes_nothing(fresh: Home) -> None:
    assert fresh.answer("search", "anything")["entries"] == []
    assert fresh.answer("list") == {"items": [], "cursor": ""}
    assert fresh.answer("spaces") == {"spaces": []}
    assert fresh.run("stats").returncode == 3
    assert not fresh.path.exists()


def test_init_makes_a_home_that_works(fresh: Home) -> None:
    _same_shape(_documented("init"), fresh.answer("init"), at="init")

    assert fresh.answer("config")["settings"]["embedder"] == "none"
    assert fresh.answer("add", "x")["added"] == 1


def test_the_demo_answers_twice_and_what_it_says_to_try_works(tmp_path: Path) -> None:
    place = ("--home", str(tmp_path / "demo"), "--embedder", "none")
    home = Home(tmp_path)
    first, second = home.answer("demo", *place), home.answer("demo", *place)

    assert first["import"]["added"] > 100
    assert (second["import"]["added"], second["import"]["updated"]) == (0, 0)
    assert second["answers"] == _untimed(first["answers"], second["answers"])
    assert "Sarah" in json.dumps(first["answers"][0]["search"])
    assert all(one["brief"]["tokens"] <= 1500 for one in first["answers"])

    tried = home.run("demo", *place).stdout.partition("Try next:")[2]
    for command in re.findall(r"^  \S*simonides (.*)$", tried, re.MULTILINE):
        if command.startswith("web "):  # which serves until it is stopped
            continue
        assert home.run(*shlex.split(command)).returncode == 0


def _untimed(first: Any, second: Any) -> Any:
    """Return `first` with the timings of `second`: they are outside what stays the same."""
    if isinstance(first, dict):
        return {
            k: second[k] if k == "took_ms" else _untimed(v, second[k]) for k, v in first.items()
        }
    if isinstance(first, list):
        return [_untimed(a, b) for a, b in zip(first, second, strict=True)]
    return first


def test_a_reader_that_leaves_early_causes_no_error(home: Home) -> None:
    command = f'"{BINARY}" list --home "{home.path}" --embedder none | true'
    ran = subprocess.run(  # noqa: S602  a pipe needs a shell
        command, shell=True, capture_output=True, text=True, timeout=60, check=False
    )

    assert ran.stderr == ""


def test_help_is_quick_because_nothing_heavy_is_loaded() -> None:
    heavy = {"numpy", "onnxruntime", "apsw", "rich", "simsimd", "toktok", "asyncio"}
    program = (
        "import sys\n"
        "from simonides.cli.main import build_parser\n"
        "build_parser().format_help()\n"
        f"print(sorted({heavy!r} & set(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert ran.stdout == "[]\n"
