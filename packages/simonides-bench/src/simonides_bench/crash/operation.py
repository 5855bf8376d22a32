"""What a trial does to a space through the public API, each with what the model says of it."""

from dataclasses import dataclass
from typing import Protocol

from simonides.api.memory import Memory
from simonides.model.stored import Engaged
from simonides_bench.crash import words
from simonides_bench.crash.state import State


class Operation(Protocol):
    """One call of the public API."""

    def do(self, memory: Memory) -> str:
        """Do it; return the id of the receipt that it kept, empty for all others."""
        ...

    def after(self, state: State) -> State:
        """Return what the space should hold after it, from what it held before."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Add:
    """Adds or replaces items by (id, word): one alone, or several in one transaction."""

    pairs: tuple[tuple[str, str], ...]

    def do(self, memory: Memory) -> str:
        """Add them."""
        items = [words.item(*pair) for pair in self.pairs]
        memory.add(items[0] if len(items) == 1 else items)
        return ""

    def after(self, state: State) -> State:
        """All of them are there."""
        return state.put(self.pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """Changes a present item to the text of another word."""

    item_id: str
    word: str

    def do(self, memory: Memory) -> str:
        """Replace every field that a word tells."""
        memory.update(self.item_id, language="en", **words.fields(self.word))
        return ""

    def after(self, state: State) -> State:
        """It has one version more."""
        return state.put([(self.item_id, self.word)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """Takes items out of the present."""

    ids: tuple[str, ...]

    def do(self, memory: Memory) -> str:
        """Forget them."""
        memory.forget(*self.ids)
        return ""

    def after(self, state: State) -> State:
        """They are in the archive."""
        return state.without(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erase:
    """Erases items for good: the rows in one transaction, then every byte, by a file written anew.

    It takes the receipts that name them, whosever these are.
    """

    ids: tuple[str, ...]

    def do(self, memory: Memory) -> str:
        """Erase them."""
        memory.erase(*self.ids)
        return ""

    def after(self, state: State) -> State:
        """Nothing of them is left."""
        return state.erase(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """Brings a forgotten item back as a new version, of the word that it had last."""

    item_id: str
    word: str

    def do(self, memory: Memory) -> str:
        """Restore it."""
        memory.restore(self.item_id)
        return ""

    def after(self, state: State) -> State:
        """It is there again."""
        return state.put([(self.item_id, self.word)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Compact:
    """Compacts the space; with the usual retention all history stays."""

    def do(self, memory: Memory) -> str:
        """Compact it."""
        memory.compact()
        return ""

    def after(self, state: State) -> State:
        """The items are as they were."""
        return state


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordUsage:
    """Notes that items were used."""

    ids: tuple[str, ...]

    def do(self, memory: Memory) -> str:
        """Record their usage."""
        memory.record_usage(*self.ids, how=Engaged.USED)
        return ""

    def after(self, state: State) -> State:
        """Each counts one more."""
        return state.engaging(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBackground:
    """Puts a snapshot of a stream's own collection."""

    collection: str
    word: str

    def do(self, memory: Memory) -> str:
        """Put it."""
        memory.background.put(f"{self.word} is what counts now.", collection=self.collection)
        return ""

    def after(self, state: State) -> State:
        """It shows."""
        return state.showing(self.word)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteBackground:
    """Hides a snapshot that shows."""

    collection: str
    word: str

    def do(self, memory: Memory) -> str:
        """Look it up and delete it."""
        page = memory.background.history(collection=self.collection, limit=1000)
        for one in page.snapshots:
            if one.text.split()[0] == self.word:
                memory.background.delete(one.id)
        return ""

    def after(self, state: State) -> State:
        """It shows no more."""
        return state.hiding(self.word)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepReceipt:
    """Asks for a brief and keeps its receipt; returns the receipt's id."""

    word: str

    def do(self, memory: Memory) -> str:
        """Brief, and keep; a space that was never written to keeps none."""
        brief = memory.brief(f"{self.word} at the {words.COMMON}", keep_receipt=True)
        return brief.receipt.id if brief.receipt.revision else ""

    def after(self, state: State) -> State:
        """The items are as they were."""
        return state


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSurrogates:
    """Builds the stand-ins of long items, which are derived."""

    def do(self, memory: Memory) -> str:
        """Build what lacks."""
        memory.surrogates.build()
        return ""

    def after(self, state: State) -> State:
        """The items are as they were."""
        return state


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Searches, so that the index is warm and has to catch up later."""

    word: str

    def do(self, memory: Memory) -> str:
        """Ask for one word."""
        memory.search(self.word, limit=3)
        return ""

    def after(self, state: State) -> State:
        """The items are as they were."""
        return state


@dataclass(frozen=True, slots=True, kw_only=True)
class Close:
    """Closes the memory: the log is folded in and removed, and the next operation opens again."""

    def do(self, memory: Memory) -> str:
        """Close it."""
        memory.close()
        return ""

    def after(self, state: State) -> State:
        """The items are as they were."""
        return state
