"""Relative times and named days of five other languages, as the English that the grammar reads.

"letzte Woche", "la semana pasada", "am 4. Juli", "avant-hier": German, French, Spanish, Portuguese
and Italian. Only what counts from today, days of the week and days of a month are rewritten; dates
with a year are read by `words.find_foreign`. Knows words; nothing here depends on a clock.
"""

import re
from collections.abc import Iterator

from simonides.text.word_patterns import alternatives, lazy_pattern

_DAYS = {
    "monday": "montags? lundi lunes segunda(?:-feira)? lunedì",
    "tuesday": "dienstags? mardi martes terça(?:-feira)? martedì",
    "wednesday": "mittwochs? mercredi miércoles quarta-feira mercoledì",
    "thursday": "donnerstags? jeudi jueves quinta-feira giovedì",
    "friday": "freitags? vendredi viernes sexta-feira venerdì",
    "saturday": "samstags? sonnabends? samedi sábado sabato",
    "sunday": "sonntags? dimanche domingo domenica",
}
_MONTHS = {
    "january": "januar janvier enero janeiro gennaio",
    "february": "februar février febrero fevereiro febbraio",
    "march": "märz mars marzo março",
    "april": "april avril abril aprile",
    "may": "mai mayo maio maggio",
    "june": "juni juin junio junho giugno",
    "july": "juli juillet julio julho luglio",
    "august": "august août agosto",
    "september": "september septembre septiembre setembro settembre",
    "october": "oktober octobre octubre outubro ottobre",
    "november": "november novembre noviembre novembro",
    "december": "dezember décembre diciembre dezembro dicembre",
}
_UNITS = {
    "week": "wochen? semaines? semanas? settiman[ae]",
    "month": "monate?n? mois mes(?:es)? mês mes[ei]",
    "year": "jahre?n? ann?ées? ans? años? anos? ann[oi]",
    "day": "tage?n? jours? d[ií]as? giorn[oi]",
}
_PLAIN = {
    "the day before yesterday": "vorgestern avant-hier anteayer anteontem l'altro_ieri",
    "the day after tomorrow": "übermorgen après-demain pasado_mañana depois_de_amanhã dopodomani",
    "yesterday": "gestern ayer ontem ieri hier(?!_(?:ist|sind|war|das|der|die|und|im|auf)\\b)",
    "today": "heute aujourd'hui hoy hoje oggi",
    "tomorrow": "demain mañana amanhã domani",
    "tonight": "heute_abend ce_soir esta_noche hoje_à_noite stasera",
}
_LAST = (
    r"letzte[rmns]?|vorige[rmns]?|vergangene[rmns]?|pasad[oa]s?|passad[oa]s?|derni(?:er|ère)s?"
    r"|scors[oa]|últim[oa]|passat[oa]"
)
_NEXT = (
    r"nächste[rmns]?|kommende[rmns]?|prochaine?s?|próxim[oa]s?|prossim[oa]|que\s+viene|que\s+vem"
)
_THIS = r"diese[rmns]?|cette|cet|est[ea]|quest[oa]"
_SIDES = {"last": _LAST, "next": _NEXT, "this": _THIS}


def _alternatives(texts: dict[str, str]) -> str:
    return alternatives(" ".join(texts.values()))


Readers = list[tuple[re.Pattern[str], str]]


def _reader(texts: dict[str, str]) -> Readers:
    """Return a pattern and the English of each row."""
    return [
        (lazy_pattern(alternatives(text), re.IGNORECASE), english)
        for english, text in texts.items()
    ]


_NAMED: dict[str, Readers] = {
    "day": _reader(_DAYS),
    "month": _reader(_MONTHS),
    "unit": _reader(_UNITS),
    "plain": _reader(_PLAIN),
    "side": [(lazy_pattern(text, re.IGNORECASE), english) for english, text in _SIDES.items()],
}

_SIDE = f"(?:{_LAST}|{_NEXT}|{_THIS})"
_THING = f"(?:{_alternatives(_DAYS)}|{_alternatives(_UNITS)}|{_alternatives(_MONTHS)})"
_AGO = r"vor|il\s+y\s+a|hace|há"
_FOREIGN = lazy_pattern(
    rf"""(?<![\w-])(?:
      (?P<side>{_SIDE})\s+(?P<thing>{_THING})
    | (?:l[ae]\s+|el\s+|il\s+|na\s+|no\s+)?(?P<thing2>{_THING})\s+(?P<side2>{_SIDE})
    | (?:{_AGO})\s+(?P<count>[0-9]{{1,3}})\s+(?P<unit>{_alternatives(_UNITS)})
    | (?P<count2>[0-9]{{1,3}})\s+(?P<unit2>{_alternatives(_UNITS)})\s+(?:fa|atrás)
    | (?:am\s+|le\s+|el\s+|il\s+)?(?P<number>[0-9]{{1,2}})(?:\.|er|º)?\s+(?:de\s+)?
        (?P<month>{_alternatives(_MONTHS)})
        (?!\s+(?:de\s+)?[0-9]{{4}})
    | (?:im|en|em|in|seit|depuis|desde|dal|a)\s+(?P<alone>{_alternatives(_MONTHS)})
        (?:\s+(?:de\s+)?(?P<year>[0-9]{{4}}))?
    | (?P<plain>{_alternatives(_PLAIN)})
    | (?:am|le|el|il|na)\s+(?P<weekday>{_alternatives(_DAYS)})
    )(?![\w-])""",
    re.VERBOSE | re.IGNORECASE,
)


def foreign_times(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the English of each foreign time in a text, and its characters [start, stop)."""
    for match in _FOREIGN.finditer(text):
        english = _english({name: said for name, said in match.groupdict().items() if said})
        if english and not _is_english(match):
            yield english, match.start(), match.end()


def _is_english(match: re.Match[str]) -> bool:
    """Return whether English says it with the same words: "in August", "4 April", "diese an"."""
    month = match["alone"] or match["month"]
    if month and month.lower() in _MONTHS:
        return match[0].lower().startswith(("in ", "a ", f"{match['number']} "))
    return (match["thing"] or "").lower() == "an"


def _english(said: dict[str, str]) -> str:
    side = said.get("side") or said.get("side2")
    thing = said.get("thing") or said.get("thing2")
    if side and thing:
        return f"{_named(side, 'side')} {_named(thing, 'day', 'unit', 'month')}"
    if "count" in said or "count2" in said:
        unit = _named(said.get("unit") or said["unit2"], "unit")
        return f"{said.get('count') or said['count2']} {unit}s ago"
    if "number" in said:
        return f"{said['number']} {_named(said['month'], 'month')}"
    if "alone" in said:
        return f"in {_named(said['alone'], 'month')} {said.get('year', '')}".strip()
    if "weekday" in said:
        return f"on {_named(said['weekday'], 'day')}"
    return _named(said["plain"], "plain")


def _named(said: str, *tables: str) -> str:
    """Return the English name of a word in the first of the tables that has it."""
    for table in tables:
        for pattern, name in _NAMED[table]:
            if pattern.fullmatch(said):
                return name
    return ""
