"""What messages of Slack say in blocks, cards and files beside their text."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.importers.task_files import items

from simonides.model.item import Item


def message(folder: Path, text: str = "", **more: Any) -> Item:
    """Return the item of a message with these fields."""
    sent = {"type": "message", "user": "U0000001", "ts": "1767225600.000100", "text": text, **more}
    [found] = items(folder, json.dumps([sent]), name="2026-01-01.json")
    return found


def rich(*parts: Any) -> dict[str, Any]:
    """Return a rich text; a text stands for a line."""
    return {"type": "rich_text", "elements": [_part(one) for one in parts]}


def _part(one: Any, kind: str = "rich_text_section") -> Any:
    if not isinstance(one, str):
        return one
    return {"type": kind, "elements": [{"type": "text", "text": one}]}


def marked(text: str) -> dict[str, str]:
    """Return a text object in Slack's markup."""
    return {"type": "mrkdwn", "text": text}


def section(text: str, *fields: str) -> dict[str, Any]:
    """Return a section with fields."""
    return {"type": "section", "text": marked(text), "fields": list(map(marked, fields))}


HEADER = {"type": "header", "text": {"type": "plain_text", "text": "Gale < 9 & rain"}}
BULLETS = {
    "type": "rich_text_list",
    "style": "bullet",
    "indent": 1,
    "elements": [_part("rope"), _part("tar")],
}
NUMBERS = {**BULLETS, "style": "ordered", "indent": 0, "offset": 2}


@pytest.mark.parametrize(
    ("block", "content"),
    [
        (HEADER, "Gale < 9 & rain"),
        (section("Crane <https://x.example|plan>", "*Who:* Jon", "*When:* noon"),
         "Crane plan (https://x.example)\n\n*Who:* Jon\n\n*When:* noon"),
        ({"type": "context", "elements": [{"type": "image", "alt_text": "x"}, marked("by Mira")]},
         "by Mira"),
        (rich("Crane & hull <b>"), "Crane & hull <b>"),
        (rich(BULLETS), "- rope\n  - tar"),
        (rich(NUMBERS), "3. rope\n4. tar"),
        (rich(_part("one\ntwo", "rich_text_quote")), "> one\n> two"),
        (rich(_part("a <b>", "rich_text_preformatted")), "```\na <b>\n```"),
        ({"type": "image", "alt_text": "hull", "title": {"type": "plain_text", "text": "Hull"}},
         "Hull"),
        ({"type": "markdown", "text": "# Storm"}, "# Storm"),
        ({"type": "table", "rows": [[{"type": "raw_text", "text": "a"}, rich("b")]]}, "a | b"),
    ],
)  # fmt: skip
def test_blocks_of_every_kind_are_text(tmp_path: Path, block: Any, content: str) -> None:
    assert message(tmp_path, blocks=[block]).content == content


def test_elements_of_a_line_are_written_as_in_texts(tmp_path: Path) -> None:
    elements = [
        {"type": "user", "user_id": "U0000002"},
        {"type": "text", "text": " see "},
        {"type": "link", "url": "https://x.example", "text": "the plan"},
        {"type": "link", "url": "https://y.example"},
        {"type": "emoji", "name": "anchor"},
        {"type": "broadcast", "range": "here"},
        {"type": "date", "fallback": "March 4", "timestamp": 1},
        {"type": "unknown"},
    ]
    block = rich({"type": "rich_text_section", "elements": elements})

    assert message(tmp_path, blocks=[block]).content == (
        "@U0000002 see the plan (https://x.example)https://y.example:anchor:@hereMarch 4"
    )


def test_a_notice_gives_way_to_what_the_blocks_say(tmp_path: Path) -> None:
    blocks = [HEADER, section("The crane stands still", "*Cause:* wind")]
    notice = message(tmp_path, "Gale &lt; 9 &amp; rain", blocks=blocks)

    assert notice.content == "Gale < 9 & rain\n\nThe crane stands still\n\n*Cause:* wind"


def test_a_notice_that_was_cut_off_gives_way(tmp_path: Path) -> None:
    blocks = [section("The crane stands still since noon")]

    assert message(tmp_path, "The crane sta…", blocks=blocks).content == (
        "The crane stands still since noon"
    )


def test_a_text_that_blocks_add_to_stands_first(tmp_path: Path) -> None:
    blocks = [section("The crane"), section("jon  wrote!")]
    found = message(tmp_path, "Jon wrote this", blocks=blocks)

    assert found.content == "Jon wrote this\n\nThe crane"


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("*Crane* is `back` &amp; greased", [rich("Crane is back & greased")]),
        ("Get:\n1. rope\n2. tar", [rich("Get:", {**NUMBERS, "offset": 0})]),
        ("Get:\na. rope\nb. tar", [rich("Get:", {**NUMBERS, "offset": 0})]),
        ("&gt; one\n&gt; two", [rich(_part("one\ntwo", "rich_text_quote"))]),
        ("<!subteam^S1|@crew> come", [rich({"type": "rich_text_section", "elements": [
            {"type": "usergroup", "usergroup_id": "S1"}, {"type": "text", "text": " come"}]})]),
        ("ok :wave::skin-tone-2:", [rich({"type": "rich_text_section", "elements": [
            {"type": "text", "text": "ok "}, {"type": "emoji", "name": "wave", "skin_tone": 2}]})]),
    ],
)  # fmt: skip
def test_what_a_text_says_is_not_said_again(tmp_path: Path, text: str, blocks: Any) -> None:
    said = message(tmp_path, text, blocks=blocks).content

    assert said == message(tmp_path, text).content


@pytest.mark.parametrize(
    ("card", "content"),
    [
        ({"pretext": "New", "title": "Gale", "fields": [{"title": "Force", "value": "9"}]},
         "New\nGale\nForce: 9"),
        ({"fallback": "only this"}, "only this"),
        ({"text": "Gale", "fallback": "not this"}, "Gale"),
        ({"blocks": [section("Gale", "Force 9")], "fallback": "[no preview]"}, "Gale\nForce 9"),
        ({"message_blocks": [{"message": {"blocks": [rich("Shared")]}}]}, "Shared"),
        ({"title": "Gale", "text": "gale"}, "Gale"),
    ],
)  # fmt: skip
def test_cards_say_all_that_they_hold_once(tmp_path: Path, card: Any, content: str) -> None:
    assert message(tmp_path, attachments=[card]).content == content


def test_what_a_file_shows_is_part_of_its_message(tmp_path: Path) -> None:
    mail = {"name": "re.eml", "plain_text": "The berth <12> is free"}
    found = message(tmp_path, "look", files=[mail])

    assert found.content == "look\n\nThe berth <12> is free"


def test_damaged_blocks_lose_nothing_else(tmp_path: Path) -> None:
    damaged = [7, {"type": 3}, {"type": "rich_text", "elements": [None, {"elements": "x"}]}]
    damaged += [{"type": "section", "text": 4, "fields": 5}, {"type": "table", "rows": [1, [2]]}]

    assert message(tmp_path, "hi", blocks=[*damaged, section("kept")]).content == "hi\n\nkept"


def test_many_pieces_are_all_kept(tmp_path: Path) -> None:
    said = message(tmp_path, blocks=[section(f"piece {one}") for one in range(1500)]).content

    assert (said.count("piece"), "piece 1499" in said) == (1500, True)
