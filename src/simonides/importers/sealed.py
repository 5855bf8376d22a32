"""Encrypted and signed parts of mails: which there are, and what was signed.

Knows OpenPGP's marks in text (RFC 9580, 3156) and as much of S/MIME (RFC 8551, 5652) as it takes to
find signed content. Must not know keys: nothing is decrypted and no signature is checked.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from simonides.importers.mime import MimePart

PGP, SMIME = "PGP", "S/MIME"

SMIME_TYPES = frozenset(["application/pkcs7-mime", "application/x-pkcs7-mime"])
"""Media types of encrypted or signed S/MIME content."""

DEPTH_MAX = 32
"""How deep the values of a signed content may lie in each other."""

ELEMENTS_MAX = 1_000_000
"""Most values that are looked at in one message; content comes in pieces of a kilobyte or more."""

_SIGNED_DATA = bytes.fromhex("06092a864886f70d010702")
"""The object identifier of signed data, as it is encoded (RFC 5652, section 5.1)."""

_OCTETS, _SEQUENCE, _EXPLICIT = 0x04, 0x30, 0xA0
_CONSTRUCTED = 0x20
_LONG_TAG, _INDEFINITE, _LENGTH_BYTES_MAX = 0x1F, 0x80, 8

_PGP_MARK = "-----BEGIN PGP "
_PGP_BLOCK = re.compile(
    r"-----BEGIN PGP (MESSAGE|SIGNATURE|PUBLIC KEY BLOCK|PRIVATE KEY BLOCK)(?:, PART [0-9/]{1,9})?"
    r"-----.*?(?:-----END PGP \1(?:, PART [0-9/]{1,9})?-----|\Z)",
    re.DOTALL,
)
_PGP_SIGNED = re.compile(r"-----BEGIN PGP SIGNED MESSAGE-----[ \t]*\n(?:\w+: [^\n]*\n)*\n?")
_DASHED = re.compile(r"^- (?=-)", re.MULTILINE)


def encrypted_note(kind: str) -> str:
    """Return the placeholder of encrypted words."""
    return f"(encrypted with {kind}; not read)"


_IN_TEXT = {"MESSAGE": encrypted_note(PGP), "SIGNATURE": ""}


def kind_of(part: MimePart) -> str:
    """Return the system that an encrypted or signed multipart names as its protocol."""
    protocol = part.parameters.get("protocol", "").lower()
    return PGP if "pgp" in protocol or not protocol else SMIME


def without_pgp(text: str) -> tuple[str, bool, bool]:
    """Return a text without blocks of OpenPGP, whether some was encrypted, and some signed."""
    if _PGP_MARK not in text:
        return text, False, False
    kinds = {match[1] for match in _PGP_BLOCK.finditer(text)}
    plain = _PGP_BLOCK.sub(lambda match: _IN_TEXT.get(match[1], f"(PGP {match[1].lower()})"), text)
    is_signed = "SIGNATURE" in kinds
    if is_signed:
        plain = _DASHED.sub("", _PGP_SIGNED.sub("", plain))
    return plain.strip(), "MESSAGE" in kinds, is_signed


@dataclass(frozen=True, slots=True, kw_only=True)
class _Element:
    """One value: its tag, where its content lies, and where the next one begins."""

    tag: int
    start: int
    stop: int
    after: int


def signed_content(raw: bytes) -> bytes | None:
    """Return the content of signed data (CMS); None where it is none, or is not in there."""
    return _BerReader(raw).signed_content()


class _BerReader:
    """The reader of one message in BER, the encoding of which DER is a part."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.left = ELEMENTS_MAX

    def signed_content(self) -> bytes | None:
        """Return the octets of ContentInfo, SignedData, encapContentInfo, eContent."""
        info = list(self._inside(0, len(self.raw), tag=_SEQUENCE))
        if len(info) < 2 or self._bytes(info[0]) != _SIGNED_DATA[2:]:  # noqa: PLR2004  type and content
            return None
        signed = [one for one in info if one.tag == _EXPLICIT][:1]
        for one in signed:
            fields = list(self._inside(one.start, one.stop, tag=_SEQUENCE))
            for field in fields[:4]:
                if field.tag == _SEQUENCE:
                    return self._content(field)
        return None

    def _content(self, wrapped: _Element) -> bytes | None:
        for one in self._elements(wrapped.start, wrapped.stop):
            if one.tag == _EXPLICIT:
                return b"".join(self._octets(one.start, one.stop, depth=0)) or None
        return None

    def _octets(self, start: int, stop: int, *, depth: int) -> Iterator[bytes]:
        for one in self._elements(start, stop):
            if one.tag == _OCTETS:
                yield self._bytes(one)
            elif one.tag == _OCTETS | _CONSTRUCTED and depth < DEPTH_MAX:
                yield from self._octets(one.start, one.stop, depth=depth + 1)

    def _bytes(self, element: _Element) -> bytes:
        return self.raw[element.start : element.stop]

    def _inside(self, start: int, stop: int, *, tag: int) -> Iterator[_Element]:
        """Yield what is inside the first value of this run, if it has that tag."""
        first = self._element(start, stop, depth=0)
        if first is not None and first.tag == tag:
            yield from self._elements(first.start, first.stop)

    def _elements(self, start: int, stop: int) -> Iterator[_Element]:
        while start < stop:
            found = self._element(start, stop, depth=0)
            if found is None:
                return
            yield found
            start = found.after

    def _element(self, at: int, stop: int, *, depth: int) -> _Element | None:
        """Return the value at a place; None where there is none that can be read."""
        self.left -= 1
        if at + 2 > stop or depth > DEPTH_MAX or self.left < 0:
            return None
        tag, size = self.raw[at], self.raw[at + 1]
        start = at + 2
        if tag & _LONG_TAG == _LONG_TAG or self.raw[at : at + 2] == b"\0\0":
            return None
        if size == _INDEFINITE:
            return self._endless(tag, start, stop, depth=depth)
        if size > _INDEFINITE:
            count = size - _INDEFINITE
            if count > _LENGTH_BYTES_MAX:
                return None
            size = int.from_bytes(self.raw[start : start + count])
            start += count
        end = min(start + size, stop)
        return _Element(tag=tag, start=start, stop=end, after=end)

    def _endless(self, tag: int, start: int, stop: int, *, depth: int) -> _Element:
        """Return a value of which only a mark tells where it ends."""
        at = start
        while self.raw[at : at + 2] != b"\0\0":
            inner = self._element(at, stop, depth=depth + 1)
            if inner is None or inner.after <= at:
                return _Element(tag=tag, start=start, stop=at, after=stop)
            at = inner.after
        return _Element(tag=tag, start=start, stop=at, after=at + 2)
