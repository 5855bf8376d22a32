"""An item becomes what the store keeps: chunks with terms and vectors, and mentions.

A function of the item and the settings alone: nothing here looks at what else is kept, so order
of writing leaves no trace and nothing of one item lives on in another. Must not know stores.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from simonides.entities.extract import mentions_of
from simonides.model.item import Item, digest
from simonides.model.kept import EmbedderIdentity, Prepared, PreparedChunk
from simonides.ports.embedder import Embedder
from simonides.scoring.quantise import quantise
from simonides.text.analyse import analyse
from simonides.text.chunk import ChunkRule, Span, chunk, rule_for
from simonides.text.dates import holds_time
from simonides.text.language import detect
from simonides.text.terms import pack

HEADER_CHARS_MAX = 2_000
"""How much title, tags and metadata go into every chunk's terms: they name it, they are not it."""

EMBEDDED_HEADER_CHARS_MAX = 200
"""How much of a title goes before a chunk's text into its vector."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparer:
    """How items are prepared in one space."""

    identity: EmbedderIdentity
    embedder: Embedder | None
    language: str = "en"
    detect_language: bool = True

    @property
    def rule(self) -> ChunkRule:
        """How long chunks are: by what the embedder reads at once."""
        return rule_for(self.identity.window_words)

    def prepare(self, items: Sequence[Item]) -> list[Prepared]:
        """Return the items ready to commit, in their order; the embedder sees all at once.

        Raises:
            EmbedderError: The model failed; nothing was written.
        """
        items = [self.settled(item) for item in items]
        spans = [self._spans(item) for item in items]
        vectors = iter(self._vectors(items, spans))
        return [
            Prepared(
                item=item,
                digest=digest(item),
                chunks=tuple(
                    self._chunk(item, span, vector=next(vectors), is_first=i == 0)
                    for i, span in enumerate(own)
                ),
                mentions=mentions_of(item),
            )
            for item, own in zip(items, spans, strict=True)
        ]

    def settled(self, item: Item) -> Item:
        """Return the item as it is kept: in the language that it names, or else seems to be in.

        An item that is read back and kept again is so the same as before, to its digest.
        """
        return item if item.language else replace(item, language=self._language(item))

    def _spans(self, item: Item) -> list[Span]:
        """Return the chunks of the content; an item of a title alone has one empty chunk."""
        rule = self.rule
        spans = chunk(
            item.content,
            words_target=rule.words_target,
            words_max=rule.words_max,
            overlap_words=rule.overlap_words,
        )
        return spans or [Span(start=0, stop=0)]

    def _vectors(self, items: Sequence[Item], spans: Sequence[Sequence[Span]]) -> list[bytes]:
        pairs = [(item, span) for item, own in zip(items, spans, strict=True) for span in own]
        if self.embedder is None:
            return [b""] * len(pairs)
        texts = [embedded_text(item, span) for item, span in pairs]
        return [row.tobytes() for row in quantise(self.embedder.embed(texts))]

    def _chunk(self, item: Item, span: Span, *, vector: bytes, is_first: bool) -> PreparedChunk:
        text = item.content[span.start : span.stop]
        header = indexed_header(item, is_first=is_first)
        terms = analyse(f"{header}\n{text}", item.language)
        return PreparedChunk(
            start=span.start,
            stop=span.stop,
            words=len(text.split()),
            dated=holds_time(text),
            length=len(terms),
            terms=pack(Counter(terms)),
            vector=vector,
        )

    def _language(self, item: Item) -> str:
        if not self.detect_language:
            return self.language
        return detect(item.content or item.title, default=self.language)


def indexed_header(item: Item, *, is_first: bool) -> str:
    """Return what is indexed with a chunk besides its text: who, when, what it is called.

    Every chunk carries the title, the author, the date in words and the tags, so that each can be
    found by them; the summary and metadata go with the first.
    """
    author = item.author
    parts = [
        item.title,
        (author.name or author.address) if author else "",
        f"{item.happened_at:%-d %B %Y}" if item.happened_at else "",
        " ".join(item.tags),
    ]
    if is_first:
        parts += [item.summary, *metadata_texts(item.metadata)]
    return "\n".join(part for part in parts if part)[:HEADER_CHARS_MAX]


def metadata_texts(metadata: Mapping[str, Any]) -> Iterable[str]:
    """Yield the texts and numbers of metadata whose keys do not begin with an underscore."""
    for key, value in metadata.items():
        if not key.startswith("_"):
            yield from _texts(value)


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)


def embedded_text(item: Item, span: Span) -> str:
    """Return the words a chunk's vector is made of: the author's name or the title, and its text.

    Only the item's own words: what is erased must not live on in another item's vector.
    """
    text = item.content[span.start : span.stop]
    title = item.title[:EMBEDDED_HEADER_CHARS_MAX]
    author = item.author.name if item.author else ""
    lead = f"{author}: " if author else ""
    return f"{title}\n{lead}{text}" if title else f"{lead}{text}"
