"""The lines that mail programs add to a body: quotes, announcements, header blocks, closings.

Knows one line, or a few in a row, at a time, in the languages of the programs. Must not know what
becomes of them: that is `mail`'s.
"""
# ruff: noqa: RUF001  letters that look like others are meant as they stand

import re
from collections.abc import Sequence

_ANNOUNCEMENT_CHARS_MAX = 400
_ANNOUNCEMENT_LINES_MAX = 3
_HEADER_BLOCK_LINES = 7


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_QUOTED = re.compile(r"[ \t]{0,3}>")
_RULER = re.compile(r"\s*[-_\u2500]{5,}\s*")
_OPENING = re.compile(r"(?:On|Am|Le|El|Il|In|Em|A|No|Op|Den|På|În|Pe|W|Dnia)\s", re.IGNORECASE)
_ANNOUNCED = _any_of(
    r"On\s.+\swrote\s*:",
    r"(?:Am|On)\s.+\sschrieb\b.*:",
    r"Le\s.+\sa\s+écrit\s*:",
    r"El\s.+\sescribió\s*:",
    r"(?:Il|In data)\s.+\sha\s+scritto\s*:",
    r"(?:Em|A|No dia)\s.+\sescreveu\s*:",
    r"Op\s.+\sschreef\b.*:",
    r"(?:Den|På)\s.+\sskrev\b.*:",
    r"(?:În|Pe)\s.+\sa\s+scris\s*:",
    r"(?:W dniu|Dnia|W)\s.+\snapisał\S*\s*:",
)
_ANNOUNCED_FREELY = _any_of(
    r".+\sschrieb\s+am\s.+:",
    r".+\sa\s+écrit\s+le\s.+:",
    r".+\s(?:kirjoitti|skrev)\b.*:",
    r".+\s(?:на)?писал\S*\s*:",
    r".+\s(?:yazdı|napsal\S*|napisał\S*)\s*:",
    r".+\sírta\b.*:",
    r".+(?:写道|寫道|のメール)\s*[:\uff1a]",
)
"""Announcements without a telling first word: only believed on one line."""
_TELLING = re.compile(r"\d|@|<")

_FORWARDED = _any_of(
    r"-{2,}\s*(?:Forwarded message|Weitergeleitete Nachricht|Message transféré"
    r"|Mensaje reenviado|Messaggio inoltrato|Mensagem encaminhada|Doorgestuurd bericht"
    r"|Vidarebefordrat meddelande|Videresendt (?:besked|melding)|Välitetty viesti)\s*-{2,}",
    r"(?:Begin forwarded message|Anfang der weitergeleiteten (?:Nachricht|E-Mail)"
    r"|Début du message (?:réexpédié|transféré)|Inicio del mensaje reenviado"
    r"|Inizio messaggio inoltrato|Início da mensagem (?:encaminhada|reencaminhada)"
    r"|Begin doorgestuurd bericht|Vidarebefordrat (?:brev|mejl))\s*:",
)
_ORIGINAL = _any_of(
    r"[-_]{2,}\s*(?:Original (?:Message|Appointment)|Ursprüngliche (?:Nachricht|E-Mail)"
    r"|Originalnachricht|Message d['\u2019]origine|Message original|Mensaje original"
    r"|Messaggio originale|Mensagem original|Oorspronkelijk bericht|Ursprungligt meddelande"
    r"|Ursprungsmeddelande|Oprindelig (?:meddelelse|besked)|Opprinnelig melding|Alkuperäinen viesti"
    r"|Исходное сообщение)\s*[-_]{2,}",
)
_SENDER = re.compile(
    r"\s*\**(?:From|Von|De|Da|Van|Från|Fra|Lähettäjä|Od|От|Kimden|Feladó|Expéditeur|Remitente"
    r"|Mittente)\s*:\**\s*\S",
    re.IGNORECASE,
)
_OTHER_HEADER = re.compile(
    r"\s*\**(?:Sent|Date|To|Cc|Subject|Gesendet|Datum|An|Betreff|Envoyé(?: le)?|À|Objet"
    r"|Enviado(?: el)?"
    r"|Enviada em|Fecha|Para|Asunto|Assunto|Inviato|Data|A|Oggetto|Verzonden|Aan|Onderwerp"
    r"|Skickat|Till|Ämne|Sendt|Dato|Til|Emne|Lähetetty|Vastaanottaja|Aihe|Wysłano|Do|Temat|Дата|Кому|Тема"
    r"|Отправлено|Reply-To|Importance)\s*:",
    re.IGNORECASE,
)
_DEVICE = _any_of(
    r"Sent (?:from|via|with) (?:my |the )?\S.{0,60}",
    r"Get Outlook for .{1,60}",
    r"(?:Diese Nachricht wurde )?Von mein\S+ .{1,40} gesendet\.?",
    r"Gesendet (?:mit|von|über) .{1,60}",
    r"Envoyé (?:de|depuis|à partir de|avec) .{1,60}",
    r"Enviad[oa] (?:desde|do|de|a partir|pelo|com) .{1,60}",
    r"Inviato (?:da|dal|con) .{1,60}",
    r"Verzonden (?:vanaf|met|vanuit|via) .{1,60}",
    r"Skickat från .{1,60}",
    r"Sendt fra .{1,60}",
    r"Lähetetty .{1,60}",
    r"Wysłane z .{1,60}",
    r"Отправлено (?:с|из) .{1,60}",
)
_SIGN_OFF = _any_of(
    r"(?:(?:with |my )?(?:best|kind|warm|kindest|warmest) )(?:regards|wishes)",
    r"regards|best|all the best|cheers|sincerely(?: yours)?|yours (?:sincerely|faithfully|truly)",
    r"(?:many )?thanks|thanks (?:again|a lot|so much|in advance)|thank you|thanks and regards",
    r"respectfully|take care|love|br|kr|thx",
    r"(?:mit )?(?:freundlichen|besten|herzlichen|lieben) gr(?:ü|ue)(?:ß|ss)en",
    r"(?:viele|liebe|beste|freundliche|herzliche|schöne) gr(?:ü|ue)(?:ß|ss)e|mfg|lg|vg",
    r"(?:bien )?cordialement|bien à (?:vous|toi)|amicalement|salutations(?: distinguées)?",
    r"(?:un )?(?:cordial )?saludos?(?: cordiales)?|atentamente|un abrazo|abraços?|atenciosamente",
    r"cumprimentos|(?:cordiali|distinti) saluti|saluti|un saluto|grazie",
    r"(?:met )?vriendelijke groet(?:en)?|groeten|groetjes|mvg",
    r"(?:med )?vänliga hälsningar|(?:med )?venlig hilsen|(?:med )?vennlig hilsen|hilsen|mvh",
    r"ystävällisin terveisin|terveisin|pozdrawiam|с уважением|saygılarımla",
)


def is_quoted(line: str) -> bool:
    """Say whether the line is marked as quoted with `>`."""
    return bool(_QUOTED.match(line))


def is_forward_mark(line: str) -> bool:
    """Say whether the line announces a forwarded text."""
    return bool(_FORWARDED.fullmatch(line.strip()))


def is_original_mark(line: str) -> bool:
    """Say whether the line is `-----Original Message-----`, in some language."""
    return bool(_ORIGINAL.fullmatch(line.strip()))


def is_device_line(line: str) -> bool:
    """Say whether the line tells what the mail was sent from."""
    return bool(_DEVICE.fullmatch(line.strip()))


def is_sign_off(line: str) -> bool:
    """Say whether the line is a closing formula and nothing else."""
    return bool(_SIGN_OFF.fullmatch(line.strip().rstrip(",.!- ")))


def begins_header_block(lines: Sequence[str], at: int) -> bool:
    """Say whether a copied header begins here: a sender, and two more headers in the next lines.

    A ruler above the sender is part of the block.
    """
    if _RULER.fullmatch(lines[at]):
        at = next_visible(lines, at + 1)
    if at >= len(lines) or not _SENDER.match(lines[at]):
        return False
    below = lines[at + 1 : at + 1 + _HEADER_BLOCK_LINES]
    return sum(bool(_OTHER_HEADER.match(line)) for line in below) > 1


def announcement_lines(lines: Sequence[str], at: int) -> int:
    """Return over how many lines an announcement (`On … wrote:`) goes from here; 0 if none does.

    It holds a date or an address, or what follows is quoted; so `On Monday Ann wrote:` alone is
    prose.
    """
    first = lines[at].strip()
    if not first:
        return 0
    if _ANNOUNCED_FREELY.fullmatch(first[:_ANNOUNCEMENT_CHARS_MAX]):
        return int(_is_believable(lines, at, 1))
    if not _OPENING.match(first):
        return 0
    for count in range(1, _ANNOUNCEMENT_LINES_MAX + 1):
        joined = " ".join(line.strip() for line in lines[at : at + count])
        if len(joined) <= _ANNOUNCEMENT_CHARS_MAX and _ANNOUNCED.fullmatch(joined):
            return count if _is_believable(lines, at, count) else 0
    return 0


def _is_believable(lines: Sequence[str], at: int, count: int) -> bool:
    if any(_TELLING.search(line) for line in lines[at : at + count]):
        return True
    below = next_visible(lines, at + count)
    return below < len(lines) and is_quoted(lines[below])


def next_visible(lines: Sequence[str], at: int) -> int:
    """Return the first line from here on that is not blank, or the number of lines."""
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at
