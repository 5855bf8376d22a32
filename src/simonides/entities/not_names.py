"""Capitalised words that name nothing: greetings, sign-offs, roles, clock and calendar words.

In English, German, French, Spanish, Portuguese and Italian. Pronouns and articles are in the stop
words of a language. Knows words only; must not look at items.
"""

from collections.abc import Sequence

from simonides.text.unicode_version import fold_case

ROLES = frozenset(
    """
    user assistant system human ai bot tool model agent chatbot
    nutzer nutzerin benutzer benutzerin assistent assistentin mensch
    utilisateur utilisatrice usuario usuaria asistente usuário usuária utilizador assistente utente
    """.split()
)
"""The speakers of a chat with a machine: roles, not people."""

GREETINGS = frozenset(
    """
    hi hello hey dear hiya howdy greetings welcome good morning afternoon evening night
    hallo hej moin servus grüezi grüß grüss liebe lieber liebes liebste geehrte geehrter guten
    gute morgen tag abend
    bonjour bonsoir salut coucou cher chère chers chères
    hola querido querida queridos queridas estimado estimada estimados estimadas buenos buenas
    días tardes noches
    olá oi caro cara caros caras prezado prezada prezados bom boa dia tarde noite
    ciao salve gentile gentili egregio egregia buongiorno buonasera cari care
    """.split()
)

SIGN_OFFS = frozenset(
    """
    regards best kind warm warmest warmly cheers sincerely yours faithfully truly thanks thank thx
    many cordially love respectfully ps cc fyi asap
    gruß gruss grüße grüsse grüßen viele vielen herzliche herzlichen beste besten dank danke mfg
    lg vg hochachtungsvoll freundliche freundlichen schöne schönen
    cordialement bien merci amitiés bises bisous salutations respectueusement
    saludos saludo atentamente gracias abrazo abrazos cordiales
    cumprimentos atenciosamente obrigado obrigada abraço abraços beijos
    saluti saluto cordiali grazie distinti cordialmente baci
    """.split()
)

HONORIFICS = frozenset(
    """
    mr mrs ms miss mx dr prof professor doctor sir madam herr frau monsieur madame mademoiselle mme
    mlle señor señora señorita don doña senhor senhora doutor doutora signor signora signore dott
    dottore dottoressa sr sra ing rev
    """.split()
)
"""Before a name these are part of it; alone they name nobody."""

COLLECTIVES = frozenset(
    """
    all everyone everybody team folks guys friends colleagues sirs ladies gentlemen
    alle alles zusammen kollegen kolleginnen freunde damen herren
    tous toutes équipe amis collègues messieurs mesdames
    todos todas equipo amigos amigas equipe colegas
    tutti tutte colleghi squadra amici
    """.split()
)

CLOCK = frozenset(
    """
    uhr am pm a.m p.m o'clock noon midnight gmt utc bst cet cest est edt cst cdt mst mdt pst pdt
    ist wet west eet eest mez mesz
    stunde stunden minute minuten minutes hour hours heure heures hora horas ora ore minuto
    minutos minuti mittag mitternacht midi minuit mediodía medianoche mezzogiorno mezzanotte
    """.split()
)

CALENDAR = frozenset(
    """
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday tonight
    januar jänner februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag
    freitag samstag sonnabend sonntag heute gestern übermorgen vorgestern wochenende
    janvier février mars avril juin juillet août septembre octobre novembre décembre lundi mardi
    mercredi jeudi vendredi samedi dimanche aujourd'hui demain hier
    enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre
    diciembre lunes martes miércoles jueves viernes sábado domingo hoy mañana ayer
    janeiro fevereiro março maio junho julho setembro outubro novembro dezembro segunda-feira
    terça-feira quarta-feira quinta-feira sexta-feira hoje amanhã ontem
    gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre lunedì martedì
    mercoledì giovedì venerdì sabato domenica oggi domani ieri
    """.split()
)
"""Capitalised by custom, names of nothing."""

ABBREVIATED = frozenset(
    """
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
    okt dez mär mrz di mi do fr sa so janv févr juil déc ene abr ago dic fev set out gen mag giu
    lug ott
    """.split()
)
"""Short names of days and months. Some are given names, too: they are none beside a number."""

_EDGES = GREETINGS | SIGN_OFFS
_JOINING = frozenset("and of the und et de la y e da do di van von".split())
_NOTHING = _JOINING | _EDGES | ROLES | HONORIFICS | COLLECTIVES | CLOCK | CALENDAR


def names_nothing(words: Sequence[str]) -> bool:
    """Return whether these words are greetings, roles, clock words and the like alone."""
    return all(fold_case(word).strip(".'\u2019") in _NOTHING for word in words)


def is_role(name: str) -> bool:
    """Return whether a speaker's name is a role (`user`, `Assistant`), not a person's name."""
    words = name.split()
    return bool(words) and all(fold_case(word) in ROLES for word in words)


def without_greeting(words: Sequence[str]) -> list[str]:
    """Return the words without greetings before and sign-offs around: `Hi Jonas` is `Jonas`."""
    start, stop = 0, len(words)
    while start < stop and fold_case(words[start]) in _EDGES:
        start += 1
    while stop > start and fold_case(words[stop - 1]) in _EDGES:
        stop -= 1
    return list(words[start:stop])
