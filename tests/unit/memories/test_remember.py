"""`remember`: what is compared with what, what is written, and what can not be lost on the way."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from simonides import Filter, Item, Memory, MemoryTraits
from simonides.errors import InvalidInput, StoreBusy
from simonides.memories import remember as room
from simonides.memories.neighbours import ABOUT_MAX
from simonides.model.item import Kind, Status
from simonides.model.memories import Remembered
from simonides.scoring.ranking import SCORE_PER_LOG_ODDS
from simonides.scoring.ranking_weights import WEIGHTS

Active = Callable[[], list[str]]

TEA = "Tom prefers tea."
COFFEE = "Tom prefers coffee."
DRINK = "Tom.drink"


def describe(made: Remembered) -> str:
    return f"{made.op} {made.reason}"


def test_the_first_memory_is_added_and_read_back_as_it_was_given(memory: Memory) -> None:
    made = memory.remember(
        TEA, entity=DRINK, confidence=0.9, scope="global", type="profile", tags=["drinks"],
        collection="home", session="s", happened_at="2026-03-01T00:00:00Z", metadata={"a": 1},
    )  # fmt: skip
    item = memory.get(made.id)

    assert (describe(made), made.written, made.revision) == ("add no_similar_memory", (made.id,), 1)
    assert (item.kind, item.content, item.tags, item.collection) == (
        Kind.MEMORY, TEA, ("drinks",), "home",
    )  # fmt: skip
    assert item.traits == MemoryTraits(
        entity=DRINK,
        confidence=0.9,
        scope="global",
        type="profile",
    )
    assert (made.compared, made.superseded) == ((), "")


def test_a_newer_fact_takes_the_place_of_the_older_in_one_revision(
    memory: Memory, active: Active
) -> None:
    old = memory.remember(TEA, entity=DRINK)
    new = memory.remember(COFFEE, entity="tom.DRINK ")
    before, after = memory.get(old.id), memory.get(new.id)

    assert describe(new) == "supersede higher_confidence_or_newer_fact"
    assert (new.superseded, set(new.written)) == (old.id, {old.id, new.id})
    assert new.revision == old.revision + 1 == before.revision == after.revision
    assert before.traits is not None
    assert before.traits.status is Status.SUPERSEDED
    assert before.metadata == {"_superseded_by": new.id}
    assert after.metadata == {"_supersedes": old.id}
    assert active() == [COFFEE]


def test_what_was_superseded_is_found_only_by_its_status(memory: Memory) -> None:
    memory.remember(TEA, entity=DRINK)
    memory.remember(COFFEE, entity=DRINK)
    superseded = Filter(statuses=(Status.SUPERSEDED,))

    assert [hit.item.content for hit in memory.search("Tom prefers tea")] == [COFFEE]
    assert [h.item.content for h in memory.search("Tom prefers", filter=superseded)] == [TEA]
    assert memory.brief("Tom prefers tea").dropped == ()


def test_a_brief_says_that_it_dropped_what_was_superseded(memory: Memory) -> None:
    old = memory.remember(TEA, entity=DRINK)
    memory.remember(COFFEE, entity=DRINK)
    brief = memory.brief("Tom prefers", filter=Filter(statuses=()))

    assert [(one.id, one.reason) for one in brief.dropped] == [(old.id, "superseded")]


def test_the_history_holds_each_state(memory: Memory) -> None:
    old = memory.remember(TEA, entity=DRINK)
    memory.remember(COFFEE, entity=DRINK)
    again = memory.remember(TEA, entity=DRINK)
    states = [version.item for version in memory.history(old.id)]

    assert again.id == old.id
    assert [one.traits.status.value for one in states if one.traits] == [
        "active", "superseded", "active",
    ]  # fmt: skip
    assert [h.item.content for h in memory.search("Tom prefers", as_of=old.revision)] == [TEA]


def test_repeating_it_changes_nothing(memory: Memory) -> None:
    first = memory.remember(TEA, entity=DRINK, confidence=0.95, importance=0.9)
    for text in (TEA, "tom prefers tea", "  Tom prefers TEA! "):
        made = memory.remember(text)

        assert (describe(made), made.id) == ("noop duplicate_text", first.id)
        assert (made.written, made.revision) == ((), 1)
    assert memory.stats().items == 1


def test_repeating_it_with_more_certainty_updates_what_is_kept(memory: Memory) -> None:
    first = memory.remember(TEA, importance=0.9)
    made = memory.remember("tom prefers tea", confidence=0.95)
    item = memory.get(first.id)

    assert (describe(made), made.id) == ("update duplicate_text_metadata_update", first.id)
    assert item.content == TEA
    assert item.traits is not None
    assert (item.traits.confidence, item.traits.importance, item.version) == (0.95, 0.9, 2)


def test_what_was_added_plainly_is_recognised_too(memory: Memory) -> None:
    added = memory.add(TEA, source="chat", session="s")

    assert describe(made := memory.remember(TEA)) == "noop duplicate_text"
    assert made.id == added.id


def test_words_that_no_lane_finds_are_recognised(memory: Memory) -> None:
    first = memory.remember("🙂 …")

    assert memory.remember("🙂 …").id == first.id
    assert memory.stats().items == 1


def test_a_mail_that_says_it_does_not_keep_it_from_being_remembered(memory: Memory) -> None:
    memory.add(TEA, kind="email")
    memory.add(TEA, kind="message")

    assert describe(memory.remember(TEA)) == "add no_similar_memory"


@pytest.mark.parametrize(
    "given",
    [{"user_id": "bo"}, {"scope": "workspace", "workspace_id": "w"}, {"collection": "work"},
     {"scope": "session", "session_id": "s"}],
)  # fmt: skip
def test_the_same_words_for_others_are_a_memory_of_their_own(
    given: dict[str, Any], memory: Memory
) -> None:
    ana = memory.remember(TEA, user_id="ana", entity=DRINK)
    other = memory.remember(TEA, entity=DRINK, **given)
    memory.remember(COFFEE, entity=DRINK, **given)
    kept = memory.get(ana.id)

    assert describe(other).startswith("add")
    assert other.id != ana.id
    assert kept.version == 1


def test_each_collection_has_its_own(memory: Memory) -> None:
    made = [memory.remember(TEA, collection=name) for name in ("main", "work", "home", "work")]

    assert [one.op.value for one in made] == ["add", "add", "add", "noop"]
    assert len({one.id for one in made}) == 3


def test_an_added_memory_of_others_is_not_written_over(memory: Memory) -> None:
    theirs = memory.add(TEA, traits={"scope": "workspace", "workspace_id": "w"})
    mine = memory.remember(TEA)

    assert mine.id != theirs.id
    assert memory.get(theirs.id).version == 1


def test_a_rival_is_found_whatever_its_words(memory: Memory, active: Active) -> None:
    memory.remember("The call is at 2pm.", entity="alpha call")
    memory.add([f"note {n} about the harbor" for n in range(40)])
    made = memory.remember("Moved to three in the afternoon.", entity="Alpha Call")

    assert made.op == "supersede"
    assert made.compared[0].same_entity
    assert made.compared[0].likeness == 0.0
    assert "The call is at 2pm." not in active()


def test_of_several_rivals_the_one_that_is_most_alike_gives_way(
    memory: Memory, active: Active
) -> None:
    memory.add(["Tom lives in Oslo.", "Tom drives a car."], traits={"entity": "Tom"})
    memory.remember("Tom lives in Bergen.", entity="Tom")

    assert active() == ["Tom drives a car.", "Tom lives in Bergen."]


def test_a_slot_that_changed_very_often_still_has_one_holder(
    memory: Memory, active: Active
) -> None:
    for n in range(30):
        memory.remember(f"The deadline is on day {n}.", entity="deadline")
    brief = memory.brief("when is the deadline?", layout="scoped")

    assert active() == ["The deadline is on day 29."]
    assert memory.remember(brief.text).reason == "recalled_text"
    assert memory.remember("the deadline is on day 29").reason == "duplicate_text"


def test_among_many_of_one_entity_the_latest_are_looked_at(memory: Memory) -> None:
    memory.add(
        [f"fact {n}" for n in range(ABOUT_MAX + 9)], traits={"entity": "Tom", "confidence": 0.1}
    )
    made = memory.remember("Something else entirely.", entity="Tom")

    assert made.op == "supersede"


@pytest.mark.parametrize(
    ("given", "decision"),
    [
        ({"confidence": 0.5}, "noop lower_confidence_candidate"),
        ({"happened_at": "2020-01-01T00:00:00Z"}, "noop older_than_existing"),
        ({"status": "quarantined"}, "noop candidate_not_active"),
    ],
)
def test_a_weaker_candidate_changes_nothing_and_names_what_holds(
    given: dict[str, Any], decision: str, memory: Memory, active: Active
) -> None:
    first = memory.remember(TEA, entity=DRINK)
    made = memory.remember(COFFEE, entity=DRINK, **given)

    assert (describe(made), made.id, made.written) == (decision, first.id, ())
    assert active() == [TEA]


def test_a_quarantined_memory_is_lifted_by_an_explicit_status_alone(
    memory: Memory, active: Active
) -> None:
    first = memory.remember(TEA, status="quarantined", confidence=0.4)
    repeated = memory.remember(TEA)
    assert (describe(repeated), repeated.id, active()) == ("noop duplicate_text", first.id, [])

    lifted = memory.remember(TEA, status="active", importance=0.9)
    traits = memory.get(first.id).traits

    assert (describe(lifted), lifted.written) == ("update quarantine_lifted", (first.id,))
    assert active() == [TEA]
    assert traits is not None
    assert (traits.status, traits.confidence, traits.importance) == (Status.ACTIVE, 0.4, 0.9)
    assert describe(memory.remember(TEA, status="active")) == "noop duplicate_text"


def test_another_text_lifts_no_quarantine(memory: Memory, active: Active) -> None:
    memory.remember(TEA, entity=DRINK, status="quarantined")

    assert describe(memory.remember(COFFEE, entity=DRINK, status="active")).startswith("add ")
    assert active() == [COFFEE]


def test_a_deleted_memory_that_is_said_again_is_there_again(memory: Memory, active: Active) -> None:
    first = memory.remember(TEA)
    gone = memory.remember(TEA, status="deleted")

    assert (describe(gone), gone.id, gone.written) == ("delete asked_for", "", (first.id,))
    assert active() == []
    assert describe(memory.remember(TEA)) == "add existing_memory_not_active"
    assert active() == [TEA]


def test_a_forgotten_memory_that_is_said_again_is_there_again(
    memory: Memory, active: Active
) -> None:
    memory.forget(memory.remember(TEA).id)

    assert describe(memory.remember(TEA)) == "add no_similar_memory"
    assert active() == [TEA]


def test_a_change_of_mind_is_no_recalled_text(memory: Memory, active: Active) -> None:
    memory.add(f"{TEA} He is from Oslo.")
    memory.remember(COFFEE, entity=DRINK)
    made = memory.remember(TEA, entity=DRINK)

    assert made.op == "supersede"
    assert TEA in active()


def test_a_rehearsal_says_what_would_be_and_writes_nothing(memory: Memory) -> None:
    nowhere = memory.remember(TEA, entity=DRINK, dry_run=True)
    first = memory.remember(TEA, entity=DRINK)
    made = memory.remember(COFFEE, entity=DRINK, dry_run=True)

    assert (describe(nowhere), nowhere.id, nowhere.revision) == (
        "add no_similar_memory", first.id, 0,
    )  # fmt: skip
    assert (describe(made), made.superseded) == (
        "supersede higher_confidence_or_newer_fact", first.id,
    )  # fmt: skip
    assert (made.written, made.revision) == ((), 1)
    assert memory.stats().items == 1


def test_it_says_what_it_was_compared_with_the_nearest_first(memory: Memory) -> None:
    for n in range(9):
        memory.remember(f"Tom likes the {n}. harbor crane best of all that he has ever seen.")
    made = memory.remember(
        "Tom likes the 3. harbor crane best of all that he has ever seen, and cake."
    )

    assert len(made.compared) == room.COMPARED_MAX
    assert made.compared[0].text.startswith("Tom likes the 3.")
    assert made.compared[0].likeness == 1.0
    assert made.compared[0].score is not None


@pytest.mark.parametrize(
    ("text", "given", "problem"),
    [
        ("", {}, "text: is empty"),
        (" \n", {}, "text: is empty"),
        (3, {}, "text: must be text, got int"),
        ("x", {"id": "mine"}, "id: is not known; there are"),
        ("x", {"kind": "email"}, "kind: is not known"),
        ("x", {"confidence": 2}, "confidence: must lie in"),
        ("x", {"scope": "all"}, "scope: must be one of workspace"),
        ("x", {"happened_at": "yesterday"}, "happened_at: 'yesterday' is no date"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_written(
    text: Any, given: dict[str, Any], problem: str, memory: Memory
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        memory.remember(text, **given)

    assert memory.spaces() == ()


def test_what_expired_is_out_of_search_list_and_brief_and_can_be_said_again(
    memory: Memory, clock: Any
) -> None:
    until = clock.now + timedelta(hours=1)
    first = memory.remember("Tom is in Berlin.", expires_at=until)

    assert len(memory.search("Berlin")) == 1
    clock.pass_hours(1)
    assert len(memory.search("Berlin")) == 0
    assert memory.list().items == ()
    assert len(memory.search("Berlin", now=until - timedelta(seconds=1))) == 1
    expired = Filter(expired=True)
    assert [hit.id for hit in memory.search("Berlin", filter=expired)] == [first.id]
    assert [item.id for item in memory.list(filter=expired).items] == [first.id]
    brief = memory.brief("Berlin", filter=expired)
    assert [(one.id, one.reason) for one in brief.dropped] == [(first.id, "expired")]
    again = memory.remember("Tom is in Berlin.")
    assert (describe(again), again.id) == ("add existing_memory_not_active", first.id)
    assert len(memory.search("Berlin")) == 1


@pytest.mark.parametrize(
    ("weight", "hours", "worth"),
    [((0.8, 24.0), 0, 0.8), ((0.8, 24.0), 24, 0.4), ((0.8, 24.0), 48, 0.2),
     ((0.5, 12.0), 120, 0.05), ((0.8, 0.0), 0, 0.05), ((0.02, None), 999, 0.05),
     ((0.8, None), 999, 0.8)],
)  # fmt: skip
def test_importance_fades_by_its_half_life_to_a_floor(
    weight: tuple[float, float | None], hours: int, worth: float, memory: Memory, clock: Any
) -> None:
    memory.remember(TEA, importance=weight[0], half_life_hours=weight[1])
    clock.pass_hours(hours)
    [hit] = memory.search("what does Tom prefer?")
    values = {part.name: part.value for part in hit.explanation.contributions}

    assert values["importance"] == pytest.approx(
        WEIGHTS["importance"] * SCORE_PER_LOG_ODDS * (worth - 0.5)
    )


def test_a_memory_that_is_said_again_with_another_weight_fades_anew(
    memory: Memory, clock: Any
) -> None:
    memory.remember(TEA, importance=0.8, half_life_hours=24.0)
    clock.pass_hours(24)
    memory.remember(TEA, importance=0.9)
    [hit] = memory.search("what does Tom prefer?")
    values = {part.name: part.value for part in hit.explanation.contributions}

    assert values["importance"] > 0.0


def test_a_decision_that_another_write_overtook_is_made_anew(
    memory: Memory, active: Active, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = memory.remember(TEA, entity=DRINK)
    real = room.decide
    calls: list[room.Verdict] = []

    def decide(*given: Any, **how: Any) -> Any:
        made = real(*given, **how)
        if not calls:
            memory.forget(old.id)
        calls.append(made)
        return made

    monkeypatch.setattr(room, "decide", decide)
    made = memory.remember(COFFEE, entity=DRINK)

    assert [one.decision.op for one in calls] == ["supersede", "add"]
    assert describe(made) == "add no_similar_memory"
    assert active() == [COFFEE]


def test_mail_that_comes_meanwhile_overtakes_nothing(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.remember(TEA)
    real = room.decide
    calls: list[room.Verdict] = []

    def decide(*given: Any, **how: Any) -> Any:
        made = real(*given, **how)
        calls.append(made)
        memory.add(f"mail {len(calls)}", kind="email")
        return made

    monkeypatch.setattr(room, "decide", decide)
    memory.remember(COFFEE)

    assert len(calls) == 1


def test_where_others_are_always_faster_it_gives_up_and_says_so(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.remember(TEA)
    real = room.decide

    def decide(*given: Any, **how: Any) -> Any:
        made = real(*given, **how)
        memory.add(f"overtaking {memory.stats().revision}")
        return made

    monkeypatch.setattr(room, "decide", decide)
    monkeypatch.setattr(room, "tries", lambda _: range(3))

    with pytest.raises(StoreBusy, match="memories were written faster"):
        memory.remember(COFFEE)


def test_threads_that_remember_one_thing_at_once_keep_one(memory: Memory) -> None:
    made: list[Remembered] = []
    gate = threading.Barrier(6)

    def work(n: int) -> None:
        gate.wait()
        made.append(memory.remember(f"The deadline is on day {n % 3}.", entity="deadline"))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

    assert len(made) == 6
    assert len(memory.list().items) == 1
    every: list[Item] = list(memory.list(filter=Filter(statuses=())).items)
    assert len(every) == len({item.content for item in every})


def test_a_memory_is_mentioned_by_its_entity(memory: Memory) -> None:
    memory.remember("Moved to 3pm.", entity="alpha call")
    memory.remember("Is on holiday.", entity="person:~tom berger")

    assert {one.names for one in memory.entities()} == {("alpha call",), ("tom berger",)}
    found = memory.list(filter=Filter(entities=("person:~tom berger",)))
    assert [item.content for item in found.items] == ["Is on holiday."]
