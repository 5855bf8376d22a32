"""Web pages with their pictures in one file, as browsers save them (`.mht`, `.mhtml`).

Knows where such a file says its address and holds its page. Must not know HTML.
"""

from collections.abc import Iterator

from simonides.importers.body import charset_of, payload_bytes
from simonides.importers.header import first, read_sent_time, words
from simonides.importers.html import page_events
from simonides.importers.mime import RAW_BYTES_MAX, ParseBudget, parse
from simonides.ports.importer import ImportEvent, SourceFile

_ADDRESSES = ("snapshot-content-location", "content-location")


def read_saved_page(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the page as one document, or why it is passed over."""
    with file.path.open("rb") as stream:
        saved = parse(stream.read(RAW_BYTES_MAX).lstrip(b"\xef\xbb\xbf \t\r\n"), ParseBudget())
    page = next((part for part in saved.walk() if part.media_type == "text/html"), None)
    if page is None:
        yield file.skip("it holds no page in HTML", bytes_done=file.size_bytes)
        return
    raw = payload_bytes(page)
    stated = (words(one.header(name)) for one in (saved, page) for name in _ADDRESSES)
    when, about_date = read_sent_time(saved.fields, "")
    yield from page_events(
        file,
        raw,
        full_bytes=len(raw),
        charset=charset_of(page),
        title=words(first(saved.fields, "subject")),
        saved_at=when,
        metadata={"url": next(filter(_is_address, stated), ""), **about_date},
    )


def _is_address(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))
