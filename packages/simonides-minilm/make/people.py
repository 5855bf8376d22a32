"""Labelled lives as the engine sees them: the texts of chunks, and questions with their answers.

Knows how the engine reads files and cuts items into chunks. Must not know what is learned from it.
"""

import tempfile
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from simonides import Memory, Settings
from simonides.ingest.prepare import Preparer, embedded_text
from simonides.model.item import Item
from simonides.models.embedding.minilm import IDENTITY
from simonides.text.chunk import Span
from simonides_bench.desk.folder import DeskFolder
from simonides_bench.desk.groups import NeutralFile
from simonides_bench.desk.spaces import Part, items_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, for each piece of evidence the items that are it, and what else is said of it.

    `fine` are the items that answer it or repeat the answer, `must_not` those that look so and do
    not; nothing answers a question without evidence.
    """

    text: str
    answer: str
    evidence: tuple[tuple[str, ...], ...]
    fine: frozenset[str]
    must_not: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """All items of one person, each as the texts of its chunks, and the questions about them."""

    name: str
    items: dict[str, list[str]]
    questions: list[Question]


def read_people(path: Path) -> list[Person]:
    """Return the persons of a desk's folder, or of a file of the neutral format, by name."""
    source = DeskFolder(path) if path.is_dir() else NeutralFile(path)
    settings = Settings(embedder="none", timezone="UTC")
    with tempfile.TemporaryDirectory() as home, Memory(home, settings=settings) as memory:
        source.fill(memory)
        parts = list(source.parts(memory))
        names = [source.name] if len(parts) == 1 else [part.questions[0].group for part in parts]
        return [_person(name, part) for name, part in zip(names, parts, strict=True)]


def _person(name: str, part: Part) -> Person:
    items = {one.id: _texts(one) for one in items_of(part.space)}
    owners: dict[str, list[str]] = {}
    for item_id in items:
        for label in sorted(part.names.get(item_id, ())):
            owners.setdefault(label, []).append(item_id)

    def meant(labels: frozenset[str]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(owners[label]) for label in sorted(labels) if label in owners)

    questions = [
        Question(
            text=one.text, answer=one.answer, evidence=meant(one.evidence),
            fine=frozenset(chain(*meant(one.evidence), *meant(one.also_ok))),
            must_not=tuple(chain(*meant(one.must_not))),
        )
        for one in part.questions
    ]  # fmt: skip
    return Person(name=name, items=items, questions=questions)


def _texts(item: Item) -> list[str]:
    """Return what the engine embeds of an item: one text for each chunk."""
    [prepared] = Preparer(identity=IDENTITY, embedder=None).prepare([item])
    spans = [Span(start=one.start, stop=one.stop) for one in prepared.chunks]
    return [embedded_text(item, span) for span in spans]
