"""A text that only says what memories say already, also in the dress of a brief."""

from collections.abc import Callable

import pytest

from simonides import Item, Memory
from simonides.memories.merge import memories_stating

State = Callable[..., Item]

TEA = "Tom prefers green tea in the morning."
DOG = "His dog is called Rex. It is nine years old."
OTHER = "Sarah leads Alpha."


@pytest.fixture
def memories(stated: State) -> list[Item]:
    return [stated(TEA, id="tea"), stated(DOG, id="dog"), stated(OTHER, id="other")]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (TEA, ("tea",)),
        ("tom prefers GREEN tea in the morning", ("tea",)),
        ("- Tom prefers green tea in the morning.", ("tea",)),
        ("* Tom prefers green tea in the morning", ("tea",)),
        ("[3] Tom prefers green tea in the morning. [3]", ("tea",)),
        ("It is nine years old.", ("dog",)),
        ("It is nine years old. Tom prefers green tea in the morning!", ("tea", "dog")),
        (f"{DOG}\n\n{TEA}\n", ("tea", "dog")),
        ("(excerpt) … It is nine years old. …", ("dog",)),
        ("- Sarah leads Alpha. (score=0.512, imp=0.500, scope=user, src=note) · unknown sender",
         ("other",)),
        ("Recent Episodic:\n- Sarah leads Alpha.\nUser Preferences:\n- It is nine years old.",
         ("dog", "other")),
        ("# As of Thu 12 Mar 2026; cite it\n## Memories\nThu 12 Mar 2026\n1 Sarah leads Alpha.",
         ("other",)),
        ("# As of Thu 12 Mar 2026; cite it\n1 memory Thu 12 Mar (unsure): Sarah leads Alpha.",
         ("other",)),
    ],
)  # fmt: skip
def test_what_memories_say_is_recalled(
    text: str, ids: tuple[str, ...], memories: list[Item]
) -> None:
    assert memories_stating(text, memories) == ids


@pytest.mark.parametrize(
    "text",
    [
        "Tom prefers green tea in the evening.",
        "Tom does not prefer green tea in the morning.",
        "Tom never prefers green tea in the morning.",
        "Tom prefers green tea in the morning?",
        f"{TEA} He hates coffee.",
        f"Nobody said this: {TEA}",
        "green tea in the morning",
        "It is 9 years old.",
        "1 Sarah leads Alpha.",
        "3 Sarah leads Alpha.",
        "",
        " \n ",
        "…",
        "## Memories",
    ],
)
def test_what_says_something_else_is_not(text: str, memories: list[Item]) -> None:
    assert memories_stating(text, memories) == ()


def test_without_memories_nothing_is_recalled() -> None:
    assert memories_stating(TEA, []) == ()


def test_only_those_are_named_that_add_something(stated: State) -> None:
    twins = [stated(f"{TEA} {DOG}", id="both"), stated(TEA, id="tea")]

    assert memories_stating(f"{DOG} {TEA}", twins) == ("both",)


@pytest.mark.parametrize("why", [False, True])
@pytest.mark.parametrize("layout", ["brief", "scoped", "sourced"])
def test_a_brief_of_memories_that_is_fed_back_is_recognised(
    layout: str, why: bool, memory: Memory
) -> None:
    for text in (TEA, DOG, OTHER, "The harbour crane needs a new cable; it costs 5.000 euros."):
        memory.remember(text)
    brief = memory.brief("what of Tom, Sarah and the crane?", layout=layout, why=why)
    text = brief.text.split("## User Request:")[0]
    made = memory.remember(text)

    assert len(brief.items) == 4
    assert (made.op, made.reason, made.written) == ("noop", "recalled_text", ())


@pytest.mark.parametrize("layout", ["brief", "scoped", "sourced"])
def test_a_brief_with_one_new_sentence_is_kept(layout: str, memory: Memory) -> None:
    memory.remember(TEA)
    text = memory.brief("what does Tom prefer?", layout=layout).text + "\nTom moved to Oslo.\n"

    assert memory.remember(text).op == "add"
