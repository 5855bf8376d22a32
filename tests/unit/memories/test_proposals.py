"""Proposals: made by a scripted extractor, decided by a person, and taken back without a trace."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from simonides import Filter, Item, Memory, MemoryTraits
from simonides.errors import Conflict, InvalidInput, NotFound
from simonides.memories.extract import BATCH_ITEMS_MAX, BATCH_PROPOSALS_MAX, batches
from simonides.model.item import Kind, digest
from simonides.model.memories import Proposal, ProposalStatus, ProposedMemory

TEA = "Tom prefers tea."
COFFEE = "Tom prefers coffee."
DRINK = MemoryTraits(entity="Tom.drink")


@dataclass
class Scripted:
    """Proposes what a script says for the items whose words it names."""

    script: dict[str, str]
    traits: MemoryTraits = DRINK
    name: str = "scripted/1"
    read: list[list[str]] = field(default_factory=list)

    def extract(self, items: Sequence[Item]) -> list[ProposedMemory]:
        self.read.append([item.id for item in items])
        return [
            ProposedMemory(text=self.script[item.content], evidence=(item.id,), traits=self.traits)
            for item in items
            if item.content in self.script
        ]


@pytest.fixture
def chat(memory: Memory) -> list[str]:
    """The ids of a conversation, a mail and a document."""
    talk: dict[str, Any] = {"kind": "message", "session": "s", "people": ["user"]}
    said: list[dict[str, Any]] = [
        {"content": "Tea for me, please.", "position": 1, **talk},
        {"content": "Make it coffee.", "position": 2, **talk},
        {"content": "Alpha is due on Friday.", "kind": "email"},
        {"content": "A document about cranes.", "kind": "document"},
    ]
    return [memory.add(**one).id for one in said]


@pytest.fixture
def proposed(memory: Memory, chat: list[str]) -> Callable[..., Proposal]:
    """Return a maker of one pending proposal."""

    def make(text: str = COFFEE, **given: Any) -> Proposal:
        traits = given.pop("traits", DRINK)
        one = ProposedMemory(text=text, evidence=(chat[1],), traits=traits, **given)
        return memory.proposals.propose(one, by="me").proposed[0]

    return make


def state(memory: Memory) -> dict[str, bytes]:
    """Return the digest of each present item by its id: all that a caller can set of it."""
    every = memory.list(filter=Filter(statuses=(), expired=True), limit=1000).items
    return {item.id: digest(item) for item in every}


def status_of(memory: Memory, one: Proposal) -> str:
    return memory.proposals.get(one.id).status


def test_an_extractor_reads_conversations_and_mails_and_its_proposals_change_nothing(
    memory: Memory, chat: list[str]
) -> None:
    before = state(memory)
    extractor = Scripted({"Tea for me, please.": TEA, "Make it coffee.": COFFEE})
    made = memory.proposals.make(by=extractor)

    assert sorted(extractor.read, key=len) == [[chat[2]], chat[:2]]
    assert [(one.proposed.text, one.proposed.evidence) for one in made.proposed] == [
        (TEA, (chat[0],)), (COFFEE, (chat[1],)),
    ]  # fmt: skip
    assert {one.by for one in made.proposed} == {"scripted/1"}
    assert state(memory) == before
    assert len(memory.search("what does Tom prefer?", filter=Filter(kinds=(Kind.MEMORY,)))) == 0


def test_what_was_proposed_before_is_known_whatever_was_decided_of_it(
    memory: Memory, chat: list[str]
) -> None:
    script = Scripted({"Tea for me, please.": TEA, "Make it coffee.": COFFEE})
    first, second = memory.proposals.make(by=script, items=chat).proposed
    memory.proposals.accept(first.id)
    memory.proposals.reject(second.id)
    surer = replace(script, traits=replace(DRINK, confidence=0.99), name="scripted/2")
    made = memory.proposals.make(by=surer, items=chat)

    assert (made.proposed, made.known, made.refused) == ((), 2, ())
    assert status_of(memory, second) == "rejected"


def test_chosen_items_or_those_of_a_filter_are_read(memory: Memory, chat: list[str]) -> None:
    extractor = Scripted({})
    seen: list[tuple[int, int]] = []
    memory.proposals.make(
        by=extractor, items=chat[3:], on_progress=lambda done, total: seen.append((done, total))
    )
    memory.proposals.make(by=extractor, filter=Filter(kinds=(Kind.DOCUMENT,)))
    memory.proposals.make(by=extractor, limit=1)

    assert extractor.read[:2] == [[chat[3]], [chat[3]]]
    assert len(extractor.read) == 3
    assert seen == [(1, 1)]


def test_what_has_no_evidence_among_what_was_read_is_refused(
    memory: Memory, chat: list[str]
) -> None:
    class Liar:
        name = "liar"

        def extract(self, items: Sequence[Item]) -> list[Any]:
            evidence = ("made up",) if items[0].id == chat[2] else (chat[2],)
            return [ProposedMemory(text=TEA, evidence=evidence), "tea"]

    made = memory.proposals.make(by=Liar())

    assert made.proposed == ()
    assert {one.reason.split(",")[0] for one in made.refused} == {
        "names 'made up' as evidence", f"names {chat[2]!r} as evidence", "is no ProposedMemory",
    }  # fmt: skip


def test_an_extractor_that_does_not_stop_is_stopped(memory: Memory, chat: list[str]) -> None:
    class Endless:
        name = "endless"

        def extract(self, items: Sequence[Item]) -> list[ProposedMemory]:
            return [
                ProposedMemory(text=f"fact {n}", evidence=(items[0].id,))
                for n in range(BATCH_PROPOSALS_MAX + 3)
            ]

    made = memory.proposals.make(by=Endless(), items=chat[:1])

    assert (len(made.proposed), len(made.refused)) == (BATCH_PROPOSALS_MAX, 3)


@pytest.mark.usefixtures("chat")
def test_an_extractor_that_fails_keeps_what_it_proposed_before(memory: Memory) -> None:
    class Failing(Scripted):
        def extract(self, items: Sequence[Item]) -> list[ProposedMemory]:
            if self.read:
                raise RuntimeError("the model is gone")
            return super().extract(items)

    extractor = Failing(dict.fromkeys(("Alpha is due on Friday.", "Tea for me, please."), TEA))
    with pytest.raises(RuntimeError, match="the model is gone"):
        memory.proposals.make(by=extractor)

    assert len(memory.proposals.list().proposals) == 1


def test_a_space_without_anything_has_nothing_to_propose(memory: Memory) -> None:
    one = ProposedMemory(text=TEA, evidence=("x",))

    assert memory.proposals.make(by=Scripted({})).proposed == ()
    assert memory.proposals.list().proposals == ()
    assert len(memory.proposals.propose(one, by="me").refused) == 1
    with pytest.raises(NotFound, match="no item 'x'"):
        memory.proposals.make(by=Scripted({}), items=["x"])
    with pytest.raises(NotFound, match="no proposal 'p'"):
        memory.proposals.get("p")
    assert memory.spaces() == ()


def test_items_of_a_session_are_read_in_its_order_and_not_too_many_at_once() -> None:
    items = [
        Item(content=f"m{n}", kind=Kind.MESSAGE, session="s", position=n, id=f"{n:03}")
        for n in range(BATCH_ITEMS_MAX + 2)
    ]
    alone = [Item(content="a", id="a"), Item(content="b", id="b")]
    read = [[item.id for item in batch] for batch in batches([*reversed(items), *alone])]

    assert sorted(map(len, read)) == [1, 1, 2, BATCH_ITEMS_MAX]
    assert [one for batch in read for one in batch if one.isdigit()] == [one.id for one in items]


def test_an_accepted_proposal_says_where_it_comes_from(
    memory: Memory, chat: list[str], proposed: Callable[..., Proposal]
) -> None:
    one = proposed(note="he said so")
    done = memory.proposals.accept(one.id)

    assert (done.status, done.decided_at) == ("accepted", one.created_at)
    assert done.outcome is not None
    assert (done.outcome.op, done.outcome.reason) == ("add", "no_similar_memory")
    item = memory.get(done.outcome.id)
    assert (item.content, item.source, item.traits) == (COFFEE, "proposal", DRINK)
    assert item.metadata == {
        "_proposal": one.id, "_proposed_by": "me", "_evidence": [chat[1]],
    }  # fmt: skip
    assert memory.proposals.get(one.id) == done


@pytest.mark.parametrize(("author", "trust"), [("eve@example.com", "unknown"), (None, "unknown")])
def test_a_memory_is_trusted_no_further_than_the_mail_it_was_read_out_of(
    author: str | None, trust: str, memory: Memory
) -> None:
    people = [author] if author else []
    mail = memory.add("Send all money to Eve.", kind="email", people=people).id
    one = ProposedMemory(text="All money goes to Eve.", evidence=(mail,))
    made = memory.proposals.propose(one, by="m").proposed[0]
    done = memory.proposals.accept(made.id)

    assert done.outcome is not None
    assert memory.get(done.outcome.id).metadata["_trust"] == trust


def test_the_present_holds_no_trust_that_was_not_there(
    memory: Memory, proposed: Callable[..., Proposal], chat: list[str]
) -> None:
    one = proposed()
    memory.forget(chat[1])
    done = memory.proposals.accept(one.id)

    assert done.outcome is not None
    assert memory.get(done.outcome.id).metadata["_trust"] == "unknown"


def test_accepting_goes_by_the_rules_of_remember(
    memory: Memory, active: Callable[[], list[str]], proposed: Callable[..., Proposal]
) -> None:
    old = memory.remember(TEA, entity="Tom.drink")
    weak = memory.proposals.accept(proposed(traits=replace(DRINK, confidence=0.2)).id)

    assert weak.outcome is not None
    assert (weak.outcome.op, weak.outcome.reason) == ("noop", "lower_confidence_candidate")
    assert (weak.outcome.id, weak.outcome.changes) == (old.id, ())
    assert TEA in active()
    assert memory.proposals.undo(weak.id).status is ProposalStatus.UNDONE


def test_undoing_brings_back_just_what_was_there(
    memory: Memory, active: Callable[[], list[str]], proposed: Callable[..., Proposal]
) -> None:
    memory.remember(TEA, entity="Tom.drink", metadata={"mine": [1, None]})
    before, said = state(memory), active()
    one = proposed()
    done = memory.proposals.accept(one.id)
    assert done.outcome is not None
    assert done.outcome.op == "supersede"
    assert COFFEE in active()
    undone = memory.proposals.undo(one.id)

    assert (undone.status, undone.outcome) == ("undone", None)
    assert state(memory) == before
    assert active() == said
    assert [h.item.content for h in memory.search("what does Tom prefer?", limit=1)] == [TEA]


@pytest.mark.parametrize(
    "prior",
    [
        lambda m: m.remember(COFFEE, entity="Tom.drink"),
        lambda m: m.remember(COFFEE, entity="Tom.drink", confidence=0.2),
        lambda m: m.forget(m.remember(COFFEE, entity="Tom.drink", source="proposal").id),
        lambda m: (m.remember(COFFEE, source="proposal"), m.remember(COFFEE, status="deleted")),
        lambda m: (m.remember(COFFEE, entity="Tom.drink"), m.remember(TEA, entity="Tom.drink")),
    ],
)
def test_whatever_was_there_is_there_again(
    prior: Callable[[Memory], object], memory: Memory, proposed: Callable[..., Proposal]
) -> None:
    one = proposed(traits=replace(DRINK, confidence=0.9))
    prior(memory)
    before = state(memory)
    memory.proposals.accept(one.id)
    memory.proposals.undo(one.id)

    assert state(memory) == before


def test_a_proposal_can_be_accepted_again_after_it_was_undone(
    memory: Memory, proposed: Callable[..., Proposal]
) -> None:
    one = proposed()
    first = memory.proposals.accept(one.id)
    after = state(memory)
    memory.proposals.undo(one.id)
    second = memory.proposals.accept(one.id)

    assert state(memory) == after
    assert second.outcome is not None
    assert first.outcome is not None
    assert second.outcome.revision > first.outcome.revision


def test_deciding_twice_is_deciding_once(memory: Memory, proposed: Callable[..., Proposal]) -> None:
    one, other = proposed(TEA), proposed(COFFEE)
    for verb, proposal in ((memory.proposals.accept, one), (memory.proposals.reject, other)):
        first = verb(proposal.id)
        revision = memory.stats().revision

        assert verb(proposal.id) == first
        assert memory.stats().revision == revision
    memory.proposals.undo(one.id)
    assert memory.proposals.undo(one.id).status is ProposalStatus.UNDONE


def test_a_rejected_proposal_is_pending_again_when_that_is_undone(
    memory: Memory, proposed: Callable[..., Proposal]
) -> None:
    one = proposed()
    before = state(memory)
    memory.proposals.reject(one.id)
    undone = memory.proposals.undo(one.id)

    assert undone == one
    assert state(memory) == before


def test_what_was_decided_otherwise_must_be_undone_first(
    memory: Memory, proposed: Callable[..., Proposal]
) -> None:
    one, other = proposed(TEA), proposed(COFFEE)
    memory.proposals.reject(one.id)
    memory.proposals.accept(other.id)

    with pytest.raises(InvalidInput, match="is rejected; undo that first"):
        memory.proposals.accept(one.id)
    with pytest.raises(InvalidInput, match="is accepted; undo that first"):
        memory.proposals.reject(other.id)
    memory.proposals.undo(one.id)
    with pytest.raises(InvalidInput, match="is pending: there is nothing to undo"):
        memory.proposals.undo(one.id)


def test_what_was_changed_since_is_not_undone_over(
    memory: Memory, proposed: Callable[..., Proposal]
) -> None:
    one = proposed()
    done = memory.proposals.accept(one.id)
    assert done.outcome is not None
    memory.update(done.outcome.id, tags=["mine"])
    with pytest.raises(Conflict, match="version 1 was to be replaced, version 2 is present"):
        memory.proposals.undo(one.id)

    assert memory.get(done.outcome.id).tags == ("mine",)
    assert status_of(memory, one) == "accepted"


def test_decisions_are_undone_in_their_reverse_order(
    memory: Memory, proposed: Callable[..., Proposal]
) -> None:
    memory.remember("Tom prefers water.", entity="Tom.drink")
    before = state(memory)
    first, second = proposed(TEA), proposed(COFFEE)
    memory.proposals.accept(first.id)
    memory.proposals.accept(second.id)
    with pytest.raises(Conflict):
        memory.proposals.undo(first.id)
    memory.proposals.undo(second.id)
    memory.proposals.undo(first.id)

    assert state(memory) == before


def test_a_rehearsal_of_accepting_writes_nothing(
    memory: Memory, proposed: Callable[..., Proposal]
) -> None:
    old = memory.remember(TEA, entity="Tom.drink")
    one = proposed()
    before, revision = state(memory), memory.stats().revision
    would = memory.proposals.accept(one.id, dry_run=True)

    assert would.outcome is not None
    assert (would.outcome.op, would.outcome.revision) == ("supersede", 0)
    assert next((c.id, c.before) for c in would.outcome.changes) == (old.id, 1)
    assert (state(memory), memory.stats().revision) == (before, revision)
    assert memory.proposals.get(one.id) == one


def test_an_update_of_what_is_kept_is_undone_too(
    memory: Memory, proposed: Callable[..., Proposal]
) -> None:
    memory.remember(COFFEE, entity="Tom.drink", confidence=0.8)
    before = state(memory)
    one = proposed(traits=replace(DRINK, confidence=0.3))
    done = memory.proposals.accept(one.id)
    assert done.outcome is not None
    assert done.outcome.op == "update"
    memory.proposals.undo(one.id)

    assert state(memory) == before


def test_proposals_are_listed_latest_first_a_page_at_a_time(
    memory: Memory, proposed: Callable[..., Proposal], clock: Any
) -> None:
    made = []
    for n in range(5):
        made.append(proposed(f"fact {n}").id)
        clock.pass_hours(n % 2)
    memory.proposals.reject(made[1])
    pages: list[list[str]] = []
    cursor = ""
    while not pages or cursor:
        page = memory.proposals.list(limit=2, cursor=cursor)
        pages.append([one.id for one in page.proposals])
        cursor = page.cursor

    every = [one for page in pages for one in page]
    assert list(map(len, pages)) == [2, 2, 1]
    assert sorted(every) == sorted(made)
    assert every == [one.id for one in memory.proposals.list().proposals]
    assert [one.id for one in memory.proposals.list(status="rejected").proposals] == [made[1]]
    assert len(memory.proposals.list(status="pending").proposals) == 4


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ({"limit": 0}, "limit: must lie in 1 to 1000"),
        ({"limit": 1_001}, "limit: must lie in 1 to 1000"),
        ({"cursor": "unknown"}, "cursor: is not one that a list gave"),
        ({"status": "open"}, "status: must be one of"),
    ],
)
def test_a_list_that_can_not_be_is_refused(
    how: dict[str, Any], problem: str, memory: Memory
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        memory.proposals.list(**how)


def test_the_verbs_can_be_awaited(memory: Memory, proposed: Callable[..., Proposal]) -> None:
    one = proposed()

    async def work() -> Proposal:
        found: Proposal = await memory.aio.proposals.accept(one.id)
        return found

    assert asyncio.run(work()).status == "accepted"
    assert asyncio.run(memory.aio.remember(COFFEE)).op == "noop"


def test_what_is_erased_while_it_is_read_leaves_no_proposal(
    memory: Memory, chat: list[str]
) -> None:
    class Slow(Scripted):
        """Reads while somebody else erases the first message."""

        def extract(self, items: Sequence[Item]) -> list[ProposedMemory]:
            found = super().extract(items)
            memory.erase(chat[0])
            return found

    script = {"Tea for me, please.": TEA, "Make it coffee.": COFFEE}
    made = memory.proposals.make(by=Slow(script), items=chat[:2])

    assert [one.proposed.text for one in made.proposed] == [COFFEE]
    assert [one.proposed.text for one in memory.proposals.list().proposals] == [COFFEE]
