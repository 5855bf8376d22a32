"""Follow-up questions: what a message means after the turn before it.

"And when?" asks when of what was asked before, "what did he answer?" is about the person of the
turn before, "the second one" is the second line of its answer, and after a question back the
message is its answer. In English, German, French, Spanish, Portuguese and Italian. Pure over texts;
must not know where the turn before is kept.
"""

import re
from dataclasses import dataclass
from functools import cache

from simonides.text.stopwords import stop_words
from simonides.text.unicode_version import fold_case
from simonides.text.word_patterns import lazy_pattern

LANGUAGES = ("en", "de", "fr", "es", "pt", "it")

QUESTION_CHARS_MAX = 1_000
"""Characters of what was asked before that are searched for once more."""

WORDS_MAX = 8
"""A message of more words says by itself what it is about."""

_CONNECTIVES = frozenset(
    "and but so then also or und aber oder dann et mais ou alors y pero e mas ma poi allora".split()
)
_QUESTION_WORDS = frozenset(
    """
    who what when where which why how whose whom about exactly else long much many
    wer was wann wo welche welcher welches warum wieso wie wem wen wieviel genau sonst
    qui que quoi quand où quel quelle quels quelles pourquoi comment combien
    quién quiénes qué cuándo dónde cuál cuáles cómo cuánto cuánta cuántos porqué
    quem quando onde qual quais como quanto quantos
    chi cosa dove quale quali come perché quanti
    """.split()
)
_PEOPLE = frozenset(
    """
    he she him her his hers they them their theirs
    er ihm ihn ihr ihre ihrem ihren seine sein seinem seinen
    il elle lui ils elles leur leurs
    él ella ellos ellas
    ele ela eles elas dele dela
    egli lei loro lui
    """.split()
)
"""Pronouns of people; what also means "it" in its language is resolved in the same way."""

_THINGS = frozenset(
    """
    it its that this these those one ones same
    es das dies dieses diese davon darüber dazu
    ça cela ceci celui celle
    eso esto ello esa ese
    isso isto disso esse essa
    esso questo quello ciò questa quella
    """.split()
)

_NTH = """
    first 1st erste ersten erster erstes premier première primero primera primeiro primeira primo
    | second 2nd zweite zweiten zweiter zweites deuxième segundo segunda secondo seconda
    | third 3rd dritte dritten drittes troisième tercero tercera terceiro terceira terzo terza
    | fourth 4th vierte vierten vierter viertes quatrième cuarto cuarta quarto quarta
    | fifth 5th fünfte fünften fünfter fünftes cinquième quinto quinta
    | sixth 6th sechste sechsten sixième sexto sexta sesto sesta
    | seventh 7th siebte siebten septième séptimo séptima sétimo sétima settimo settima
    | eighth 8th achte achten huitième octavo octava oitavo oitava ottavo ottava
    | ninth 9th neunte neunten neuvième noveno novena nono nona
    | tenth 10th zehnte zehnten dixième décimo décima decimo decima
"""
_LAST = "last letzte letzten letzter letztes dernier dernière último última ultimo ultima"

_ORDINALS = {
    word: place for place, words in enumerate(_NTH.split("|"), start=1) for word in words.split()
} | dict.fromkeys(_LAST.split(), -1)

_SHOWN = frozenset(
    """
    mail mails email emails message document note task event result hit item line entry file
    nachricht dokument notiz aufgabe termin ergebnis treffer eintrag zeile datei
    courriel mél tâche événement résultat ligne fichier
    correo mensaje documento nota tarea evento resultado línea archivo
    mensagem tarefa linha arquivo
    messaggio attività risultato riga
    show open read tell give see look more please say says
    zeig zeige öffne lies sag mehr bitte
    montre ouvre lis dis plus
    muestra abre lee dime más
    mostra mostre leia diga mais
    apri leggi dimmi più
    """.split()
)
"""What a line of an answer may be called, and what is asked of it."""

_NUMBERED = lazy_pattern(
    r"\[(\d{1,2})\]|#(\d{1,2})\b"
    r"|\b(?:number|no\.|nr\.|nummer|numéro|número|numero)\s*(\d{1,2})\b",
    re.IGNORECASE,
)
_WORD = lazy_pattern(r"[^\W_]+(?:'\w+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBefore:
    """What is known of the turn before: all of it may be missing.

    `question` is as it was understood, `people` are the names of whom it was about, `shown` the ids
    of what it showed, in the order of their numbers, `pending` the question that it put back.
    """

    question: str = ""
    people: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    pending: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A message as it is searched for, and the ids of what it names by its number.

    `topic` is what the next message may lean on: the question that this one leans on itself, if it
    does, so that follow-ups of follow-ups speak of the first.
    """

    question: str
    meant: tuple[str, ...] = ()
    topic: str = ""


def understand(message: str, before: TurnBefore) -> Understood:
    """Return the meaning of a message after the turn before; by itself, if it says so."""
    meant = _find_named_lines(message, before.shown)
    words = [fold_case(word) for word in _WORD.findall(message)]
    if meant or not before.question or not words:
        return Understood(question=message, meant=meant)
    if before.pending:
        return _leaning(message, before)
    if len(words) > WORDS_MAX:
        return Understood(question=message)
    named = _with_people(message, before.people)
    content = [word for word in words if word not in _empty_words()]
    if _leans_on(words, content, has_name=named != message):
        return _leaning(named, before)
    return Understood(question=named)


def _leaning(message: str, before: TurnBefore) -> Understood:
    return Understood(question=join_question(message, before.question), topic=before.question)


def _leans_on(words: list[str], content: list[str], *, has_name: bool) -> bool:
    """Return whether a message says too little without what was asked before."""
    if not content:
        return True
    is_continued = words[0] in _CONNECTIVES and words[0] != words[-1]
    speaks_of = has_name or not _THINGS.isdisjoint(words)
    return len(content) <= 1 and (is_continued or speaks_of)


def join_question(message: str, question: str) -> str:
    """Return the message with what was asked before it in parentheses."""
    return f"{message.strip()} ({question.strip()[:QUESTION_CHARS_MAX]})"


def _with_people(message: str, people: tuple[str, ...]) -> str:
    """Return the message with the person of the turn before in the place of a pronoun."""
    if not people:
        return message
    for match in _WORD.finditer(message):
        if fold_case(match[0]) in _PEOPLE:
            return f"{message[: match.start()]}{people[0]}{message[match.end() :]}"
    return message


def _find_named_lines(message: str, shown: tuple[str, ...]) -> tuple[str, ...]:
    """Return the ids of the lines that a message names: `the second one`, `number 3`, `[1]`."""
    numbers = [int(next(filter(None, groups))) for groups in _NUMBERED.findall(message)]
    words = [fold_case(word) for word in _WORD.findall(message)]
    rest = set(words) - _empty_words() - _SHOWN
    if not numbers and rest and rest <= _ORDINALS.keys() and len(words) <= WORDS_MAX:
        numbers = [_ORDINALS[word] for word in words if word in rest]
    places = [len(shown) if number == -1 else number for number in numbers]
    return tuple(dict.fromkeys(shown[at - 1] for at in places if 0 < at <= len(shown)))


@cache
def _empty_words() -> frozenset[str]:
    """Return the words that say nothing by themselves, in all languages, less the ordinals."""
    listed = frozenset[str]().union(*map(stop_words, LANGUAGES))
    every = listed | _CONNECTIVES | _QUESTION_WORDS | _PEOPLE | _THINGS
    return every - _ORDINALS.keys()
