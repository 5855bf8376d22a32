"""What people read and write for themselves: bookmarks, highlights of Kindle, Day One."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.unit.importers.task_files import events, items, skip

from simonides.model.item import Item

BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE><H1>Bookmarks</H1>
<DL><p>
  <DT><H3 ADD_DATE="1700000000">Recipes &amp; more</H3>
  <DL><p>
    <DT><A HREF="https://example.com/carrot?a=1&amp;b=2" ADD_DATE="1767000000" TAGS="cake,mom">
 Carrot cake</A>
    <DD>Mom loved it
    <DT><A HREF="javascript:alert(1)">A script</A>
    <DT><H3>Empty</H3><DL><p></DL><p>
    <DT><A HREF="https://example.com/bread"></A>
  </DL><p>
  <DT><A HREF="https://example.com/tax" ADD_DATE="1768000000000000">State tax refund</A>
</DL><p>
"""


def read(folder: Path, content: Any, name: str) -> list[Item]:
    return items(folder, content, name=name)


def test_a_bookmark_keeps_its_address_and_its_folder(tmp_path: Path) -> None:
    carrot, bread, tax = read(tmp_path, BOOKMARKS, "bookmarks.html")

    assert (carrot.source, carrot.title) == ("bookmarks", "Carrot cake")
    assert carrot.content == "Mom loved it\nhttps://example.com/carrot?a=1&b=2"
    assert carrot.metadata["url"] == "https://example.com/carrot?a=1&b=2"
    assert carrot.tags == ("Recipes & more", "cake", "mom")
    assert carrot.happened_at == datetime(2025, 12, 29, 9, 20, tzinfo=UTC)
    assert (bread.title, bread.happened_at) == ("https://example.com/bread", None)
    assert (tax.tags, tax.happened_at) == ((), datetime(2026, 1, 9, 23, 6, 40, tzinfo=UTC))


@pytest.mark.parametrize(
    "more", ["<DL>" * 100_000, "<A HREF='http://x'>" + "y<!-- -->" * 100_000, "</DL>" * 100_000]
)
def test_an_odd_page_of_bookmarks_is_read_to_its_end(tmp_path: Path, more: str) -> None:
    found = read(tmp_path, BOOKMARKS + more + '<A HREF="https://e.example">End</A>', "b.html")

    assert found[-1].title == "End"


CLIPPINGS = (
    "\ufeffThe Overstory (Richard Powers)\r\n"
    "- Your Highlight on page 12 | Location 180-182 | "
    "Added on Monday, January 5, 2026 9:14:22 PM\r\n\r\nThe best arguments.\r\n==========\r\n"
    "The Overstory (Richard Powers)\r\n- Your Bookmark on page 20 | "
    "Added on Monday, January 5, 2026 9:20:00 PM\r\n\r\n\r\n==========\r\n"
    "Vertrauen\r\n- Ihre Notiz auf Seite 44 | Position 610 | "
    "Hinzugefügt am Dienstag, 3. Februar 2026 07:01:02\r\n\r\nPriya fragen\r\n==========\r\n"
)


def test_each_highlight_of_kindle_is_a_document_of_its_book(tmp_path: Path) -> None:
    first, note = read(tmp_path, CLIPPINGS, "My Clippings.txt")

    assert (first.source, first.title, first.content) == (
        "kindle", "The Overstory", "The best arguments."
    )  # fmt: skip
    assert [one.name for one in first.people] == ["Richard Powers"]
    assert first.metadata["place"] == "Your Highlight on page 12 | Location 180-182"
    assert first.happened_at == datetime(2026, 1, 5, 21, 14, 22, tzinfo=UTC)
    assert (note.title, note.people) == ("Vertrauen", ())
    assert note.happened_at == datetime(2026, 2, 3, 7, 1, 2, tzinfo=UTC)


def test_a_text_with_a_line_of_equals_is_a_text(tmp_path: Path) -> None:
    [found] = read(tmp_path, "Minutes\n==========\nAll there.", "notes.txt")

    assert found.source == "file"


def entry(**more: Any) -> dict[str, Any]:
    return {"uuid": "A1", "creationDate": "2026-02-14T20:00:00Z", "text": "Dinner", **more}


def journal(*entries: Any) -> dict[str, Any]:
    return {"metadata": {"version": "1.0"}, "entries": list(entries)}


def test_an_entry_of_day_one_is_a_document_of_its_day(tmp_path: Path) -> None:
    text = "# Valentine\n![](dayone-moment://AB)\nDinner at Canlis\\. Ordered 2\\-3 ducks\\!"
    place = {"placeName": "Canlis", "localityName": "Seattle", "latitude": 47.6}
    [found] = read(
        tmp_path, journal(entry(text=text, tags=["food", 7], location=place, starred=True)),
        "Journal.json",
    )  # fmt: skip

    assert (found.source, found.source_id, found.title) == ("day-one", "A1", "Valentine")
    assert found.content == "# Valentine\nDinner at Canlis. Ordered 2-3 ducks!"
    assert (found.tags, found.metadata["place"]) == (("food", "7"), "Canlis, Seattle")
    assert found.happened_at == datetime(2026, 2, 14, 20, tzinfo=UTC)


def test_an_entry_without_words_costs_no_other(tmp_path: Path) -> None:
    odd = journal(entry(uuid="A0", text="![](dayone-moment://AB)"), 7, entry())

    assert [one.item.title for one in events(tmp_path, odd, name="J.json") if one.item] == [
        "Dinner"
    ]
    assert [reason for _, reason in skip(tmp_path, odd, name="J.json")] == [
        "an entry without words", "no entry"
    ]  # fmt: skip
