"""Packages that load modules when they are first used: a search waits for no other."""

from collections.abc import Callable, Collection
from importlib import import_module
from types import ModuleType


def load_when_used(package: str, names: Collection[str]) -> Callable[[str], ModuleType]:
    """Return the `__getattr__` of a package, which loads these modules when they are first used.

    Raises:
        AttributeError: The package has no such module, or loads it from the start.
    """

    def get(name: str) -> ModuleType:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return import_module(f"{package}.{name}")

    return get
