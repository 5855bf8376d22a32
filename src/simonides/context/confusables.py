"""Confusable characters, and the plain characters that a reader or a model takes them for.

Knows Unicode and what shows of it. Must not know layouts, or what is done about a likeness.
"""
# ruff: noqa: RUF001  letters that look like others are meant as they stand

import functools
import unicodedata
from collections.abc import Sequence

from simonides.text.unicode_version import is_open
from simonides.text.word_patterns import lazy_pattern

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co"})
"""Unicode categories that show nothing but may change how a line is read."""

_MARKS = frozenset({"Mn", "Me"})
"""Unicode categories of what is laid over the character before, and no reader needs."""

_UNSHOWN = lazy_pattern(
    "[\u00ad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
"""What no eye sees: Default_Ignorable_Code_Point of Unicode 14, without what leaves a gap."""

_LOOKALIKES = {
    " ": "\u115f\u1160\u2800\u3164\uffa0",
    "#": "♯⋕⌗⧣",
    "[": "〔【〖〘〚⟦⁅⦋⦍⦏❲⟬⌈⌊⎡⎢⎣",
    "]": "〕】〗〙〛⟧⁆⦌⦎⦐❳⟭⌉⌋⎤⎥⎦",
    "(": "❨❪⸨⦅⟮﴾⎛⎜⎝",
    ")": "❩❫⸩⦆⟯﴿⎞⎟⎠",
    "<": "‹〈⟨❬❮❰⧼˂𝈶",
    ">": "›〉⟩❭❯❱⧽˃𝈷",
    "-": "‐‑‒–—―−⁃˗➖⎯⏤‾¯ˉ▬ー一ㅡ㇐Ⲻ⸺⸻",
    "=": "꞊゠⹀≡᐀꓿",
    "*": "∗⁎✱✲✳⚹٭꙳𐌟",
    "_": "ˍ‗ߺ",
    "~": "∼〜〰˜⁓∽∾῀",
    "+": "➕᛭",
    "`": "ˋ‵՝",
    "|": "∣⏽ǀ",
    "/": "⁄∕⟋⧸",
    ":": "꞉ː˸∶׃։⁚",
    "·": "•‣∙⋅‧・ᐧ᛫⸱⸳ꞏ𐄁●◦○▪▫■□◾◼⦁⁌⁍▸▹►▶➢➤⚫",
    "a": "аαɑ⍺ᴀ", "b": "Ьᏼʙ", "c": "сϲⲥᴄ", "d": "ԁᴅ", "e": "еҽ℮ᴇ", "f": "ƒꜰ", "g": "ɡɢ",
    "h": "һʜ", "i": "іıιɩɪӏ", "j": "јᴊ", "k": "кκᴋ", "l": "ʟ", "m": "мᴍ", "n": "ոηɴ",
    "o": "оοσօⲟᴏ", "p": "рρϱⲣᴘ", "q": "ԛǫ", "r": "гⲅᴦʀ", "s": "ѕƽꜱ", "t": "тτᴛ",
    "u": "υսʋᴜ", "v": "νѵᴠ", "w": "ԝшωɯᴡ", "x": "хχ×", "y": "уүγʏ", "z": "ᴢ",
    "A": "АΑ", "B": "ВΒ", "C": "СϹ", "E": "ЕΕ", "H": "НΗ", "I": "ІΙӀ", "J": "Ј", "K": "КΚ",
    "M": "МΜ", "N": "Ν", "O": "ОΟՕ", "P": "РΡ", "Q": "Ԛ", "S": "Ѕ", "T": "ТΤ", "U": "Ս",
    "V": "Ѵ", "W": "Ԝ", "X": "ХΧ", "Y": "УΥ", "Z": "Ζ",
}  # fmt: skip
"""Plain characters, and others that show the same or nearly so without being forms of them.

Source: the confusables of Unicode Technical Standard 39, as far as they look like a mark of a
layout or a letter of its words; brackets, bullets and dashes by eye. Letters of living scripts
are not taken for brackets: these are rewritten, and a word must not be.
"""

_LINES = frozenset(map(chr, range(0x2500, 0x25A0)))
"""Box drawings and blocks; most can be the piece of a rule."""
_UPRIGHT = frozenset("│┃┆┇┊┋║╎╏╵╷╹╻╽╿▌▍▎▏▐▕")

_FACES = {look: plain for plain, skeleton in _LOOKALIKES.items() for look in skeleton}
_FACES |= dict.fromkeys(_LINES - _UPRIGHT, "-") | dict.fromkeys(_UPRIGHT, "|")
_FACES["⸺"], _FACES["⸻"] = "--", "---"

_OTHERS = lazy_pattern(r"[^\x00-\x7f]")
_BRACKETS = dict.fromkeys(map(ord, "[](){}<>"))


def skeleton(text: str) -> str:
    """Return a text's appearance in plain characters (a skeleton in the sense of UTS 39).

    `skeleton_offsets` gives the places of its characters in `text`.

    Compatibility forms become plain (NFKD), look-alikes what they look like, blanks of all kinds
    spaces; marks over letters and what does not show are left out. Letter case stays.
    """
    if text.isascii():
        return text
    for character in _others(text):
        plain = prototype(character)
        if plain != character:
            text = text.replace(character, plain)
    return text


def skeleton_offsets(text: str) -> Sequence[int]:
    """Return for each character of `skeleton(text)` its place in `text`."""
    if text.isascii() or all(len(prototype(character)) == 1 for character in _others(text)):
        return range(len(text))
    return [place for place, character in enumerate(text) for _ in skeleton(character)]


def _others(text: str) -> Sequence[str]:
    """Return the distinct non-ASCII characters of a text."""
    return list(dict.fromkeys(_OTHERS.findall(text)))


@functools.lru_cache(maxsize=1 << 13)
def prototype(character: str) -> str:
    """Return the plain characters that a character looks like; empty if it is invisible.

    What decomposes into several loses its brackets (`⑴` is `1`): they cannot be distinguished from
    it. A numeral that is no digit looks like some digit (`❶` is `0`). What comes out looks like
    itself.
    """
    if character in _FACES:
        return _FACES[character]
    if is_open(character):
        return character
    plain = "".join(map(_plain, unicodedata.normalize("NFKD", character)))
    return plain.translate(_BRACKETS) if len(plain) > 1 else plain


def _plain(character: str) -> str:
    category = unicodedata.category(character)
    if category in _MARKS or category in HIDDEN or _UNSHOWN.match(character):
        return "" if character not in "\t\n" else character
    if category in ("No", "Nl"):
        return "0"
    return " " if category == "Zs" else _FACES.get(character, character)


def is_visible(text: str) -> bool:
    """Return whether any character of the text is visible."""
    return bool(skeleton(text).strip())
