"""An item becomes what the store keeps: chunks with terms and vectors, and mentions.

A function of the item and the settings alone: nothing here looks at what else is kept, so order
of writing leaves no trace and nothing of one item lives on in another.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from simonides.entities.extract import mentions_of
from simonides.index.open_space import OpenSpace
from simonides.ingest.languages import Spoken, settle
from simonides.model.item import Item, Kind, digest
from simonides.model.metadata_keys import TIME_ZONE_KEY
from simonides.model.stored import EmbedderIdentity, Prepared, PreparedChunk
from simonides.ports.foreign_models import embed_texts
from simonides.ports.models import Embedder
from simonides.scoring.quantise import quantise
from simonides.text.analyse import term_keys
from simonides.text.chunk import ChunkRule, Span, chunk, rule_for, word_count
from simonides.text.dates import holds_time
from simonides.text.terms import KEY_BYTES, pack_all
from simonides.text.word_patterns import lazy_pattern

HEADER_CHARS_MAX = 2_000
"""How much title, tags and metadata go into every chunk's terms: they name it, they are not it."""

EMBEDDED_HEADER_CHARS_MAX = 200
"""How much of a title goes before a chunk's text into its vector."""


TITLED_WORDS_MIN = 4
"""Shorter messages have no title in their vectors (measured: docs/explanation/ranking.md)."""


class _Piece(NamedTuple):
    """What becomes a chunk once the terms of all are packed; `keys` are as `term_keys` has them."""

    span: Span
    words: int
    dated: bool
    keys: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparer:
    """How items are prepared in one space."""

    identity: EmbedderIdentity
    embedder: Embedder | None
    spoken: Spoken = field(default_factory=Spoken)

    @property
    def rule(self) -> ChunkRule:
        """How long chunks are: by what the embedder reads at once."""
        return rule_for(self.identity.window_words)

    def prepare(self, items: Sequence[Item]) -> list[Prepared]:
        """Return the items ready to commit, in their order; the embedder sees all at once.

        Raises:
            EmbedderError: The model failed; nothing was written.
        """
        read = [self._read(item) for item in self.spoken.settle(items)]
        pairs = [(item, piece) for item, pieces in read for piece in pieces]
        chunks = iter(_chunks([piece for _, piece in pairs], self._vectors(pairs)))
        return [
            Prepared(
                item=item,
                digest=digest(item),
                chunks=tuple(islice(chunks, len(pieces))),
                mentions=mentions_of(item),
            )
            for item, pieces in read
        ]

    def _read(self, item: Item) -> tuple[Item, list[_Piece]]:
        """Return the item with what becomes its chunks; a word is cut out once."""
        runs = item.content.split()
        return item, list(_pieces(item, self._spans(item, runs), runs))

    def _spans(self, item: Item, runs: Sequence[str]) -> list[Span]:
        """Return the chunks of the content; an item of a title alone has one empty chunk."""
        rule = self.rule
        spans = chunk(
            item.content,
            words_target=rule.words_target,
            words_max=rule.words_max,
            overlap_words=rule.overlap_words,
            runs=runs,
        )
        return spans or [Span(start=0, stop=0)]

    def _vectors(self, pairs: Sequence[tuple[Item, _Piece]]) -> list[bytes]:
        if self.embedder is None:
            return [b""] * len(pairs)
        return vectors_of([embedded_text(item, piece.span) for item, piece in pairs], self.embedder)


def vectors_of(texts: Sequence[str], embedder: Embedder) -> list[bytes]:
    """Return the quantised vectors of texts, in their order; equal ones are embedded once."""
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        return []
    rows = quantise(embed_texts(distinct, embedder))
    known = {text: row.tobytes() for text, row in zip(distinct, rows, strict=True)}
    return [known[text] for text in texts]


def preparer_of(
    opened: OpenSpace, *, identity: EmbedderIdentity | None = None, vectors: bool = True
) -> Preparer:
    """Return how items are prepared by the settings, for the space's embedder or another one.

    Without `vectors`, chunks wait for theirs.
    """
    settings, wanted = opened.settings, identity or opened.identity
    return Preparer(
        identity=wanted,
        embedder=opened.home.embedder_for(wanted) if vectors else None,
        spoken=Spoken.by(settings),
    )


def prepare_items(items: Sequence[Item], opened: OpenSpace) -> list[Prepared]:
    """Return the items ready to commit, each in a language, as the settings and the space have it.

    Raises:
        EmbedderError: The model failed; nothing was written.
    """
    return preparer_of(opened).prepare(settle(items, opened))


def _pieces(item: Item, spans: Sequence[Span], runs: Sequence[str]) -> Iterator[_Piece]:
    """Yield what becomes the item's chunks; a header is analysed once for all that carry it."""
    named = _header_keys(item, is_first=True)
    for n, span in enumerate(spans):
        if n == 1:
            named = _header_keys(item, is_first=False)
        text = item.content[span.start : span.stop]
        own = runs if len(spans) == 1 else text.split()
        yield _Piece(
            span=span,
            words=len(own) if text.isascii() else word_count(text),
            dated=holds_time(text, runs=own),
            keys=named + term_keys(own, item.language),
        )


def _header_keys(item: Item, *, is_first: bool) -> bytes:
    return term_keys(indexed_header(item, is_first=is_first).split(), item.language)


def _chunks(pieces: Sequence[_Piece], vectors: Sequence[bytes]) -> Iterator[PreparedChunk]:
    """Yield the chunks that pieces become, their terms packed all at once."""
    packed = pack_all([piece.keys for piece in pieces])
    for piece, terms, vector in zip(pieces, packed, vectors, strict=True):
        yield PreparedChunk(
            start=piece.span.start,
            stop=piece.span.stop,
            words=piece.words,
            dated=piece.dated,
            length=len(piece.keys) // KEY_BYTES,
            terms=terms,
            vector=vector,
        )


def indexed_header(item: Item, *, is_first: bool) -> str:
    """Return the texts indexed with a chunk besides its own: people, day and title.

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


_TIME = lazy_pattern(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:?\d\d)?)?")


def metadata_texts(metadata: Mapping[str, Any]) -> Iterable[str]:
    """Yield the texts and numbers of metadata, without times and the name of a time zone.

    Those under keys that begin with an underscore are left out. Times (ISO 8601) are asked for as
    times, and their parts would be words: "21", "2026", "00". All events of a person in Berlin have
    the time zone of Berlin, and few are about it.
    """
    for key, value in metadata.items():
        if not key.startswith("_") and key != TIME_ZONE_KEY:
            yield from _texts(value)


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        text = str(value)
        if not _TIME.fullmatch(text):
            yield text


def embedded_text(item: Item, span: Span) -> str:
    """Return the words a chunk's vector is made of: the author's name or the title, and its text.

    Only the item's own words: what is erased must not live on in another item's vector. A message
    of a word or three ("ah", "yes please") has no title there: it would mean what its chat is
    called.
    """
    text = item.content[span.start : span.stop]
    is_filler = item.kind is Kind.MESSAGE and word_count(text) < TITLED_WORDS_MIN
    title = "" if is_filler else item.title[:EMBEDDED_HEADER_CHARS_MAX]
    author = item.author
    lead = f"{author.name}: " if author and author.name else ""
    return f"{title}\n{lead}{text}" if title else f"{lead}{text}"
