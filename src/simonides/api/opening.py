"""What another process has to be told to open the same memory: one frozen record.

Must not know what that process does with it.
"""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simonides.config import Settings
from simonides.errors import InvalidInput

if TYPE_CHECKING:
    from simonides.api.memory import Memory
    from simonides.api.runtime import Runtime


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A memory's home, space and settings; its clock is `ahead_s` seconds ahead of the machine's.

    Models are made again by the settings, and keys come by the environment.
    """

    home: str
    space: str
    settings: Settings
    ahead_s: float = 0.0

    def to_record(self) -> dict[str, Any]:
        """Return it as what JSON can hold."""
        return asdict(self)

    @staticmethod
    def from_record(record: dict[str, Any]) -> "Opening":
        """Return what `to_record` gave."""
        given = record["settings"]
        lists = {name: tuple(one) for name, one in given.items() if isinstance(one, list)}
        return Opening(**{**record, "settings": Settings(**{**given, **lists})})

    def open(self) -> "Memory":
        """Return the memory, opened in this process."""
        from simonides.api.memory import Memory

        ahead = timedelta(seconds=self.ahead_s)
        return Memory(
            Path(self.home), space=self.space, settings=self.settings,
            clock=lambda: datetime.now(UTC) + ahead,
        )  # fmt: skip


def opening_of(parts: "Runtime", *, space: str) -> Opening:
    """Return what opens a space of a home in another process.

    Raises:
        InvalidInput: The home is in memory, or its embedder was handed in.
    """
    if parts.is_in_memory:
        raise InvalidInput("home", "is in memory; another process cannot open it")
    if parts.has_given_embedder:
        problem = "was handed in; another process knows only those that the settings name"
        raise InvalidInput("embedder", problem)
    return Opening(
        home=str(parts.home.absolute()),
        space=space,
        settings=parts.settings,
        ahead_s=(parts.clock() - datetime.now(UTC)).total_seconds(),
    )
