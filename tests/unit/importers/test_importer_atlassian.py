"""Atlassian's rich text in words: every kind of element, wiki markup, and damage."""

from typing import Any

import pytest

from simonides_formats.trackers.atlassian import DEPTH_MAX, read_rich


def node(kind: str, *content: Any, **attrs: Any) -> dict[str, Any]:
    """Return an element; a text stands for a text element."""
    inner = [{"type": "text", "text": one} if isinstance(one, str) else one for one in content]
    return {"type": kind, "content": inner} | ({"attrs": attrs} if attrs else {})


def p(*content: Any) -> dict[str, Any]:
    return node("paragraph", *content)


def item(*content: Any) -> dict[str, Any]:
    return node("listItem", *content)


def row(*cells: str) -> dict[str, Any]:
    return node("tableRow", *(node("tableCell", p(cell)) for cell in cells))


@pytest.mark.parametrize(
    ("blocks", "text"),
    [
        ([p("One."), p("Two.")], "One.\n\nTwo."),
        ([p("a", {"type": "hardBreak"}, "b")], "a\nb"),
        ([node("heading", "Plan", level=2)], "## Plan"),
        ([node("heading", "Plan", level=99)], "# Plan"),
        ([node("bulletList", item(p("a")), item(p("b")))], "- a\n- b"),
        ([node("orderedList", item(p("a")), item(p("b")))], "1. a\n2. b"),
        ([node("bulletList", item(p("a"), node("bulletList", item(p("b")))))], "- a\n  - b"),
        ([node("bulletList", item(p("a"), p("more")))], "- a\n  more"),
        (
            [node("taskList", node("taskItem", "a", state="DONE"), node("taskItem", "b"))],
            "- [x] a\n- [ ] b",
        ),
        ([node("decisionList", node("decisionItem", "We go."))], "- We go."),
        ([node("table", row("Name", "Due"), row("Jib", "May"))], "Name | Due\nJib | May"),
        ([node("codeBlock", "a = 1\nb = 2", language="python")], "```python\na = 1\nb = 2\n```"),
        ([node("blockquote", p("Said."), p("So."))], "> Said.\n>\n> So."),
        ([node("panel", p("Careful."), panelType="warning")], "Careful."),
        ([node("expand", p("Inside."), title="More")], "More\nInside."),
        ([node("layoutSection", node("column", p("l")), node("column", p("r")))], "l\n\nr"),
        ([node("rule")], "---"),
        ([node("extension", text="Chart")], "Chart"),
        ([node("futureElement", p("Still read."))], "Still read."),
    ],
)  # fmt: skip
def test_elements_that_stand_for_themselves(blocks: list[Any], text: str) -> None:
    assert read_rich(node("doc", *blocks)).text == text


@pytest.mark.parametrize(
    ("inline", "text"),
    [
        ({"type": "text", "text": "x", "marks": [{"type": "strong"}]}, "x"),
        ({"type": "text", "text": "x()", "marks": [{"type": "code"}]}, "`x()`"),
        ({"type": "text", "text": "page", "marks": [{"type": "link", "attrs": {}}]}, "page"),
        ({"type": "emoji", "attrs": {"shortName": ":wink:", "text": "\U0001f609"}}, "\U0001f609"),
        ({"type": "emoji", "attrs": {"shortName": ":shipit:"}}, ":shipit:"),
        ({"type": "status", "attrs": {"text": "BLOCKED", "color": "red"}}, "BLOCKED"),
        ({"type": "date", "attrs": {"timestamp": "1772409600000"}}, "2026-03-02"),
        ({"type": "date", "attrs": {"timestamp": "soon"}}, ""),
        ({"type": "inlineCard", "attrs": {"url": "https://x.example/a"}}, "https://x.example/a"),
        ({"type": "mediaInline", "attrs": {"alt": "jib.png"}}, "[jib.png]"),
        ({"type": "media", "attrs": {"id": "0a1b"}}, ""),
    ],
)  # fmt: skip
def test_elements_inside_of_a_line(inline: dict[str, Any], text: str) -> None:
    assert read_rich(node("doc", p("<", inline, ">"))).text == f"<{text}>"


def test_mentions_are_people() -> None:
    named = {"type": "mention", "attrs": {"id": "5b1", "text": "@Tom Becker"}}
    bare = {"type": "mention", "attrs": {"id": "5b2"}}
    found = read_rich(node("doc", p(named, " and ", bare)))

    assert found.text == "@Tom Becker and @5b2"
    assert found.mentions == [("5b1", "Tom Becker"), ("5b2", "")]


@pytest.mark.parametrize(
    ("wiki", "text"),
    [
        ("h2. Plan", "# Plan"),
        ("bq. Said.", "> Said."),
        ("{code:java}\nint a;\n{code}", "```\nint a;\n```"),
        ("{noformat}\nraw\n{noformat}", "```\nraw\n```"),
        ("{color:#ff0000}red{color}", "red"),
        ("{quote}Said.{quote}", "Said."),
        ("see [the page|https://x.example/a] or [~tom]", "see the page or @tom"),
        ("[https://x.example]", "[https://x.example]"),
        ("!jib.png|thumbnail!", "[jib.png]"),
        ("wow! really! yes", "wow! really! yes"),
        ("||Name||Due||\n|Jib|May|", "|Name|Due|\n|Jib|May|"),
        ("a || b", "a || b"),
        ("* one\r\n** two", "* one\n** two"),
    ],
)
def test_wiki_markup_stays_readable(wiki: str, text: str) -> None:
    assert read_rich(wiki).text == text


def test_account_ids_in_wiki_markup_are_mentions() -> None:
    assert read_rich("[~accountid:5b1] look").mentions == [("5b1", "5b1")]


@pytest.mark.parametrize(
    "odd",
    [
        None,
        7,
        [],
        True,
        {},
        {"type": "doc"},
        {"type": 7, "content": "x"},
        {"content": [7, None, {}]},
    ],
)
def test_what_is_no_document_has_no_words(odd: Any) -> None:
    assert read_rich(odd).text == ""


@pytest.mark.parametrize("kind", ["blockquote", "bulletList", "table", "panel", "listItem"])
def test_depth_is_bounded_and_the_words_are_kept(kind: str) -> None:
    deep: dict[str, Any] = p("bottom")
    for _ in range(20 * DEPTH_MAX):
        deep = node(kind, deep)

    assert "bottom" in read_rich(node("doc", p("top"), deep)).text


def test_size_is_bounded() -> None:
    found = read_rich(node("doc", *[p("word")] * 250_000))

    assert found.text.startswith("word\n\nword")
    assert len(found.text) < 250_000 * len("word\n\n")
