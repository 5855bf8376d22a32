"""What a trial does to a home, a verb at a time, each with the facts that hold after it.

Each step opens the home and closes it again, as a command line does. Knows the public API alone.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from simonides.disk import remove_durably
from simonides.errors import NotFound
from simonides_bench.crash import words
from simonides_bench.crash.whole.facts import HOME, OUT, SPACE, Facts, item_of, open_memory


class Incomplete(Exception):
    """An erasure said itself that it could not be finished."""


class Step(Protocol):
    """One verb, done on the home below a root."""

    @property
    def erases(self) -> bool:
        """Whether the step, broken off, leaves an erasure to be finished."""
        ...

    @property
    def repeats(self) -> bool:
        """Whether the next start does it once more, which finishes what was broken off."""
        ...

    def do(self, root: Path) -> str:
        """Do it; return its result, empty if it has none."""
        ...

    def after(self, facts: Facts, result: str) -> Facts:
        """Return what holds after it, from what held before it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """What most steps are: nothing is erased, and the facts stay as they were."""

    erases = False
    repeats = False

    def after(self, facts: Facts, result: str) -> Facts:  # noqa: ARG002  others need it
        """Nothing changes."""
        return facts


@dataclass(frozen=True, slots=True, kw_only=True)
class AddItems(Plain):
    """Adds items by id and word, asks once, and closes: a large space then saves its index."""

    items: Mapping[str, str]

    def do(self, root: Path) -> str:
        """Add, search, close."""
        with open_memory(root) as memory:
            memory.add([item_of(one, word) for one, word in self.items.items()])
            memory.search(words.COMMON)
        return ""

    def after(self, facts: Facts, result: str) -> Facts:  # noqa: ARG002
        """They are there."""
        return facts.with_items(self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddKilled(AddItems):
    """Adds items in a process that is killed before it folds the log in, as far as files show."""

    def do(self, root: Path) -> str:
        """Add, close, and put back what lay there before the close."""
        with open_memory(root) as memory:
            memory.add([item_of(one, word) for one, word in self.items.items()])
            before = {one: one.read_bytes() for one in _space_files(root)}
        for file, content in before.items():
            file.write_bytes(content)
        return ""


def _space_files(root: Path) -> list[Path]:
    """Return the file of the space and its log."""
    return sorted((root / HOME / "spaces").glob(f"{SPACE}.sqlite3*[!m]"))


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseItems:
    """Erases items by id."""

    ids: tuple[str, ...]
    erases = True
    repeats = True

    def do(self, root: Path) -> str:
        """Erase them, and do as the report says: remove what repairs set aside if it is named.

        Raises:
            Incomplete: The report says that something else is left.
        """
        with open_memory(root) as memory, suppress(NotFound):
            report = memory.erase(*self.ids)
        if not report.complete:
            said = "; ".join(report.notes)
            named = [one for one in (root / HOME).rglob("*.damaged-*") if str(one) in said]
            if not named:
                raise Incomplete(said)
            remove_durably(*named)
        return ""

    def after(self, facts: Facts, result: str) -> Facts:  # noqa: ARG002
        """No byte of them is in the home."""
        return facts.without(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseSpace:
    """Erases the whole space, or what an erasure of it that was broken off has left."""

    erases = True
    repeats = True

    def do(self, root: Path) -> str:
        """Erase it.

        Raises:
            Incomplete: The report says that something is left.
        """
        with open_memory(root) as memory, suppress(NotFound):
            report = memory.erase(everything=True)
            if not report.complete:
                raise Incomplete("; ".join(report.notes))
        return ""

    def after(self, facts: Facts, result: str) -> Facts:  # noqa: ARG002
        """Nothing is left of any item, nor of what was set aside."""
        return replace(facts.without(tuple(facts.items)), has_set_aside=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackUp(Plain):
    """Copies the space to a new file outside the home."""

    name: str

    def do(self, root: Path) -> str:
        """Copy it."""
        with open_memory(root) as memory:
            memory.backup(root / OUT / self.name)
        return ""

    def after(self, facts: Facts, result: str) -> Facts:  # noqa: ARG002
        """The file is there and holds what the space holds."""
        return replace(facts, copies={**facts.copies, f"{OUT}/{self.name}": facts.items})


@dataclass(frozen=True, slots=True, kw_only=True)
class Export(BackUp):
    """Writes the space to a new export outside the home."""

    def do(self, root: Path) -> str:
        """Export it."""
        with open_memory(root) as memory:
            memory.export(root / OUT / self.name)
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFile(Plain):
    """Imports an export that lies outside the home, made of `items`."""

    name: str
    items: Mapping[str, str]

    def do(self, root: Path) -> str:
        """Import it."""
        with open_memory(root) as memory:
            memory.import_(root / OUT / self.name)
        return ""

    def after(self, facts: Facts, result: str) -> Facts:  # noqa: ARG002
        """Its items are there besides."""
        return facts.with_items(self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair(Plain):
    """Makes the space's file anew of itself, or of a backup made when it held `items`."""

    backup: str = ""
    items: Mapping[str, str] | None = None

    def do(self, root: Path) -> str:
        """Repair it."""
        with open_memory(root) as memory:
            memory.repair(backup=root / OUT / self.backup if self.backup else None)
        return ""

    def after(self, facts: Facts, result: str) -> Facts:  # noqa: ARG002
        """It holds the same, or what the backup held."""
        items = facts.items if self.items is None else self.items
        return replace(facts, items=items, has_set_aside=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compact(Plain):
    """Compacts the space."""

    def do(self, root: Path) -> str:
        """Compact it."""
        with open_memory(root) as memory:
            memory.compact()
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateKey(Plain):
    """Makes a key, and returns it."""

    def do(self, root: Path) -> str:
        """Make it."""
        with open_memory(root) as memory:
            return memory.keys.create(space=SPACE).key

    def after(self, facts: Facts, result: str) -> Facts:
        """It lets its bearer in; nobody knows the key of a step that was broken off."""
        return replace(facts, keys={**facts.keys, result: True}) if result else facts


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeKey(Plain):
    """Revokes the key that was made first, and returns its prefix."""

    def do(self, root: Path) -> str:
        """Revoke it."""
        with open_memory(root) as memory:
            found = memory.keys.list()
            return memory.keys.revoke(found[0].id).prefix if found else ""

    def after(self, facts: Facts, result: str) -> Facts:
        """It lets nobody in any more; broken off, nothing is known of any key."""
        if not result:
            return replace(facts, keys={})
        keys = {key: valid and not key.startswith(result) for key, valid in facts.keys.items()}
        return replace(facts, keys=keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class Configure(Plain):
    """Makes the home's config.toml, as `simonides init` does."""

    repeats = True

    def do(self, root: Path) -> str:
        """Make it and return what it holds."""
        from simonides.cli.verbs.settings import make_home

        path, _written = make_home(root / HOME)
        return path.read_text("utf-8")

    def after(self, facts: Facts, result: str) -> Facts:
        """It is there, whole."""
        return replace(facts, exact={**facts.exact, f"{HOME}/config.toml": result.encode()})
