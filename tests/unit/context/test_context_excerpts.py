"""How much of one candidate is shown, and which words: whole, at length, by sentences, cut."""

from collections.abc import Callable

import pytest

from simonides.context.excerpts import (
    ALWAYS_WHOLE,
    AROUND_CHARS,
    LONG_CHARS,
    Candidate,
    expanded,
    read,
    snippet,
    summary,
    surrogate,
    whole,
)
from simonides.context.labels import RenderItem
from simonides.context.selection import Budget
from simonides.model.answer import Hit
from simonides.model.brief import ContextConfig, Form, Stage
from simonides.model.item import Trust
from simonides.model.stored import Surrogate, Tier
from simonides.text.excerpt import GAP, QueryTerms
from simonides.text.tokens import count

MakeHit = Callable[..., Hit]

TOKENS = Budget(limit=1000)
WORDS = Budget(limit=1000, unit="words")
CONFIG = ContextConfig(snippet_share=0.2)
STORY = (
    "The crane was late by an hour. Nobody on the quay was surprised.\n"
    "Tom had the keys in his pocket. They were the wrong ones."
)


def candidate(hit: Hit, *terms: str, budget: Budget = TOKENS) -> Candidate:
    asked = QueryTerms(terms=frozenset(terms), language="en")
    [made] = read([hit], query_in=lambda _: asked, budget=budget)
    return made


def cut(made: RenderItem | None) -> str:
    """Return the text of a part that has left something out, and says so."""
    assert made is not None
    assert made.form is Form.EXCERPT
    assert GAP in made.text
    return made.text


def shown(made: RenderItem | None) -> str:
    """Return the words that the spans of a part name."""
    assert made is not None
    return "|".join(made.item.content[start:stop] for start, stop in made.spans)


# ── reading ───────────────────────────────────────────────────────────────────────────────────


def test_each_sentence_is_counted_alone_and_all_in_one_batch(hit: MakeHit) -> None:
    batches: list[int] = []

    def counted(text: str) -> int:
        batches.append(len(text))
        return count(text)

    found = read(
        [hit(STORY), hit("Short."), hit("", title="x")],
        query_in=lambda _: QueryTerms(terms=frozenset(), language="en"),
        budget=Budget(limit=9, unit="mine", estimator=counted),
    )

    assert [len(one.costs) for one in found] == [4, 1, 0]
    assert found[0].costs[1] == count("Nobody on the quay was surprised.")
    assert found[0].cost == sum(found[0].costs)
    assert len(batches) == 5


def test_the_question_is_that_in_the_items_language(hit: MakeHit) -> None:
    def query_in(language: str) -> QueryTerms:
        return QueryTerms(terms=frozenset({"keys"}), language=language)

    made = read([hit("a", language="de"), hit("b")], query_in=query_in, budget=TOKENS)

    assert [one.query.language for one in made] == ["de", ""]


# ── whole ─────────────────────────────────────────────────────────────────────────────────────


def test_a_whole_part_carries_all_of_the_hit(hit: MakeHit) -> None:
    made = whole(candidate(hit(STORY, score=0.5, trust=Trust.UNKNOWN)))

    assert (made.text, made.spans) == (STORY, ((0, len(STORY)),))
    assert (made.stage, made.form, made.tier) == (Stage.SNIPPET, Form.WHOLE, None)
    assert (made.score, made.trust, made.why) == (0.5, Trust.UNKNOWN, (("lexical", 0.5),))


def test_a_part_by_its_summary_has_no_spans(hit: MakeHit) -> None:
    made = summary(candidate(hit(STORY, summary="Late, and locked out.")))

    assert (made.text, made.form, made.spans) == ("Late, and locked out.", Form.SUMMARY, ())
    assert whole(candidate(hit("", title="x"))).spans == ()


# ── expanded ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("sentences", [1, 2, 3])
def test_the_first_sentences_that_fit_are_shown(hit: MakeHit, sentences: int) -> None:
    story = candidate(hit(STORY))
    exactly = sum(story.costs[:sentences])
    stop = story.spans[sentences - 1].stop

    for cost_max in (exactly, exactly + story.costs[sentences] - 1):
        made = expanded(story, cost_max=cost_max, budget=TOKENS)
        assert cut(made).removesuffix(f" {GAP}") == STORY[:stop]
    assert made is not None
    assert made.stage is Stage.EXPANDED


def test_all_of_it_is_no_excerpt(hit: MakeHit) -> None:
    story = candidate(hit(f"\n {STORY}\n"))
    made = expanded(story, cost_max=story.cost, budget=TOKENS)

    assert made is not None
    assert (made.form, made.text) == (Form.WHOLE, STORY)
    assert shown(made) == STORY


def test_where_the_passage_stands_further_back_it_begins_there(hit: MakeHit) -> None:
    story = candidate(hit(STORY, passage="Tom had the keys in his pocket."))
    near = candidate(hit(STORY, passage="Nobody on the quay"))
    cost_max = sum(story.costs[:2])

    assert cut(expanded(story, cost_max=cost_max, budget=TOKENS)).startswith(f"{GAP} Tom had")
    assert cut(expanded(near, cost_max=cost_max, budget=TOKENS)).startswith("The crane")


def test_a_passage_that_is_not_in_the_text_changes_nothing(hit: MakeHit) -> None:
    story = candidate(hit(STORY, passage="something else altogether"))

    assert cut(expanded(story, cost_max=story.costs[0], budget=TOKENS)).startswith("The crane")


def test_without_room_for_a_sentence_its_beginning_is_shown_and_marked(hit: MakeHit) -> None:
    assert cut(expanded(candidate(hit(STORY)), cost_max=3, budget=TOKENS)) == f"The crane was {GAP}"
    assert expanded(candidate(hit(STORY)), cost_max=0, budget=TOKENS) is None
    assert expanded(candidate(hit("", title="x")), cost_max=9, budget=TOKENS) is None


# ── snippets ──────────────────────────────────────────────────────────────────────────────────


def test_the_sentences_that_tell_most_are_shown_and_the_gaps_marked(hit: MakeHit) -> None:
    made = snippet(candidate(hit(STORY), "key", "pocket"), config=CONFIG, budget=TOKENS)

    assert cut(made) == f"{GAP} Tom had the keys in his pocket. {GAP}".removeprefix(f"{GAP} ")
    assert shown(made) == "Tom had the keys in his pocket."
    assert made is not None
    assert made.stage is Stage.SNIPPET


def test_what_costs_next_to_nothing_is_shown_whole(hit: MakeHit) -> None:
    text = "It is. It was. It will be."
    made = snippet(candidate(hit(text)), config=CONFIG, budget=TOKENS)

    assert made is not None
    assert count(text) <= ALWAYS_WHOLE
    assert (made.form, made.text) == (Form.WHOLE, text)


@pytest.mark.parametrize("most", [1, 3, 5])
def test_no_snippet_costs_more_than_it_may(hit: MakeHit, most: int) -> None:
    config = ContextConfig(snippet_tokens_max=most)
    made = snippet(candidate(hit("It is. It was. It will be.")), config=config, budget=TOKENS)

    assert count(cut(made).replace(f" {GAP}", "")) <= most


def test_words_are_counted_where_the_budget_is_in_words(hit: MakeHit) -> None:
    config = ContextConfig(snippet_tokens_max=3)
    story = candidate(hit(STORY), budget=WORDS)

    assert cut(snippet(story, config=config, budget=WORDS)) == f"The crane was {GAP}"
    assert story.costs == (7, 6, 7, 5)


def test_all_words_of_a_sentence_that_fits_are_no_beginning_of_it(hit: MakeHit) -> None:
    made = expanded(candidate(hit("one two  three"), budget=WORDS), cost_max=3, budget=WORDS)

    assert made is not None
    assert (made.form, made.text) == (Form.WHOLE, "one two  three")


def test_sentences_that_stand_side_by_side_are_one_span_unless_a_line_break_parts_them(
    hit: MakeHit,
) -> None:
    story = candidate(hit(STORY))
    first, second = (STORY.split("\n")[n] for n in (0, 1))
    made = expanded(story, cost_max=sum(story.costs[:3]), budget=TOKENS)

    assert shown(made) == f"{first}|{second.split('. ')[0]}."
    assert cut(made).startswith(f"{first}\n{second[:8]}")


def test_without_room_for_a_sentence_the_passage_in_it_is_shown(hit: MakeHit) -> None:
    endless = f"{'blah ' * 200}the passage begins here {'and on ' * 200}"
    config = ContextConfig(snippet_tokens_max=4)
    asked = candidate(hit(endless, passage="the passage begins here and on"))

    assert cut(snippet(asked, config=config, budget=TOKENS)) == f"the passage begins here {GAP}"


# ── long texts ────────────────────────────────────────────────────────────────────────────────

FILLER = "Nothing of any note was said on this page of it. "
HERE = "The code of the safe is 4471. "


@pytest.fixture
def long_text() -> str:
    """A text of which the passage is far from either end."""
    return FILLER * 400 + HERE + FILLER * 400


def test_a_long_text_is_read_around_its_passage_in_whole_sentences(
    hit: MakeHit, long_text: str
) -> None:
    found = candidate(hit(long_text, passage=HERE))
    read_chars = found.spans[-1].stop - found.spans[0].start

    assert len(long_text) > LONG_CHARS
    assert 2 * AROUND_CHARS - 200 < read_chars < 2 * AROUND_CHARS + 200
    assert {*found.pieces} == {FILLER.strip(), HERE.strip()}
    assert found.pieces == tuple(long_text[start:stop] for start, stop in found.spans)
    assert len(found.pieces) == len(found.costs)


def test_the_ends_of_a_long_text_are_whole_sentences_too(hit: MakeHit, long_text: str) -> None:
    first = candidate(hit(HERE + long_text, passage=HERE))
    last = candidate(hit(f"{long_text}Here it ends.", passage="Here it ends."))

    assert first.spans[0].start == 0
    assert first.pieces[0] == HERE.strip()
    assert last.pieces[-1] == "Here it ends."
    assert candidate(hit(long_text)).spans[0].start == 0


def test_a_long_text_at_length_begins_with_its_passage_and_is_an_excerpt(
    hit: MakeHit, long_text: str
) -> None:
    made = expanded(candidate(hit(long_text, passage=HERE)), cost_max=60, budget=TOKENS)

    assert cut(made).startswith(HERE)
    assert shown(made).startswith(HERE)


@pytest.mark.parametrize("letter", ["a", "気", "👍🏽", "e\u0301"])
def test_an_endless_line_is_shown_by_its_passage(hit: MakeHit, letter: str) -> None:
    passage = "XYZ" + letter * 50
    content = letter * 20_000 + passage + letter * 20_000
    made = snippet(candidate(hit(content, passage=passage)), config=ContextConfig(), budget=TOKENS)

    assert cut(made).startswith("XYZ" + letter)
    assert 40 < count(made.text if made else "") <= 205


# ── stand-ins ─────────────────────────────────────────────────────────────────────────────────


def stand_in(**texts: str) -> Surrogate:
    told = {"full": "", "gist": "", "micro": "", **texts}
    return Surrogate(item_key=1, algorithm="x", version=1, source_hash=b"", **told)


def test_a_stand_in_is_that_of_its_tier(hit: MakeHit) -> None:
    made = surrogate(
        candidate(hit(STORY)), stand_in(gist=" The crane was late. ", full="no"), Tier.GIST,
        config=CONFIG, budget=TOKENS,
    )  # fmt: skip

    assert made is not None
    assert (made.text, made.tier, made.spans) == ("The crane was late.", Tier.GIST, ())
    assert (made.stage, made.form) == (Stage.SURROGATE, Form.SUMMARY)


def test_a_stand_in_that_is_too_long_is_cut_after_a_word_and_says_so(hit: MakeHit) -> None:
    config = ContextConfig(surrogate_tokens_max=8)
    full = "The unbelievably overcautious harbormaster waited."
    made = surrogate(
        candidate(hit(STORY)), stand_in(full=full), Tier.FULL, config=config, budget=TOKENS
    )

    assert made is not None
    assert made.text.endswith("…")
    assert full.startswith(f"{made.text[:-1]} ")
    assert count(made.text) <= 8


def test_a_tier_without_words_is_no_part(hit: MakeHit) -> None:
    story = candidate(hit(STORY))
    none = ContextConfig(surrogate_tokens_max=0)

    for told, config in ((stand_in(full=" \n"), CONFIG), (stand_in(full="words"), none)):
        assert surrogate(story, told, Tier.FULL, config=config, budget=TOKENS) is None
