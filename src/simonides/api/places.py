"""`Place`: where spaces are kept, as it is written on a command line: a path or an address.

Knows which schemes there are. Must not open anything.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from simonides.api.arguments import expand_home
from simonides.api.database import factory_of
from simonides.errors import InvalidInput
from simonides.model.bounds import show_value
from simonides.plugins import plugin_records

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")
"""Of two letters or more: one alone is a drive of Windows."""

_OF_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The address of a database (`store`), or the path of a home."""

    store: str = ""
    home: Path | None = None

    def __str__(self) -> str:
        """Return the address, or the whole path."""
        return self.store or str((self.home or Path()).absolute())


def place_of(to: str | os.PathLike[str], *, field: str = "to") -> Place:
    """Return the place that a path, a `file:` address or that of a database names.

    Raises:
        InvalidInput: It is an address of an unknown scheme, or a path of another system.
    """
    text = os.fspath(to) if isinstance(to, str | os.PathLike) else ""
    if not isinstance(text, str) or not text:
        raise InvalidInput(field, f"must be a path or an address, got {show_value(to)}")
    scheme = _scheme_of(text)
    if not scheme:
        _check_system(text, field=field)
        return Place(home=expand_home(text, field=field))
    if scheme == "file":
        return Place(home=_path_of(text.partition(":")[2], field=field))
    known = _schemes()
    if scheme not in known or not text.startswith(f"{scheme}://"):
        names = ", ".join(f"{one}://" for one in known)
        problem = f"must be the path of a home, or begin with {names}"
        raise InvalidInput(field, f"{problem}; got {text.partition(':')[0]}:…")
    factory_of(text, field=field)
    return Place(store=text)


def _scheme_of(text: str) -> str:
    """Return the scheme of an address; empty for a path, also one with a colon in a name."""
    found = _SCHEME.match(text)
    if found is None:
        return ""
    scheme = found[1].lower()
    return scheme if text[found.end() :].startswith("/") or scheme in _schemes() else ""


def _schemes() -> list[str]:
    """Return every scheme that is known, sorted; databases by the packages that are there."""
    factories = plugin_records(lambda plugin: plugin.stores, built_in=()).values()
    return sorted({"file", "postgresql", *(one for each in factories for one in each.schemes)})


def _check_system(text: str, *, field: str) -> None:
    """Raise `InvalidInput` for a path of Windows on another system, where it is a plain name."""
    if os.name != "nt" and _OF_WINDOWS.match(text):
        problem = f"{text} is a path of Windows, and this is another system"
        raise InvalidInput(field, f"{problem}; for a folder of that very name write ./{text}")


def _path_of(rest: str, *, field: str) -> Path:
    """Return the path that a `file:` address names.

    Raises:
        InvalidInput: It names another machine, or is not absolute.
    """
    host, slash, path = rest[2:].partition("/") if rest.startswith("//") else ("", "", rest)
    path = unquote(slash + path)
    if host not in ("", "localhost") or not path.startswith("/"):
        problem = f"file:{rest} names no absolute path of this machine"
        raise InvalidInput(field, f"{problem}; write file:///home/alice/memory, or the path alone")
    return Path(path.lstrip("/") if re.match(r"/+[A-Za-z]:", path) and os.name == "nt" else path)
