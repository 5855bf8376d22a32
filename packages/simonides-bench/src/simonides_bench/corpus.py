"""Real English prose that every machine has: the documentation in Python's own library.

Knows where it lies, what of it is prose, and how long a passage is. Must not know items or
vectors. Nothing is imported to be read but `pydoc_data.topics`, which is data.
"""

import ast
import importlib
import re
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from simonides.errors import NotFound
from simonides.text.sentences import sentences

WORDS_TARGET = 100
"""Words of a passage at most: what the chunker aims at for the default embedder."""

WORDS_MIN = 40
"""A passage of fewer words is left out, so that lengths stay those of the chunker."""

SENTENCE_WORDS = range(5, 61)
"""Words of a sentence; what is shorter or longer is seldom prose."""

PROSE_SHARE_MIN = 0.88
"""Share of letters, spaces, commas and full stops in prose; code and tables have less."""

_ASIDE = frozenset(
    {"test", "tests", "idle_test", "idlelib", "lib2to3", "site-packages", "dist-packages",
     "pydoc_data", "turtledemo", "ensurepip", "encodings", "__pycache__"}
)  # fmt: skip
_PROSE_CHAR = re.compile(r"[A-Za-z ,.]")
_CODE = re.compile(r">>>|::|[={}\\|<>]|\w\(\w|^\W|[*_]{2,}")
_MARK = re.compile(r"``?|''|:\w+:(?=`)|(?<=\W)[*_](?=\w)|(?<=\w)[*_](?=\W)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Consecutive sentences of one document, about as many words as the chunker aims at."""

    document: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """The sentences as one paragraph."""
        return " ".join(self.sentences)


def passages(*, passages_max: int) -> list[Passage]:
    """Return the first passages of the library's documentation; the same on one Python version.

    Raises:
        NotFound: This Python came without its documentation and sources.
    """
    found: list[Passage] = []
    said: set[str] = set()
    for document, text in documents():
        found += _passages(document, _new(prose(text), said))
        if len(found) >= passages_max:
            return found[:passages_max]
    if not found:
        raise NotFound("documentation in Python's library", sysconfig.get_path("stdlib"))
    return found


def documents() -> Iterator[tuple[str, str]]:
    """Yield (name, text): the language reference by topic, then each module's docstrings."""
    try:
        topics: dict[str, str] = importlib.import_module("pydoc_data.topics").topics
    except ImportError:  # some systems leave it out
        topics = {}
    yield from sorted(topics.items())
    root = Path(sysconfig.get_path("stdlib"))
    for path in _modules(root):
        name = path.relative_to(root)
        if not _ASIDE.intersection(name.parts):
            yield name.as_posix(), "\n\n".join(docstrings(path.read_text("utf-8", "replace")))


def _modules(root: Path) -> list[Path]:
    """Return the module files below the library's folder, in order of their paths."""
    tops = [top for top in root.iterdir() if top.name not in _ASIDE]
    below = (found for top in tops if top.is_dir() for found in top.rglob("*.py"))
    return sorted([*(top for top in tops if top.suffix == ".py"), *below])


def docstrings(source: str) -> list[str]:
    """Return the docstrings of a module's source, outermost first; none where it is no Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = (ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, holders))
    return [text for text in found if text]


def prose(text: str) -> Iterator[str]:
    """Yield the sentences of a text that read as English, their mark-up taken off."""
    for paragraph in re.split(r"\n\s*\n", text):
        joined = _MARK.sub("", " ".join(paragraph.split()))
        for start, stop in sentences(joined):
            if _is_prose(joined[start:stop]):
                yield joined[start:stop]


def _is_prose(sentence: str) -> bool:
    if not (sentence[0].isupper() and sentence[-1] in ".?!") or _CODE.search(sentence):
        return False
    share = len(_PROSE_CHAR.findall(sentence)) / len(sentence)
    return len(sentence.split()) in SENTENCE_WORDS and share >= PROSE_SHARE_MIN


def _new(found: Iterable[str], said: set[str]) -> Iterator[str]:
    """Yield the sentences that were not said before, and remember them."""
    for sentence in found:
        if sentence not in said:
            said.add(sentence)
            yield sentence


def _passages(document: str, found: Iterable[str]) -> Iterator[Passage]:
    gathered: list[str] = []
    words = 0
    for sentence in found:
        more = len(sentence.split())
        if words + more > WORDS_TARGET:
            if words >= WORDS_MIN:
                yield Passage(document=document, sentences=tuple(gathered))
            gathered, words = [], 0
        gathered.append(sentence)
        words += more
    if words >= WORDS_MIN:
        yield Passage(document=document, sentences=tuple(gathered))
