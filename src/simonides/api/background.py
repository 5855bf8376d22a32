"""`memory.background`: the background of each collection of one space, and the verbs on it.

It decides nothing itself: `keeping.background` checks and prepares, the store keeps and reads,
`retrieval.background` lists and ranks.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from simonides.api.arguments import check_texts
from simonides.api.runtime import Runtime
from simonides.model.background import MAIN, Background, BackgroundPage, ScoredBackground
from simonides.model.times import TimeLike, as_time
from simonides.ports.space import Space

if TYPE_CHECKING:
    from simonides.ingest.background import Spoken

Reading = Callable[[], AbstractContextManager[Space | None]]
"""Opens the space for reading; None where nothing was ever written to it."""

BEST = 2
"""Snapshots that `best` returns at most, unless told otherwise (the seeds' top_kc)."""


class Backgrounds:
    """Append-only snapshots of a free text that goes with each collection ("latest context").

    A snapshot is never found by `search`: it stands beside the hits, and changes none of them.
    """

    def __init__(self, parts: Runtime, space_name: str, *, reading: Reading) -> None:
        self._parts = parts
        self._space_name = space_name
        self._reading = reading

    def put(self, text: str, *, collection: str = MAIN) -> Background:
        """Add a snapshot: from now on `text` is the collection's background; return it.

        Earlier ones stay in the history.

        Raises:
            InvalidInput: The text is blank, longer than 65,536 characters, or holds what is no
                text; nothing was written.
            StoreError: The commit failed; nothing was written.
        """
        from simonides.ingest.background import prepare_background

        parts, now = self._parts, self._parts.clock()
        prepared = prepare_background(text, collection=collection, at=now, spoken=self._spoken())
        space = parts.store.open(self._space_name, embedder=parts.identity, create=True)
        return space.put_background(prepared, at=now)

    def get(self, *, collection: str = MAIN, as_of: TimeLike | None = None) -> Background | None:
        """Return the latest snapshot of a collection, or the latest put up to `as_of`.

        None where there is none. Of several put at one time the one of the largest id is latest.

        Raises:
            InvalidInput: `collection` is empty, or `as_of` is no time.
        """
        from simonides.ingest.background import check_collection

        check_collection(collection)
        until = (
            None if as_of is None else as_time(as_of, field="as_of", timezone=self._parts.timezone)
        )
        with self._reading() as space:
            if space is None:
                return None
            with space.read() as reader:
                return reader.background(collection, as_of=until)

    def history(
        self, *, collection: str = MAIN, limit: int = 50, cursor: str = ""
    ) -> BackgroundPage:
        """Return a page of a collection's snapshots, latest first; hand its cursor in for the next.

        Raises:
            InvalidInput: The limit or the cursor is malformed.
        """
        from simonides.ingest.background import check_collection
        from simonides.retrieval.background import list_backgrounds, read_place

        check_collection(collection)
        read_place(cursor, limit=limit)
        with self._reading() as space:
            if space is None:
                return BackgroundPage(snapshots=())
            with space.read() as reader:
                return list_backgrounds(collection, limit=limit, cursor=cursor, reader=reader)

    def delete(self, background_id: str, /, *, due: TimeLike | None = None) -> bool:
        """Hide a snapshot at once and for good; return whether one was there that showed.

        `due` is when it may be removed from the file, the present unless given.

        Raises:
            InvalidInput: `due` is no time.
        """
        check_texts(background_id, field="background_id")
        parts = self._parts
        when = parts.clock() if due is None else as_time(due, field="due", timezone=parts.timezone)
        with self._reading() as space:
            return space is not None and space.delete_background(background_id, due=when)

    def best(
        self, query: str, *, collection: str = MAIN, limit: int = BEST
    ) -> tuple[ScoredBackground, ...]:
        """Return the snapshots that share most with a question, best first, ties latest first.

        Looks through the latest 1,000 of the collection. Empty where none shares a word with it.

        Raises:
            InvalidInput: An argument is out of range.
        """
        from simonides.ingest.background import check_collection
        from simonides.retrieval.background import best_backgrounds, check_question

        check_collection(collection)
        check_question(query, limit=limit)
        with self._reading() as space:
            if space is None:
                return ()
            with space.read() as reader:
                return best_backgrounds(query, collection=collection, limit=limit,
                                        reader=reader, spoken=self._spoken())  # fmt: skip

    def _spoken(self) -> "Spoken":
        from simonides.ingest.background import Spoken

        settings = self._parts.settings
        return Spoken(language=settings.language, detects=settings.detect_language)
