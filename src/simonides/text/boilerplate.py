"""Boilerplate sentences: greetings, closings, the small print of mails.

Knows the usual words in the languages of `reply`. Must not know what a sentence is worth.
"""
# ruff: noqa: RUF001  letters that look like others are meant as they stand

import re

from simonides.text.mail import is_device_line, is_sign_off
from simonides.text.unicode_version import is_lower, masked

SMALL_CHARS_MAX = 400
"""A longer sentence is no small print whatever it holds."""

_GREETING = re.compile(
    r"(?:hi|hello|hey|dear|greetings|good\s+(?:morning|afternoon|evening|day)"
    r"|hallo|moin|servus|liebe[rs]?|sehr\s+geehrte[rs]?|guten\s+(?:tag|morgen|abend)"
    r"|bonjour|bonsoir|salut|ch(?:er|ère)s?|hola|buen[oa]s\s+(?:días|tardes|noches)|estimad[oa]s?"
    r"|querid[oa]s?|ciao|buongiorno|gentile|olá|bom\s+dia|boa\s+tarde|prezad[oa]s?|car[oa]s?|hoi"
    r"|beste|geachte|hej|hei|kære|bästa|cześć|dzień\s+dobry|привет|здравствуйте|добрый\s+день"
    r"|merhaba)(?![^\W_])",
    re.IGNORECASE,
)
_FORMULA = re.compile(
    r"[^\s。！!]{0,12}?[、,，]?\s*(?:こんにちは|おはようございます|お世話になっ(?:ております|ています)"
    r"|お疲れ(?:様|さま)です|よろしくお願い(?:いた|致)?します|ありがとうございま(?:す|した)"
    r"|你好|您好|大家好|谢谢(?:大家|您|你)?|謝謝|祝好|안녕하세요|감사합니다)[\s。！!.,，、]*"
)
"""The same in scripts without spaces, where the name comes first and has no capital."""
_ADDRESSED = frozenset(
    "all there team everyone everybody folks both guys again and to you so very much a lot".split()
)
"""What may stand beside the names in small letters."""
_NAMED_MAX = 5
_PRAISE = re.compile(
    r"(?:thanks|thank\s+you|many\s+thanks|danke|merci|gracias|grazie|obrigad[oa]|bedankt|tack)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
_SMALL_PRINT = re.compile(
    r"(?:to|or|please)\s+unsubscribe|unsubscribe\s+(?:here|from\s+(?:this|these)|at\s+any)"
    r"|view\s+(?:this|it)\b.{0,20}\s(?:online|in\s+(?:your|a)\s+browser)|all\s+rights\s+reserved"
    r"|intended\s+(?:only|solely|exclusively)?\s*for\s+the\s+(?:use\s+of\s+the\s+)?"
    r"(?:named\s+|intended\s+)?(?:recipient|addressee|individual)"
    r"|(?:are\s+not|not\s+be)\s+the\s+intended\s+recipient|received\s+this\s+(?:e-?mail|message)"
    r"\s+(?:in|because)|do\s+not\s+(?:reply\s+to|print)\s+this\s+(?:e-?mail|message)"
    r"|consider\s+the\s+environment|newsletter\s+(?:abmelden|abbestellen)|im\s+browser\s+(?:an|öff)"
    r"|alle\s+rechte\s+vorbehalten|se\s+désabonner|tous\s+droits\s+réservés|darse\s+de\s+baja"
    r"|todos\s+los\s+derechos\s+reservados|annulla(?:re)?\s+l['’]iscrizione|uitschrijven\s+voor",
    re.IGNORECASE,
)


def is_boilerplate(sentence: str) -> bool:
    """Return whether a sentence is boilerplate: greeting, thanks, closing or small print.

    Only where that is all there is to it: "Hi Tom, the lamp is broken" is none.
    """
    if len(sentence) > SMALL_CHARS_MAX:
        return False
    sentence = masked(sentence)
    first, _, rest = sentence.strip().partition("\n")
    if is_sign_off(first) or is_device_line(first):
        return len(rest.split()) <= 2 * _NAMED_MAX
    return is_greeting(sentence) or bool(_SMALL_PRINT.search(sentence))


def is_greeting(sentence: str) -> bool:
    """Return whether a sentence is only a greeting or thanks, with names."""
    sentence = masked(sentence)
    if _FORMULA.fullmatch(sentence.strip()):
        return True
    match = _GREETING.match(sentence) or _PRAISE.match(sentence)
    if match is None:
        return False
    named = re.findall(r"[^\W_]+", sentence[match.end() :])
    return len(named) <= _NAMED_MAX and all(
        word.casefold() in _ADDRESSED or (word.isalpha() and not is_lower(word[0]))
        for word in named
    )


def without_greeting(sentence: str) -> str:
    """Return a sentence without the greeting on the line above it, if there is one."""
    first, _, rest = sentence.partition("\n")
    return rest if rest.strip() and is_greeting(first) else sentence
