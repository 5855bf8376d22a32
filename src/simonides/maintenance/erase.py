"""Erase items for good: choose them, remove their rows, leave no byte, prove it.

Knows what else in this process may remember words. Must not know how rows and files are laid out.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile

import numpy as np
import numpy.typing as npt

from simonides.disk import remove_left_in
from simonides.errors import InvalidInput, NotFound, StoreCorrupt
from simonides.index.build import empty_view, extend
from simonides.index.masks import mask_of
from simonides.index.open_space import OpenSpace
from simonides.maintenance.proof import pieces_of, prove
from simonides.model.export import (
    KeptBackground,
    KeptEngagement,
    KeptProposal,
    KeptReceipt,
    KeptVersion,
)
from simonides.model.filter import AnyOf, Compare, Condition, Filter, Not
from simonides.model.item import Kind, Status
from simonides.model.maintenance import Erased, ErasureReport, Proof, WipeResult
from simonides.model.metadata_keys import CONTEXT_KEY
from simonides.ports.maintenance import SearchedFiles
from simonides.ports.space import ChunkRow, Reader, Space
from simonides.text.terms import unpack

Terms = npt.NDArray[np.uint64]

BATCH_ROWS = 8_192
"""Rows whose terms are compared at once."""

BACKGROUNDS_STAY = (
    "backgrounds are free text and were not looked through; where one names what was erased, put a "
    "new one, delete the old one, and erase or compact again"
)
"""Said wherever a space that has backgrounds loses items."""

ANSWERS_STAY = (
    "answers of chats that were made with what was erased may repeat its words, and stay; erase "
    "them, too"
)
"""Said where there are such answers, and they were not to go along."""

FINISHED = "an erasure that had been broken off is finished: nothing of it is left"
ALREADY_EMPTY = (
    "the space had been emptied before: what was left of its files is removed, and there were no "
    "words any more to look for"
)
DAMAGED = (
    "the space was damaged, and what was in it could not all be read: its files are removed as "
    "they were, and no other file could be searched for its words"
)
UNKNOWN = "was not done: the space was damaged, and what it said is not known"
IMPORT_READS = "an import is being read from {}: erase again when it has ended"
"""Said of an upload that holds what was erased, while a server reads it."""

LEFT = (
    "bytes of what was erased are left; erase the same once more, and remove what a repair set "
    "aside and what you copied there"
)
"""Said before the names of files that hold what was erased."""

UNSEARCHED = (
    "what a repair set aside may hold more of what was asked for, and could not be searched: of "
    "what is not in the space any more nobody knows the words; remove it, or erase the whole space"
)
"""Said before the names of files that a repair set aside, where an id was not found."""

REPLICATED = (
    "Litestream keeps earlier states of the space there, and in its replica: stop it, remove both, "
    "erase the same once more, and start it again"
)
"""Said before the names of the folders of Litestream, whose files are packed."""

REPLICA_STAYS = (
    "Litestream replicated the space: its replica is not in this home, and stays; remove it"
)
"""Said where a whole space is erased."""

FOREIGN = "files among those of the home that are not of Simonides stay as they are"
"""Said before their names, whatever they hold: words of a few letters are not looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """Facts about items before their erasure: words of theirs alone, and pieces of their texts."""

    words: int
    pieces: tuple[bytes, ...]


def choose_ids(wanted: Filter, *, space: Space) -> tuple[str, ...]:
    """Return the ids of all items with any version, present or past, that passes a filter.

    Memories of every status pass unless the filter names others than the usual one; where it does,
    nothing but memories passes, unless it names kinds, too.

    Raises:
        InvalidInput: The filter restricts nothing.
    """
    wanted = _as_erasure(wanted)
    if replace(wanted, where=None) == _EVERYTHING and _constant(wanted.where):
        raise InvalidInput("filter", "restricts nothing; to erase the whole space, say everything")
    with space.read() as reader:
        every = reader.every()
        view = extend(empty_view(space.embedder.dimension), every)
        mask = mask_of(wanted, view=view, reader=every)
        keys = set(view.items.keys.rows(view.item_count)[mask].tolist())
        return tuple(dict.fromkeys(row.id for row in every.item_rows(0) if row.key in keys))


_EVERYTHING = Filter(statuses=(), expired=True)


def _as_erasure(wanted: Filter) -> Filter:
    """Return a filter for erasure: without the default conditions on status and expiry."""
    if set(wanted.statuses) <= {Status.ACTIVE}:
        return replace(wanted, statuses=(), expired=True)
    return replace(wanted, kinds=wanted.kinds or (Kind.MEMORY,), expired=True)


def _constant(condition: Condition | None) -> bool | None:
    """Return the constant value of a condition; None if it depends on the item.

    No condition lets every item through.
    """
    match condition:
        case None:
            return True
        case Compare():
            return None
        case Not(part=part):
            constant = _constant(part)
            return None if constant is None else not constant
    parts = {_constant(part) for part in condition.parts}
    decides = isinstance(condition, AnyOf)  # one true part does, in the other one a false part
    if decides in parts:
        return decides
    return None if None in parts else not decides


def erase(
    ids: Sequence[str], opened: OpenSpace, *, proves: bool, answers: bool = False
) -> ErasureReport:
    """Erase items by id, and finish an earlier, interrupted erasure.

    `answers` takes along those that were made with them; else the report names them.
    Once the rows are gone, what this process remembers of them goes, too.

    Raises:
        NotFound: Nothing was ever written to the space.
        StoreBusy: Another writer held it past the time-out; nothing was erased.
    """
    started = time.perf_counter()
    space = opened.space_of_any_embedder
    made = find_made_with(ids, space=space)
    ids = (*ids, *made) if answers else ids
    before = space.files
    aside = before.set_aside
    surveyed = survey(ids, space=space, proves=proves or bool(aside))
    erased = space.erase(ids, at=opened.now())
    opened.home.forget_words(space)
    shared = opened.home.forget_shared(opened.name, whole=False)
    cleared = space.clear()
    missing = _missing(ids, erased)
    unsearched = aside if missing or not erased.ids else ()
    if not (erased.ids or erased.backgrounds or space.is_sweep_due()):
        return ErasureReport(
            missing=missing, files=cleared,
            complete=not (unsearched or before.replicas or shared),
            notes=(*_list_unsearched(unsearched), *_list_replicated(before), *shared),
            took_s=time.perf_counter() - started,
        )  # fmt: skip
    wiped = space.sweep()
    searched = _with_unpacked(space.files, opened)
    proof = _proof_among(searched, surveyed.pieces, space=space, proves=proves)
    return ErasureReport(
        items=erased.ids,
        missing=missing,
        answers=() if answers else made,
        **_counts(erased),
        words=surveyed.words if erased.ids else 0,
        files=(*wiped.files, *cleared),
        complete=not (wiped.problem or unsearched or searched.replicas or shared)
        and (proof is None or proof.holds),
        proof=proof if proves else None,
        notes=(
            *_report_notes(wiped, proof, searched),
            *_list_unsearched(unsearched),
            *(() if erased.ids or wiped.problem or unsearched else (FINISHED,)),
            *shared,
            *((BACKGROUNDS_STAY,) if _has_backgrounds(space) else ()),
            *((ANSWERS_STAY,) if made and not answers else ()),
        ),
        took_s=time.perf_counter() - started,
    )


def _proof_among(
    files: SearchedFiles, wanted: Sequence[bytes], *, space: Space, proves: bool
) -> Proof | None:
    """Return the result of a search: of all files for a proof, else of the set-aside ones.

    No erasure of single items takes what a repair set aside, so it is always searched.
    """
    if not (proves or files.set_aside):
        return None
    return prove(files if proves else replace(files, paths=files.set_aside), wanted, space=space)


def _with_unpacked(files: SearchedFiles, opened: OpenSpace) -> SearchedFiles:
    """Return the files to search, of a home whose spaces lie elsewhere what it unpacks alone."""
    if not files.problem:
        return files
    folder = opened.home.unpacking_path
    remove_left_in(folder)
    uploads = tuple(sorted(str(one) for one in folder.glob("*/*") if one.is_file()))
    return replace(files, paths=uploads, uploads=uploads)


def _list_unsearched(files: Sequence[str]) -> tuple[str, ...]:
    return (f"{UNSEARCHED}: {', '.join(files)}",) if files else ()


def _list_replicated(files: SearchedFiles) -> tuple[str, ...]:
    return (f"{REPLICATED}: {', '.join(files.replicas)}",) if files.replicas else ()


def find_made_with(ids: Sequence[str], *, space: Space) -> tuple[str, ...]:
    """Return the ids of the answers that were made with these items, or with such an answer."""
    gone, fresh = set(ids), set(ids)
    with space.read() as reader:
        every = reader.every()
        users = _users(every)
        while fresh:
            keys = sorted({key for one in fresh for key in users.pop(one, ())})
            fresh = {item.id for item in every.items(keys).values()} - gone
            gone |= fresh
    return tuple(sorted(gone.difference(ids)))


def _users(every: Reader) -> dict[str, list[int]]:
    """Return for each id the keys of the answers that were made with it."""
    users: dict[str, list[int]] = {}
    for key, value in every.metadata(CONTEXT_KEY, 0):
        for one in value if isinstance(value, list) else ():
            if isinstance(one, str):
                users.setdefault(one, []).append(key)
    return users


def _missing(ids: Iterable[str], erased: Erased) -> tuple[str, ...]:
    return tuple(one for one in dict.fromkeys(ids) if one not in erased.ids)


def _counts(erased: Erased) -> dict[str, int]:
    return {name: getattr(erased, name) for name in Erased.__slots__ if name != "ids"}


def _report_notes(wiped: WipeResult, proof: Proof | None, searched: SearchedFiles) -> Iterator[str]:
    """Yield the notes of a report: open tasks, and facts to know."""
    if wiped.problem:
        yield wiped.problem
    if proof is not None and proof.problem:
        yield f"nothing is proven: the search of the files {proof.problem}"
    where = () if proof is None else proof.where
    yield from (IMPORT_READS.format(one) for one in where if one in searched.uploads)
    if files := ", ".join(one for one in where if one not in searched.uploads):
        yield f"{LEFT}: {files}"
    yield from _list_replicated(searched)
    if searched.foreign:
        yield f"{FOREIGN}: {', '.join(searched.foreign)}"


def _has_backgrounds(space: Space) -> bool:
    with space.read() as reader:
        before_items = takewhile(lambda one: not isinstance(one, KeptVersion), reader.read_all())
        return any(isinstance(one, KeptBackground) for one in before_items)


def survey(ids: Sequence[str], *, space: Space, proves: bool) -> Survey:
    """Return the survey of items before their erasure."""
    with space.read() as reader:
        every = reader.every()
        keys = every.keys(ids)
        words = _own_words(every, set(keys)) if keys else 0
        if not (keys and proves):
            return Survey(words=words, pieces=())
        return Survey(words=words, pieces=_all_pieces(reader, keys))


def _own_words(every: Reader, keys: set[int]) -> int:
    """Return the number of terms that only the versions of these keys have."""
    own = _distinct(row for row in every.chunk_rows(0) if row.item_key in keys)
    rest = (row for row in every.chunk_rows(0) if row.item_key not in keys)
    while len(own) and (batch := list(islice(rest, BATCH_ROWS))):
        own = np.setdiff1d(own, _distinct(batch), assume_unique=True)
    return len(own)


def _distinct(rows: Iterable[ChunkRow]) -> Terms:
    none = np.empty(0, dtype=np.uint64)
    return np.unique(np.concatenate([none, *(unpack(row.terms)[0] for row in rows)]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _SpaceFacts:
    """Facts about a space before its erasure as a whole."""

    ids: tuple[str, ...] = ()
    versions: int = 0
    chunks: int = 0
    others: Counter[type] = field(default_factory=Counter)
    pieces: tuple[bytes, ...] = ()
    notes: tuple[str, ...] = ()


def erase_space(opened: OpenSpace, *, proves: bool) -> ErasureReport:
    """Erase a whole space: its file with all files that belong to it.

    Where an erasure of it was broken off, what is left of its files goes. The files of a damaged
    space go, too; but nothing can be proven of it, because nobody knows what to look for.

    Raises:
        NotFound: There is no such space, and nothing is left of one.
        StoreBusy: Another writer held it past the time-out; nothing was erased.
        StoreFull: The system refuses it; the next erasure goes on.
    """
    started = time.perf_counter()
    name, store = opened.name, opened.home.store
    try:
        known = _space_facts(opened, proves=proves)
    except StoreCorrupt:
        known = _SpaceFacts(notes=(DAMAGED,))
    replicas = store.files(name).replicas
    wiped = store.remove(name)
    shared = opened.home.forget_shared(name, whole=True)
    searched = _with_unpacked(store.files(name), opened)
    proof = prove(searched, known.pieces, space=None) if proves else None
    if proves and DAMAGED in known.notes:
        proof = Proof(problem=UNKNOWN)
    return ErasureReport(
        items=known.ids,
        versions=known.versions,
        chunks=known.chunks,
        engagements=known.others[KeptEngagement],
        receipts=known.others[KeptReceipt],
        proposals=known.others[KeptProposal],
        backgrounds=known.others[KeptBackground],
        files=wiped.files,
        complete=wiped.log_emptied and not shared and (proof is None or proof.holds),
        proof=proof,
        notes=(
            *known.notes,
            *_report_notes(wiped, proof, searched),
            *((REPLICA_STAYS,) if replicas else ()),
            *shared,
        ),
        took_s=time.perf_counter() - started,
    )


def _space_facts(opened: OpenSpace, *, proves: bool) -> _SpaceFacts:
    """Return the facts about a space; empty if its rows are gone already.

    Raises:
        StoreCorrupt: It cannot all be read.
    """
    try:
        space = opened.space_of_any_embedder
    except NotFound:
        return _SpaceFacts(notes=(ALREADY_EMPTY,))
    try:
        return _find_known(space, proves=proves)
    finally:
        opened.home.forget_words(space)


def _find_known(space: Space, *, proves: bool) -> _SpaceFacts:
    with space.read() as reader:
        rows = list(reader.every().item_rows(0))
        return _SpaceFacts(
            ids=tuple(dict.fromkeys(row.id for row in rows)),
            versions=len(rows),
            chunks=space.stats().chunks,
            others=Counter(type(one) for one in reader.read_all()),
            pieces=_all_pieces(reader, [row.key for row in rows]) if proves else (),
        )


def _all_pieces(reader: Reader, keys: list[int]) -> tuple[bytes, ...]:
    return tuple(pieces_of(reader.every(), keys))
