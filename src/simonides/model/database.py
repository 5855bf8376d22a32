"""What is said of a database that spaces are kept in.

Must not know which database it is.
"""

from dataclasses import dataclass

from simonides.model.answer import Finding
from simonides.model.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseUpgrade(Result):
    """The format of the tables `before` an upgrade and now, and the role that may use them."""

    before: int
    format: int
    granted: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseDistribution(Result):
    """Which tables were distributed by space (`tables`), and which had been `before`.

    With `dry_run` they would be. `statements` are those that do it, in their order.
    """

    citus: str
    dry_run: bool
    tables: tuple[str, ...]
    before: tuple[str, ...]
    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseIndexes(Result):
    """Which spaces got an index of their vectors (`spaces`), and which had one `before`.

    `dropped` are the names of indexes that no space needs. With `dry_run` all that would be so.
    `statements` are those that do it, in their order.
    """

    dry_run: bool
    spaces: tuple[str, ...]
    before: tuple[str, ...]
    dropped: tuple[str, ...]
    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseCheck(Result):
    """What a database is like: its versions, the role that looked, and one finding each.

    `format` is that of its tables, 0 for none; `needs` the one of this engine. `pgvector` is empty
    where the extension is not there.
    """

    sound: bool
    format: int
    needs: int
    server: str
    pgvector: str
    role: str
    findings: tuple[Finding, ...]
