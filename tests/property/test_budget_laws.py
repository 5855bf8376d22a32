"""Laws 5, 6 and 7 over generated candidates: the same bytes, within the budget, all accounted for.

Texts are odd, hostile and of several languages; budgets run from nothing to plenty, in tokens of
both encodings and in words; every layout, mode, cap and mark is drawn. Costs are recounted with
the tokenizer itself.
"""

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TypeVar

import toktok
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simonides import Item, Kind, Memory, Person, Settings
from simonides.context.briefs import candidates_of
from simonides.context.build import build_active_context
from simonides.context.receipt import text_hash
from simonides.context.selection import SOURCED_ITEMS_MAX, Budget
from simonides.context.summary_level import SummaryLevelChooser
from simonides.model.answer import Contribution, Explanation, Hit
from simonides.model.brief import (
    ActiveContext,
    Brief,
    ContextConfig,
    ContextMode,
    DropReason,
    Form,
    Layout,
    Stage,
    TierPolicy,
)
from simonides.model.item import MemoryTraits, MemoryType, Role, Scope, Status, Trust
from simonides.model.stored import Engagement, Surrogate
from simonides.text.excerpt import GAP
from simonides.text.sentences import sentences
from simonides_bench.testing.depth import examples
from simonides_bench.testing.hashing import HashingEmbedder

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
CASES = settings(
    max_examples=examples(2000), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)  # fmt: skip

PIECES = (
    "When is Alpha due? ", "Alpha is due on Friday, 27 March. ", "Ask Dr. Ruiz, z.B. at 9:30! ",
    "The harbor of Malmö has 40 slots, and Tom counted every one of them twice last week. ",
    "Nobody knows why the second rehearsal took seven hours and thirty minutes. ", "ok ",
    "Каждый понедельник в девять. ", "Πότε φεύγει το πλοίο; ", "潮汐の展示は四月に始まります。",
    "気圧計は第二室にあります。", "שלום, מה שלומך? ", "متى يصل القطار؟ ", "아홉 시에 시작합니다. ",
    "Deal.", "## User Request:", "## Available Context:", "Artifact Notes:", "---", "```", "[1]",
    "[GMAIL] x", "<system>", "</context>", "(why: x)", "(score=0.9)", " · ", "- ", "12 ", "1. ",
    "| ", "undated", "Sat 21 Nov 2026", "\n", "\n", "\n\n", "\r\n", "\u2028", "\x85", "\t",
    "     ", "\u00a0", "\u200b", "\u200d", "\u202e", "\ufeff", "\u3164", "\u2800", "\x00",
    "\x1b[31m", "na\u0308", "👩\u200d👩\u200d👧", "🇩🇪🇫🇷", "<|endoftext|>", "a" * 300, "word " * 90,
    "No end in sight " * 30, "/path/to; ", "?\n", "x",
)  # fmt: skip
STAND_INS = {chr(0xF0000 + number): piece for number, piece in enumerate(PIECES)}
"""One private character for each piece: a text of them is drawn much faster than a list."""
LETTERS = "".join(STAND_INS)


def spelled(text: str) -> str:
    """Return the text with its stand-ins spelled out."""
    return "".join(STAND_INS[character] for character in text)


texts = st.text(LETTERS, max_size=9).map(spelled)
numbers = st.integers(0, 2**80 - 1)
T = TypeVar("T")


class Choices:
    """Reads choices off a single drawn number: far faster than to draw each of them."""

    def __init__(self, number: int) -> None:
        self.number = number

    def one(self, *options: T) -> T:
        self.number, place = divmod(self.number, len(options))
        return options[place]

    def up_to(self, most: int) -> int:
        self.number, value = divmod(self.number, most + 1)
        return value

    def yes(self) -> bool:
        return self.up_to(1) == 0

    def name(self) -> str:
        return self.one(*PIECES)


def traits_by(pick: Choices) -> MemoryTraits:
    """Return what makes a memory; mostly an active one that does not expire."""
    active, days = Status.ACTIVE, pick.one(None, None, 1, 0, -1)
    return MemoryTraits(
        scope=pick.one(*Scope),
        type=pick.one(*MemoryType),
        status=pick.one(active, active, active, active, *Status),
        confidence=pick.one(0.9, 0.2),
        entity=pick.one("", "", "alpha", " Alpha"),
        expires_at=None if days is None else NOW + timedelta(days=days),
    )


def item_by(content: str, pick: Choices) -> Item:
    """Return an item; its id is made of all that it says."""
    kind, days = pick.one(*Kind), pick.one(None, None, 3, 0, 0, -1, -1, -20)
    who = [Person(name=pick.name(), role=pick.one(Role.AUTHOR, Role.TO)) for _ in range(2)]
    title = pick.one("", pick.name())
    return Item(
        kind=kind,
        content=content,
        title=title if content.strip() else f"t{title}",
        summary=pick.one("", "", "In short: all is well.", "\u200d"),
        source=pick.one("gmail", "note", "chat", "[x] y"),
        people=tuple(who[: pick.one(0, 1, 2)]),
        session=pick.one("", "s1", "s2"),
        position=pick.one(None, 0, 1, 2, 3),
        happened_at=None if days is None else NOW + timedelta(days=days),
        stored_at=pick.one(None, NOW),
        traits=traits_by(pick) if kind is Kind.MEMORY else None,
    )


def hit_by(content: str, number: int) -> Hit:
    """Return a candidate; scores tie often, and some are none at all."""
    pick = Choices(number)
    score = pick.one(0.3, 0.3, 0.1, 0.5, 0.52, 0.9, -0.1, float("nan"))
    why = (Contribution(name="lexical", value=score), Contribution(name="x\n## y", value=0.25))
    return Hit(
        trust=pick.one(Trust.OWN, *Trust),
        item=item_by(content, pick),
        score=score,
        explanation=Explanation(contributions=why, lanes=()),
        passage=content[len(content) // 2 :],
    )


def config_by(pick: Choices) -> ContextConfig:
    """Return settings; half of each are the default's."""
    none: int | None = None
    return ContextConfig(
        layout=pick.one(*Layout),
        context_mode=pick.one(*ContextMode),
        expansion_tokens_max=pick.one(600, 600, 20, 0),
        expansion_bytes_max=pick.one(2 << 20, 2 << 20, 100),
        snippet_words_max=pick.one(none, none, 200, 30, 5, 0),
        snippets_max=pick.one(none, none, none, 2, 1, 0),
        surrogate_tokens_max=pick.one(60, 60, 8, 0),
        surrogates_max=pick.one(8, 8, 1, 0),
        tier_policy=pick.one(*TierPolicy),
        items_max=pick.one(none, none, none, 2, 1, 0),
        source_items_max=pick.one(none, none, none, 2, 1, 0),
        score_min=pick.one(None, None, None, 0.3),
        trust_min=pick.one(Trust.EXTERNAL, Trust.EXTERNAL, Trust.KNOWN),
        likeness_max=pick.one(0.8, 0.8, 0.0, 1.0),
        headers=pick.yes(),
        why=not pick.yes(),
    )


def budget_by(pick: Choices) -> Budget:
    """Return a budget of up to 10,000, mostly a small one: there it is that things do not fit."""
    most = pick.one(10_000, 400, 400, 100, 30)
    return Budget(
        limit=pick.up_to(most),
        unit=pick.one("tokens", "tokens", "words"),
        encoding=pick.one("cl100k_base", "o200k_base"),
        reserve=pick.one(0, 0, 0, 7, 100),
    )


def hit_key(hit: Hit) -> str:
    return hit.id


@dataclass(frozen=True, kw_only=True)
class Case:
    """What a context is built from."""

    found: list[Hit]
    budget: Budget
    config: ContextConfig
    query: str
    entities: tuple[str, ...]
    surrogates: dict[str, Surrogate]

    def built(self, found: list[Hit] | None = None) -> ActiveContext:
        """Return the context, of the same candidates in another order if these are given."""
        engagements = {hit.id: Engagement(count=3, last_at=NOW) for hit in self.found[:2]}
        chooser = SummaryLevelChooser(
            config=self.config, now=NOW, surrogates=self.surrogates, engagements=engagements
        )
        return build_active_context(
            self.found if found is None else found,
            self.budget,
            self.config,
            now=NOW,
            query=self.query,
            entities=self.entities,
            chooser=chooser,
        )

    def item(self, item_id: str) -> Item:
        """Return the item of a candidate."""
        return next(hit.item for hit in self.found if hit.id == item_id)


hits = st.builds(hit_by, texts, numbers)


def case_by(found: list[Hit], number: int) -> Case:
    pick = Choices(number)
    surrogate_texts = {
        hit.id: Surrogate(
            item_key=1, algorithm="extractive", version=1, source_hash=b"",
            full=f"{hit.item.content[:400]} {pick.name()}", gist=pick.name(), micro="",
        )
        for hit in found
        if pick.yes()
    }  # fmt: skip
    return Case(
        found=found,
        budget=budget_by(pick),
        config=config_by(pick),
        query=pick.one(PIECES[0], pick.name()),
        entities=tuple(f"Ann: {pick.name()}" for _ in range(pick.one(0, 0, 1, 2))),
        surrogates=surrogate_texts,
    )


cases = st.builds(
    case_by,
    st.lists(hits, min_size=1, max_size=12, unique_by=hit_key),
    st.integers(0, 2**400 - 1),
)


def recounted(text: str, budget: Budget) -> int:
    """Return what the text costs, asked of the tokenizer itself."""
    if budget.unit == "words":
        return len(text.split())
    return int(toktok.batch_count([text], budget.encoding, 1)[0])


def letters(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(filter(str.isalnum, text))


@given(case=cases, order=st.randoms(use_true_random=False))
@CASES
def test_a_context_keeps_the_laws(case: Case, order: Random) -> None:
    made = case.built()

    assert_adds_up(made, case)
    assert_cuts_are_marked(made, case)
    assert_accounted_for(made, case)
    assert_same_bytes(made, case, order)


def assert_adds_up(made: ActiveContext, case: Case) -> None:
    """Assert that the budget holds, and that the account says what the text costs."""
    assert made.tokens == recounted(made.text, case.budget)
    assert made.tokens <= max(0, case.budget.limit - case.budget.reserve)
    assert sum(line.tokens for line in made.account) == made.tokens
    assert made.text == made.text.strip("\n")
    assert sum(one.tokens for one in made.items) <= made.tokens + 2
    for item in made.items:
        assert item.tokens > 0


def assert_cuts_are_marked(made: ActiveContext, case: Case) -> None:
    """Assert that no text is cut unless it is marked."""
    shown = letters(made.text)
    forms = Counter(item.form for item in made.items)

    assert case.config.layout is not Layout.SCOPED or set(forms) <= {Form.WHOLE}
    assert made.text.count(GAP) >= forms[Form.EXCERPT] + stand_ins_cut(made, case)
    assert len(re.findall(r"[( ]summary[);]", made.text)) >= forms[Form.SUMMARY]
    for one in made.items:
        content = case.item(one.id).content
        if one.form is Form.WHOLE:
            assert letters(content) in shown
            assert letters(content) == letters("".join(content[a:b] for a, b in one.spans))
        elif one.form is Form.EXCERPT:
            assert_excerpt(content, one.spans, shown=shown)


def stand_ins_cut(made: ActiveContext, case: Case) -> int:
    """Return how many stand-ins are not shown to their end."""
    reported = [(case.surrogates[one.id], one.tier) for one in made.items if one.tier is not None]
    texts_of_tiers = [getattr(surrogate, tier.value) for surrogate, tier in reported]
    return sum(letters(text) not in letters(made.text) for text in texts_of_tiers)


def assert_excerpt(content: str, spans: tuple[tuple[int, int], ...], *, shown: str) -> None:
    """Assert that whole sentences are shown in order, or the beginning of a single one."""
    starts = {span.start for span in sentences(content)}
    stops = {span.stop for span in sentences(content)}

    assert spans
    assert list(spans) == sorted(spans)
    assert all(letters(content[start:stop]) in shown for start, stop in spans)
    if len(spans) > 1:
        assert {start for start, _ in spans} <= starts
        assert {stop for _, stop in spans} <= stops


def assert_accounted_for(made: ActiveContext, case: Case) -> None:
    """Assert that every candidate is in, or dropped for a reason."""
    included = [one.id for one in made.items]

    assert sorted([*included, *(one.id for one in made.dropped)]) == sorted(
        map(hit_key, case.found)
    )
    assert [one.number for one in made.items] == list(range(1, len(included) + 1))
    left = case.budget.available - made.tokens
    for one in made.dropped:
        assert one.reason in DropReason
        assert one.detail
        if one.cost is not None:
            assert one.reason in (DropReason.BUDGET, DropReason.TOO_LARGE)
            assert one.cost > left - 2
        if one.reason is DropReason.DUPLICATE:
            assert one.detail.removeprefix("says the same as ") in included
    assert_caps(made, case)


def assert_caps(made: ActiveContext, case: Case) -> None:
    """Assert that nothing is in beyond a cap, or that has no business to be."""
    config, stages = case.config, Counter(one.stage for one in made.items)
    sourced = SOURCED_ITEMS_MAX if config.layout is Layout.SOURCED else None
    most = config.items_max if config.items_max is not None else sourced
    sources = Counter(one.source for one in made.items)
    dense = config.context_mode is ContextMode.DENSE and config.layout is Layout.BRIEF

    assert len(made.items) <= (12 if most is None else most)
    assert max(sources.values(), default=0) <= (config.source_items_max or 12)
    assert stages[Stage.SNIPPET] <= (12 if config.snippets_max is None else config.snippets_max)
    assert stages[Stage.SURROGATE] <= (config.surrogates_max if dense else 0)
    assert stages[Stage.EXPANDED] <= (config.layout is Layout.BRIEF)
    for one in made.items:
        held = case.item(one.id).traits
        assert config.score_min is None or one.score >= config.score_min
        assert list(Trust).index(one.trust) <= list(Trust).index(config.trust_min)
        assert held is None or held.status is Status.ACTIVE
        assert held is None or held.expires_at is None or held.expires_at > NOW


def assert_same_bytes(made: ActiveContext, case: Case, order: Random) -> None:
    """Assert that the same candidates give the same bytes, in whatever order they come."""
    shuffled = list(case.found)
    order.shuffle(shuffled)

    assert case.built().text == made.text
    if case.config.layout is not Layout.SOURCED:
        again = case.built(shuffled)
        assert again.text == made.text
        assert shown(again) == shown(made)


def shown(made: ActiveContext) -> tuple[list[object], ...]:
    """Return all of a context but its scores, which may be NaN."""
    return (
        [replace(one, score=0.0) for one in made.items],
        [replace(one, score=0.0) for one in made.dropped],
        list(made.account),
    )


def test_the_budget_holds_at_every_single_size() -> None:
    found = [
        Hit(
            item=Item(id=f"i{n}", content=f"{text}\n{n}. Alpha is due on Friday.", title=text),
            score=1,
        )
        for n, text in enumerate(PIECES[:7])
    ]
    for layout in Layout:
        config = ContextConfig(layout=layout, items_max=7)
        sizes = set()
        for limit in range(420):
            made = build_active_context(found, limit, config, now=NOW, query="due?")

            assert recounted(made.text, Budget(limit=0)) == made.tokens <= limit
            sizes.add(len(made.items))
        assert sizes == set(range(len(found) + 1))


# ── through the engine ────────────────────────────────────────────────────────────────────────


@contextmanager
def memory(written: list[Item]) -> Iterator[Callable[..., Brief]]:
    with (
        tempfile.TemporaryDirectory() as home,
        Memory(
            home,
            settings=Settings(timezone="UTC", durability="relaxed"),
            embedder=HashingEmbedder(),
            clock=lambda: NOW,
        ) as opened,
    ):
        opened.add(written)
        yield opened.brief


@given(
    found=st.lists(hits, min_size=1, max_size=12, unique_by=hit_key),
    asked=st.lists(st.integers(0, 2**160 - 1), min_size=6, max_size=6),
)
@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
def test_briefs_of_generated_spaces_keep_the_laws(found: list[Hit], asked: list[int]) -> None:
    with memory([hit.item for hit in found]) as brief:
        for pick in map(Choices, asked):
            budget = budget_by(pick)
            config = replace(config_by(pick), reserve=budget.reserve)
            how = {f"budget_{budget.unit}": budget.limit, "config": config}
            made = brief("when is Alpha due in Malmö?", **how)

            assert made.tokens == recounted(made.text, replace(budget, encoding="cl100k_base"))
            assert made.tokens <= budget.available
            assert sum(line.tokens for line in made.account) == made.tokens
            ids = [*(one.id for one in made.items), *(one.id for one in made.dropped)]
            assert len(ids) == len(set(ids)) <= candidates_of(config, limit=budget.limit)
            assert made.receipt.text_hash == text_hash(made.text)
            assert brief("when is Alpha due in Malmö?", **how).text == made.text
