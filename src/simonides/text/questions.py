"""Words of a question that ask rather than name: requests, nouns of time, verbs of speech.

"What time did Ana say …", "zeig mir …", "qué día …": they say what is wanted of an answer, stand in
every other mail and are not worth a search. English, German, French, Spanish, Portuguese and
Italian, each in its plainest forms. Knows words; must not know what is kept, nor who is meant.
"""

import re

from simonides.text.unicode_version import masked
from simonides.text.word_patterns import alternatives, lazy_pattern

Span = tuple[int, int]


_NOUN_OF_TIME = alternatives("""
    time times date dates day days weekday hour week month year
    uhrzeit datum tag tage woche monat jahr  heure date jour jours semaine mois année
    hora fecha día días semana mes año  dia dias mês ano  ora data giorno giorni settimana mese anno
""")

_REQUESTS = alternatives("""
    how_many how_much how_long how_often how_far how_soon how_late how_early how_recently how_come
    (?:tell|show|give|send|get|find|remind|help)_(?:me|us) can_you could_you would_you will_you
    do_you_(?:know|remember|recall) list summari[sz]e remind please exactly actually really finally
    eventually currently nowadays these_days right_now so_far in_the_end by_now lately
    anything something everything anyone anybody someone somebody everyone everybody thing things
    say says said tell tells told mention mentions mentioned ask asks asked
    happen happens happened happening going_on
    wie_viele? wie_lange wie_oft (?:zeig|sag|gib|schick|nenn)e?_(?:mir|uns) bitte eigentlich genau
    gesagt sagte erzählt geschrieben passiert
    combien (?:montre|dis|donne|envoie|rappelle)[sz]?-(?:moi|nous) s'il_(?:te|vous)_plaît
    exactement dit écrit raconté arrivé
    cuánt[oa]s? (?:muéstra|di|da|envía|recuérda)(?:me|nos) por_favor exactamente dijo dicho escrito
    quant[oa]s? (?:mostra|mostre|diga|envia|lembra)-(?:me|nos) por_favor exatamente disse escreveu
    quant[oaie] (?:mostra|di|da|manda|ricorda)(?:mi|ci) per_favore esattamente detto scritto
""")

_ASKING = lazy_pattern(
    rf"""(?<![\w-])(?:
      (?:(?:at|on|by|in|an|um|zu|à|a|en)\s+)?
        (?:what|which|welche[rmns]?|quel(?:le)?s?|qué|que|cuál|qual|quale|che)
        (?:\s+(?:is|was|are|were|the|exact|exactly))*\s+(?:{_NOUN_OF_TIME})
    | {_REQUESTS}
    )(?![\w-])""",
    re.VERBOSE | re.IGNORECASE,
)


def asking_spans(text: str) -> list[Span]:
    """Return the characters [start, stop) of the words that only ask, in order."""
    return [match.span() for match in _ASKING.finditer(masked(text))]


def without_spans(text: str, spans: list[Span]) -> str:
    """Return a text without some stretches of it, and with single spaces."""
    kept, stop = [], 0
    for start, end in sorted(spans):
        kept.append(text[stop : max(start, stop)])
        stop = max(stop, end)
    return " ".join(" ".join([*kept, text[stop:]]).split())


_I_SAID = lazy_pattern(
    rf"""(?<![\w-])(?:
      i(?:'ve|\s+have|\s+had|\s+did)?(?:\s+(?:ever|already|first|last|once|just|also|personally))*
        \s+(?:{
        alternatives('''
        say said tell told write wrote written send sent ask asked promise promised mention
        mentioned suggest suggested propose proposed reply replied answer answered email emailed
        text texted message messaged announce announced explain explained report reported''')
    })
    | my\s+(?:own\s+)?(?:{
        alternatives('''
        mails? emails? e-mails? messages? words? replies reply answers? posts? texts? letters?''')
    })
        \s+(?:to|about|on|in)
    | (?:ich\b.{{0,60}}\b|habe\s+ich\b.{{0,60}}\b)
        (?:gesagt|geschrieben|geschickt|gefragt|versprochen|schrieb|sagte)
    | (?:j'ai|ai-je)\s+(?:\w+\s+)?(?:dit|écrit|envoyé|demandé|promis)
    | (?:he\s+)?(?:dije|escribí|envié|mandé|pregunté|prometí)
    | he\s+(?:dicho|escrito|enviado|mandado|preguntado|prometido)
    | (?:eu\s+)?(?:escrevi|enviei|mandei|perguntei|prometi) | eu\s+disse
    | ho\s+(?:detto|scritto|mandato|inviato|chiesto|promesso)
    )(?![\w-])""",
    re.VERBOSE | re.IGNORECASE,
)


def asks_own_words(text: str) -> bool:
    """Return whether a question is after what the one who asks said or wrote."""
    return _I_SAID.search(masked(text).replace("\u2019", "'")) is not None


_ASSISTANT_SAID = lazy_pattern(
    rf"""(?<![\w-])(?:
      (?:the|my)\s+assistant
    | (?:did|have|had|were|was)\s+you | you\s+(?:\w+\s+)?(?:{
        alternatives('''
        said told suggested recommended advised proposed mentioned explained gave wrote listed''')
    })
    | (?:hast|hattest)\s+du | du\b.{{0,60}}\b(?:gesagt|empfohlen|vorgeschlagen|geraten|erwähnt)
    | (?:as-tu|avez-vous|tu\s+as|tu\s+m'as|vous\s+m'avez)\s+(?:\w+\s+)?
        (?:dit|conseillé|recommandé|proposé|suggéré)
    | (?:me\s+)?(?:dijiste|recomendaste|sugeriste|aconsejaste|propusiste)
    | (?:me\s+)?(?:disseste|recomendaste|sugeriste|aconselhaste)
    | (?:mi\s+)?hai\s+(?:detto|consigliato|suggerito|raccomandato|proposto)
    )(?![\w-])""",
    re.VERBOSE | re.IGNORECASE,
)


def asks_assistant(text: str) -> bool:
    """Return whether a question is after what the assistant said, suggested or recommended."""
    return _ASSISTANT_SAID.search(masked(text).replace("\u2019", "'")) is not None


_SPOKE = frozenset(
    """
    say says said saying tell tells told send sends sent write writes wrote written mention mentions
    mentioned ask asks asked reply replies replied answer answers answered email emailed mail mailed
    text texted message messaged suggest suggests suggested propose proposes proposed promise
    promises promised offer offers offered explain explains explained recommend recommended warn
    warns warned announce announced confirm confirmed request requested report reported advise
    advised forward forwarded share shared complain complained
    sagte sagt gesagt schrieb schreibt geschrieben schickte geschickt meinte fragte gefragt
    dit écrit écrivait envoyé demandé répondu dijo dicho escribió escrito envió enviado preguntó
    disse escreveu enviou perguntou detto scritto mandato inviato chiesto
""".split()
)

_FROM = frozenset("from by von vom durch de du des da di dal dalla del".split())
_TO = frozenset("to an à a al alla para".split())
_WITH = frozenset("with mit avec con com".split())
_ABOUT = frozenset("about regarding concerning re über sur sobre su".split())
_ASSIGNED = ("assigned to", "zugewiesen an", "attribuées à", "asignadas a", "assegnate a")
_OF = frozenset("of von de di".split())
_TASKS = frozenset(
    "task tasks ticket tickets issues todos aufgaben tâches tareas tarefas compiti".split()
)
_KIND_OF_TASK = frozenset("open done overdue pending remaining finished closed jira".split())
"""What may stand between "Sarah's" and the tasks that are hers."""

SPEECH_REACH = 3
"""So many words after a name may stand before the verb that makes it the one who spoke."""


def role_of_name(words: tuple[str, ...], start: int, stop: int) -> str:
    """Return the role that the words around a name at [start, stop) ask for, or an empty text.

    `words` are folded. Roles: author, to, attendee (takes part in any way), assignee, mentioned.
    """
    before = words[start - 1] if start else ""
    if _has_tasks(words, start, stop):
        return "assignee"
    for role, prepositions in (("author", _FROM), ("attendee", _WITH), ("mentioned", _ABOUT)):
        if before in prepositions:
            return role
    if before in _TO or (before in _SPOKE and "i" in words[max(0, start - 3) : start - 1]):
        return "to"
    if not _SPOKE.isdisjoint(words[stop : stop + SPEECH_REACH]):
        return "author"
    return ""


def _has_tasks(words: tuple[str, ...], start: int, stop: int) -> bool:
    """Return whether tasks of the named are meant: assigned to Sarah, tasks of Sarah, her tasks."""
    before, after = words[max(0, start - 2) : start], words[stop : stop + 2]
    if " ".join(before) in _ASSIGNED or (before[-1:] and before[-1] in _OF and before[0] in _TASKS):
        return True
    return bool(after) and after[-1 if after[0] in _KIND_OF_TASK else 0] in _TASKS


_AGENDA = lazy_pattern(
    rf"""(?<![\w-])(?:
      (?:what(?:'s|\s+is|\s+do\s+i\s+have|\s+did\s+i\s+have|\s+have\s+i\s+got|\s+was)?|got|have|anything|something)
        \s+(?:going\s+)?on(?!\s+(?:the|a|an|my|your|his|her|our|their|with|about)\b)
    | was\s+steht(?:\s+[\w.]+){{1,4}}\s+an(?=[\s?.!]*$)
    | on\s+(?:my|our|the|his|her)\s+(?:calendar|agenda|schedule|diary)
    | {
        alternatives('''
        scheduled schedule agenda diary planned upcoming take_place takes_place taking_place
        what_happens coming_up
        (?:am|are|is)_(?:i|we|he|she|they)_(?:free|busy|available|away)
        when_(?:am|are)_(?:i|we)_free
        steht_an ansteht anstehen habe_ich_vor vorhabe bin_ich_frei
        (?:suis-je|es-tu|est-il|est-elle)_libre prévus? prévues?
        estoy_libre programad[oa]s? tengo_previsto
        estou_livre marcad[oa]s? agendad[oa]s?
        sono_liber[oa] in_programma previst[oaei]''')
    }
    )(?![\w-])""",
    re.VERBOSE | re.IGNORECASE,
)
_DUE = lazy_pattern(
    rf"""(?<![\w-])(?:{
        alternatives('''
        due overdue deadlines? fällig überfällig frist échéances? vence vencen vencimiento
        scadenz[ae] scade scadono vencem prazo prazos''')
    })(?![\w-])""",
    re.IGNORECASE,
)


def agenda_spans(text: str) -> list[Span]:
    """Return where a question asks what takes place, or whether there is time."""
    return [match.span() for match in _AGENDA.finditer(masked(text))]


def due_spans(text: str) -> list[Span]:
    """Return where a question asks what is due."""
    return [match.span() for match in _DUE.finditer(masked(text))]
