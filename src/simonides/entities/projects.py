"""Project names: a project is one entity, however its name is written.

"Project Alpha", "the Alpha project", "Alpha-Projekt" and "Project Alpha Update" all name the
project `alpha`: the word for project, and what a document about it is called, are no part of its
name. Pure over texts.
"""

from collections.abc import Iterator
from typing import NamedTuple

from simonides.text.stopwords import stop_words
from simonides.text.unicode_version import fold_case
from simonides.text.word_patterns import lazy_pattern

PROJECT_WORDS = ("project", "projekt", "projet", "proyecto", "projeto", "progetto")
"""The word for a project in the languages that are supported."""

ABOUT = frozenset(
    """
    update updates plan plans planning report reports status review reviews kickoff kick-off
    meeting meetings call sync standup stand-up notes minutes agenda budget timeline schedule
    roadmap deadline deadlines launch team deck slides brief briefing proposal summary overview
    documentation docs document documents spec specs specification requirements milestone
    milestones risk risks demo retrospective retro workshop invoice contract draft final phase
    files folder weekly daily monthly owner lead leader manager management page channel board
    task tasks ticket tickets issue issues charter scope goals checklist handover delivery
    statusbericht bericht besprechung sitzung zeitplan planung angebot protokoll unterlagen
    termin treffen abschluss auftakt entwurf stand team leitung leiter leiterin übersicht
    réunion rapport compte-rendu calendrier mise point suivi lancement bilan équipe planification
    reunión informe presupuesto calendario actualización lanzamiento estado equipo resumen
    reunião relatório orçamento cronograma atualização lançamento equipe resumo
    riunione relazione rapporto bilancio aggiornamento lancio verbale riepilogo squadra piano
    """.split()
)
"""What documents and meetings about a project are called: there its name has ended."""

_QUOTES = "\"'\u201e\u201c\u201d\u00ab\u00bb\u2018\u2019"
_WORD = r"[A-ZÀ-ÖØ-Þ][\w-]{0,40}"
_KIND = "|".join(f"[{word[0].upper()}{word[0]}]{word[1:]}" for word in PROJECT_WORDS)
_BEFORE = lazy_pattern(rf"\b({_KIND})[ :]{{1,2}}[{_QUOTES}]?({_WORD}(?: {_WORD}){{0,3}})")
_AFTER = lazy_pattern(rf"\b((?:{_WORD} )?{_WORD})[ -](?:{_KIND})\b(?!-)")
_PARTS = lazy_pattern(rf"[\s:{_QUOTES}]+")


class ProjectName(NamedTuple):
    """A project's name in a text: as it is written there, its id's part, and where it stands."""

    name: str
    core: str
    start: int
    stop: int


def project_names(text: str) -> Iterator[ProjectName]:
    """Yield the project names in a text; "The project" and "Project Plan" are none."""
    if not any(word[1:] in text for word in PROJECT_WORDS):
        return
    for match in _BEFORE.finditer(text):
        words = _own_words(match[2].split(" "))
        if words:
            kind = match[1][0].upper() + match[1][1:]
            yield _name(f"{kind} {' '.join(words)}", words, match.start(), match.end())
    for match in _AFTER.finditer(text):
        words = _without_articles(match[1].split(" "))
        if words and _own_words(words) == words:
            start = match.end(1) - len(" ".join(words))
            yield _name(text[start : match.end()], words, start, match.end())


def _name(name: str, words: list[str], start: int, stop: int) -> ProjectName:
    return ProjectName(name=name, core=fold_case(" ".join(words)), start=start, stop=stop)


def core_of(name: str) -> str:
    """Return the key of a project: its folded name, without the words around it.

    `Project Alpha Update`, `alpha` and `Alpha project` all give `alpha`. A name of nothing but
    such words is returned whole.
    """
    folded = fold_case(name)
    words = [word for word in _PARTS.split(folded) if word]
    for kind in PROJECT_WORDS:
        words = [word.removesuffix(f"-{kind}") for word in words]
    own = _own_words([word for word in words if word not in PROJECT_WORDS])
    return " ".join(own) or " ".join(words)


def _own_words(words: list[str]) -> list[str]:
    """Return the words before the first that belongs to a sentence or to a document's title."""
    for place, word in enumerate(words):
        plain = fold_case(word)
        if plain in ABOUT or (plain in stop_words("en") and (place or plain in _ARTICLES)):
            return words[:place]
    return words


_ARTICLES = frozenset(
    """
    the a an this that our my your their his her its no any each every which what when where why
    how if in on at for of and or but is was are
    """.split()
)


def _without_articles(words: list[str]) -> list[str]:
    if len(words) > 1 and fold_case(words[0]) in stop_words("en"):
        words = words[1:]
    return [] if any(fold_case(word) in stop_words("en") for word in words) else words
