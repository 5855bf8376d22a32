"""Contacts (vCard 2.1, 3.0 and 4.0): one document for each, with all names and addresses.

Knows RFC 6350, RFC 2426 and the older vCard 2.1 as address books write them. Must not know how
people are distinguished: it hands each address over with each name of its owner, so that mails from
any of them are found under any name.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import product

from simonides.errors import InvalidInput
from simonides.importers.charset import decode, from_quoted_printable
from simonides.importers.header import one_line
from simonides.model.item import Item, Kind, Person, Role
from simonides.ports.importer import ImportEvent, SourceFile
from simonides.text.clean import printable, squeeze

SOURCE = "contacts"

LINE_BYTES_MAX = 1 << 20
"""Longest line that is read whole; a picture on one line is longer, and is not wanted."""

VALUE_BYTES_MAX = 65_536
"""Longest value of a field, its folded lines joined; the rest of a longer one is left out."""

FIELDS_MAX = 1_000
"""Most fields of one contact."""

VALUES_MAX = 100
"""Most addresses, numbers or names of one kind of one contact."""

_PARAMETER = re.compile(r';([^;:="]*)(?:=((?:"[^"]*"|[^";:])*))?')
_NAME = re.compile(rb"(?:[\w-]{1,64}\.)?([\w-]{1,64})(?=[;:])")
_SPLIT = {mark: re.compile(rf"(?<!\\){mark}") for mark in ";,"}
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_BIRTHDAY = re.compile(r"(\d{4}|-)-?(\d\d)-?(\d\d)(?:[T ].*)?$")
_APPLE_NO_YEAR = "1604"
"""The year that Apple's address book writes for birthdays without one."""

_TEXT_FIELDS = frozenset(
    "FN N NICKNAME EMAIL TEL ORG TITLE ROLE BDAY ADR NOTE URL CATEGORIES UID REV".split()
)
"""Fields that are kept. Pictures, sounds, keys and programs' own fields are not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """One field: its name in capitals, its parameters by name, and its value, still escaped."""

    name: str
    parameters: dict[str, str]
    value: str


@dataclass(slots=True, kw_only=True)
class _Card:
    """The fields of one contact, where it ends, and whether fields were left out."""

    number: int
    lines: list[_Line] = field(default_factory=list)
    end: int = 0
    is_cut: bool = False

    def texts(self, name: str, *, mark: str = "") -> list[str]:
        """Return the values of all fields of this name, each once; each split at `mark`."""
        values = [one.value for one in self.lines if one.name == name]
        pieces = [p for v in values for p in (_SPLIT[mark].split(v) if mark else [v])]
        found = dict.fromkeys(one_line(_unescape(one)) for one in pieces)
        return [one for one in found if one][:VALUES_MAX]


def read_vcards(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the contacts in this file, or why one is passed over."""
    card = None
    for card in _cards(file):
        place = f"contact {card.number}"
        try:
            item = _contact(card, source=file.source or SOURCE)
        except InvalidInput as error:
            yield file.skip(str(error), part=place, bytes_done=card.end)
            continue
        if item is None:
            reason = "neither a name nor an address"
            yield file.skip(reason, part=place, bytes_done=card.end)
            continue
        yield file.keep(item, bytes_done=card.end)
        if card.is_cut:
            reason = f"more than {FIELDS_MAX} fields; the rest is left out"
            yield file.skip(reason, part=place, bytes_done=card.end)
    if card is None:
        yield file.skip("no contact in it", bytes_done=file.size_bytes)


def _cards(file: SourceFile) -> Iterator[_Card]:
    """Yield the contacts; one inside of another (an agent of vCard 2.1) is left out."""
    card, depth, number = None, 0, 0
    for raw, end in _unfold(file):
        line = raw.strip().upper()
        if line.startswith(b"BEGIN:VCARD"):
            depth += 1
            if depth == 1:
                number += 1
                card = _Card(number=number)
        elif card is None:
            continue
        elif line.startswith(b"END:VCARD"):
            depth -= 1
            if depth == 0:
                card.end = end
                yield card
                card = None
        elif depth == 1:
            _keep(card, raw)
        if card is not None:
            card.end = end
    if card is not None:
        yield card


def _unfold(file: SourceFile) -> Iterator[tuple[bytes, int]]:
    """Yield the lines with those that continue them, and where each ends in the file.

    A line goes on in the next one where that begins with a blank, or, in quoted-printable, where
    it ends with an equals sign.
    """
    held, at = b"", 0
    with file.path.open("rb") as stream:
        while raw := stream.readline(LINE_BYTES_MAX):
            line = raw.removeprefix(b"\xef\xbb\xbf") if at == 0 else raw
            line = line.rstrip(b"\r\n")
            if line[:1] in (b" ", b"\t") and held:
                held = _longer(held, line[1:])
            elif held.endswith(b"=") and b"QUOTED-PRINTABLE" in held[:200].upper():
                held = _longer(held[:-1], line)
            else:
                if held:
                    yield held, at
                held = line[:VALUE_BYTES_MAX]
            at += len(raw)
    if held:
        yield held, at


def _longer(held: bytes, more: bytes) -> bytes:
    """Return a line with what continues it, as far as it is read."""
    return held if len(held) >= VALUE_BYTES_MAX else (held + more)[:VALUE_BYTES_MAX]


def _keep(card: _Card, raw: bytes) -> None:
    """Take one field into a contact, if it is one that is kept."""
    match = _NAME.match(raw)
    name = match[1].decode("ascii", "replace").upper() if match else ""
    if match is None or name not in _TEXT_FIELDS:
        return
    if len(card.lines) >= FIELDS_MAX:
        card.is_cut = True
        return
    head = raw[match.end() :].decode("latin-1")
    at = 0
    parameters: dict[str, str] = {}
    while found := _PARAMETER.match(head, at):
        key, value = found[1].strip().upper(), (found[2] or "").strip('"')
        parameters.setdefault(key if found[2] is not None else "TYPE", value or key)
        at = found.end()
    if head[at : at + 1] == ":":
        value = _text(head[at + 1 :].encode("latin-1"), parameters)
        card.lines.append(_Line(name=name, parameters=parameters, value=value))


def _text(raw: bytes, parameters: dict[str, str]) -> str:
    """Return a value as text; of vCard 2.1 one may be quoted-printable in a charset of its own."""
    coded = {parameters.get("ENCODING", "").upper(), parameters.get("TYPE", "").upper()}
    if coded & {"QUOTED-PRINTABLE", "Q"}:
        raw = from_quoted_printable(raw)
    return squeeze(printable(decode(raw, parameters.get("CHARSET", "")))).strip()


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda match: "\n" if match[1] in "nN" else match[1], text)


def _contact(card: _Card, *, source: str) -> Item | None:
    """Return a contact as a document; None where it names nobody."""
    emails = [one.lower().removeprefix("mailto:") for one in card.texts("EMAIL")]
    phones = [one.removeprefix("tel:") for one in card.texts("TEL")]
    organization = ", ".join(_parts(card, "ORG"))
    names = [*card.texts("FN")[:1], *_read_structured_name(card)]
    name = next(filter(None, [*names, organization, *emails, *phones]), "")
    if not name:
        return None
    nicknames = card.texts("NICKNAME", mark=",")
    metadata = {
        "emails": emails,
        "phones": phones,
        "nicknames": nicknames,
        "organization": organization,
        "job_title": ", ".join(card.texts("TITLE") or card.texts("ROLE")),
        "birthday": _birthday(card),
        "addresses": _addresses(card),
        "urls": card.texts("URL"),
        "modified_at": _read_modified_at(card),
    }
    return Item(
        kind=Kind.DOCUMENT,
        source=source,
        source_id=(card.texts("UID") or [f"{name} {next(iter([*emails, *phones]), '')}"])[0][:1000],
        title=name[:1000],
        content=_content(card, metadata),
        people=_people([*names, *nicknames], emails),
        tags=tuple(one[:1000] for one in card.texts("CATEGORIES", mark=",")),
        metadata={key: value for key, value in metadata.items() if value},
    )


def _parts(card: _Card, name: str) -> list[str]:
    return card.texts(name, mark=";")


def _read_structured_name(card: _Card) -> list[str]:
    """Return the given and family names as they are spoken, if there are any."""
    for one in card.lines:
        if one.name == "N":
            parts = [one_line(_unescape(part)) for part in _SPLIT[";"].split(one.value)]
            family, given, middle = [*parts, "", "", ""][:3]
            spoken = [" ".join(filter(None, order)) for order in ((given, family),)]
            full = " ".join(filter(None, (given, middle, family)))
            return [name for name in dict.fromkeys([*spoken, full]) if name]
    return []


def _people(names: list[str], emails: list[str]) -> tuple[Person, ...]:
    """Return the person by each name and address."""
    called = [name[:1000] for name in dict.fromkeys(names)]
    pairs = product(called or [""], [email[:1000] for email in emails] or [""])
    return tuple(
        Person(name=name, address=address, role=Role.MENTIONED)
        for name, address in pairs
        if name or address
    )[:FIELDS_MAX]


def _birthday(card: _Card) -> str:
    """Return the birthday as `1980-05-06`, or `--05-06` without a year; else as it stands."""
    for text in card.texts("BDAY"):
        match = _BIRTHDAY.match(text)
        if match is None:
            return text[:100]
        year = "-" if match[1] in ("-", _APPLE_NO_YEAR) else match[1]
        return f"{year}-{match[2]}-{match[3]}"
    return ""


def _addresses(card: _Card) -> list[str]:
    lines = [one.value for one in card.lines if one.name == "ADR"]
    pieces = ([one_line(_unescape(p)) for p in _SPLIT[";"].split(line)] for line in lines)
    return list(dict.fromkeys(filter(None, (", ".join(filter(None, p)) for p in pieces))))


def _read_modified_at(card: _Card) -> str:
    for text in card.texts("REV"):
        try:
            when = datetime.fromisoformat(text)
        except ValueError:
            continue
        zoned = when if when.utcoffset() is not None else when.replace(tzinfo=UTC)
        return zoned.astimezone(UTC).isoformat()
    return ""


_SHOWN = (
    ("Also called", "nicknames"),
    ("Organization", "organization"),
    ("Job title", "job_title"),
    ("E-mail", "emails"),
    ("Phone", "phones"),
    ("Birthday", "birthday"),
    ("Address", "addresses"),
    ("Website", "urls"),
)
"""What stands in the text of a contact, and the metadata that it stands for."""


def _content(card: _Card, metadata: Mapping[str, object]) -> str:
    """Return the contact as it is read: a line for each kind of value, then the notes."""
    lines = []
    for label, key in _SHOWN:
        value = metadata[key]
        mark = "; " if key == "addresses" else ", "
        text = mark.join(value) if isinstance(value, list) else value
        lines += [f"{label}: {text}"] if text else []
    notes = [_unescape(one.value) for one in card.lines if one.name == "NOTE"]
    return "\n\n".join(["\n".join(lines), *notes]).strip()
