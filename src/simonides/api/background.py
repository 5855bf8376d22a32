"""`memory.background`: the background of each collection of one space.

It decides nothing itself: `ingest.background` checks and prepares, the store keeps and reads,
`retrieval.background` lists and ranks.
"""

from simonides.api.arguments import check_texts
from simonides.index.open_space import OpenSpace
from simonides.ingest.background import check_collection, prepare_background
from simonides.ingest.languages import Spoken
from simonides.model.stored import MAIN, Background, BackgroundPage, ScoredBackground
from simonides.model.times import TimeLike, as_time
from simonides.retrieval.background import (
    best_backgrounds,
    check_best,
    list_backgrounds,
    read_place,
)

BEST = 2
"""Snapshots that `best` returns at most, unless set otherwise (the designs' top_kc)."""


class Backgrounds:
    """The background of each collection: append-only snapshots of a free text.

    A snapshot is never found by `search`: it stands beside the hits, and changes none of them.
    """

    def __init__(self, opened: OpenSpace) -> None:
        self._opened = opened

    def put(self, text: str, *, collection: str = MAIN) -> Background:
        """Add a snapshot, which becomes the background of the collection; return it.

        Earlier ones stay in the history.

        Raises:
            InvalidInput: The text is blank, longer than 65,536 characters, or holds what is no
                text; nothing was written.
            StoreError: The commit failed; nothing was written.
        """
        now, spoken = self._opened.now(), Spoken.by(self._opened.settings)
        prepared = prepare_background(text, collection=collection, at=now, spoken=spoken)
        return self._opened.make().put_background(prepared, at=now)

    def get(self, *, collection: str = MAIN, as_of: TimeLike | None = None) -> Background | None:
        """Return the latest snapshot of a collection, or the latest put up to `as_of`.

        None where there is none. Of several put at one time the one of the largest id is latest.

        Raises:
            InvalidInput: `collection` is empty, or `as_of` is no time.
        """
        check_collection(collection)
        until = None
        if as_of is not None:
            until = as_time(as_of, field="as_of", timezone=self._opened.timezone)
        space = self._opened.find()
        if space is None:
            return None
        with space.read() as reader:
            return reader.background(collection, as_of=until)

    def history(
        self, *, collection: str = MAIN, limit: int = 50, cursor: str = ""
    ) -> BackgroundPage:
        """Return a page of a collection's snapshots, latest first, with a cursor for the next one.

        Raises:
            InvalidInput: The limit or the cursor is malformed.
        """
        check_collection(collection)
        read_place(cursor, limit=limit)
        space = self._opened.find()
        if space is None:
            return BackgroundPage(snapshots=())
        with space.read() as reader:
            return list_backgrounds(collection, limit=limit, cursor=cursor, reader=reader)

    def delete(self, background_id: str, /, *, due: TimeLike | None = None) -> bool:
        """Delete a snapshot; return whether there was a visible one.

        `due` is when it may be removed from the file, the present unless given.

        Raises:
            InvalidInput: `due` is no time.
        """
        check_texts(background_id, field="background_id")
        opened = self._opened
        when = opened.now() if due is None else as_time(due, field="due", timezone=opened.timezone)
        space = opened.find()
        return space is not None and space.delete_background(background_id, due=when)

    def best(
        self, query: str, *, collection: str = MAIN, limit: int = BEST
    ) -> tuple[ScoredBackground, ...]:
        """Return the snapshots that best match a question, best first, ties latest first.

        Looks through the latest 1,000 of the collection. Empty where none shares a word with it.

        Raises:
            InvalidInput: An argument is out of range.
        """
        check_collection(collection)
        check_best(query, limit=limit)
        space = self._opened.find()
        if space is None:
            return ()
        spoken = Spoken.by(self._opened.settings)
        with space.read() as reader:
            return best_backgrounds(
                query, collection=collection, limit=limit, reader=reader, spoken=spoken
            )
