"""In which language items are: what they name, what their own words show, what the rest is in.

A message of three words or the title of an event is too short to tell; it is taken to be in the
language of what came with it, else of what was stored before it. Must not know how texts are
indexed.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from simonides.config import Settings
from simonides.index.open_space import OpenSpace
from simonides.model.item import Item, Kind, in_language
from simonides.ports.space import Reader
from simonides.text.language import detect, language_asked, speaks_rather
from simonides.text.word_patterns import lazy_pattern

_JOINT_WORDS_MIN: Final = 40
"""So many words of items that are too short alone tell as much as a text; seven signatures of
French people (32 words) are taken for Catalan."""
_WORD: Final = lazy_pattern(r"[^\W\d_]+")
"""What is no figure: amounts and numbers are in no language."""
_SPOKEN_MIN: Final = 0.1
"""In a language of a smaller share of what came with it, a short text is not looked for: detection
errs in one of a hundred."""
_RECENT_COMMITS, _RECENT_ITEMS = 32, 256
"""Whose language counts as the usual one: a bound, so that adding costs the same in any space."""
_LABELLED: Final = lazy_pattern(
    r"(?m)^(?:[A-Z][a-z ]+: |Cancelled|Tentative,|Moved from |Changed for good).*$"
)
"""A line that an importer writes about an event or a task: "When: Friday 12 June 2026"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """In which language texts are taken to be: ISO 639-1, as the settings have it.

    `language` is that of texts which nothing tells, and of all of them where `detects` is false.
    """

    language: str = "en"
    detects: bool = True

    @staticmethod
    def by(settings: Settings) -> "Spoken":
        """Return the languages that the settings have."""
        return Spoken(language=settings.language, detects=settings.detect_language)

    def of(self, text: str) -> str:
        """Return the language of a text: put or asked, it is always the same."""
        return detect(text, default=self.language) if self.detects else self.language

    def settle(self, items: Sequence[Item], *, reader: Reader | None = None) -> list[Item]:
        """Return the items, each in a language: in their order, what has one as it is.

        A text too short to tell is in that of its present version, if `reader` knows one; else in
        that of a language of the others that has most of its words. Where none has, it is in that
        of the short texts from the same source in `items`, read as one; of most others; of most
        that `reader` has of late; else in `language`.
        """
        if not self.detects:
            return [in_language(item, item.language or self.language) for item in items]
        shown = [item.language or detect(_own_words(item), default="") for item in items]
        short = [item for item, one in zip(items, shown, strict=True) if not one]
        if not short:
            return list(map(in_language, items, shown))
        guessed = self._guess(short, Counter(filter(None, shown)), reader)
        return [
            in_language(item, one or guessed[item.id])
            for item, one in zip(items, shown, strict=True)
        ]

    def _guess(
        self, items: Sequence[Item], others: Counter[str], reader: Reader | None
    ) -> dict[str, str]:
        """Return by id the languages of items that do not show theirs; `others` are of the rest."""
        kept = {} if reader is None else _present_languages(items, reader)
        texts = defaultdict[str, list[str]](list)
        for item in items:
            if not kept.get(item.id):
                texts[item.source].append(_own_words(item))
        if texts and reader and not others:
            others = _recent_languages(reader)
        usual = _most(others)
        spoken = [one for one in others if others[one] >= _SPOKEN_MIN * others.total()]
        of_source = {one: _read_as_one(texts[one], usual) or self.language for one in texts}
        return {
            item.id: kept.get(item.id)
            or language_asked(_own_words(item), (of_source[item.source], *spoken))
            for item in items
        }


def settle(items: Sequence[Item], opened: OpenSpace) -> list[Item]:
    """Return the items, each in a language, as the settings and the space have it."""
    spoken, space = Spoken.by(opened.settings), opened.find()
    if space is None or all(item.language for item in items):
        return spoken.settle(items)
    with space.read() as reader:
        return spoken.settle(items, reader=reader)


def _own_words(item: Item) -> str:
    """Return the words of people: of an event or a task the title and what was said of it."""
    if item.kind not in (Kind.EVENT, Kind.TASK):
        return item.content or item.title
    labels, _, description = item.content.partition("\n\n")
    return f"{item.title}\n{_LABELLED.sub('', labels)}\n{description}"


def _read_as_one(texts: Sequence[str], usual: str) -> str:
    """Return the language of short texts together, or `usual` where they are too few to tell."""
    joint = "\n".join(texts)
    found = detect(joint, default=usual)
    if not usual or found == usual:
        return found
    is_enough = len(_WORD.findall(joint)) >= _JOINT_WORDS_MIN
    return found if is_enough and speaks_rather(joint, found, than=usual) else usual


def _present_languages(items: Sequence[Item], reader: Reader) -> dict[str, str]:
    present = reader.items(reader.keys([item.id for item in items])).values()
    return {item.id: item.language for item in present}


def _recent_languages(reader: Reader) -> Counter[str]:
    rows = reader.item_rows(max(0, reader.revision - _RECENT_COMMITS))
    return Counter(row.language for row in islice(rows, _RECENT_ITEMS))


def _most(counted: Counter[str]) -> str:
    """Return the language of most; of several the first by name."""
    return min(counted, key=lambda one: (-counted[one], one), default="")
