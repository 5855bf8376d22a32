"""Which stage shows a candidate: the best one at length, stand-ins, snippets, each with its cap."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from simonides.context.labels import RenderItem
from simonides.context.representations import Representations
from simonides.context.selection import Budget
from simonides.context.summary_level import SummaryLevelChooser
from simonides.model.answer import Hit
from simonides.model.brief import ContextConfig, ContextMode, DropReason, Form, Layout, Stage
from simonides.model.stored import Surrogate

MakeHit = Callable[..., Hit]

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
SENTENCE = "Tom counted all of the slots in the harbor on a very cold morning. "
LONG = "".join(SENTENCE.replace("Tom", name) for name in ("Ann", "Ben", "Sam", "Jim", "Eve"))
CONFIG = ContextConfig(snippet_words_max=40)
DENSE = ContextConfig(context_mode=ContextMode.DENSE, snippet_words_max=40)


def staged(
    config: ContextConfig = CONFIG,
    *,
    query: str = "who counted?",
    limit: int = 10_000,
    surrogate_texts: dict[str, str] | None = None,
) -> Representations:
    surrogates = {
        name: Surrogate(
            item_key=1, algorithm="x", version=1, source_hash=b"", full=text, gist="", micro=""
        )
        for name, text in (surrogate_texts or {}).items()
    }
    chooser = SummaryLevelChooser(
        config=replace(config, tier_policy="disabled"),  # type: ignore[arg-type]
        now=NOW,
        surrogates=surrogates,
    )
    return Representations(
        config=config, budget=Budget(limit=limit), query=query, now=NOW, timezone="UTC",
        chooser=chooser if surrogate_texts is not None else None,
    )  # fmt: skip


def part_of(representations: Representations, hit: Hit, *, is_first: bool = False) -> RenderItem:
    representations.awaits_expansion = is_first
    made = representations.part(hit)
    assert isinstance(made, RenderItem)
    return made


def test_one_too_large_to_be_shown_at_length_passes_it_on(hit: MakeHit) -> None:
    representations = staged(replace(CONFIG, expansion_bytes_max=len(LONG)))
    representations.accept(part_of(representations, hit(LONG * 2), is_first=True))
    assert representations.awaits_expansion

    part = part_of(representations, hit(LONG), is_first=True)
    representations.accept(part)

    assert (part.stage, part.form) == (Stage.EXPANDED, Form.WHOLE)
    assert not representations.awaits_expansion


def refusal(representations: Representations, hit: Hit) -> tuple[DropReason, str]:
    representations.awaits_expansion = False
    made = representations.part(hit)
    assert not isinstance(made, RenderItem)
    return made


def test_the_first_is_shown_at_length_and_the_others_by_snippets(hit: MakeHit) -> None:
    representations = staged()
    first, other = (
        part_of(representations, hit(LONG), is_first=is_first) for is_first in (True, False)
    )

    assert (first.stage, first.form, first.text) == (Stage.EXPANDED, Form.WHOLE, LONG.strip())
    assert (other.stage, other.form) == (Stage.SNIPPET, Form.EXCERPT)


@pytest.mark.parametrize(
    ("config", "is_expanded"),
    [
        (replace(CONFIG, expansion_tokens_max=0), False),
        (replace(CONFIG, expansion_bytes_max=len(LONG) - 1), False),
        (replace(CONFIG, expansion_bytes_max=len(LONG)), True),
        (ContextConfig(layout=Layout.SCOPED), False),
        (ContextConfig(layout=Layout.SOURCED), False),
    ],
)
def test_what_is_too_large_or_of_another_layout_is_not_expanded(
    hit: MakeHit, config: ContextConfig, *, is_expanded: bool
) -> None:
    part = part_of(staged(config), hit(LONG), is_first=True)

    assert (part.stage is Stage.EXPANDED) is is_expanded


def test_bytes_and_not_characters_are_too_many(hit: MakeHit) -> None:
    config = replace(CONFIG, expansion_bytes_max=100)

    assert part_of(staged(config), hit("ä" * 51), is_first=True).stage is Stage.SNIPPET
    assert part_of(staged(config), hit("ä" * 50), is_first=True).stage is Stage.EXPANDED


def test_the_scoped_layout_shows_whole_texts_only(hit: MakeHit) -> None:
    part = part_of(staged(ContextConfig(layout=Layout.SCOPED)), hit(LONG))

    assert (part.form, part.text, part.spans) == (Form.WHOLE, LONG, ((0, len(LONG)),))


def test_the_sourced_layout_shows_a_summary_before_a_snippet_of_all_that_fits(
    hit: MakeHit,
) -> None:
    representations = staged(ContextConfig(layout=Layout.SOURCED, snippet_words_max=20))
    summed = part_of(representations, hit(LONG, summary="They counted."))
    plain = part_of(representations, hit(LONG))
    unseen = part_of(representations, hit("Short.", summary="\u200d\x01"))

    assert (summed.form, summed.text, summed.spans) == (Form.SUMMARY, "They counted.", ())
    assert plain.form is Form.EXCERPT
    assert (unseen.form, unseen.text) == (Form.WHOLE, "Short.")


def test_a_summary_is_of_the_sourced_layout_only(hit: MakeHit) -> None:
    assert part_of(staged(), hit("Words.", summary="In short.")).text == "Words."


@pytest.mark.parametrize("content", ["", " \n", "\u200b", "\u200d", "\x01", "\u2060 \ufeff"])
@pytest.mark.parametrize("layout", Layout)
def test_a_title_alone_is_shown_and_nothing_at_all_is_not(
    hit: MakeHit, layout: Layout, content: str
) -> None:
    representations = staged(ContextConfig(layout=layout))
    part = part_of(representations, hit(content, title="Alpha"))
    hidden = hit(content or "\u200b", title="\u202e\x02")

    assert (part.stage, part.form) == (Stage.SNIPPET, Form.WHOLE)
    assert refusal(representations, hidden) == (DropReason.EMPTY, "nothing in it shows")


# ── caps ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("layout", Layout)
@pytest.mark.parametrize("content", ["Words.", ""])
def test_snippets_end_at_their_cap_whatever_is_shown(
    hit: MakeHit, layout: Layout, content: str
) -> None:
    representations = staged(ContextConfig(layout=layout, snippets_max=1))
    one = hit(content, title="Alpha")

    part = part_of(representations, one)
    assert part_of(representations, one) == part
    representations.accept(part)
    assert refusal(representations, one) == (DropReason.SNIPPET_CAP, "1 snippets are in")


def test_an_expanded_item_takes_no_place_of_a_snippet(hit: MakeHit) -> None:
    representations = staged(replace(CONFIG, snippets_max=1))
    representations.accept(part_of(representations, hit(LONG), is_first=True))

    assert part_of(representations, hit("Words.")).stage is Stage.SNIPPET


def test_stand_ins_come_before_snippets_up_to_their_cap(hit: MakeHit) -> None:
    config = replace(DENSE, surrogates_max=1, snippets_max=1)
    representations = staged(config, surrogate_texts={"a": "An a.", "b": "A b.", "c": "A c."})
    first = part_of(representations, hit(LONG, id="a"))
    representations.accept(first)
    second = part_of(representations, hit(LONG, id="b"))
    representations.accept(second)

    assert (first.stage, first.form, first.text) == (Stage.SURROGATE, Form.SUMMARY, "An a.")
    assert (first.tier, first.spans) == ("full", ())
    assert second.stage is Stage.SNIPPET
    assert refusal(representations, hit(LONG, id="c")) == (
        DropReason.SURROGATE_CAP,
        "1 stand-ins are in",
    )
    assert refusal(representations, hit(LONG, id="d"))[0] is DropReason.SNIPPET_CAP


@pytest.mark.parametrize(
    "config",
    [
        replace(CONFIG, snippets_max=0),
        replace(DENSE, snippets_max=0, layout=Layout.SOURCED),
        replace(DENSE, snippets_max=0, layout=Layout.SCOPED),
    ],
)
def test_stand_ins_that_nothing_would_show_are_no_reason(
    hit: MakeHit, config: ContextConfig
) -> None:
    representations = staged(replace(config, surrogates_max=0), surrogate_texts={"a": "An a."})

    assert refusal(representations, hit(LONG, id="a"))[0] is DropReason.SNIPPET_CAP


def test_a_fast_brief_shows_no_stand_in_and_a_dense_one_the_best_item_at_length(
    hit: MakeHit,
) -> None:
    surrogate_texts = {"a": "An a."}

    assert (
        part_of(staged(surrogate_texts=surrogate_texts), hit(LONG, id="a")).stage is Stage.SNIPPET
    )
    first = part_of(
        staged(DENSE, surrogate_texts=surrogate_texts), hit(LONG, id="a"), is_first=True
    )
    assert first.stage is Stage.EXPANDED


def test_a_blank_stand_in_is_none(hit: MakeHit) -> None:
    representations = staged(DENSE, surrogate_texts={"a": " "})

    assert part_of(representations, hit(LONG, id="a")).stage is Stage.SNIPPET
