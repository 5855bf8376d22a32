"""What hostile files cost: each kind at two sizes, of which the larger must take twice as long.

Their memory is measured beside that of a plain mail of the same size.

Makes the files itself; knows their formats, and reads them only through the public API.
"""

import itertools
import tempfile
import time
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides.errors import ImportFailed
from simonides.importers import ImportEvent, read
from simonides_bench.peak_memory import peak_mb
from simonides_bench.testing.documents import make_zip
from simonides_bench.testing.outlook import compound_file, tnef

ROUNDS = 3
"""Each file is read so often; the quickest counts, since others work on the machine, too."""

HEAD = (
    b"From: a@x.example\nTo: b@x.example\nDate: Mon, 2 Mar 2026 10:00:00 +0000\n"
    b"Subject: s\nMessage-ID: <m@x.example>\n"
)
_HTML = HEAD + b"Content-Type: text/html; charset=utf-8\n\n"
_FILE = b'--b\nContent-Disposition: attachment; filename=a.jsonl\n\n{"text": "x"}\n'
_MIXED = HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n"

_BOOKMARKS = b"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"
_MMS = b'<smses>\n<mms date="1" msg_box="1" address="1">\n'

Maker = Callable[[int], bytes]
"""Makes a file of about so many bytes."""


def make_repeater(unit: bytes, *, before: bytes = b"", after: bytes = b"") -> Maker:
    """Return what makes a file of one piece over and over."""
    return lambda size: before + unit * (size // len(unit)) + after


def make_numberer(unit: bytes, *, before: bytes = b"", after: bytes = b"") -> Maker:
    """Return what makes a file of pieces with a number each, so that no two are alike."""

    def make(size: int) -> bytes:
        units, left = [], size
        for number in itertools.count():
            units.append(unit % number)
            left -= len(units[-1])
            if left <= 0:
                return before + b"".join(units) + after
        raise AssertionError

    return make


def _nest(size: int) -> bytes:
    """Return multiparts in each other."""
    level = b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n"
    return HEAD + b"".join(level % (n, n) for n in range(size // 60)) + b"\nend\n"


def _encode_mails(size: int) -> bytes:
    """Return a mail in base64 in a mail in base64 and so on."""
    raw = HEAD + b"\n" + b"text " * (size // 40)
    for _ in range(6):
        kind = b"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n"
        raw = HEAD + kind + b64encode(raw)
    return raw


def _sign(size: int) -> bytes:
    """Return a mail whose signed content is in values in each other, without an end."""
    raw = bytes.fromhex("308006092a864886f70d010702a080") + b"\x30\x80\x04\x01x" * (size // 7)
    kind = b"Content-Type: application/pkcs7-mime\nContent-Transfer-Encoding: base64\n\n"
    return HEAD + kind + b64encode(raw)


def _rich(size: int) -> bytes:
    """Return a wrapped mail of rich text in groups in groups."""
    return tnef({0x1009: b"\0" * 8 + b"MELA" + b"\0" * 4 + b"{\\rtf1 " + b"{\\b x" * (size // 5)})


def _storages(size: int) -> bytes:
    """Return a mail of Outlook's with many streams in many folders."""
    return compound_file({f"{n}": {"__substg1.0_1000001F": b"x" * 64} for n in range(size // 320)})


def _zones(size: int) -> bytes:
    """Return a calendar of zones of many rules each, and an event in each of them."""
    rule = (
        b"BEGIN:STANDARD\nDTSTART:1970%02d01T000000\nRRULE:FREQ=YEARLY;BYMONTH=%d;BYDAY=1SU\n"
        b"TZOFFSETFROM:+0500\nTZOFFSETTO:+0300\nEND:STANDARD\n"
    )
    rules = b"".join(rule % (1 + n % 9, 1 + n % 9) for n in range(30))
    unit = b"BEGIN:VTIMEZONE\nTZID:Z%d\n" + rules + b"END:VTIMEZONE\n"
    unit += b"BEGIN:VEVENT\nUID:%d\nSUMMARY:x\nDTSTART;TZID=Z%d:20260305T100000\nEND:VEVENT\n"
    numbers = range(size // len(unit) + 1)
    return b"BEGIN:VCALENDAR\n" + b"".join(unit % (n, n, n) for n in numbers) + b"END:VCALENDAR\n"


def _attach(name: str, content: Callable[[int], bytes]) -> Maker:
    """Return what makes a mail with many small files, each of which claims much."""

    def part(number: int) -> bytes:
        head = f"--b\nContent-Disposition: attachment; filename={number}{name}\n"
        encoding = "Content-Transfer-Encoding: base64\n\n"
        return (head + encoding).encode() + b64encode(content(number)) + b"\n"

    def make(size: int) -> bytes:
        count = max(1, round(size / len(part(1))))
        return _MIXED + b"".join(map(part, range(count)))

    return make


def _text_zip(number: int) -> bytes:
    return make_zip({f"{n}.md": f"ferry{number}-{n} " * 100_000 for n in range(3)})


def _make_repeated_sheet(number: int) -> bytes:
    """Return a sheet that says that its one row is there a billion times."""
    kind, names = (
        "application/vnd.oasis.opendocument.spreadsheet",
        "urn:oasis:names:tc:opendocument",
    )
    spaces = " ".join(
        f'xmlns:{one}="{names}:xmlns:{one}:1.0"' for one in ("office", "table", "text")
    )
    cell = f'<table:table-cell office:value-type="string"><text:p>ferry {number}</text:p>'
    row = '<table:table-row table:number-rows-repeated="1000000000">'
    table = f"{row}{cell}</table:table-cell></table:table-row>"
    sheet = f'<office:spreadsheet><table:table table:name="A">{table}</table:table>'
    content = f"<office:body>{sheet}</office:spreadsheet></office:body>"
    members = {
        "mimetype": kind,
        "META-INF/manifest.xml": f'<m:manifest xmlns:m="{names}:xmlns:manifest:1.0"/>',
        "content.xml": f"<office:document-content {spaces}>{content}</office:document-content>",
    }
    return make_zip(members)


_TASK = b'[{"identifier": "E-1", "title": "t", "x": '


def _nest_json(size: int) -> bytes:
    return _TASK + b"[" * (size // 2) + b"]" * (size // 2) + b"}]"


def _long_names(size: int) -> bytes:
    """Return a task with a field of a long name, in which there are many others."""
    return _TASK + b'{"' + b"k" * (size // 2) + b'": {' + b'"a":1,' * (size // 12) + b'"a":1}}}]'


def _chat(line: str, *, unit: str) -> Maker:
    """Return what makes a chat with one line that holds a piece over and over."""
    good = '{"text": "Hello.", "session": "s"}\n'
    return lambda size: (good + line % (unit * (size // len(unit))) + "\n").encode()


HOSTILE: dict[str, tuple[str, Maker]] = {
    "attributes": ("a.eml", make_numberer(b" a%d=1", before=_HTML + b"<p", after=b">x")),
    "attributes, quoted": ("a.eml", make_numberer(b' a%d=">"', before=_HTML + b"<p", after=b">x")),
    "open elements": ("a.eml", make_repeater(b"<div>x", before=_HTML)),
    "open marks": ("a.eml", make_numberer(b"<div><b a=%d></div>x", before=_HTML)),
    "open forms": ("a.eml", make_repeater(b"<form><div></form>x", before=_HTML)),
    "open lists": ("a.eml", make_repeater(b"<ul><li>x", before=_HTML)),
    "tables": ("a.eml", make_repeater(b"<table><tr><td>x</table>", before=_HTML)),
    "tables in tables": ("a.eml", make_repeater(b"<table><tr><td>x", before=_HTML)),
    "links": ("a.eml", make_repeater(b"<a href=http://x><div></a>", before=_HTML)),
    "entities": ("a.eml", make_repeater(b"&amp;&#x41;&notit;&#9", before=_HTML)),
    "one long number": ("a.eml", make_repeater(b"9", before=_HTML + b"&#", after=b";x")),
    "open comments": ("a.eml", make_repeater(b"<!-- x --", before=_HTML)),
    "open quotes": ("a.eml", make_repeater(b'<p a="x> ', before=_HTML)),
    "begun tags": ("a.eml", make_repeater(b"<a ", before=_HTML)),
    "style blocks": ("a.eml", make_repeater(b"<style>p{}</style>x", before=_HTML)),
    "open style blocks": ("a.eml", make_repeater(b"<style>x</styl", before=_HTML)),
    "hidden elements": ("a.eml", make_repeater(b"<p hidden>x", before=_HTML)),
    "data addresses": (
        "a.eml",
        make_repeater(b"QUJD", before=_HTML + b'<img src="data:', after=b'">x'),
    ),
    "semicolons": (
        "a.eml",
        make_repeater(b";", before=HEAD + b"Content-Type: text/plain", after=b"\n\nx"),
    ),
    "parameters": (
        "a.eml",
        make_numberer(b"; a*%d*=x", before=HEAD + b"Content-Type: text/plain", after=b"\n\nx"),
    ),
    "addresses": (
        "a.eml",
        make_numberer(b"a%d@x.example, ", before=b"To: ", after=b"\n" + HEAD + b"\nx"),
    ),
    "open brackets": ("a.eml", make_repeater(b"<a@", before=b"To: ", after=b"\n" + HEAD + b"\nx")),
    "comments": ("a.eml", make_repeater(b"(", before=b"To: ", after=b"\n" + HEAD + b"\nx")),
    "at signs": ("a.eml", make_repeater(b"To: <" + b"@" * 900 + b",\n", after=HEAD + b"\nx")),
    "encoded words": (
        "a.eml",
        make_repeater(b" =?utf-8?q?a?=", before=b"Subject:", after=b"\n" + HEAD),
    ),
    "references": (
        "a.eml",
        make_numberer(b" <%d@x>", before=b"References:", after=b"\n" + HEAD + b"\nx"),
    ),
    "headers": ("a.eml", make_numberer(b"X-%d: x\n", before=HEAD, after=b"\nx")),
    "folded lines": ("a.eml", make_repeater(b"\n x", before=HEAD + b"X-Long: x", after=b"\n\nx")),
    "parts": ("a.eml", make_repeater(b"--b\n", before=_MIXED)),
    "parts in parts": ("a.eml", _nest),
    "parts that are not": (
        "a.eml",
        make_repeater(b"--bb\n", before=_MIXED, after=b"--b\n\nx\n--b--\n"),
    ),
    "mails in mails": ("a.eml", make_repeater(b"Content-Type: message/rfc822\n\n", before=HEAD)),
    "PGP marks": ("a.eml", make_repeater(b"-----BEGIN PGP MESSAGE-----\n", before=HEAD + b"\n")),
    "signed content": ("a.eml", _sign),
    "rich text": ("winmail.dat", _rich),
    "folded contact": ("a.vcf", make_repeater(b"\n x", before=b"BEGIN:VCARD\nFN:x\nNOTE:x")),
    "numbers of a contact": ("a.vcf", make_numberer(b"\nTEL:%d", before=b"BEGIN:VCARD\nFN:x")),
    "begun contacts": ("a.vcf", make_repeater(b"BEGIN:VCARD\n")),
    "many folders": ("a.msg", _storages),
    "attached files": ("a.eml", make_repeater(_FILE, before=_MIXED)),
    "encoded mails": ("a.eml", _encode_mails),
    "delivery blocks": (
        "a.eml",
        make_repeater(b"A: b\n\n", before=HEAD + b"Content-Type: message/delivery-status\n\n"),
    ),
    "broken base64": (
        "a.eml",
        make_repeater(b"QUI=!=", before=HEAD + b"Content-Transfer-Encoding: base64\n\n"),
    ),
    "broken quoted-printable": (
        "a.eml",
        make_repeater(
            b"=\n= \n=4", before=HEAD + b"Content-Transfer-Encoding: quoted-printable\n\n"
        ),
    ),
    "uuencode": (
        "a.eml",
        make_repeater(
            b"#86)C\n\xff\n", before=HEAD + b"Content-Transfer-Encoding: uue\n\nbegin 1 a\n"
        ),
    ),
    "flowed quotes": (
        "a.eml",
        make_repeater(
            b">>>>>>>> a \n", before=HEAD + b"Content-Type: text/plain; format=flowed\n\n"
        ),
    ),
    "announcements": (
        "a.eml",
        make_repeater(b"On 1 May x wrote \xc3\xadrta :\n", before=HEAD + b"\nHi.\n"),
    ),
    "copied headers": ("a.eml", make_repeater(b"_____\nFrom: x\n\n", before=HEAD + b"\nHi you.\n")),
    "one long line": (
        "a.mbox",
        make_repeater(b"x ", before=b"From a@x Thu Mar  5 10:00:00 2026\n" + HEAD),
    ),
    "mbox lines": ("a.mbox", make_repeater(b"From a@x Thu Mar  5 10:00:00 2026\n")),
    "mbox dates": (
        "a.mbox",
        make_repeater(b"\nFrom " + b"Thu Mar  5 10:00 " * 55 + b"\n", before=HEAD),
    ),
    "front matter": (
        "a.md",
        lambda size: b"---\n" + b"k: [%b]\n" % (b',a,"' * 450) * (size // 1810) + b"---\nx",
    ),
    "headings": ("a.md", make_repeater(b"# \t\t", after=b"\nx")),
    "stars before a box": ("a.md", make_repeater(b"* + - * LATER", after=b"\nx")),
    "folders of bookmarks": ("a.html", make_repeater(b"<DL><H3>x", before=_BOOKMARKS)),
    "bookmarks": (
        "a.html",
        make_numberer(b"<DT><A HREF=http://x/%d>x</A><DD>x", before=_BOOKMARKS),
    ),
    "words of a bookmark": (
        "a.html",
        make_repeater(b"y<!-- -->", before=_BOOKMARKS + b"<A HREF=http://x>"),
    ),
    "clippings": (
        "a.txt",
        make_numberer(b"%d (x)\n- y | z z z z\n\nx\n==========\n"),
    ),
    "when of a clipping": (
        "a.txt",
        make_repeater(b"z ", before=b"x\n- y | z\n\nx\n==========\nx\n- y |", after=b"\n\nx"),
    ),
    "attributes of a text": ("a.xml", make_repeater(b" a=", before=b"<smses>\n<sms")),
    "a picture in a text": ("a.xml", make_repeater(b"QUJD", before=_MMS + b'<part data="')),
    "parts of a text": ("a.xml", make_repeater(b'<part ct="text/plain" text="x">\n', before=_MMS)),
    "notes on a task": (
        "a.csv",
        make_repeater(
            b"note,x,,\n", before=b"TYPE,CONTENT,PRIORITY,INDENT,RESPONSIBLE\ntask,x,,\n"
        ),
    ),
    "nested chat": ("a.jsonl", _chat('{"text": "x", "metadata": {"a": %s 1', unit="[")),
    "numbers in a chat": ("a.jsonl", _chat('{"text": "x", "id": %s}', unit="9")),
    "nested JSON": ("a.json", _nest_json),
    "long names in JSON": ("a.json", _long_names),
    "zones of a calendar": ("a.ics", _zones),
    "zips in a mail": ("a.eml", _attach(".zip", _text_zip)),
    "repeated rows in a mail": ("a.eml", _attach(".ods", _make_repeated_sheet)),
    "lines of a chat": ("a.jsonl", lambda size: b'{"text": "x"}\n' * (size // 14)),
}
"""Kinds of hostile files: a name, and what makes one of about so many bytes."""


def run(*, size_bytes: int, on_progress: Callable[[int, int], None]) -> dict[str, Any]:
    """Return what each kind costs at `size_bytes` and at twice that, in processor time and memory.

    `read` is taking the file apart, `import` all of it with keeping the items; `ratio` is the
    larger by the smaller, and `worst_ratio` the highest of those that take 50 ms or more. Memory
    is the peak of a process that reads the larger file, by that for a plain mail of its size.
    """
    kinds: dict[str, dict[str, Any]] = {}
    plain_mb = _memory_mb(
        ("a.eml", make_repeater(b"plain words\n", before=HEAD + b"\n")), size_bytes
    )
    for number, name in enumerate(HOSTILE):
        on_progress(number, len(HOSTILE))
        memory_mb = _memory_mb(HOSTILE[name], size_bytes)
        memory = {"memory_mb": memory_mb, "memory_ratio": memory_mb / plain_mb}
        kinds[name] = _figures(name, size_bytes) | memory
    long = [one for one in kinds.values() if one["read_ms"] >= _NOISE_MS]
    return {
        "size_bytes": size_bytes,
        "worst_read_ratio": max((one["read_ratio"] for one in long), default=0.0),
        "plain_memory_mb": plain_mb,
        "worst_memory_ratio": max((one["memory_ratio"] for one in kinds.values()), default=0.0),
        "kinds": kinds,
    }


def _memory_mb(kind: tuple[str, Maker], size_bytes: int) -> float:
    """Return the peak memory of reading a file of twice the size."""
    name, make = kind
    with tempfile.TemporaryDirectory(prefix="simonides-bench-") as folder:
        path = Path(folder, name)
        path.write_bytes(make(2 * size_bytes))
        return peak_mb(path)


_NOISE_MS = 50.0
"""What takes less is measured too roughly to be divided."""


def _figures(name: str, size_bytes: int) -> dict[str, Any]:
    small, large = _cost(name, size_bytes), _cost(name, 2 * size_bytes)
    return {
        "read_ms": large["read_ms"],
        "read_ratio": large["read_ms"] / max(small["read_ms"], 0.01),
        "import_ms": large["import_ms"],
        "import_ratio": large["import_ms"] / max(small["import_ms"], 0.01),
        "reported": large["reported"],
    }


def _cost(name: str, size_bytes: int) -> dict[str, float]:
    """Return how long one file takes to be read and to be imported, and what was reported of it."""
    file_name, make = HOSTILE[name]
    with tempfile.TemporaryDirectory(prefix="simonides-bench-") as folder:
        path = Path(folder, file_name)
        path.write_bytes(make(size_bytes))
        steps, read_ms = min((_read(path) for _ in range(ROUNDS)), key=lambda one: one[1])
        reported = sum(step.skipped is not None for step in steps)
        return {"read_ms": read_ms, "import_ms": _import_ms(path), "reported": reported}


def _read(path: Path) -> tuple[list[ImportEvent], float]:
    steps: list[ImportEvent] = []
    started = time.process_time()
    with suppress(ImportFailed):
        steps.extend(read(path))
    return steps, 1000.0 * (time.process_time() - started)


def _import_ms(path: Path) -> float:
    settings = Settings(embedder="none", timezone="UTC", durability="relaxed")
    with Memory(path.parent / "home", settings=settings) as memory:
        started = time.process_time()
        with suppress(ImportFailed):
            memory.import_(path)
        return 1000.0 * (time.process_time() - started)
