"""Decoding: transfer encodings to bytes, and bytes to text.

Knows base64, quoted-printable, uuencode, character sets and their usual lies. Must not know what
the text is for. Never raises.
"""

import binascii
import codecs
import re
import string
from collections.abc import Iterator
from functools import lru_cache

_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")
_UU_NAMES = frozenset(["x-uuencode", "uuencode", "uue", "x-uue"])


def decode_transfer(raw: bytes, encoding: str) -> bytes:
    """Return `raw` decoded from the transfer encoding of this lower-case name."""
    if encoding == "base64":
        return from_base64(raw)
    if encoding == "quoted-printable":
        return from_quoted_printable(raw)
    return from_uuencode(raw) if encoding in _UU_NAMES else raw


def from_base64(raw: bytes) -> bytes:
    """Return the decoded bytes; input after the padding is left out, damage is skipped."""
    try:
        return binascii.a2b_base64(raw)
    except binascii.Error:
        clean = _NOT_BASE64.sub(b"", raw)
        whole = len(clean) - (len(clean) % 4 == 1)  # one letter alone encodes nothing
        return binascii.a2b_base64(clean[:whole] + b"=" * (-whole % 4))


BLOCK_BYTES = 1 << 20
"""How much of a long payload is decoded at a time."""

_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
_NOT_IN_BASE64 = bytes(byte for byte in range(256) if byte not in _BASE64)


def decode_blocks(raw: bytes, start: int, end: int, encoding: str) -> Iterator[bytes]:
    """Yield what lies between two places decoded, base64 without holding all of it."""
    if encoding != "base64":
        yield decode_transfer(raw[start:end], encoding)
        return
    rest = b""
    for at in range(start, end, BLOCK_BYTES):
        block = rest + raw[at : min(at + BLOCK_BYTES, end)].translate(None, _NOT_IN_BASE64)
        if b"=" in block:  # what follows the padding is judged by what is before it
            yield from_base64(block + raw[at + BLOCK_BYTES : end])
            return
        whole = len(block) - len(block) % 4
        rest = block[whole:]
        yield from_base64(block[:whole])
    yield from_base64(rest)


def from_quoted_printable(raw: bytes, *, in_header: bool = False) -> bytes:
    """Return the decoded bytes; a broken `=XY` stays as it is."""
    return binascii.a2b_qp(raw, header=in_header)


def from_uuencode(raw: bytes) -> bytes:
    """Return the decoded bytes between `begin` and `end`; without a `begin`, `raw` as it is."""
    lines = iter(raw.splitlines())
    if not any(line.startswith(b"begin ") for line in lines):
        return raw
    found = []
    for line in lines:
        if line.strip() in (b"end", b""):
            break
        found.append(_uu_line(line))
    return b"".join(found)


def _uu_line(line: bytes) -> bytes:
    """Return the decoded bytes of one line, up to the length that it states."""
    stated = (((line[0] - 32) & 63) * 4 + 5) // 3
    for kept in (line, line[:stated]):
        try:
            return binascii.a2b_uu(kept)
        except binascii.Error:
            continue
    return b""


def base64_size_bytes(raw: bytes) -> int:
    """Return how many bytes a base64 text encodes, without decoding it."""
    marks = len(raw) - raw.count(b"\n") - raw.count(b"\r") - raw.count(b"=")
    return marks * 3 // 4


_READ_AS = {
    label: codec
    for codec, labels in {
        "cp1252": "ascii us-ascii iso-8859-1 iso8859-1 latin1 latin-1",
        "cp1254": "iso-8859-9",
        "iso-8859-8": "iso-8859-8-i",
        "gb18030": "gb2312 gbk x-gbk",
        "cp949": "euc-kr ks_c_5601-1987",
        "cp932": "shift_jis shift-jis x-sjis ms_kanji windows-31j",
        "cp874": "tis-620 iso-8859-11 dos-874",
        "iso2022_jp_ext": "iso-2022-jp csiso2022jp",
        "big5hkscs": "big5 x-x-big5 cn-big5",
        "utf-8": "utf8mb4",
    }.items()
    for label in labels.split()
}
"""Labels and the superset that they are read as (WHATWG Encoding Standard, §4.2).

`iso2022_jp_ext` also knows the half-width kana that Windows writes into ISO-2022-JP.
"""

_CODE_PAGE = re.compile(r"(?:x-|cs)?(?:windows|cp|ibm|dos)-?(\d{3,5})")
"""The number of a code page, whatever its makers call it: `windows-874`, `x-cp1251`, `dos-866`."""

_DECLARED_FIRST = frozenset(
    (
        "gb18030 hz big5 big5hkscs cp949 cp950 johab euc_jp euc_jis_2004 cp932 shift_jisx0213 "
        "shift_jis_2004 iso2022_jp iso2022_jp_1 iso2022_jp_2 iso2022_jp_2004 iso2022_jp_3 "
        "iso2022_jp_ext iso2022_kr utf-16 utf-16-le utf-16-be utf-32 utf-32-le utf-32-be utf-7"
    ).split()
)
"""Codecs whose bytes may pass for UTF-8: 7-bit shift codes, and short East Asian words."""

_NO_CHARSETS = frozenset(["idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined"])

UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    *((mark, "utf-16") for mark in UTF16_MARKS),
)


WIDE_SAMPLE_BYTES = 8192
"""In so many first bytes UTF-16 without a mark is looked for."""

_WIDE_BYTES_MIN = 4
_CONTROLS = re.compile("[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]")
"""What no text holds."""


def is_binary(sample: bytes) -> bool:
    """Return whether bytes are no text: they hold a zero, and are not UTF-16."""
    return b"\0" in sample and not sample.startswith(UTF16_MARKS) and not _wide_codec(sample)


def _wide_codec(raw: bytes) -> str:
    """Return the codec of UTF-16 without a mark, by its zeros; empty where it is none.

    Most of every other byte are zero, and no character is a control mark.
    """
    sample = raw[:WIDE_SAMPLE_BYTES]
    is_short = len(sample) < _WIDE_BYTES_MIN
    if b"\0" not in sample or is_short or sample.startswith(UTF16_MARKS):
        return ""
    for codec, high in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        if 2 * high.count(0) > len(high) and not _CONTROLS.search(sample.decode(codec, "replace")):
            return codec
    return ""


def stream_encoding(sample: bytes) -> str:
    """Return the encoding in which a file that begins with `sample` is read as a stream of text.

    By its byte order mark or zeros, else UTF-8, else what the sample looks like.
    """
    for mark, name in _MARKS:
        if sample.startswith(mark):
            return "utf-8-sig" if name == "utf-8" else name
    if wide := _wide_codec(sample):
        return wide
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return likely_codec(sample)
    return "utf-8"


_LABEL_CHARS_MAX = 100

_TRUST = 4
"""Good characters per broken one above which a text is taken for a damaged one of its kind."""


def decode(raw: bytes, declared: str = "") -> str:
    """Return `raw` as text; lone surrogates and control marks may remain.

    In turn: a byte order mark or the zeros of UTF-16, UTF-8, UTF-8 with a few odd bytes, the
    declared character set, the same damaged, what it looks like.
    Character sets that can be mistaken for UTF-8 go first where they are declared.
    """
    text = _as_it_says(raw, declared)
    return raw.decode(likely_codec(raw), "replace") if text is None else text


def decode_noted(raw: bytes) -> tuple[str, str]:
    """Return `raw`, which declares nothing, as text, and a note if its character set was guessed.

    Windows-1252 is not worth a word: it is what is read where nothing is said.
    """
    text = _as_it_says(raw, "")
    if text is not None:
        return text, ""
    codec = likely_codec(raw)
    note = "" if codec == "cp1252" else f"its characters were guessed to be {codec}"
    return raw.decode(codec, "replace"), note


def _as_it_says(raw: bytes, declared: str) -> str | None:
    """Return the text by its mark, its bytes or what is declared; None if none of them fits."""
    if wide := _wide_codec(raw):
        return raw.decode(wide, "replace")
    codec = codec_of(declared)
    if raw.isascii() and codec not in _DECLARED_FIRST:
        return raw.decode("ascii")
    for mark, name in _MARKS:
        if raw.startswith(mark):
            return raw[len(mark) if name == "utf-8" else 0 :].decode(name, "replace")
    order = (codec, "utf-8") if codec in _DECLARED_FIRST else ("utf-8", codec)
    for name in order:
        text = _strict(raw, name)
        if text is None and name == "utf-8":
            text = _with_odd_bytes(raw, "cp1252" if codec == "utf-8" else codec)
        if text is not None:
            return text
    for name in order:
        text = _decode_damaged(raw, name)
        if text is not None:
            return text
    return None


_SAMPLE_BYTES = 64 << 10
_HIGH_BYTES_MIN = 4
"""Fewer bytes beyond ASCII tell nothing: Western European is read."""

_WESTERN_SHARE = 0.35
"""Of the letters of a text in the Latin alphabet fewer lie beyond ASCII, of any other more
(measured: of 30 short texts in 13 character sets one is read wrongly)."""

_LATIN = ("windows-1252", "windows-1250", "windows-1254", "windows-1257")
_OTHERS = (
    "windows-1251", "windows-1253", "windows-1255", "windows-1256", "windows-1258", "koi8-r",
    "koi8-u", "cp866", "cp932", "euc-jp", "gb18030", "big5hkscs", "cp949", "cp874",
)  # fmt: skip


def likely_codec(raw: bytes) -> str:
    """Return the codec of bytes that are no UTF-8 and declare none, by what they look like."""
    sample = raw[:_SAMPLE_BYTES]
    high = len(sample) - len(sample.translate(None, _HIGH_BYTES))
    if high < _HIGH_BYTES_MIN:
        return "cp1252"
    import chardet

    letters = len(sample) - len(sample.translate(None, _ASCII_LETTERS))
    is_latin = high < _WESTERN_SHARE * (high + letters)
    names = _LATIN if is_latin else (*_LATIN, *_OTHERS)
    found = chardet.detect(sample, include_encodings=names)["encoding"]
    return codec_of(found or "") or "cp1252"


_HIGH_BYTES = bytes(range(128, 256))
_ASCII_LETTERS = string.ascii_letters.encode()


@lru_cache(maxsize=256)
def codec_of(label: str) -> str:
    """Return the codec's own name for a declared character set; empty where there is none."""
    if len(label) > _LABEL_CHARS_MAX:
        return ""
    plain = label.strip().strip("\"'").lower().split("*")[0]
    page = _CODE_PAGE.fullmatch(plain)
    known = f"cp{page[1]}" if page else plain
    try:
        name = codecs.lookup(_READ_AS.get(plain, known)).name
        "".encode(name)  # refuses codecs that are not of text, such as hex
    except (LookupError, ValueError):
        return ""
    return "" if name in _NO_CHARSETS else name


def _strict(raw: bytes, codec: str) -> str | None:
    try:
        return raw.decode(codec) if codec else None
    except UnicodeError:
        return None


def _with_odd_bytes(raw: bytes, codec: str) -> str | None:
    """Return UTF-8 whose few odd bytes are read in another character set; None if it is not that.

    Text of one byte a character hardly ever makes whole characters of UTF-8. Odd bytes that stand
    together may be half of one, and so may C2 and C3, with which UTF-8 begins the letters of
    Latin-1: these are marked as broken.
    """
    text = raw.decode("utf-8", "surrogateescape")
    odd = len(_ODD.findall(text))
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore")) - odd
    if not odd or beyond_ascii <= odd:
        return None

    def read(found: re.Match[str]) -> str:
        given = found[0].encode("utf-8", "surrogateescape")
        is_alone = len(given) == 1 and given not in (b"\xc2", b"\xc3")
        return given.decode(codec or "cp1252", "replace") if is_alone else "\ufffd" * len(given)

    return _ODD_RUN.sub(read, text)


_ODD = re.compile("[\udc80-\udcff]")
_ODD_RUN = re.compile("[\udc80-\udcff]+")


def _decode_damaged(raw: bytes, codec: str) -> str | None:
    """Return the text with its broken places marked, if few are broken."""
    if not codec:
        return None
    text = raw.decode(codec, "replace")
    broken = text.count("\ufffd")
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore")) - broken
    return text if beyond_ascii > _TRUST * broken else None
