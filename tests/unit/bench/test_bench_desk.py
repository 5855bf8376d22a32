"""`bench desk` on a tiny desk: what is imported, asked, judged, kept and written."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.bench import desk_files
from tests.unit.bench.desk_files import BOAT_Q, CABIN_Q, COACH_Q, FERRY_Q, NOBODY_Q, SALE_Q, desk
from tests.unit.bench.labelled import WORDS_ONLY, explained, item, question, written

from simonides.api.memory import Memory
from simonides.errors import InvalidInput
from simonides.model.answer import Hit, SearchResult
from simonides.model.brief import Brief, BriefItem, Form, Stage
from simonides.model.item import Item, Trust
from simonides_bench.desk.folder import DeskFolder
from simonides_bench.desk.run import run
from simonides_bench.desk.spaces import Part

OLD_MAIL, NEW_MAIL = f"mail.mbox#{desk_files.OLD}", f"mail.mbox#{desk_files.NEW}"
ROWING, CHAIN = "calendar.ics#rowing@harbour.example", "tasks.json#BOAT-7"

Answer = tuple[tuple[str, ...], float, tuple[str, ...], str]
"""Beginnings of the hits' contents, the first one's relevance, what a brief shows, its text."""

ANSWERS: dict[str, Answer] = {
    FERRY_Q: (("The ferry", "From Monday"), 0.9, ("From Monday",), "At SEVEN."),
    CABIN_Q: (("Cabin 214",), 0.5, ("Cabin 214",), "Cabin 214 is booked"),
    SALE_Q: (("# Boat", "Carla"), 0.5, (), "The dinghy is sold."),
    COACH_Q: (("Twelve", "When: Tue"), 0.2, ("When: Mon",), "On 10 March."),
    BOAT_Q: (("I am", *["fine"] * 9, "The chandler"), 0.1, ("I am", "Twelve"), ""),
    NOBODY_Q: (("fine",), 0.2, (), ""),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a desk."""
    return desk(tmp_path / "tiny")


@pytest.fixture
def part(folder: Path, tmp_path: Path) -> Iterator[Part]:
    """Yield the space of the desk, filled."""
    data = DeskFolder(folder)
    with Memory(tmp_path / "home", settings=WORDS_ONLY) as memory:
        data.fill(memory)
        [found] = data.parts(memory)
        yield found


def found_of(memory: Memory, beginnings: tuple[str, ...]) -> list[Item]:
    """Return an item for each of the beginnings of their contents, the same one for the same."""
    items = memory.list(limit=100).items
    return [next(x for x in items if x.content.startswith(one)) for one in beginnings]


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let questions have the answers above."""
    search, brief = Memory.search, Memory.brief

    def searched(self: Memory, query: str, **how: Any) -> SearchResult:
        assert how["limit"] in (20, 60)
        assert how["now"].isoformat() == desk_files.NOW
        beginnings, relevance, _shown, _text = ANSWERS[query]
        hits = tuple(
            Hit(item=one, score=1 - relevance, relevance=relevance)
            for one in found_of(self, beginnings)
        )
        return replace(search(self, query, **how), hits=hits)

    def briefed(self: Memory, query: str, **how: Any) -> Brief:
        _beginnings, _relevance, shown, text = ANSWERS[query]
        items = tuple(in_brief(one) for one in found_of(self, shown))
        made = brief(self, query, **how)
        return replace(made, items=items, text=text, tokens=how["budget_tokens"] - len(shown))

    monkeypatch.setattr(Memory, "search", searched)
    monkeypatch.setattr(Memory, "brief", briefed)


def in_brief(one: Item) -> BriefItem:
    return BriefItem(
        number=1,
        id=one.id,
        version=1,
        title="",
        source=one.source,
        happened_at=None,
        score=0.0,
        tokens=1,
        stage=Stage.SNIPPET,
        form=Form.WHOLE,
        trust=Trust.OWN,
    )


# ── what the items are called ─────────────────────────────────────────────────────────────────


def test_every_item_has_the_names_that_labels_use(part: Part) -> None:
    items = {one.id: one.content[:12] for one in part.space.list(limit=100).items}

    assert sorted((sorted(names), items[one]) for one, names in part.names.items()) == [
        ([ROWING], "When: Monday"),
        ([ROWING], "When: Tuesda"),
        (["chats.jsonl#1"], "fine"),
        (["chats.jsonl#2"], "Carla bought"),
        (["chats.jsonl#3"], "fine"),
        ([OLD_MAIL], "The ferry to"),
        ([NEW_MAIL], "Cabin 214 is"),
        ([NEW_MAIL], "From Monday "),
        (["memories.jsonl#1"], "I am allergi"),
        (["notes/boat.md"], "# Boat\n\nThe "),
        ([CHAIN], "The chandler"),
        ([CHAIN], "Twelve metre"),
    ]


def test_lines_that_say_the_same_are_told_apart_by_their_order(part: Part) -> None:
    said = [one for one in part.space.list(limit=100).items if one.content == "fine"]
    places = {one.happened_at.minute: part.names[one.id] for one in said if one.happened_at}

    assert places == {0: frozenset({"chats.jsonl#1"}), 2: frozenset({"chats.jsonl#3"})}


def test_an_invitation_is_named_as_its_event_and_as_its_mail(folder: Path, tmp_path: Path) -> None:
    mails = (folder / "mail.mbox").read_text("utf-8")
    invitation = desk_files.CALENDAR.replace("rowing@", "regatta@").strip()
    invited = mails.replace('text/plain; name="cabins.txt"', 'text/calendar; name="i.ics"')
    invited = invited.replace("cabins.txt", "i.ics").replace("Cabin 214 is booked", invitation)
    (folder / "mail.mbox").write_text(invited, "utf-8")
    data = DeskFolder(folder)
    with Memory(tmp_path / "home", settings=WORDS_ONLY) as memory:
        data.fill(memory)
        [found] = data.parts(memory)

    assert frozenset({"calendar.ics#regatta@harbour.example", NEW_MAIL}) in found.names.values()


def test_the_owner_that_the_mail_tells_is_the_owner_of_the_memory(
    folder: Path, tmp_path: Path
) -> None:
    desk_files.write_correspondence(folder)
    with Memory(tmp_path / "home", settings=WORDS_ONLY) as memory:
        DeskFolder(folder).fill(memory)

        assert "leo@harbour.example" in memory.owner


# ── figures ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("scripted")
def test_the_figures_are_those_of_the_answers(folder: Path) -> None:
    figures = run([folder], settings=WORDS_ONLY)
    [(name, own)] = figures["sets"].items()

    assert (name, own.pop("evidence_kept")) == ("tiny", 1.0)
    assert own == {name: value for name, value in figures.items() if name != "sets"}
    del own["by_category"]
    budgets, in_doubt = own.pop("budgets"), own.pop("in_doubt")
    assert list(budgets) == ["700", "1500"]
    assert budgets["700"]["brief_evidence"] == own["brief_evidence"]
    assert 0.0 <= budgets["700"]["pasted"] <= budgets["1500"]["pasted"] <= 1.0
    assert set(in_doubt) == {"answerable", "abstention"}
    assert own == {
        "questions": 6,
        "answerable": 5,
        "first": 3 / 5,
        "recall@5": (1 + 1 + 1 + 1 + 1 / 3) / 5,
        "recall@10": (1 + 1 + 1 + 1 + 1 / 3) / 5,
        "recall@20": (1 + 1 + 1 + 1 + 2 / 3) / 5,
        "must_not_before_evidence": 1.0,
        "brief_evidence": (1 + 1 + 0 + 1 + 2 / 3) / 5,
        "answer_in_brief": 2 / 3,
        "denied": 1 / 5,
        "abstention_auc": (1 + 1 + 1 + 0.5 + 0) / 5,
        "brief_tokens": {"answerable": (699 + 699 + 700 + 699 + 698) / 5, "abstention": 700.0},
    }


@pytest.mark.usefixtures("scripted")
def test_categories_are_those_of_the_questions(folder: Path) -> None:
    found = run([folder], settings=WORDS_ONLY, budget=300)["by_category"]

    assert {name: (one["questions"], one["first"]) for name, one in found.items()} == {
        "abstention": (1, None), "attachment": (1, 1.0), "list": (1, 1.0), "when": (2, 0.0),
        "who": (1, 1.0),
    }  # fmt: skip
    assert found["abstention"]["brief_tokens"] == 300


def test_the_engine_finds_all_of_a_tiny_desk(folder: Path) -> None:
    figures = run([folder], settings=WORDS_ONLY)

    assert (figures["recall@20"], figures["brief_evidence"]) == (1.0, 1.0)


def test_figures_are_the_same_in_every_run(folder: Path) -> None:
    assert run([folder], settings=WORDS_ONLY) == run([folder], settings=WORDS_ONLY)


def test_what_the_importers_leave_out_is_told(folder: Path) -> None:
    (folder / "tasks.json").unlink()

    assert run([folder], settings=WORDS_ONLY)["sets"]["tiny"]["evidence_kept"] == 6 / 7


@pytest.mark.usefixtures("scripted")
def test_each_question_with_missed_evidence_is_written(folder: Path, tmp_path: Path) -> None:
    misses = tmp_path / "misses.jsonl"
    run([folder], settings=WORDS_ONLY, misses=misses)
    [row] = map(json.loads, misses.read_text("utf-8").splitlines())

    assert row == {
        "set": "tiny", "group": "", "id": "q5", "category": "list", "question": BOAT_Q,
        "ranks": {CHAIN: 11, "memories.jsonl#1": 1, "notes/boat.md": None},
        "top": ["I am allergic to shellfish.", "fine", "fine", "fine"],
    }  # fmt: skip


def test_every_figure_is_reported_in_the_reference(folder: Path) -> None:
    figures = run([folder], settings=WORDS_ONLY)

    assert explained("Desk") == {*figures, "evidence_kept"}


# ── other data ────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def persons(tmp_path: Path) -> Path:
    """Return a file of the neutral format with two groups and a question that nothing answers."""
    return written(
        tmp_path / "persons.jsonl",
        item("ana", "1", "The ferry leaves at nine.", kind="email", source="gmail", title="Old"),
        item("ana", "2", "The ferry to Vela leaves at seven.", kind="memory"),
        item("ben", "1", "Bread is sold behind the church."),
        question("ana", "q1", "When does the ferry to Vela leave?", "2", must_not=["1"]),
        question("ana", "q2", "Which bassoon was tuned?", category="abstention"),
        question("ben", "q3", "Where is bread sold?", "1", answer="Behind the church"),
    )


def test_a_file_of_the_neutral_format_is_asked_group_by_group(persons: Path) -> None:
    figures = run([persons], settings=WORDS_ONLY)

    assert (figures["questions"], figures["answerable"]) == (3, 2)
    assert (figures["recall@5"], figures["first"], figures["abstention_auc"]) == (1.0, 1.0, 1.0)
    assert figures["must_not_before_evidence"] == 0.0
    assert figures["sets"]["persons"]["evidence_kept"] == 1.0


def test_several_sets_have_figures_of_their_own_and_together(folder: Path, persons: Path) -> None:
    reported: list[tuple[int, int]] = []
    figures = run(
        [folder, persons],
        settings=WORDS_ONLY,
        on_progress=lambda done, total: reported.append((done, total)),
    )

    assert {name: one["questions"] for name, one in figures["sets"].items()} == {
        "tiny": 6, "persons": 3,
    }  # fmt: skip
    assert figures["questions"] == 9
    assert reported == [(done, 9) for done in range(1, 10)]


# ── kept spaces ───────────────────────────────────────────────────────────────────────────────


def no_import(*_: Any, **__: Any) -> None:
    pytest.fail("something was imported")


def test_kept_spaces_are_used_again_with_the_same_figures(
    folder: Path, persons: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run([folder, persons], settings=WORDS_ONLY, keep=tmp_path / "kept")
    monkeypatch.setattr(Memory, "import_", no_import)
    monkeypatch.setattr(Memory, "add", no_import)

    assert run([folder, persons], settings=WORDS_ONLY, keep=tmp_path / "kept") == first


def test_other_questions_are_asked_of_the_spaces_that_are_kept(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run([folder], settings=WORDS_ONLY, keep=tmp_path / "kept")
    monkeypatch.setattr(Memory, "import_", no_import)
    desk_files.lines(folder / "questions.jsonl", desk_files.QUESTIONS[0])

    assert run([folder], settings=WORDS_ONLY, keep=tmp_path / "kept")["questions"] == 1


def test_spaces_are_made_anew_for_other_files_and_after_a_broken_run(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept"
    with monkeypatch.context() as broken:
        broken.setattr(Memory, "add", no_import)
        with pytest.raises(pytest.fail.Exception):
            run([folder], settings=WORDS_ONLY, keep=kept)
    assert run([folder], settings=WORDS_ONLY, keep=kept)["recall@20"] == 1.0

    (folder / "notes" / "boat.md").write_text("# Boat\n\nIt is sold.\n", "utf-8")
    assert run([folder], settings=WORDS_ONLY, keep=kept)["recall@20"] < 1.0


def test_the_owner_of_a_kept_space_is_known_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    search = Memory.search

    def watched(self: Memory, *asked: Any, **how: Any) -> SearchResult:
        seen.append(self.owner)
        return search(self, *asked, **how)

    desk_files.write_correspondence(folder)
    monkeypatch.setattr(Memory, "search", watched)
    for _ in range(2):
        run([folder], settings=WORDS_ONLY, keep=tmp_path / "kept")

    assert len(set(seen)) == 1
    assert "leo@harbour.example" in seen[0]


def test_a_home_of_somebody_else_is_left_alone(folder: Path, tmp_path: Path) -> None:
    own = tmp_path / "kept" / "tiny" / "letter.txt"
    own.parent.mkdir(parents=True)
    own.write_text("Dear Ana", "utf-8")

    with pytest.raises(InvalidInput, match="was not kept by this bench"):
        run([folder], settings=WORDS_ONLY, keep=tmp_path / "kept")
    assert own.read_text("utf-8") == "Dear Ana"


# ── what does not fit ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "is not JSON"),
        ("[1]", "is no object with question"),
        ('{"question": 5}', "is no object with question"),
        ('{"question": "?", "now": "noon"}', "ISO 8601"),
        ('{"question": "?", "evidence": ["x"]}', "needs evidence, a list of objects with file"),
        ('{"question": "?", "must_not": {"file": "x"}}', "needs must_not, a list"),
    ],
)
def test_a_question_that_does_not_fit_is_named(folder: Path, line: str, problem: str) -> None:
    (folder / "questions.jsonl").write_text(f"\n{line}\n", "utf-8")

    with pytest.raises(InvalidInput, match=rf"questions\.jsonl:2: .*{problem}"):
        run([folder], settings=WORDS_ONLY)


def test_a_memory_without_text_is_named(folder: Path) -> None:
    desk_files.lines(folder / "memories.jsonl", {"text": "I like tea."}, {"fact": "x"})

    with pytest.raises(InvalidInput, match=r"memories\.jsonl:2: .*text, the memory"):
        run([folder], settings=WORDS_ONLY)


def test_a_folder_without_questions_and_two_of_one_name_are_refused(
    folder: Path, tmp_path: Path
) -> None:
    twin = desk(tmp_path / "other" / "tiny")
    with pytest.raises(InvalidInput, match="tiny: is the name of several sets"):
        run([folder, twin], settings=WORDS_ONLY)

    (twin / "questions.jsonl").write_text("", "utf-8")
    with pytest.raises(InvalidInput, match="tiny: leaves no question"):
        run([twin], settings=WORDS_ONLY)
    with pytest.raises(InvalidInput, match="cannot be read"):
        run([tmp_path], settings=WORDS_ONLY)


def test_a_place_that_cannot_be_written_is_reported_before_anything_is_imported(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Memory, "import_", no_import)

    with pytest.raises(InvalidInput, match="cannot be written"):
        run([folder], settings=WORDS_ONLY, misses=tmp_path)
