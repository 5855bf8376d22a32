"""Make every vector of a space anew with another embedder."""

from collections.abc import Callable, Iterator
from itertools import islice

from simonides.ingest.prepare import Preparer
from simonides.model.stored import Prepared
from simonides.ports.space import Space

BATCH_ITEMS = 64
"""Items embedded at once: enough for every thread, little enough to show progress."""


def reembed(
    space: Space, *, preparer: Preparer, on_progress: Callable[[int, int], None] | None = None
) -> int:
    """Replace the space's chunks and vectors in one transaction; return the number of items.

    Until it commits, everyone goes on seeing the old vectors; if it fails, nothing has changed.
    `on_progress` is told (done, all) items.
    """

    def prepared() -> Iterator[Prepared]:
        """Yield every present item, inside the transaction, so that none is missed."""
        with space.read() as reader:
            keys = [row.key for row in reader.item_rows(0)]
        rest, done = iter(keys), 0
        while batch := list(islice(rest, BATCH_ITEMS)):
            with space.read() as reader:
                items = reader.items(batch)
            yield from preparer.prepare([items[key] for key in batch])
            done += len(batch)
            if on_progress is not None:
                on_progress(done, len(keys))

    return space.replace_vectors(preparer.identity, prepared())
