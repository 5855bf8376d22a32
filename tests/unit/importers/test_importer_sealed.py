"""Encrypted and signed mails: named, and read where they can be."""

from base64 import b64encode
from pathlib import Path

import pytest

from simonides.importers import read
from simonides.importers.sealed import signed_content
from simonides.model.item import Item

HEAD = b"From: sarah@x.example\nSubject: Oars\nMessage-ID: <m@x.example>\n"
INNER = b"Content-Type: text/plain; charset=utf-8\n\nThe oars are in the shed.\n"
SIGNED_DATA = bytes.fromhex("06092a864886f70d010702")
ENVELOPED = bytes.fromhex("06092a864886f70d010703")
DATA = bytes.fromhex("06092a864886f70d010701")


def mail(folder: Path, raw: bytes) -> tuple[Item, list[str]]:
    path = folder / "a.eml"
    path.write_bytes(HEAD + raw)
    steps = list(read(path))
    (item,) = [step.item for step in steps if step.item]
    return item, [step.skipped.reason for step in steps if step.skipped]


def tlv(tag: int, *content: bytes) -> bytes:
    """Return one value in DER."""
    inner = b"".join(content)
    size = len(inner)
    head = bytes([size]) if size < 128 else b"\x84" + size.to_bytes(4)
    return bytes([tag]) + head + inner


def endless(tag: int, *content: bytes) -> bytes:
    """Return one value in BER, its end marked."""
    return bytes([tag, 0x80]) + b"".join(content) + b"\0\0"


def cms(content: bytes, kind: bytes = SIGNED_DATA) -> bytes:
    inner = tlv(0x30, DATA, tlv(0xA0, tlv(0x04, content)))
    signed = tlv(0x30, tlv(0x02, b"\x01"), tlv(0x31), inner, tlv(0x31))
    return tlv(0x30, kind, tlv(0xA0, signed))


def streamed(content: bytes) -> bytes:
    pieces = [tlv(0x04, content[at : at + 7]) for at in range(0, len(content), 7)]
    inner = endless(0x30, DATA, endless(0xA0, endless(0x24, *pieces)))
    signed = endless(0x30, tlv(0x02, b"\x01"), tlv(0x31), inner, tlv(0x31))
    return endless(0x30, SIGNED_DATA, endless(0xA0, signed))


def smime(content: bytes) -> bytes:
    return (
        b"Content-Type: application/pkcs7-mime; name=smime.p7m\n"
        b"Content-Transfer-Encoding: base64\n\n" + b64encode(content) + b"\n"
    )


@pytest.mark.parametrize("encoded", [cms(INNER), streamed(INNER)])
def test_signed_content_of_smime_is_read(tmp_path: Path, encoded: bytes) -> None:
    item, left_out = mail(tmp_path, smime(encoded))

    assert item.content == "The oars are in the shed."
    assert (item.metadata, left_out) == (
        {"_message_id": "m@x.example", "signed": "S/MIME"},
        [],
    )


@pytest.mark.parametrize("encoded", [cms(b"secret", ENVELOPED), b"\x30\x80", b"", b"\x30\xff" * 9])
def test_encrypted_smime_is_named(tmp_path: Path, encoded: bytes) -> None:
    item, left_out = mail(tmp_path, smime(encoded))

    assert item.content == "(encrypted with S/MIME; not read)"
    assert item.metadata["encrypted"] == "S/MIME"
    assert left_out == ["encrypted with S/MIME; not read"]


def test_encrypted_pgp_is_named(tmp_path: Path) -> None:
    raw = (
        b'Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary=b\n\n'
        b"--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n"
        b"--b\nContent-Type: application/octet-stream; name=encrypted.asc\n\n"
        b"-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n--b--\n"
    )
    item, left_out = mail(tmp_path, raw)

    assert item.content == "(encrypted with PGP; not read)"
    assert "attachments" not in item.metadata
    assert left_out == ["encrypted with PGP; not read"]


@pytest.mark.parametrize(
    ("protocol", "kind"),
    [("application/pgp-signature", "PGP"), ("application/pkcs7-signature", "S/MIME")],
)
def test_a_signature_is_named(tmp_path: Path, protocol: str, kind: str) -> None:
    raw = (
        f'Content-Type: multipart/signed; protocol="{protocol}"; boundary=b\n\n'
        f"--b\n\nIn the shed.\n--b\nContent-Type: {protocol}\n\nxyz\n--b--\n"
    )
    item, _ = mail(tmp_path, raw.encode())

    assert (item.content, item.metadata["signed"]) == ("In the shed.", kind)


def test_pgp_within_a_text_is_taken_out(tmp_path: Path) -> None:
    text = (
        b"\nHello,\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\nBye.\n"
        b"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQEN\n"
    )
    item, left_out = mail(tmp_path, text)

    assert item.content == ("Hello,\n(encrypted with PGP; not read)\nBye.\n(PGP public key block)")
    assert item.metadata["encrypted"] == "PGP"
    assert left_out == ["encrypted with PGP; not read"]


def test_a_clear_signed_text_is_read(tmp_path: Path) -> None:
    text = (
        b"\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nIn the shed.\n- -----\n"
        b"-----BEGIN PGP SIGNATURE-----\n\niQEz\n-----END PGP SIGNATURE-----\n"
    )
    item, left_out = mail(tmp_path, text)

    assert item.content.startswith("In the shed.")
    assert "PGP" not in item.content
    assert (item.metadata["signed"], left_out) == ("PGP", [])


def test_signed_content_in_itself_is_read_to_some_depth(tmp_path: Path) -> None:
    raw = INNER
    for _ in range(8):
        raw = smime(cms(raw))
    item, left_out = mail(tmp_path, raw)

    assert (item.content, len(left_out)) == ("(encrypted with S/MIME; not read)", 1)


def test_values_in_each_other_without_end_are_left() -> None:
    assert signed_content(b"\x30\x80" * 100_000) is None
    assert signed_content(tlv(0x30, SIGNED_DATA)) is None
