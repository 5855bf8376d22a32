"""A whole home after a fault: judged from outside, then opened, asked, written to, and erased.

Knows the order of these. Must not know which fault it was.
"""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from simonides.api.memory import Memory
from simonides.config import load
from simonides.errors import AccessDenied, NotFound, SimonidesError
from simonides.model.answer import Mode
from simonides_bench.crash.judge import Fault, Wrong
from simonides_bench.crash.whole.bytes_left import bytes_left, files_below, files_left
from simonides_bench.crash.whole.facts import HOME, Facts, open_memory, word_of
from simonides_bench.crash.whole.steps import EraseSpace, Incomplete, Step

AFTER_ID, AFTER_WORD = "after", "zuvapodakola"
"""The item that is added once the home is back; no word of `words.word` is as long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What must be true of a home: `sure` facts, or those after the step that was under way.

    `possible` are these, and `pending` that step; both None where none was. `usual` are names of
    files that the same steps leave in the home without any fault.
    """

    sure: Facts
    possible: Facts | None = None
    pending: Step | None = None
    usual: frozenset[str] = frozenset()

    @property
    def both(self) -> tuple[Facts, ...]:
        """The facts that may hold."""
        return (self.sure,) if self.possible is None else (self.sure, self.possible)

    @property
    def gone(self) -> frozenset[str]:
        """The words of which no byte may be anywhere, whichever of the facts hold."""
        return frozenset.intersection(*(one.erased for one in self.both))

    @property
    def all_words(self) -> frozenset[str]:
        """The words of everything that may ever have been kept, also of what comes after."""
        return frozenset().union({AFTER_WORD}, *(one.all_words for one in self.both))


def judge(root: Path, judged: Judged) -> list[Fault]:
    """Return what is wrong with the home below `root`, which this process must not have open.

    The home is opened as the next start would, one item more is added and erased, and at the end
    the whole space is erased: then no file may hold a word that was ever kept.
    """
    spares = any(one.has_set_aside for one in judged.both)
    faults = list(bytes_left(root, judged.gone, when="as it was found", spares_set_aside=spares))
    for part in (_copies_wrong, _exact_wrong, _space_wrong, _end_wrong):
        try:
            faults += part(root, judged)
        except Incomplete as error:
            faults.append(Fault(wrong=Wrong.LEFT_BYTES, seen=f"not complete: {error}"))
        except SimonidesError as error:
            faults.append(Fault(wrong=Wrong.UNOPENABLE, seen=_describe(error)))
        except Exception as error:  # noqa: BLE001  whatever escapes is what is looked for
            faults.append(Fault(wrong=Wrong.UNCLEAR, seen=_describe(error)))
    return faults


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _copies_wrong(root: Path, judged: Judged) -> Iterator[Fault]:
    """Yield what is wrong with backups and exports: each is whole under its name, or not there.

    What begins with a dot is temporary by its name, and nobody takes it for whole.
    """
    wanted = {path: items for facts in judged.both for path, items in facts.copies.items()}
    for path, items in wanted.items():
        if (root / path).exists():
            yield from _copy_wrong(root / path, items)
        elif path in judged.sure.copies:
            yield Fault(wrong=Wrong.LOST, seen=f"{path} is not there")


def _copy_wrong(path: Path, items: Mapping[str, str]) -> Iterator[Fault]:
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        try:
            with open_memory(Path(folder)) as memory:
                if path.suffix == ".sqlite3":
                    memory.add("to be replaced by the backup")
                    memory.repair(backup=path)
                else:
                    memory.import_(path)
                found = {one: _find(memory, one) for one in items}
        except SimonidesError as error:
            yield Fault(wrong=Wrong.TORN, seen=f"{path.name} is not whole: {_describe(error)}")
            return
    if found != dict(items):
        yield Fault(wrong=Wrong.TORN, seen=f"{path.name} holds {found} instead of {dict(items)}")


def _exact_wrong(root: Path, judged: Judged) -> Iterator[Fault]:
    """Yield what is wrong with files that are written as a whole, and with the settings."""
    load(root / HOME)
    for facts in judged.both:
        for path, content in facts.exact.items():
            if not (root / path).exists():
                if path in judged.sure.exact:
                    yield Fault(wrong=Wrong.LOST, seen=f"{path} is not there")
            elif (root / path).read_bytes() != content and content:
                yield Fault(wrong=Wrong.TORN, seen=f"{path} is not whole")


def _space_wrong(root: Path, judged: Judged) -> Iterator[Fault]:
    """Yield what is wrong with items and keys once the home is opened again."""
    pending = judged.pending
    if pending is not None and pending.repeats and not pending.erases:
        pending.do(root)
    if pending is not None and pending.erases and _is_begun(root, judged):
        pending.do(root)
        gone = judged.sure.all_words - (judged.possible or judged.sure).all_words
        after = judged.possible or judged.sure
        yield from bytes_left(
            root, after.erased | gone, when="after the erasure was finished",
            spares_set_aside=after.has_set_aside,
        )  # fmt: skip
    with open_memory(root) as memory:
        yield from _items_wrong(memory, judged)
        yield from _keys_wrong(memory, judged)
        memory.add("nobody else says " + AFTER_WORD, id=AFTER_ID)
        yield from _unsound(memory)
        if not memory.erase(AFTER_ID).complete:
            yield Fault(wrong=Wrong.HELD_READS, seen="an erasure after it was not complete")
    yield from files_left(root, judged.usual, when="after a start and an erasure")


def _is_begun(root: Path, judged: Judged) -> bool:
    """Return whether an erasure that was broken off had already taken anything."""
    with open_memory(root) as memory:
        return any(_find(memory, one) != word for one, word in judged.sure.items.items())


def _items_wrong(memory: Memory, judged: Judged) -> Iterator[Fault]:
    ids = {one for facts in judged.both for one in facts.items}
    for one in sorted(ids):
        found = _find(memory, one)
        allowed = {facts.items.get(one) for facts in judged.both}
        if found not in allowed:
            wrong = Wrong.LOST if found is None else Wrong.TORN
            yield Fault(wrong=wrong, seen=f"{one} is {found!r} instead of {allowed}")
        elif found is not None and one not in _hits(memory, found):
            yield Fault(wrong=Wrong.LOST, seen=f"a search for {found} does not find {one}")
    for word in sorted(judged.gone):
        if _hits(memory, word):
            yield Fault(wrong=Wrong.RESURRECTED, seen=f"a search for erased {word} finds something")


def _find(memory: Memory, item_id: str) -> str | None:
    """Return the word of an item, None where there is none, and an empty one for a torn item."""
    try:
        return word_of(memory.get(item_id))
    except NotFound:
        return None


def _hits(memory: Memory, word: str) -> set[str]:
    return {hit.item.id for hit in memory.search(word, limit=5, mode=Mode.TEXT).hits}


def _keys_wrong(memory: Memory, judged: Judged) -> Iterator[Fault]:
    for key, valid in judged.sure.keys.items():
        if any(facts.keys.get(key) != valid for facts in judged.both):
            continue
        try:
            memory.keys.check(key)
        except AccessDenied:
            if valid:
                yield Fault(wrong=Wrong.LOST, seen="a key that was made lets nobody in")
        else:
            if not valid:
                yield Fault(wrong=Wrong.RESURRECTED, seen="a revoked key lets its bearer in")


def _unsound(memory: Memory) -> Iterator[Fault]:
    for one in memory.verify():
        if not one.sound:
            yield Fault(wrong=Wrong.UNOPENABLE, seen=f"verify: {one.check}: {one.detail}")


def _end_wrong(root: Path, judged: Judged) -> Iterator[Fault]:
    """Yield what is left in the home after the whole space was erased."""
    EraseSpace().do(root)
    yield from bytes_left(root, judged.all_words, when="after everything was erased")
    yield from files_left(root, judged.usual, when="after everything was erased")


def names_below(root: Path) -> frozenset[str]:
    """Return the names of all files of the home below `root`."""
    return frozenset(name for name, _path in files_below(root / HOME))
