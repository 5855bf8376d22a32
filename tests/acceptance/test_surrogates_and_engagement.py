"""Surrogates, engagement, trust and expiry through the real binary."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

PAGE: Final = Path(__file__).parents[2] / "docs/reference/command-line.md"
NINE: Final = "2026-03-12T09:00:00Z"
QUESTION: Final = "which cable does the crane need?"
DENSE: Final = ("brief", QUESTION, "--dense", "--now", NINE)

BUILDER: Final = """
import sys
from simonides import Memory, Settings

memory = Memory(sys.argv[1], settings=Settings(embedder="none", timezone="UTC"))
reported = lambda done, of: print(done, flush=True)
if sys.argv[2] == "here":
    memory.surrogates.build(on_progress=reported)
if sys.argv[2] == "beside":
    memory.surrogates.build_in_background(on_progress=reported)
if sys.argv[2] == "closed":
    build = memory.surrogates.build_in_background(on_progress=reported)
    memory.close()
    print("left", build.wait().left, build.is_done)
"""


def report(n: int) -> dict[str, Any]:
    """Return a long document, a year old, that no other is like."""
    walk = " ".join(f"Ship {n * 31 + k} was seen at quay {k}, {n}." for k in range(14))
    content = f"Crane {n} needs cable number {n * 7} before May. {walk}"
    when = "2025-03-12T09:00:00Z"
    return {"id": f"r{n}", "kind": "document", "title": f"Report {n}", "content": content,
            "happened_at": when}  # fmt: skip


def fill(home: Any, count: int) -> None:
    lines = "\n".join(json.dumps(report(n)) for n in range(count))
    home.answer("add", "--jsonl", "-", stdin=lines.encode())


def keys_of(value: Any) -> Any:
    """Return the keys of nested objects; of lists, those of the first one."""
    if isinstance(value, dict):
        return {name: keys_of(one) for name, one in value.items()}
    return [keys_of(value[0])] if isinstance(value, list) and value else None


def tiers(home: Any) -> dict[str, str]:
    """Return by which tier a dense brief tells each item that it tells by a surrogate."""
    items = home.answer(*DENSE)["items"]
    return {one["id"]: one["tier"] for one in items if one["stage"] == "surrogate"}


def builder(home: Any, how: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", BUILDER, str(home.path), how], stdout=subprocess.PIPE, text=True
    )


# ── surrogates ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
def test_surrogates_go_through_their_whole_life(home: Any) -> None:
    assert home.answer("surrogates", "build")["built"] == 0
    assert home.answer("spaces") == {"spaces": []}
    fill(home, 5)
    home.answer("add", "short", "--id", "short")
    assert home.run("surrogates", "get", "r0")[0] == 3

    first = home.answer("surrogates", "build", "--max", "2")
    assert (first["built"], first["up_to_date"], first["left"]) == (2, 0, 3)
    second = home.answer("surrogates", "build")
    assert (second["built"], second["up_to_date"], second["left"]) == (3, 2, 0)
    made = home.answer("surrogates", "get", "r4")
    assert made["micro"].startswith("Crane 4 needs")
    assert made["gist"] in made["full"]
    assert home.run("surrogates", "get", "short")[0] == 3

    home.answer("update", "r4", "--content", report(9)["content"])
    assert "no surrogate of item 'r4'" in home.refuses("surrogates", "get", "r4", code="not_found")
    home.answer("forget", "r3")
    again = home.answer("surrogates", "build", "--seconds", "60")
    assert (again["built"], again["up_to_date"]) == (1, 3)
    assert home.answer("surrogates", "get", "r4")["micro"].startswith("Crane 9 needs")
    assert "no item 'r3'" in home.refuses("surrogates", "get", "r3", code="not_found")


@pytest.mark.slow
def test_text_tells_what_was_built(home: Any) -> None:
    fill(home, 2)
    status, out, err = home.run("surrogates", "build")

    assert (status, err) == (0, "")
    assert re.fullmatch(r"2 built in \d+\.\d s, 0 up to date, 0 left\n", out)
    assert re.match(r"full   Crane 1 .*\ngist   Crane 1 .*\nmicro  Crane 1 ",
                    home.run("surrogates", "get", "r1")[1])  # fmt: skip


def test_every_verb_answers_in_the_documented_shape(home: Any) -> None:
    page = PAGE.read_text("utf-8")
    reported = [
        json.loads(one)
        for verb in ("surrogates", "record-usage")
        for one in re.findall(
            r"```json\n(.*?)\n```", page.split(f"\n## {verb}\n")[1].split("\n## ")[0]
        )
    ]
    fill(home, 1)
    answers = [
        home.answer("surrogates", "build"),
        home.answer("surrogates", "get", "r0"),
        home.answer("record-usage", "r0", "--how", "cited"),
    ]

    assert [keys_of(one) for one in answers] == [keys_of(one) for one in reported]


@pytest.mark.slow
def test_a_dense_brief_is_the_same_before_and_after_and_in_every_process(home: Any) -> None:
    fill(home, 12)
    texts = {home.run(*DENSE)[1]}
    home.answer("surrogates", "build", "--max", "5")
    texts.add(home.run(*DENSE)[1])
    home.answer("surrogates", "build")
    for seed in ("0", "1", "random"):
        texts.add(home.run(*DENSE, environment={"PYTHONHASHSEED": seed})[1])

    assert len(texts) == 1
    assert "(summary)" in texts.pop()
    assert len(tiers(home)) == 8


@pytest.mark.slow
def test_a_build_that_is_killed_goes_on_where_it_was(home: Any) -> None:
    fill(home, 200)
    with builder(home, "here") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "64\n"
        process.kill()
    assert home.is_sound()
    rest = home.answer("surrogates", "build")

    assert rest["up_to_date"] >= 64
    assert rest["built"] + rest["up_to_date"] == 200
    assert rest["left"] == 0


@pytest.mark.slow
def test_two_processes_build_at_once(home: Any) -> None:
    fill(home, 130)
    both = [builder(home, "here"), builder(home, "here")]
    for one in both:
        one.communicate(timeout=60)

    assert [one.returncode for one in both] == [0, 0]
    assert home.answer("surrogates", "build")["up_to_date"] == 130


@pytest.mark.slow
def test_a_program_that_ends_without_closing_ends_after_its_build(home: Any) -> None:
    fill(home, 70)
    with builder(home, "beside") as process:
        out, _ = process.communicate(timeout=60)

    assert (process.returncode, out) == (0, "64\n70\n")
    assert home.answer("surrogates", "build")["up_to_date"] == 70


@pytest.mark.slow
def test_a_program_that_closes_ends_its_build(home: Any) -> None:
    fill(home, 70)
    with builder(home, "closed") as process:
        out, _ = process.communicate(timeout=60)

    assert process.returncode == 0
    assert re.search(r"left \d+ True\n\Z", out)


# ── engagement ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
def test_engagement_has_more_told_of_an_item_and_being_found_does_not(home: Any) -> None:
    fill(home, 9)
    before, text = tiers(home), home.run(*DENSE)[1]
    chosen = min(before)
    revision = home.answer("stats")["revision"]
    home.run("search", QUESTION)
    home.run("explain", QUESTION)
    home.run("get", chosen)
    home.run("list")

    assert set(before.values()) == {"micro"}
    assert home.run(*DENSE)[1] == text
    assert home.answer("stats")["revision"] == revision

    home.answer("record-usage", chosen, "--how", "cited", "--now", NINE)
    assert tiers(home) == {**before, chosen: "gist"}
    assert home.answer("stats")["revision"] == revision + 1


@pytest.mark.slow
def test_opening_an_item_counts_only_if_it_is_said(home: Any) -> None:
    fill(home, 1)
    plain = home.run("get", "r0")

    assert home.run("get", "r0", "--record-usage", "--now", NINE) == plain
    with home.memory() as memory:
        found = memory.engagement("r0")
    assert found is not None
    assert (found.count, found.last_at.isoformat()) == (1, "2026-03-12T09:00:00+00:00")


@pytest.mark.slow
def test_what_is_missing_is_reported_and_the_rest_is_noted(home: Any) -> None:
    fill(home, 2)
    status, out, err = home.run("record-usage", "r0", "nobody", "r1", "--how", "opened")

    assert (status, out) == (3, "opened r0\nopened r1\n")
    assert err == "simonides record-usage: no item 'nobody' [not_found]\n"
    assert home.run("record-usage", "nobody", "--space", "none")[0] == 3
    assert home.answer("spaces") == {"spaces": ["default"]}


# ── trust ────────────────────────────────────────────────────────────────────────────────────────


def letter(sender: str, to: str, n: int) -> bytes:
    return (
        f"From x Thu Mar  5 10:00:00 2026\nFrom: {sender}\nTo: {to}\nSubject: harbor {n}\n"
        f"Message-ID: <{n}@example.com>\nDate: Thu, 5 Mar 2026 10:00:00 +0000\n\n"
        f"The harbor opens at {n}, says this mail.\n\n"
    ).encode()


@pytest.fixture
def box(tmp_path: Path) -> str:
    """Ana's mailbox: she wrote to Tom; Tom, Eve, and Eve in Ana's name wrote to her."""
    path = tmp_path / "mail.mbox"
    path.write_bytes(
        letter("Ana <ana@example.com>", "tom@example.com", 1)
        + letter("Tom <TOM@example.com>", "ana@example.com", 2)
        + letter("Eve <eve@example.net>", "ana@example.com", 3)
        + letter("Ana <eve@example.net>", "ana@example.com", 4)
    )
    return str(path)


def trusted(home: Any, *argv: str) -> dict[str, str]:
    """Return the trust of each mail that is found, by its subject."""
    environment = {"SIMONIDES_OWNER": "Ana, ana@example.com"}
    status, out, _ = home.run("search", "harbor", "--json", *argv, environment=environment)
    assert status == 0
    return {one["item"]["title"]: one["trust"] for one in json.loads(out)["entries"]}


@pytest.mark.slow
def test_trust_is_reported_by_whom_the_owner_wrote_to(home: Any, box: str) -> None:
    home.answer("import", box)

    assert trusted(home) == {
        "harbor 1": "own", "harbor 2": "known", "harbor 3": "unknown", "harbor 4": "unknown",
    }  # fmt: skip
    owner = {"SIMONIDES_OWNER": "ana@example.com"}
    out = home.run("search", "harbor", environment=owner)[1]
    marked = [line for line in out.splitlines() if "  unknown sender  " in line]
    assert sorted(re.findall(r"harbor \d", " ".join(marked))) == ["harbor 3", "harbor 4"]

    brief = home.run("brief", "harbor", "--trust", "known", "--json", environment=owner)[1]
    made = json.loads(brief)
    assert sorted(one["title"] for one in made["items"]) == ["harbor 1", "harbor 2"]
    assert [one["reason"] for one in made["dropped"]] == ["trust", "trust"]


@pytest.mark.slow
def test_an_import_can_be_said_to_be_external(home: Any, box: str) -> None:
    assert home.answer("import", box, "--trust", "external")["added"] == 4
    assert home.answer("import", box, "--trust", "external")["unchanged"] == 4
    assert set(trusted(home).values()) == {"external"}
    assert home.answer("import", box)["updated"] == 4
    assert set(trusted(home).values()) == {"own", "known", "unknown"}


@pytest.mark.slow
def test_what_is_added_can_be_said_to_be_external_and_can_not_deny_it(home: Any) -> None:
    lines = [
        {"content": "harbor page", "title": "a"},
        {"content": "harbor page, trust me", "title": "b", "metadata": {"_trust": "own"}},
    ]
    text = "\n".join(map(json.dumps, lines)).encode()
    home.answer("add", "--jsonl", "-", "--trust", "external", stdin=text)
    home.answer("add", "harbor note", "--title", "c")

    assert trusted(home) == {"a": "external", "b": "external", "c": "own"}
    assert trusted(home, "--where", '{"_trust": "external"}').keys() == {"a", "b"}
    home.refuses("add", "x", "--trust", "friend", code="usage")


# ── expiry ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
def test_what_has_expired_is_in_no_brief(home: Any) -> None:
    added = home.answer("add", "The harbor is closed.", "--expires-at", "2026-03-12T09:00Z")
    item = home.answer("get", added["outcomes"][0]["id"])
    assert item["traits"]["expires_at"] == NINE

    def made(now: str) -> Any:
        return home.answer("brief", "is the harbor closed?", "--now", now)

    before, after = made("2026-03-12T08:59:59Z"), made(NINE)
    assert "closed" in before["text"]
    assert "closed." not in after["text"]
    assert after["items"] == []

    copy = json.dumps({**item, "id": "copy", "content": "The harbor stays closed."})
    home.answer("add", "--jsonl", "-", stdin=copy.encode())
    assert home.answer("get", "copy")["traits"] == item["traits"]
    home.refuses("add", "x", "--expires-at", "soon", code="invalid_input")
