"""Surrogates of long items, written ahead, so that no question waits for them.

They are derived rows: nothing is lost with them, and a build that was broken off goes on with what
still lacks one. Knows the order of the work and when it is over. Must not know how stand-ins are
written, nor when one is shown.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from simonides.context.summary_level import CHARS_MIN, extractive_texts, surrogate
from simonides.errors import InvalidInput
from simonides.model.bounds import check_text, show_value
from simonides.model.item import ID_CHARS_MAX, Item
from simonides.model.stored import Surrogate, SurrogatesBuilt, Tier, Unwritten
from simonides.ports.space import Space
from simonides.text.surrogates import ALGORITHM, ALGORITHMS, VERSION, SurrogateTexts

BATCH_ITEMS = 64
"""Items read at once, and surrogates of one transaction at most (the designs' commit size)."""

LOOKED_UP = 1_000
"""Items whose surrogates are looked up in one look at the space, so that none lasts long."""


class SurrogateWriter(Protocol):
    """A writer of surrogates, one item after the other; perhaps with a language model.

    Laws: `algorithm` names the way of writing, in 1 to 256 printable characters, and `version`, 1
    or more, changes whenever the same item would get other stand-ins: then all are written anew.
    What is written tells of that item only.
    """

    @property
    def algorithm(self) -> str:
        """The name of the algorithm, by which a brief asks for its surrogates."""
        ...

    @property
    def version(self) -> int:
        """The version of the algorithm."""
        ...

    def write(self, item: Item, /) -> SurrogateTexts:
        """Return the surrogate of an item; an exception concerns that item alone."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Extractive:
    """The writer without a model: an item's own most informative sentences."""

    algorithm: str = ALGORITHM
    version: int = VERSION

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            known = ", ".join(ALGORITHMS)
            raise InvalidInput(
                "algorithm", f"must be one of {known}, got {show_value(self.algorithm)}"
            )

    def write(self, item: Item, /) -> SurrogateTexts:
        """Return the surrogate of an item."""
        return extractive_texts(item, algorithm=self.algorithm)


EXTRACTIVE = Extractive()


def build_surrogates(
    space: Space,
    *,
    writer: SurrogateWriter = EXTRACTIVE,
    items_max: int | None = None,
    time_max_s: float | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
    monotonic: Callable[[], float] = time.monotonic,
) -> SurrogatesBuilt:
    """Write the missing surrogates of the long items; return the report.

    Long is a content of 400 characters or more. One lacks a surrogate that has none by this
    writer, or one of an earlier state of the item or of another version of the writer. They are
    written in the order in which the items were kept, 64 in one transaction, until all are, or
    `items_max` were come to, or `time_max_s` seconds of writing have passed, or `is_stopped` says
    so, which is asked before each item. What is written is kept, also if an error ends the build.
    `on_progress` is called with (done, all) items.

    Raises:
        InvalidInput: The writer's name or version cannot be kept, or a limit is negative.
        StoreError: The space cannot be read or written.
    """
    check_build(writer, items_max=items_max, time_max_s=time_max_s)
    began = monotonic()
    lacking = _without_surrogate(space, writer, is_stopped)
    up_to_date = _up_to_date(space, writer, is_stopped)
    until = None if time_max_s is None else monotonic() + time_max_s
    build = _Build(
        space=space,
        writer=writer,
        is_over=lambda: is_stopped() or (until is not None and monotonic() >= until),
    )
    build.run(lacking[:items_max], of=len(lacking), on_progress=on_progress)
    return SurrogatesBuilt(
        built=build.built,
        up_to_date=up_to_date,
        left=len(lacking) - build.done,
        unwritten=tuple(build.unwritten),
        took_s=monotonic() - began,
    )


def check_build(
    writer: SurrogateWriter, *, items_max: int | None, time_max_s: float | None
) -> None:
    """Raise `InvalidInput` unless the arguments of a build are valid."""
    name, version = writer.algorithm, writer.version
    if not isinstance(name, str) or not 0 < len(name) <= ID_CHARS_MAX or not name.isprintable():
        problem = f"must have 1 to {ID_CHARS_MAX} printable characters, got {name!r}"
        raise InvalidInput("writer.algorithm", problem)
    if name in ALGORITHMS and not isinstance(writer, Extractive):
        problem = f"{name!r} is the name of what is made of an item's own words; choose another"
        raise InvalidInput("writer.algorithm", problem)
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise InvalidInput("writer.version", f"must be a whole number from 1 on, got {version!r}")
    if items_max is not None and items_max < 0:
        raise InvalidInput("items_max", f"must be 0 or more, got {items_max}")
    if time_max_s is not None and not time_max_s >= 0:
        raise InvalidInput("time_max_s", f"must be 0 seconds or more, got {time_max_s}")


def _without_surrogate(
    space: Space, writer: SurrogateWriter, is_stopped: Callable[[], bool]
) -> list[int]:
    """Return the rising keys of the present items that lack a surrogate."""
    keys: list[int] = []
    while not is_stopped():
        with space.read() as reader:
            page = reader.without_surrogates(
                algorithm=writer.algorithm,
                version=writer.version,
                chars_min=CHARS_MIN,
                after_key=keys[-1] if keys else 0,
                limit=BATCH_ITEMS,
            )
        if not page:
            break
        keys.extend(key for key, _, _ in page)
    return keys


def _up_to_date(space: Space, writer: SurrogateWriter, is_stopped: Callable[[], bool]) -> int:
    """Return the number of present items with a surrogate of their present version."""
    with space.read() as reader:
        keys = [row.key for row in reader.item_rows(0)]
    count = 0
    for some in _runs(keys, LOOKED_UP):
        if is_stopped():
            break
        with space.read() as reader:
            found = reader.surrogates(some, algorithm=writer.algorithm)
        count += sum(one.version == writer.version for one in found.values())
    return count


def _runs(keys: Sequence[int], size: int) -> Iterator[list[int]]:
    rest = iter(keys)
    while run := list(islice(rest, size)):
        yield run


@dataclass(slots=True, kw_only=True)
class _Build:
    """The items handled so far (`done`), and their outcomes."""

    space: Space
    writer: SurrogateWriter
    is_over: Callable[[], bool]
    done: int = 0
    built: int = 0
    unwritten: list[Unwritten] = field(default_factory=list)

    def run(
        self, keys: Sequence[int], *, of: int, on_progress: Callable[[int, int], None] | None
    ) -> None:
        for some in _runs(keys, BATCH_ITEMS):
            if self.is_over():
                return
            with self.space.read() as reader:
                items = reader.items(some)
            with self._storing() as written:
                for key in some:
                    if self.is_over():
                        break
                    written.extend(self._write(key, items.get(key)))
            if on_progress is not None:
                on_progress(self.done, of)

    @contextmanager
    def _storing(self) -> Iterator[list[Surrogate]]:
        """Yield a list whose surrogates are stored at the end, in any case."""
        written: list[Surrogate] = []
        try:
            yield written
        finally:
            if written:
                self.built += self.space.put_surrogates(written)

    def _write(self, key: int, item: Item | None) -> list[Surrogate]:
        """Return the surrogate of an item; None if it left the present or the writer fails."""
        self.done += 1
        if item is None:
            return []
        writer = self.writer
        try:
            texts = _check(writer.write(item))
        except Exception as error:  # noqa: BLE001  the caller's own code: one item, not the build
            self.unwritten.append(Unwritten(id=item.id, reason=_error_text(error)))
            return []
        return [surrogate(item, texts, key=key, algorithm=writer.algorithm, version=writer.version)]


def _check(texts: SurrogateTexts) -> SurrogateTexts:
    """Return the texts of a writer, if they can be stored."""
    for tier in Tier:
        check_text(getattr(texts, tier.value), field=tier.value)
    return texts


def _error_text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
