"""The writes of a space, inside a transaction that another module began and will end.

Knows how the present is changed and the archive filled. Must not know of locks, threads or
files.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import apsw

from simonides.errors import Conflict, InvalidInput, WrongEmbedder
from simonides.model.stored import Change, EmbedderIdentity, LateVector, Outcome, Prepared
from simonides.storage.sqlite.erase import ERASE, erased_version, unmark
from simonides.storage.sqlite.meta import REEMBEDDING, Meta, read_meta, reembedding_mark, set_meta
from simonides.storage.sqlite.queries import QUERIES
from simonides.storage.sqlite.rows import PackedItem, as_json, lookup_text, pack_chunks

Write = Callable[[apsw.Connection, Meta, int], tuple[Any, bool]]
"""What one caller wants written: from the connection, the space's facts and the revision that a
change would take, to the result and whether anything changed that takes a revision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """Adds or replaces items. `packed` has every id once; `ids` are those asked for, in order.

    `expected` are the versions that must be present, by id; 0 stands for none.
    """

    ids: tuple[str, ...]
    packed: tuple[PackedItem, ...]
    embedder: EmbedderIdentity
    stored_us: int
    revive: bool
    expected: Mapping[str, int] = field(default_factory=dict)

    def __call__(
        self, sqlite: apsw.Connection, meta: Meta, revision: int
    ) -> tuple[tuple[Outcome, ...], bool]:
        """Write the changed items; return an outcome for each of `ids`.

        Raises:
            Conflict: Another version is present than the one expected.
        """
        check_embedder(meta.embedder, self.embedder)
        check_versions(sqlite, self.expected)
        known = _known(sqlite, [one.id for one in self.packed])
        added = _Added(sqlite)
        changes = {one.id: self._put(added, one, known, revision) for one in self.packed}
        added.write_parts()
        changed = any(c in (Change.ADDED, Change.UPDATED) for c in changes.values())
        after = revision if changed else revision - 1
        outcomes = [Outcome(id=one, change=changes[one], revision=after) for one in self.ids]
        return tuple(outcomes), changed

    def _put(self, added: "_Added", one: PackedItem, known: "_Known", revision: int) -> Change:
        place = (revision, self.stored_us)
        present = known.present.get(one.id)
        if present is not None:
            key, version, digest = present
            if digest == one.digest:
                return Change.UNCHANGED
            death = Death(died=revision, died_us=self.stored_us, cause="replaced")
            archive(added.sqlite, key, death=death)
            added.item(one, (version + 1, *place))
            return Change.UPDATED
        version, cause = known.past.get(one.id, (0, ""))
        if cause == "forgotten" and not self.revive:
            return Change.FORGOTTEN
        if not cause and known.any_erased:
            before = self._erased(added.sqlite, one.id)
            if before is None:
                return Change.FORGOTTEN
            version = before
        added.item(one, (version + 1, *place))
        return Change.ADDED

    def _erased(self, sqlite: apsw.Connection, item_id: str) -> int | None:
        """Return the last version of an erased id, 0 if it was not erased; None if it stays away.

        Who asks for it to come back takes the mark away.
        """
        version = erased_version(sqlite, item_id)
        if version is None:
            return 0
        if not self.revive:
            return None
        unmark(sqlite, item_id)
        return version


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """The stored rows of some ids, and whether anything was ever erased.

    `present` has (key, version, digest), `past` (version, cause) of the last archived version.
    """

    present: Mapping[str, tuple[int, int, bytes]]
    past: Mapping[str, tuple[int, str]]
    any_erased: bool


def _known(sqlite: apsw.Connection, ids: Sequence[str]) -> _Known:
    """Look up all ids at once: one statement for each would take as long as adding an item."""
    present = _by_id(sqlite, "present_of", ids)
    return _Known(
        present=present,
        past=_by_id(sqlite, "past_of", [one for one in ids if one not in present]),
        any_erased=bool(sqlite.execute(ERASE["any_erased"]).get),
    )


def _by_id(sqlite: apsw.Connection, query: str, ids: Sequence[str]) -> dict[str, Any]:
    if not ids:
        return {}
    found = sqlite.execute(QUERIES[query], {"ids": as_json(list(ids), field="id")})
    return {one: tuple(rest) for one, *rest in found}


class _Added:
    """Adds items one by one, and the chunks and mentions of all at the end, each in one go."""

    def __init__(self, sqlite: apsw.Connection) -> None:
        self.sqlite = sqlite
        self._chunks: list[tuple[Any, ...]] = []
        self._mentions: list[tuple[Any, ...]] = []

    def item(self, one: PackedItem, place: tuple[int, int, int]) -> None:
        """Add a version: `place` are its number, the revision and the time of storing."""
        self.sqlite.execute(QUERIES["add_item"], place + one.columns)
        key = (self.sqlite.last_insert_rowid(),)
        self._chunks += [key + row for row in one.chunks]
        self._mentions += [key + row for row in one.mentions]

    def write_parts(self) -> None:
        """Add the chunks and mentions of added items."""
        self.sqlite.executemany(QUERIES["add_chunk"], self._chunks)
        self.sqlite.executemany(QUERIES["add_mention"], self._mentions)


def check_versions(sqlite: apsw.Connection, expected: Mapping[str, int]) -> None:
    """Raise `Conflict` unless exactly these versions are present; 0 stands for none."""
    for one, version in expected.items():
        present = sqlite.execute(QUERIES["present"], {"id": lookup_text(one)}).fetchone()
        found = 0 if present is None else present[1]
        if found != version:
            raise Conflict(one, expected=version, found=found)


@dataclass(frozen=True, slots=True, kw_only=True)
class PutVectors:
    """Gives chunks the vectors that they wait for; the result is how many got one."""

    vectors: tuple[LateVector, ...]
    embedder: EmbedderIdentity
    at_us: int

    def __call__(self, sqlite: apsw.Connection, meta: Meta, revision: int) -> tuple[int, bool]:
        """Write what is waited for.

        Raises:
            WrongEmbedder: The space was re-embedded meanwhile.
        """
        check_embedder(meta.embedder, self.embedder)
        before = sqlite.total_changes()
        sqlite.executemany(
            QUERIES["put_vector"],
            [
                {"key": o.item_key, "ordinal": o.ordinal, "vector": o.vector, "revision": revision}
                for o in self.vectors
            ],
        )
        count = sqlite.total_changes() - before
        return count, count > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """Removes items from the present; the result is the ids that existed, each once.

    `expected` are the versions that must be present, by id. What an import may bring back is
    replaced by nothing: only the mark `forgotten` keeps an item away.
    """

    ids: tuple[str, ...]
    at_us: int
    expected: Mapping[str, int] = field(default_factory=dict)
    import_may_revive: bool = False

    def __call__(
        self, sqlite: apsw.Connection, _meta: Meta, revision: int
    ) -> tuple[tuple[str, ...], bool]:
        """Archive the present versions; return their ids.

        Raises:
            Conflict: Another version is present than the one expected.
        """
        check_versions(sqlite, self.expected)
        cause = "replaced" if self.import_may_revive else "forgotten"
        death = Death(died=revision, died_us=self.at_us, cause=cause)
        gone = []
        for one in dict.fromkeys(self.ids):
            present = sqlite.execute(QUERIES["present"], {"id": one}).fetchone()
            if present is not None:
                archive(sqlite, present[0], death=death)
                gone.append(one)
        return tuple(gone), bool(gone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """When and why a version left the present."""

    died: int
    died_us: int
    cause: str


def archive(sqlite: apsw.Connection, key: int, *, death: Death) -> None:
    """Move one version with its chunks and mentions to the archive; drop its derived data."""
    named = {"key": key, "died": death.died, "died_us": death.died_us, "cause": death.cause}
    for step in ("archive_item", "archive_chunks", "archive_mentions"):
        sqlite.execute(QUERIES[step], named)
    for step in ("drop_surrogates", "drop_chunks", "drop_mentions", "drop_item"):
        sqlite.execute(QUERIES[step], named)


def add_chunks(sqlite: apsw.Connection, key: int, chunks: Sequence[tuple[Any, ...]]) -> None:
    """Add the chunks of one present item."""
    sqlite.executemany(QUERIES["add_chunk"], [(key, *row) for row in chunks])


@dataclass(frozen=True, slots=True, kw_only=True)
class StageChunks:
    """Adds chunks of a re-embedding; the result is of how many items there are new ones.

    What was staged for another embedder is dropped. Items that are not present as they were
    prepared any more, or are staged already, are passed over.
    """

    prepared: tuple[Prepared, ...]
    embedder: EmbedderIdentity

    def __call__(self, sqlite: apsw.Connection, _meta: Meta, _revision: int) -> tuple[int, bool]:
        """Write them; no revision is taken, because nobody sees them yet."""
        _begin_stage(sqlite, self.embedder)
        count = 0
        for one in self.prepared:
            present = sqlite.execute(QUERIES["present"], {"id": one.item.id}).fetchone()
            if present is None or present[2] != one.digest:
                continue
            if not sqlite.execute(QUERIES["is_staged"], {"key": present[0]}).get:
                _stage(sqlite, present[0], one, dimension=self.embedder.dimension)
                count += 1
        return count, False


def _begin_stage(sqlite: apsw.Connection, embedder: EmbedderIdentity) -> None:
    """Drop what was staged for another embedder, also by a write of the same transaction."""
    mark = reembedding_mark(embedder)
    if read_meta(sqlite).reembedding != mark:
        sqlite.execute(QUERIES["drop_staged"])
        set_meta(sqlite, REEMBEDDING, mark)


def _stage(sqlite: apsw.Connection, key: int, one: Prepared, *, dimension: int) -> None:
    rows = [(key, *row[:-1]) for row in pack_chunks(one, dimension=dimension)]
    sqlite.executemany(QUERIES["stage_chunk"], rows)


def replace_chunks(
    sqlite: apsw.Connection, prepared: Iterable[Prepared], *, embedder: EmbedderIdentity
) -> int:
    """Give every present item the chunks staged for it, or else of its `prepared`; return how many.

    Raises:
        InvalidInput: `prepared` lacks an item that is not staged, or holds one that is, twice,
            another or a changed one.
    """
    _begin_stage(sqlite, embedder)
    seen: set[int] = set()
    for one in prepared:
        key = _unchanged_key(sqlite, one)
        if key in seen or sqlite.execute(QUERIES["is_staged"], {"key": key}).get:
            raise InvalidInput("prepared", f"holds item {one.item.id!r} twice")
        _stage(sqlite, key, one, dimension=embedder.dimension)
        seen.add(key)
    present: int = sqlite.execute(QUERIES["count_items"]).get
    unstaged = {key for (key,) in sqlite.execute(QUERIES["unstaged"])}
    lacking = len(unstaged - seen)  # an item may have no chunk at all
    if lacking:
        there = f"holds {present - lacking} of the space's {present} items"
        raise InvalidInput("prepared", f"{there}; all of them are needed")
    for step in ("drop_all_chunks", "take_staged", "drop_staged", "blank_archived_vectors"):
        sqlite.execute(QUERIES[step])
    sqlite.execute(QUERIES["drop_meta"], {"key": REEMBEDDING})
    return present


def _unchanged_key(sqlite: apsw.Connection, one: Prepared) -> int:
    present = sqlite.execute(QUERIES["present"], {"id": one.item.id}).fetchone()
    if present is None or present[2] != one.digest:
        what = "is not present" if present is None else "differs from the one kept"
        raise InvalidInput("prepared", f"item {one.item.id!r} {what}; prepare the kept items again")
    key: int = present[0]
    return key


def check_embedder(kept: EmbedderIdentity, wanted: EmbedderIdentity, *, space: str = "") -> None:
    """Raise `WrongEmbedder` unless both are the same, naming them and how to re-embed."""
    if kept == wanted:
        return
    which = f"space {space!r}" if space else "the space, re-embedded since it was opened,"
    problem = f"{which} holds vectors of {_say(kept)}, and {_say(wanted)} is configured"
    remedy = f"configure the first, or run `simonides reembed --space {space or 'NAME'}`"
    raise WrongEmbedder(f"{problem}; {remedy} to change the vectors")


def _say(one: EmbedderIdentity) -> str:
    about = f"{one.dimension} dimensions, {one.window_words} words, {one.quantiser}"
    return f"{one.model!r} ({about})"


def run(
    sqlite: apsw.Connection, write: Write, *, meta: Meta, revision: int
) -> tuple[Any, Exception | None, bool]:
    """Run one write so that its failure undoes it alone; return (result, error, changed).

    Raises:
        Exception: The failure undid the whole transaction.
    """
    sqlite.execute("SAVEPOINT one")
    try:
        result, changed = write(sqlite, meta, revision)
    except Exception as error:  # it belongs to the thread that asked for the write
        if not sqlite.in_transaction:
            raise
        sqlite.execute("ROLLBACK TO one")
        sqlite.execute("RELEASE one")
        return None, error, False
    sqlite.execute("RELEASE one")
    return result, None, changed
