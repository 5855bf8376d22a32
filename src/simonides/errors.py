"""The errors that the engine raises on purpose, and their tree.

SimonidesError
├── InvalidInput          a value is out of range or malformed; nothing was written
│   └── InvalidSpaceName  the name cannot be a space
├── NotFound              nothing is kept under that id or name
│   └── HistoryGone       the past that is asked for was compacted away
├── Conflict              another version is present than the one that was to be replaced
├── StoreError
│   ├── StoreBusy         another writer held the space past the time-out; retry
│   ├── WorkTaken         another process does this work in the space, or took it over; retry
│   ├── StoreFull         the disk is full or read-only; nothing was written
│   ├── StoreCorrupt      what lies on disk fails its own check; stop and repair
│   ├── NotASpace         the path holds something that this engine did not make
│   ├── NewerFormat       the file was written by a newer version of this engine
│   └── WrongEmbedder     the space's vectors come from another model
├── EmbedderError         the embedder failed
│   └── EmbedderTimeout   it did not answer in time; retry
├── ModelError            the language model failed, or answered what cannot be read
│   └── ModelTimeout      it did not answer in time; retry
├── AccessDenied          the key is unknown, revoked or expired, or may not do this
└── ImportFailed          an import could not start or go on; what was read is kept

Each says what was wrong, where, and what to do. Programming mistakes stay
`TypeError`, `ValueError` or `AssertionError`.
"""

from typing import ClassVar


class SimonidesError(Exception):
    """The base class of all errors: a stable `code`, and whether a retry may help."""

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False

    def __reduce__(self) -> tuple[object, ...]:
        """Return the parts of a copy, also for another process, however the error was made."""
        return _make_again, (type(self), self.args), self.__dict__


def _make_again(kind: type[SimonidesError], args: tuple[object, ...]) -> SimonidesError:
    return kind.__new__(kind, *args)


class InvalidInput(SimonidesError):
    """A value is out of range or malformed; nothing was written."""

    code = "invalid_input"

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class InvalidSpaceName(InvalidInput):
    """The name cannot be a space."""

    code = "invalid_space_name"


class NotFound(SimonidesError):
    """No object has that id or name."""

    code = "not_found"

    def __init__(self, what: str, name: str) -> None:
        super().__init__(f"no {what} {name!r}")
        self.what = what
        self.name = name


class HistoryGone(NotFound):
    """The requested past was compacted away; `oldest` is the first revision there is."""

    code = "history_gone"

    def __init__(self, asked: str, *, oldest: int, since: str = "") -> None:
        super().__init__("history", asked)
        problem = f"the space as of {asked} is gone: it was compacted away"
        remedy = f"the oldest that can be asked is revision {oldest}"
        self.args = (f"{problem}; {remedy}{since and f', of {since}'}",)
        self.oldest = oldest


class Conflict(SimonidesError):
    """Another version is present than the expected one; nothing was written."""

    code = "conflict"

    def __init__(self, item_id: str, *, expected: int, found: int) -> None:
        wanted = f"version {expected}" if expected else "none"
        present = f"version {found} is present" if found else "none is present"
        problem = f"item {item_id!r}: {wanted} was to be replaced, {present}"
        super().__init__(f"{problem}; read it again and decide anew")
        self.item_id = item_id
        self.expected = expected
        self.found = found


class AlreadyDone(SimonidesError):
    """The request was done before, by another attempt; nothing was written.

    No `Conflict`: whoever reads again and decides anew must not do it twice.
    """

    code = "conflict"

    def __init__(self) -> None:
        super().__init__("the same request was done before; nothing was written")


class StoreError(SimonidesError):
    """The durable store failed."""

    code = "store_error"


class StoreBusy(StoreError):
    """Another writer held the space past the time-out; retry."""

    code = "store_busy"
    retryable = True


class WorkTaken(StoreError):
    """Another process does this work in the space, or has taken it over; retry."""

    code = "work_taken"
    retryable = True


class StoreFull(StoreError):
    """The disk is full or read-only; nothing was written."""

    code = "store_full"


class StoreCorrupt(StoreError):
    """A file on disk fails its own check; stop and repair."""

    code = "store_corrupt"


class NotASpace(StoreError):
    """The path holds a file that this engine did not make."""

    code = "not_a_space"


class NewerFormat(StoreError):
    """The file was written by a newer version of this engine."""

    code = "newer_format"


class WrongEmbedder(StoreError):
    """The space's vectors come from another model than the one configured."""

    code = "wrong_embedder"


class EmbedderError(SimonidesError):
    """The embedder failed."""

    code = "embedder_error"


class EmbedderTimeout(EmbedderError):
    """The embedder did not answer in time; retry."""

    code = "embedder_timeout"
    retryable = True


class ModelError(SimonidesError):
    """The language model failed, or its answer cannot be read."""

    code = "model_error"


class ModelTimeout(ModelError):
    """The language model did not answer in time; retry."""

    code = "model_timeout"
    retryable = True


class AccessDenied(SimonidesError):
    """The key is unknown, revoked or expired, or may not do this."""

    code = "access_denied"


class ImportFailed(SimonidesError):
    """An import could not start or go on; items read before are kept."""

    code = "import_failed"


class PluginWarning(UserWarning):
    """A plugin, or a part of one, is not used; names it and the reason."""
