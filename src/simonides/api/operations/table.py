"""The table of all operations: a module for each subject, imported when it is first asked for.

Must not know how an operation is done, nor which interface asks.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import chain

from simonides.api.operations.operation import Operation

_SUBJECTS = (
    "search", "briefs", "chat", "agenda", "items", "entities", "memories", "background", "sessions",
    "preferences", "proposals", "space", "home",
)  # fmt: skip


@cache
def _of_subject(subject: str) -> dict[str, Operation]:
    module = import_module(f"simonides.api.operations.{subject}")
    return {one.name: one for one in module.OPERATIONS}


class _Operations(Mapping[str, Operation]):
    """The operations by name: a command line that searches waits for no other subject."""

    def __getitem__(self, name: str) -> Operation:
        for subject in _SUBJECTS:
            if name in (found := _of_subject(subject)):
                return found[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(map(_of_subject, _SUBJECTS))

    def __len__(self) -> int:
        return sum(len(_of_subject(subject)) for subject in _SUBJECTS)


OPERATIONS: Mapping[str, Operation] = _Operations()
"""Operations by name, in the order in which the reference lists them."""
