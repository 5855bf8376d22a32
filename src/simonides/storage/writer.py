"""The writes of a space, inside a transaction that another module began and will end.

Knows how the present is changed and the archive filled. Must not know of locks, threads or
files.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from simonides.errors import Conflict, InvalidInput, WrongEmbedder
from simonides.model.stored import Change, EmbedderIdentity, LateVector, Outcome, Prepared
from simonides.storage.erase import erased_version, unmark
from simonides.storage.rows import PackedItem, as_json, lookup_text, pack_chunks
from simonides.storage.space_facts import REEMBEDDING, SpaceFacts, reembedding_mark
from simonides.storage.transaction import NewVersion, Transaction, UndoneWhole

Write = Callable[[Transaction, SpaceFacts, int], tuple[Any, bool]]
"""What one caller wants written: from the transaction, the space's facts and the revision that a
change would take, to the result and whether anything changed that takes a revision."""

_TAKE_STAGED = (
    "drop_all_chunks", "take_staged", "take_staged_vectors", "drop_staged",
    "blank_archived_vectors",
)  # fmt: skip
"""The end of a re-embedding. A store that keeps vectors with their chunks lacks the third."""


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
        self, tx: Transaction, meta: SpaceFacts, revision: int
    ) -> tuple[tuple[Outcome, ...], bool]:
        """Write the changed items; return an outcome for each of `ids`.

        Raises:
            Conflict: Another version is present than the one expected.
        """
        check_embedder(meta.embedder, self.embedder)
        check_versions(tx, self.expected)
        known = _look_up(tx, [one.id for one in self.packed])
        added = _Added(tx)
        changes = {one.id: self._put(added, one, known, revision) for one in self.packed}
        death = Death(died=revision, died_us=self.stored_us, cause="replaced")
        added.write(death)
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
            added.replaced.append(key)
            added.item(one, (version + 1, *place))
            return Change.UPDATED
        version, cause = known.past.get(one.id, (0, ""))
        if cause == "forgotten" and not self.revive:
            return Change.FORGOTTEN
        if not cause and known.any_erased:
            before = self._find_erased(added.tx, one.id)
            if before is None:
                return Change.FORGOTTEN
            version = before
        added.item(one, (version + 1, *place))
        return Change.ADDED

    def _find_erased(self, tx: Transaction, item_id: str) -> int | None:
        """Return the last version of an erased id, 0 if it was not erased; None if it stays away.

        Who asks for it to come back takes the mark away.
        """
        version = erased_version(tx, item_id)
        if version is None:
            return 0
        if not self.revive:
            return None
        unmark(tx, item_id)
        return version


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """The stored rows of some ids, and whether anything was ever erased.

    `present` has (key, version, digest), `past` (version, cause) of the last archived version.
    """

    present: Mapping[str, tuple[int, int, bytes]]
    past: Mapping[str, tuple[int, str]]
    any_erased: bool


def _look_up(tx: Transaction, ids: Sequence[str]) -> _Known:
    """Look up all ids at once: one statement for each would take as long as adding an item."""
    present = _by_id(tx, "present_of", ids)
    return _Known(
        present=present,
        past=_by_id(tx, "past_of", [one for one in ids if one not in present]),
        any_erased=bool(tx.value("any_erased")),
    )


def _by_id(tx: Transaction, query: str, ids: Sequence[str]) -> dict[str, Any]:
    if not ids:
        return {}
    found = tx.all(query, {"ids": as_json(list(ids), field="id")})
    return {one: tuple(rest) for one, *rest in found}


class _Added:
    """Collects what a commit adds and replaces, and writes all of it at the end in one go."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        self.replaced: list[int] = []
        self._versions: list[NewVersion] = []

    def item(self, one: PackedItem, place: tuple[int, int, int]) -> None:
        """Add a version: `place` are its number, the revision and the time of storing."""
        self._versions.append(NewVersion(*place, one))

    def write(self, death: "Death") -> None:
        """Archive what is replaced, then add the versions with their chunks and mentions."""
        archive(self.tx, self.replaced, death=death)
        self.tx.add_versions(self._versions)


def check_versions(tx: Transaction, expected: Mapping[str, int]) -> None:
    """Raise `Conflict` unless exactly these versions are present; 0 stands for none."""
    for one, version in expected.items():
        present = tx.one("present", {"id": lookup_text(one)})
        found = 0 if present is None else present[1]
        if found != version:
            raise Conflict(one, expected=version, found=found)


@dataclass(frozen=True, slots=True, kw_only=True)
class PutVectors:
    """Gives chunks the vectors that they wait for; the result is how many got one."""

    vectors: tuple[LateVector, ...]
    embedder: EmbedderIdentity
    at_us: int

    def __call__(self, tx: Transaction, meta: SpaceFacts, revision: int) -> tuple[int, bool]:
        """Write what is waited for.

        Raises:
            WrongEmbedder: The space was re-embedded meanwhile.
        """
        check_embedder(meta.embedder, self.embedder)
        count = tx.many(
            "put_vector",
            [
                {"key": o.item_key, "ordinal": o.ordinal, "vector": o.vector, "revision": revision}
                for o in self.vectors
            ],
        )
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
        self, tx: Transaction, _meta: SpaceFacts, revision: int
    ) -> tuple[tuple[str, ...], bool]:
        """Archive the present versions; return their ids.

        Raises:
            Conflict: Another version is present than the one expected.
        """
        check_versions(tx, self.expected)
        cause = "replaced" if self.import_may_revive else "forgotten"
        death = Death(died=revision, died_us=self.at_us, cause=cause)
        gone = {}
        for one in dict.fromkeys(self.ids):
            present = tx.one("present", {"id": one})
            if present is not None:
                gone[one] = present[0]
        archive(tx, list(gone.values()), death=death)
        return tuple(gone), bool(gone)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitAndForget:
    """Adds or replaces items and removes others; outcomes of those that were there are last."""

    commit: Commit
    forget: Forget

    def __call__(
        self, tx: Transaction, meta: SpaceFacts, revision: int
    ) -> tuple[tuple[Outcome, ...], bool]:
        """Write all of it.

        Raises:
            Conflict: Another version is present than the one expected.
        """
        kept, is_new = self.commit(tx, meta, revision)
        gone, is_less = self.forget(tx, meta, revision)
        left = (Outcome(id=one, change=Change.FORGOTTEN, revision=revision) for one in gone)
        return (*kept, *left), is_new or is_less


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """When and why a version left the present."""

    died: int
    died_us: int
    cause: str


def archive(tx: Transaction, keys: Sequence[int], *, death: Death) -> None:
    """Move versions with their chunks and mentions to the archive; drop their derived data."""
    if not keys:
        return
    named = [
        {"key": key, "died": death.died, "died_us": death.died_us, "cause": death.cause}
        for key in keys
    ]
    for step in ("archive_item", "archive_chunks", "archive_mentions"):
        tx.many(step, named)
    for step in ("drop_surrogates", "drop_chunks", "drop_mentions", "drop_item"):
        tx.many(step, named)


@dataclass(frozen=True, slots=True, kw_only=True)
class StageChunks:
    """Adds chunks of a re-embedding; the result is of how many items there are new ones.

    What was staged for another embedder is dropped. Items that are not present as they were
    prepared any more, or are staged already, are passed over.
    """

    prepared: tuple[Prepared, ...]
    embedder: EmbedderIdentity

    def __call__(self, tx: Transaction, _meta: SpaceFacts, _revision: int) -> tuple[int, bool]:
        """Write them; no revision is taken, because nobody sees them yet."""
        _begin_stage(tx, self.embedder)
        count = 0
        for one in self.prepared:
            present = tx.one("present", {"id": one.item.id})
            if present is None or present[2] != one.digest:
                continue
            if not tx.value("is_staged", {"key": present[0]}):
                _stage(tx, present[0], one, dimension=self.embedder.dimension)
                count += 1
        return count, False


def _begin_stage(tx: Transaction, embedder: EmbedderIdentity) -> None:
    """Drop what was staged for another embedder, also by a write of the same transaction."""
    mark = reembedding_mark(embedder)
    if tx.facts().reembedding != mark:
        tx.run("drop_staged")
        tx.set_fact(REEMBEDDING, mark)


def _stage(tx: Transaction, key: int, one: Prepared, *, dimension: int) -> None:
    rows = [(key, *row[:-1]) for row in pack_chunks(one, dimension=dimension)]
    tx.many("stage_chunk", rows)


def replace_chunks(
    tx: Transaction, prepared: Iterable[Prepared], *, embedder: EmbedderIdentity
) -> int:
    """Give every present item the chunks staged for it, or else of its `prepared`; return how many.

    Raises:
        InvalidInput: `prepared` lacks an item that is not staged, or holds one that is, twice,
            another or a changed one.
    """
    _begin_stage(tx, embedder)
    seen: set[int] = set()
    for one in prepared:
        key = _find_unchanged(tx, one)
        if key in seen or tx.value("is_staged", {"key": key}):
            raise InvalidInput("prepared", f"holds item {one.item.id!r} twice")
        _stage(tx, key, one, dimension=embedder.dimension)
        seen.add(key)
    present: int = tx.value("count_items")
    unstaged = {key for (key,) in tx.all("unstaged")}
    lacking = len(unstaged - seen)  # an item may have no chunk at all
    if lacking:
        there = f"holds {present - lacking} of the space's {present} items"
        raise InvalidInput("prepared", f"{there}; all of them are needed")
    for step in _TAKE_STAGED:
        if tx.has(step):
            tx.run(step)
    tx.drop_fact(REEMBEDDING)
    return present


def _find_unchanged(tx: Transaction, one: Prepared) -> int:
    present = tx.one("present", {"id": one.item.id})
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
    tx: Transaction, write: Write, *, meta: SpaceFacts, revision: int
) -> tuple[Any, Exception | None, bool]:
    """Run one write so that its failure undoes it alone; return (result, error, changed).

    Raises:
        Exception: The failure undid the whole transaction.
    """
    try:
        with tx.part():
            result, changed = write(tx, meta, revision)
    except UndoneWhole as error:
        raise error.cause from error
    except Exception as error:  # noqa: BLE001  it belongs to the thread that asked for the write
        return None, error, False
    return result, None, changed
