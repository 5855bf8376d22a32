"""Bytes to text: the declared character set, and what to do when it lies."""
# ruff: noqa: RUF001  letters that look like others are meant as they stand

import codecs

import pytest

from simonides.importers.charset import codec_of, decode, decode_noted, stream_encoding


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("Grüße aus dem Süden", "iso-8859-1"),
        ("“quoted” … 5 €", "windows-1252"),
        ("Добрый день, Елена", "koi8-r"),
        ("手持扫描器的报价", "gb18030"),
        ("短い手紙です", "iso-2022-jp"),
        ("短い手紙です", "shift_jis"),
        ("안녕하세요", "euc-kr"),
        ("naïve café ☕", "utf-8"),
        ("wide text", "utf-16"),
    ],
)
def test_a_declared_charset_is_read(text: str, charset: str) -> None:
    assert decode(text.encode(charset), charset) == text


def test_utf8_wins_over_a_wrong_single_byte_charset() -> None:
    assert decode("Möwe".encode(), "iso-8859-1") == "Möwe"


@pytest.mark.parametrize("charset", ["", "x-nonsense", "us-ascii", "hex", "idna", "a\0b", "é"])
def test_without_a_usable_charset_old_bytes_are_read_as_windows_1252(charset: str) -> None:
    assert decode("10 € … fünf".encode("cp1252"), charset) == "10 € … fünf"


def test_a_byte_order_mark_names_the_charset_and_is_not_kept() -> None:
    assert decode(b"\xef\xbb\xbf# Title", "iso-8859-1") == "# Title"
    assert decode("weit".encode("utf-16"), "utf-8") == "weit"


def test_one_broken_byte_does_not_turn_the_rest_into_nonsense() -> None:
    raw = "Grüße, Möwe, Straße, Fähre, Öl, Tür".encode().replace(b"M\xc3\xb6we", b"M\xc3we")

    assert decode(raw, "") == "Grüße, M\ufffdwe, Straße, Fähre, Öl, Tür"


def test_a_text_cut_inside_a_character_keeps_the_rest() -> None:
    raw = "手持扫描器的报价".encode("gb18030")[:-1]

    assert decode(raw, "gb2312").startswith("手持扫描器的报")


def test_any_bytes_give_some_text() -> None:
    assert isinstance(decode(bytes(range(256)), "utf-7"), str)


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        (" 'UTF-8' ", "utf-8"),
        ("ISO-8859-1*en", "cp1252"),
        ("GB2312", "gb18030"),
        ("unicode_escape", ""),
        ("rot13", ""),
        ("", ""),
    ],
)
def test_a_label_becomes_a_codec_of_text_or_nothing(label: str, codec: str) -> None:
    assert codec_of(label) == codec


@pytest.mark.parametrize(
    ("label", "raw", "text"),
    [
        ("windows-874", "สัญญา".encode("cp874"), "สัญญา"),
        ("x-cp1251", "Склад".encode("cp1251"), "Склад"),
        ("CP-866", "Склад".encode("cp866"), "Склад"),
        ("ISO-2022-JP", b"\x1b(I67\x1b(B \x1b$BAR8K\x1b(B", "ｶｷ 倉庫"),
        ("big5", "裏".encode("big5hkscs"), "裏"),
    ],
)
def test_a_charset_is_known_by_the_names_of_its_makers(label: str, raw: bytes, text: str) -> None:
    assert decode(raw, label) == text


def test_odd_bytes_of_another_charset_stay_local() -> None:
    raw = "Die Länge prüfen: “zwölf”, geprüft von: ".encode() + "José Muñoz".encode("latin-1")

    assert decode(raw, "utf-8") == "Die Länge prüfen: “zwölf”, geprüft von: José Muñoz"
    assert decode("Möwe, Öl".encode("latin-1"), "utf-8") == "Möwe, Öl"


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("Ключ от склада лежит у Ольги, она придёт в среду.", "cp1251"),
        ("Ключ от склада лежит у Ольги, она придёт в среду.", "koi8-r"),
        ("Το κλειδί είναι στην αποθήκη.", "cp1253"),
        ("鍵は事務所の引き出しにあります。", "cp932"),
        ("钥匙在办公室的抽屉里。", "gb18030"),
        ("열쇠는 사무실 서랍에 있습니다.", "cp949"),
        ("กุญแจอยู่ในลิ้นชักของสำนักงาน", "cp874"),
        ("Klucz leży w szufladzie, proszę zamknąć drzwi.", "cp1250"),
        ("Der Schlüssel liegt in der Küche, schöne Grüße.", "cp1252"),
        ("La clé est à côté de la fenêtre, à bientôt.", "cp1252"),
    ],
)
def test_what_declares_nothing_is_read_by_what_it_looks_like(text: str, codec: str) -> None:
    raw = text.encode(codec)

    assert decode(raw) == decode_noted(raw)[0] == text
    assert (decode_noted(raw)[1] == "") is (codec == "cp1252")
    assert stream_encoding(raw) in {codec, codecs.lookup(codec).name} or codec == "cp1252"


@pytest.mark.parametrize("raw", [b"plain", "schön".encode(), b"\xff\xfea\0", b"one \xfc alone"])
def test_what_is_plain_or_too_short_to_tell_is_not_guessed(raw: bytes) -> None:
    assert decode_noted(raw) == (decode(raw), "")
