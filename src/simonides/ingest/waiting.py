"""Give chunks the vectors that they wait for: newest items first, a slice at a time.

Each slice is one write with a revision of its own, so what is done stays done wherever this ends,
and whoever goes on finds what is left. Must not know who asks for it.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice

from simonides.index.open_space import OpenSpace
from simonides.ingest.at_work import at_work
from simonides.ingest.prepare import embedded_text, vectors_of
from simonides.model.lease import Work
from simonides.model.stored import LateVector
from simonides.ports.models import Embedder
from simonides.ports.space import Space
from simonides.text.chunk import Span

SLICE_CHUNKS = 64
"""Chunks of one write: enough for every thread, and well under a second of work that a kill loses.
Always as many, so that a run that was broken off ends at the same revision as one that was not."""

TEXTS_KNOWN_MAX = 20_000
"""Texts of a run whose vectors are remembered, so that what is said again is not embedded again:
about 12 MB at 384 dimensions."""

Place = tuple[int, int]
"""The key of an item and the ordinal of its chunk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """How many chunks a run gave their vectors, and how many were left."""

    done: int
    left: int


def waiting_count(opened: OpenSpace) -> int:
    """Return how many chunks of a space wait for their vectors; 0 where there is no space."""
    space = opened.find()
    if space is None:
        return 0
    with space.read() as reader:
        return reader.waiting_count()


def embed_waiting(
    opened: OpenSpace,
    *,
    chunks_max: int | None = None,
    go_on: Callable[[], bool] = lambda: True,
    on_progress: Callable[[int, int], None] | None = None,
) -> Embedded:
    """Embed up to `chunks_max` chunks that wait, as long as `go_on` says so before each slice.

    `on_progress` is called with (done, all) chunks after each. Others may write meanwhile. What
    another process is embedding is left to it.

    Raises:
        EmbedderError: The model failed; what was embedded before stays.
        WorkTaken: Another process has taken this work over; what was embedded before stays.
        WrongEmbedder: The space was re-embedded meanwhile.
    """
    space, embedder = opened.find(), opened.embedder
    waits = 0 if embedder is None else waiting_count(opened)
    if space is None or embedder is None or not waits:
        return Embedded(done=0, left=0)
    with at_work(space, Work.VECTORS) as lease:
        if lease is None:
            return Embedded(done=0, left=waits)
        with space.read() as reader:
            places = reader.waiting()
        wanted = places if chunks_max is None else places[:chunks_max]
        known, done = KnownVectors(embedder), 0
        for some in _slices(wanted):
            if not go_on():
                break
            vectors = list(_vectors(some, space, known))
            space.put_vectors(vectors, identity=embedder.identity, at=opened.now())
            done += len(some)
            if on_progress is not None:
                on_progress(done, len(places))
    opened.home.tend(space)
    return Embedded(done=done, left=len(places) - done)


def _slices(places: Sequence[Place]) -> Iterator[list[Place]]:
    rest = iter(places)
    while some := list(islice(rest, SLICE_CHUNKS)):
        yield some


def _vectors(places: Sequence[Place], space: Space, known: "KnownVectors") -> Iterator[LateVector]:
    """Yield the vectors of those chunks whose items are still present."""
    with space.read() as reader:
        items = reader.items([*dict.fromkeys(key for key, _ in places)])
        spans = {key: reader.chunk_spans(key) for key in items}
    there = [(key, ordinal) for key, ordinal in places if key in items]
    texts = []
    for key, ordinal in there:
        start, stop = spans[key][ordinal]
        texts.append(embedded_text(items[key], Span(start=start, stop=stop)))
    for (key, ordinal), vector in zip(there, known.of(texts), strict=True):
        yield LateVector(item_key=key, ordinal=ordinal, vector=vector)


class KnownVectors:
    """The vectors of the texts met last, by a hash of each; the rest come from the embedder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[bytes, bytes] = OrderedDict()

    def of(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vectors of texts, in their order."""
        hashes = [_hash(text) for text in texts]
        new = {one: text for one, text in zip(hashes, texts, strict=True) if one not in self._known}
        made = vectors_of(list(new.values()), self._embedder) if new else []
        found = {one: self._known[one] for one in hashes if one in self._known}
        found.update(zip(new, made, strict=True))
        for one, vector in found.items():
            self._known[one] = vector
            self._known.move_to_end(one)
        while len(self._known) > TEXTS_KNOWN_MAX:
            self._known.popitem(last=False)
        return [found[one] for one in hashes]


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
