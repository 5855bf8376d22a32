"""`search`, `explain`, `brief`, `get`, `list`, `entities`: what is answered and what is refused."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from simonides import Filter, Item, Kind, Memory, Person, Settings, Viewer, parse_condition
from simonides.context.receipt import text_hash
from simonides.errors import EmbedderError, InvalidInput, NotFound
from simonides.model.answer import Mode, Scorer
from simonides.model.brief import DropReason
from simonides_bench.testing.hashing import HashingEmbedder

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
Open = Callable[..., Memory]

HOSTILE_QUESTIONS = [
    "'; DROP TABLE item; --",
    '"unclosed',
    "NEAR(alpha beta) AND NOT *",
    "alpha* OR col:beta",
    "%_\\",
    "(((",
    "\x00",
    "half \ud800",
    "🙂👩‍👩‍👧",
    "שלום \u202e",
    "\u200b",
    "a" * 100_000,
    "漢" * 1_000,
]


class FailingEmbedder(HashingEmbedder):
    """An embedder that keeps texts but fails at questions."""

    def embed_query(self, text: str) -> Any:
        """Fail."""
        raise EmbedderError(f"no vector for {text!r}")


@pytest.fixture
def desk(memory: Memory) -> Memory:
    """Return a memory of six things."""
    days = [NOW - timedelta(days=n) for n in range(6)]
    sarah = Person(name="Sarah Lindqvist", address="sarah@x.example")
    memory.add(
        [
            Item(id="due", kind=Kind.EMAIL, source="gmail", title="Alpha", people=(sarah,),
                 content="Alpha is due on Friday.", happened_at=days[1], tags=("alpha", "date")),
            Item(id="cost", kind=Kind.EMAIL, source="mail", happened_at=days[2], people=(sarah,),
                 content="Harbor costs 31,000 EUR.", metadata={"priority": 3, "folder": "inbox"}),
            Item(id="bug", kind=Kind.TASK, source="jira", source_id="ALPHA-7", happened_at=days[3],
                 content="Alpha fails when clocks change.", metadata={"priority": 1}),
            Item(id="chat", kind=Kind.MESSAGE, source="chat", session="s1", happened_at=days[4],
                 content="Lunch with Tom about Alpha.", people=(Person(name="Tom"),)),
            Item(id="note", content="Tom prefers tea.", source="note"),
            Item(id="plan", kind=Kind.DOCUMENT, source="file", collection="work",
                 content="Plan of the harbor pilot.", happened_at=days[5]),
        ]
    )  # fmt: skip
    return memory


def ids(found: Any) -> set[str]:
    return {item.id for item in found}


def test_a_question_is_answered_best_first_and_each_hit_says_why(desk: Memory) -> None:
    result = desk.search("when is Alpha due?", limit=5)
    scores = [hit.score for hit in result]

    assert result[0].id == "due"
    assert 2 <= len(result) <= 5
    assert scores == sorted(scores, reverse=True)
    for hit in result:
        assert hit.explanation.score == hit.score
        assert hit.explanation.contributions
        assert set(hit.explanation.lanes) <= {lane.name for lane in result.diagnostics.lanes}


def test_hits_can_be_iterated_counted_and_indexed(desk: Memory) -> None:
    result = desk.search("Alpha")

    assert list(result) == [result[i] for i in range(len(result))] == list(result.hits)


def test_explain_is_the_same_answer(desk: Memory) -> None:
    explained = desk.explain("when is Alpha due?", limit=3).result

    assert explained.hits == desk.search("when is Alpha due?", limit=3).hits
    assert explained.plan.asks_when
    assert {lane.name for lane in explained.diagnostics.lanes} >= {"semantic", "lexical"}


@pytest.mark.parametrize("scorer", Scorer)
@pytest.mark.parametrize("mode", Mode)
def test_every_mode_answers_with_every_scorer(desk: Memory, mode: Mode, scorer: Scorer) -> None:
    result = desk.search("Alpha is due", mode=str(mode), scorer=str(scorer))

    assert "due" in [hit.id for hit in result.hits[:2]]
    assert (result.diagnostics.mode_used, result.diagnostics.scorer) == (mode, scorer)


def test_without_an_embedder_hybrid_answers_by_words_and_says_so(open_memory: Open) -> None:
    memory = open_memory(embedder=None, settings=Settings(embedder="none", timezone="UTC"))
    memory.add("Alpha is due on Friday.")
    result = memory.search("Alpha")

    assert len(result) == 1
    assert result.diagnostics.mode_requested is Mode.HYBRID
    assert result.diagnostics.mode_used is Mode.TEXT
    semantic = next(lane for lane in result.diagnostics.lanes if lane.name == "semantic")
    assert not semantic.ran
    assert semantic.note


def test_if_the_model_fails_hybrid_says_so_and_vector_raises(open_memory: Open) -> None:
    memory = open_memory(embedder=FailingEmbedder())
    memory.add("Alpha is due on Friday.")
    hybrid = memory.search("Alpha")

    assert (len(hybrid), hybrid.diagnostics.mode_used) == (1, Mode.TEXT)
    with pytest.raises(EmbedderError, match="no vector for 'Alpha'"):
        memory.search("Alpha", mode="vector")


def test_relative_times_are_read_by_the_now_that_is_given(desk: Memory) -> None:
    then = datetime(2025, 7, 1, tzinfo=UTC)

    assert desk.search("what happened yesterday?").plan.time is not None
    here = desk.search("what happened yesterday?").plan.time
    there = desk.search("what happened yesterday?", now=then).plan.time
    assert here is not None
    assert there is not None
    assert (here.since, here.until) == (
        NOW.replace(hour=0) - timedelta(days=1),
        NOW.replace(hour=0),
    )
    assert there.since == datetime(2025, 6, 30, tzinfo=UTC)


def test_days_are_counted_in_the_zone_that_is_given(desk: Memory) -> None:
    read = desk.search("what happened yesterday?", timezone="Asia/Tokyo").plan.time

    assert read is not None
    assert read.since == datetime(2026, 3, 10, 15, tzinfo=UTC)


def test_a_least_score_leaves_out_what_scores_less(desk: Memory) -> None:
    whole = desk.search("Alpha due")
    bound = whole[1].score

    assert [hit.id for hit in desk.search("Alpha due", min_score=bound)] == [
        hit.id for hit in whole if hit.score >= bound
    ]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Filter(), {"due", "cost", "bug", "chat", "note", "plan"}),
        (Filter(ids=("due", "nobody")), {"due"}),
        (Filter(sources=("gmail", "jira")), {"due", "bug"}),
        (Filter(kinds=(Kind.EMAIL,)), {"due", "cost"}),
        (Filter(collections=("work",)), {"plan"}),
        (Filter(sessions=("s1",)), {"chat"}),
        (Filter(tags=("date",)), {"due"}),
        (Filter(people=("sarah@x.example",)), {"due", "cost"}),
        (Filter(authors=("Tom",)), {"chat"}),
        (Filter(since=NOW - timedelta(days=2)), {"due", "cost"}),
        (Filter(until=NOW - timedelta(days=3)), {"chat", "plan"}),
        (Filter(where=parse_condition({"priority": {"gte": 2}})), {"cost"}),
        (Filter(where=parse_condition({"not": {"priority": {"exists": True}}})),
         {"due", "chat", "note", "plan"}),
        (Filter(viewer=Viewer(user_id="u1")), {"due", "cost", "bug", "chat", "note", "plan"}),
        (Filter(sources=("nowhere",)), set()),
    ],
)  # fmt: skip
def test_a_filter_lets_through_the_same_in_list_search_and_brief(
    desk: Memory, wanted: Filter, expected: set[str]
) -> None:
    assert ids(desk.list(filter=wanted).items) == expected
    for mode in ("hybrid", "text"):
        assert ids(desk.search("Alpha Tom harbor", filter=wanted, mode=mode)) <= expected
    made = desk.brief("Alpha Tom harbor", filter=wanted)
    assert ids([*made.items, *made.dropped]) <= expected


def test_a_filter_keeps_what_ranks_below_the_limit(desk: Memory) -> None:
    [hit] = desk.search("Alpha", filter=Filter(sources=("chat",)), limit=1)

    assert hit.id == "chat"


@pytest.mark.parametrize("question", HOSTILE_QUESTIONS)
def test_every_question_is_only_a_question(desk: Memory, question: str) -> None:
    for mode in ("hybrid", "text", "vector"):
        assert len(desk.search(question, mode=mode)) <= 6
    assert desk.brief(question).tokens <= 1500
    assert desk.stats().items == 6


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        ({"query": ""}, "query: is empty; ask something, or use list"),
        ({"query": " \n"}, "query: is empty"),
        ({"query": "a" * 100_001}, "query: must have at most 100,000"),
        ({"limit": 0}, "limit: must lie in 1 to 10000, got 0"),
        ({"limit": -1}, "limit: must lie in 1 to 10000, got -1"),
        ({"limit": 10_001}, "limit: must lie in 1 to 10000, got 10001"),
        ({"mode": "magic"}, "mode: must be one of hybrid, text, vector; got 'magic'"),
        ({"scorer": "magic"}, "scorer: must be one of fused, rrf, classic"),
        ({"now": "soon"}, "now: 'soon' is no date"),
        ({"timezone": "Mars/Olympus"}, "timezone: no time zone is called 'Mars/Olympus'"),
    ],
)
@pytest.mark.parametrize("space", ["default", "unknown"])
@pytest.mark.parametrize("verb", ["search", "explain", "brief"])
def test_a_question_out_of_range_is_refused_by_name(
    desk: Memory, space: str, verb: str, arguments: dict[str, Any], reported: str
) -> None:
    with pytest.raises(InvalidInput, match=reported):
        getattr(desk.in_space(space), verb)(**{"query": "Alpha"} | arguments)


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        ({"budget_tokens": -1}, "budget_tokens: must lie in 0 to 10000000, got -1"),
        ({"budget_words": -5}, "budget_words: must lie in 0"),
        ({"budget_tokens": 10_000_001}, "budget_tokens: must lie in 0"),
        ({"budget_tokens": 5, "budget_words": 5}, "budget: give it in tokens or in words"),
        ({"max_items": 0}, "max_items: must be 1 or more, got 0"),
        ({"max_items": -1}, "max_items: must be 1 or more, got -1"),
    ],
)
def test_a_budget_out_of_range_is_refused_by_name(
    desk: Memory, arguments: dict[str, Any], reported: str
) -> None:
    with pytest.raises(InvalidInput, match=reported):
        desk.brief("Alpha", **arguments)


def test_a_brief_accounts_for_every_hit_it_chose_from(desk: Memory) -> None:
    result = desk.search("Alpha", limit=24)
    made = desk.brief("Alpha", budget_tokens=60)

    assert ids([*made.items, *made.dropped]) == ids(result)
    assert len(made.items) + len(made.dropped) == len(result)
    assert made.tokens <= 60
    assert made.text.startswith("# As of ")


def test_a_brief_may_be_budgeted_in_words(desk: Memory) -> None:
    made = desk.brief("Alpha", budget_words=40)

    assert (made.unit, made.budget) == ("words", 40)
    assert made.items
    assert len(made.text.split()) == made.tokens <= 40


def test_a_brief_holds_at_most_so_many_items(desk: Memory) -> None:
    made = desk.brief("Alpha", max_items=1)

    assert [item.id for item in made.items] == ["due"]
    assert {one.reason for one in made.dropped} == {DropReason.MAX_ITEMS}


def test_a_budget_of_nothing_gives_nothing(desk: Memory) -> None:
    made = desk.brief("Alpha", budget_tokens=0)

    assert (made.text, made.items) == ("", ())
    assert {one.reason for one in made.dropped} == {DropReason.BUDGET}


def test_a_receipt_names_what_is_needed_to_ask_again(desk: Memory) -> None:
    made = desk.brief("Alpha", budget_tokens=300, scorer="rrf", mode="text", timezone="Asia/Tokyo")
    receipt = made.receipt

    assert (receipt.space, receipt.revision, receipt.query) == ("default", 1, "Alpha")
    assert (receipt.now, receipt.timezone) == (NOW, "Asia/Tokyo")
    assert (receipt.mode, receipt.scorer) == (Mode.TEXT, Scorer.RRF)
    assert (receipt.budget, receipt.embedder) == (300, "testing-hash/1")
    assert receipt.text_hash == text_hash(made.text)


def test_the_clock_is_asked_once_for_a_brief_and_its_receipt(open_memory: Open) -> None:
    ticks: Iterator[datetime] = (NOW + timedelta(hours=n) for n in range(100))
    memory = open_memory(clock=lambda: next(ticks))
    memory.add("Alpha is due.", happened_at=NOW)
    before = next(ticks)
    made = memory.brief("Alpha yesterday")

    assert made.receipt.now == before + timedelta(hours=1)
    assert next(ticks) == before + timedelta(hours=2)


def test_the_same_question_gives_the_same_brief(desk: Memory) -> None:
    one, two = desk.brief("when is Alpha due?"), desk.brief("when is Alpha due?")

    assert (one.text, one.items, one.dropped, one.receipt) == (
        two.text,
        two.items,
        two.dropped,
        two.receipt,
    )


def test_a_list_is_newest_first_and_paged_without_gaps(desk: Memory) -> None:
    seen: list[str] = []
    cursor, pages = "", 0
    while pages == 0 or cursor:
        page = desk.list(limit=2, cursor=cursor)
        seen += [item.id for item in page.items]
        cursor, pages = page.cursor, pages + 1

    assert (seen, pages) == (["note", "due", "cost", "bug", "chat", "plan"], 3)


def test_pages_neither_skip_nor_repeat_while_others_write(desk: Memory) -> None:
    first = desk.list(limit=3)
    desk.add("written in between", happened_at=NOW)
    desk.forget("due")
    rest = desk.list(limit=10, cursor=first.cursor)

    assert [item.id for item in rest.items] == ["bug", "chat", "plan"]


def test_a_cursor_goes_on_within_its_filter(desk: Memory) -> None:
    wanted = Filter(sources=("gmail", "mail", "jira"))
    first = desk.list(filter=wanted, limit=1)
    rest = desk.list(filter=wanted, cursor=first.cursor)

    assert ([i.id for i in first.items], [i.id for i in rest.items]) == (["due"], ["cost", "bug"])
    assert rest.cursor == ""


@pytest.mark.parametrize("cursor", ["zzz", "é", "W1tdXQ", "\ud800", " "])
def test_a_cursor_that_no_list_gave_is_refused(desk: Memory, cursor: str) -> None:
    with pytest.raises(InvalidInput, match="cursor: is not one that a list gave"):
        desk.list(cursor=cursor)


@pytest.mark.parametrize("limit", [0, -1, 1_001])
def test_a_page_out_of_range_is_refused(desk: Memory, limit: int) -> None:
    with pytest.raises(InvalidInput, match=f"limit: must lie in 1 to 1000, got {limit}"):
        desk.list(limit=limit)


@pytest.mark.parametrize("item_id", ["nobody", "", "\x00", "half \ud800", "'; --"])
def test_what_is_not_there_can_not_be_got(desk: Memory, item_id: str) -> None:
    with pytest.raises(NotFound, match="no item"):
        desk.get(item_id)


def test_entities_are_reported_most_mentioned_first(desk: Memory) -> None:
    reported = desk.entities()

    assert reported[0].mentions == max(one.mentions for one in reported)
    assert "person:sarah@x.example" in ids(reported)
    assert ids(desk.entities(name="sarah")) >= {"person:sarah@x.example"}
    assert len(desk.entities(limit=1)) == 1
    with pytest.raises(InvalidInput, match="limit: must be 1 or more"):
        desk.entities(limit=0)


def test_settings_reach_what_they_are_for(open_memory: Open) -> None:
    memory = open_memory(settings=Settings(timezone="Asia/Tokyo", encoding="o200k_base"))
    memory.add("Alpha is due.")
    receipt = memory.brief("Alpha").receipt

    assert (receipt.timezone, receipt.encoding) == ("Asia/Tokyo", "o200k_base")
    assert memory.settings.timezone == "Asia/Tokyo"
