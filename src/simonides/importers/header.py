"""Mail headers: words, people, dates, ids and labels.

Knows RFC 5322 and RFC 2047 as they are met in the wild. Must not know message bodies. Header
values come as they stand in the mail: folded, 8-bit bytes as surrogates.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from itertools import islice

from simonides.importers.charset import decode, from_base64, from_quoted_printable
from simonides.importers.mime import Fields
from simonides.model.bounds import NAME
from simonides.model.item import Person, Role, short_hash
from simonides.text.clean import printable

PEOPLE_MAX = 500
"""Most people read out of the headers of one name; a longer list says nothing about any of them."""

LABELS_MAX = 500
"""Most labels and keywords of one mail."""

ID_CHARS_MAX = 256
"""Longest message id kept as it stands; a longer one is kept as its hash."""

_CACHED_CHARS_MAX = 1024
_ADDRESS_CHARS_MAX = 998
_DATE_CHARS_MAX = 200

YEARS = range(1971, 2101)
"""Years in which a mail may have been sent; before 1971 stand clocks that were never set."""

_ENCODED = re.compile(r"=\?([^?\s]{1,64})\?([bBqQ])\?([^?]*)\?=")
_PIECES = re.compile(
    r'"(?:[^"\\]|\\.)*+"?|\((?:[^()\\]|\\.)*+\)?|<[^<>]*+>?|[,;]|[^,;"(<]++', re.DOTALL
)
"""The tokens of an address header; what is never closed runs on, so that reading is linear."""
_GROUP = re.compile(r'^[^<"@:]*:')
_ANGLED = re.compile(r"^(.*)<([^<>\s@]+@[^<>\s]+)>\s*$", re.DOTALL)
_ID = re.compile(r"<([^<>\s]+)>")
_LABELS = re.compile(r'"([^"]*)"|([^,]+)')


def first(fields: Fields, name: str) -> str:
    """Return the first value of the header `name`, undecoded; empty where there is none."""
    values = fields.get(name)
    return values[0] if values else ""


def one_line(text: str) -> str:
    """Return `text` printable and on one line, its blanks squeezed."""
    if not text.isprintable():
        text = printable(text)
    return " ".join(text.split())


def words(value: str) -> str:
    """Return a header value as it is meant to be read: unfolded, decoded, on one line."""
    if value.isascii() and "=?" not in value:
        return one_line(value)
    return one_line("".join(_decode_runs(value)))


def _decode_runs(value: str) -> Iterator[str]:
    """Yield plain and decoded runs; neighbours of one charset are joined before decoding.

    Many programs cut an encoded word inside a character.
    """
    charset, waiting, end = "", bytearray(), 0
    for match in _ENCODED.finditer(value):
        between = value[end : match.start()]
        if between.strip() or match[1].lower() != charset:
            yield decode(bytes(waiting), charset)
            waiting.clear()
            yield _eight_bit(between) if between.strip() or not end else ""
        charset, end = match[1].lower(), match.end()
        waiting += _unwrap(match[2].lower(), match[3])
    yield decode(bytes(waiting), charset)
    yield _eight_bit(value[end:])


def _unwrap(encoding: str, payload: str) -> bytes:
    raw = _bytes(payload)
    return from_base64(raw) if encoding == "b" else from_quoted_printable(raw, in_header=True)


def _eight_bit(text: str) -> str:
    return text if text.isascii() else decode(_bytes(text))


def _bytes(text: str) -> bytes:
    """Return the bytes that stand in `text` as surrogates."""
    return text.encode("utf-8", "surrogateescape")


def addresses(value: str) -> tuple[tuple[str, str], ...]:
    """Return (name, lower-case address) of everyone in an address header; either may be empty.

    Groups are dissolved, `undisclosed-recipients:;` is nobody.
    """
    return _cached_addresses(value) if len(value) <= _CACHED_CHARS_MAX else _addresses(value)


def _addresses(value: str) -> tuple[tuple[str, str], ...]:
    found = []
    for piece in _split(value):
        name, address = _name_and_address(piece)
        if name or address:
            found.append((name, address))
            if len(found) == PEOPLE_MAX:
                break
    return tuple(dict.fromkeys(found))


_cached_addresses = lru_cache(maxsize=8192)(_addresses)
"""In one mailbox the same few headers come again."""


def _split(value: str) -> Iterator[list[str]]:
    """Yield the tokens of each address: quoted texts, comments, <addresses> and other words."""
    tokens: list[str] = []
    for match in _PIECES.finditer(value):
        if match[0] in (",", ";"):
            yield tokens
            tokens = []
        else:
            tokens.append(match[0])
    yield tokens


def _name_and_address(tokens: list[str]) -> tuple[str, str]:
    name, address, comment = "", "", ""
    for token in tokens:
        if token[0] == "<" and token[-1] == ">":
            address = token[1:-1]
        elif token[0] == "(" and token[-1] == ")":
            comment = token[1:-1]
        elif len(token) > 1 and token[0] == token[-1] == '"':
            name += token[1:-1].replace('\\"', '"').replace("\\\\", "\\")
        else:
            name += token
    if not address:
        name, address = _without_brackets(_GROUP.sub("", name))
    return _tidy(_GROUP.sub("", name) or comment, address)


def _without_brackets(text: str) -> tuple[str, str]:
    """Return (name, address) of text without brackets, or with brackets inside encoded words."""
    text = words(text[:_ADDRESS_CHARS_MAX])
    inside = _ANGLED.match(text)
    if inside:
        return inside[1], inside[2]
    return ("", text) if "@" in text and " " not in text else (text, "")


def _tidy(name: str, address: str) -> tuple[str, str]:
    """Return a name and an address as they are kept; of one that is too long, what says whose."""
    address = words(address).replace(" ", "").lower()
    name = words(name)
    if name[:1] in ("'", '"') and (name[0] == name[-1] or name.count(name[0]) == 1):
        name = name.strip(name[0])
    return ("" if name.lower() == address else name)[: NAME.chars_max], address[-NAME.chars_max :]


_RECIPIENTS = (("to", Role.TO), ("cc", Role.CC), ("bcc", Role.CC))


def people(fields: Fields) -> tuple[Person, ...]:
    """Return who wrote the mail and who got it, each once, author first.

    Its author is who the first From names, else the Sender: of several From headers (RFC 5322
    allows one) the others say nothing about who wrote it.
    """
    stated = [value for value in fields.get("from", ()) if value.strip()]
    authors = stated[:1] or fields.get("sender", [])[:1]
    seen: dict[tuple[str, Role], Person] = {}
    for values, role in (
        (authors, Role.AUTHOR),
        *((fields.get(name, []), role) for name, role in _RECIPIENTS),
    ):
        found = (one for value in values for one in addresses(value))
        for name, address in islice(found, PEOPLE_MAX):
            one = Person(name=name, address=address, role=role)
            seen.setdefault((address or name, role), one)
    return tuple(seen.values())


def further_authors(fields: Fields) -> list[str]:
    """Return the From headers after the first one, each on one line."""
    return [words(value) for value in fields.get("from", ()) if value.strip()][1:]


def message_id(value: str) -> str:
    """Return the id in a Message-ID header without its brackets; empty where there is none."""
    match = _ID.search(value)
    return _short("".join((match[1] if match else words(value).strip("<>")).split()))


def ids(value: str) -> list[str]:
    """Return the message ids in a References or In-Reply-To header, in their order."""
    return [_short(one) for one in _ID.findall(value)]


def _short(name: str) -> str:
    name = name if name.isprintable() else one_line(words(name))
    return name if len(name) <= ID_CHARS_MAX else short_hash(name)


def thread(fields: Fields, own_id: str) -> str:
    """Return the id that all mails of one thread share, as far as this mail shows it.

    Gmail's own thread id, else the first of References, else In-Reply-To, else the mail's own.
    """
    gmail = one_line(first(fields, "x-gm-thrid"))
    if gmail:
        return _short(gmail)
    for name in ("references", "in-reply-to"):
        found = ids(first(fields, name))
        if found:
            return found[0]
    return own_id


LABEL_HEADERS = ("x-gmail-labels", "keywords")
"""Gmail's labels in an export, and the keywords of RFC 5322."""


def labels(fields: Fields, names: tuple[str, ...] = LABEL_HEADERS) -> tuple[str, ...]:
    """Return the labels in the headers of these names, each once, in their order."""
    found: dict[str, None] = {}
    for name in names:
        for value in fields.get(name, ()):
            for quoted, plain in _LABELS.findall(words(value)):
                found.setdefault((quoted or plain).strip()[: NAME.chars_max])
    return tuple(islice((label for label in found if label), LABELS_MAX))


def read_sent_time(fields: Fields, envelope: str) -> tuple[datetime | None, dict[str, str]]:
    """Return the time at which the mail was sent, and what is to be known of it, as metadata.

    Date, else the newest Received stamp, else the date of the mbox line `envelope`. A time
    without a known zone is read as UTC, and `_time_zone` says so; `_date_problem` says what the
    Date header holds where no such time can be.
    """
    stated = words(first(fields, "date"))
    received = words(first(fields, "received").rpartition(";")[2])
    dates = map(_in_mails_order, (stated, received, _envelope_date(envelope)))
    read = ((place, date, _moment(date)) for place, date in enumerate(dates))
    place, date, when = next((one for one in read if one[2]), (-1, "", None))
    return when, {
        "_date_problem": f"cannot be: {stated[:80]}" if stated and place else "",
        "_time_zone": "assumed UTC" if when and not _ZONED.search(date) else "",
    }


def _moment(date: str) -> datetime | None:
    if not date:
        return None
    try:
        when = parsedate_to_datetime(date)
        if when.year not in YEARS:
            return None
        return when.replace(tzinfo=UTC) if when.utcoffset() is None else when.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


_OFFSET = re.compile(r"\s*(?:GMT|UTC)?\s*([+-]\d\d):?(\d\d)(?=\s*(?:\(|$))")
_DASHED = re.compile(r"\b(\d{1,2})-([A-Za-z]{3})-(\d{4})\b")
_NUMERIC = re.compile(r"^((?:[A-Za-z]{3,9},?\s+)?\d{1,2}) (0[1-9]|1[0-2]) (\d{4})\b")
_ZONED = re.compile(r"(?:[+-]\d{4}|\b(?:UTC?|GMT|Z|[AECMP][SD]T))\s*(?:\([^()]*\)?)?\s*$")
"""The end of a date that says its zone: an offset, or a name of RFC 5322."""
_CLOCK = r"(?<![+-])\b(\d{1,2}:\d\d(?::\d\d)?)"
_HALF_DAY = re.compile(r"\b(0?[1-9]|1[0-2])(:\d\d(?::\d\d)?)\s*([AP])\.?M\b\.?", re.IGNORECASE)
_ZONES = {
    "WET": "+0000", "WEST": "+0100", "CET": "+0100", "CEST": "+0200", "MET": "+0100",
    "MEST": "+0200", "MEZ": "+0100", "MESZ": "+0200", "EET": "+0200", "EEST": "+0300",
    "MSK": "+0300", "SGT": "+0800", "HKT": "+0800", "AWST": "+0800", "JST": "+0900",
    "KST": "+0900", "AEST": "+1000", "AEDT": "+1100", "NZST": "+1200", "NZDT": "+1300",
    "AKST": "-0900", "AKDT": "-0800", "HST": "-1000",
}  # fmt: skip
"""Names of zones that mean one offset, beside those of RFC 5322. BST and IST mean several."""
_NAMED_ZONE = re.compile(_CLOCK + rf"\s+({'|'.join(_ZONES)})(?=\s*(?:\(|$))")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _in_mails_order(text: str) -> str:
    """Return a date as RFC 5322 writes it, of the other ways in which programs write one.

    An offset behind GMT or with a colon, a zone by its name, `05-FEB-2021`, a month in digits, a
    clock of 12 hours. Empty for what is too long to be a date.
    """
    if len(text) > _DATE_CHARS_MAX:
        return ""
    text = _NAMED_ZONE.sub(lambda m: f"{m[1]} {_ZONES[m[2]]}", text)
    text = _HALF_DAY.sub(_on_24_hours, text)
    text = _DASHED.sub(r"\1 \2 \3", text)
    text = _NUMERIC.sub(lambda m: f"{m[1]} {_MONTHS[int(m[2]) - 1]} {m[3]}", text)
    return _OFFSET.sub(r" \1\2", text)


def _on_24_hours(found: re.Match[str]) -> str:
    hour = int(found[1]) % 12 + 12 * (found[3].upper() == "P")
    return f"{hour:02d}{found[2]}"


def _envelope_date(envelope: str) -> str:
    """Return the date of `From sarah@example.com Thu Mar  5 10:00:00 2026` in mail's own order."""
    parts = envelope.split()
    for start, word in enumerate(parts):
        if word[:3] in _WEEKDAYS and len(parts) >= start + 5:
            _, month, day, clock, *rest = parts[start:]
            year = next((part for part in rest if part.isdigit() and len(part) == 4), "")  # noqa: PLR2004  a year
            zone = next((part for part in rest if part[0] in "+-"), "")
            return f"{day} {month} {year} {clock} {zone}"
    return ""


_WEEKDAYS = frozenset(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"])
