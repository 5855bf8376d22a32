"""The names under which imported files and folders are known, one for each place.

The ids of what lies in a folder begin with the folder's name. A second `notes` is `notes (home)`
as long as the first one is there, unless both hold much the same, as a later export does; what was
moved as a whole keeps its name, and what lies in an imported folder has its name there. Must not
know a format.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from simonides.errors import ImportFailed
from simonides.importers.alike import are_alike
from simonides.importers.folder import WalkedFile, files_below, show_name

Names = Mapping[Path, str]
"""By path that is imported the name of what lies there."""


def name_roots(
    paths: Iterable[Path], known: Mapping[str, str], *, apart: Path | None = None
) -> dict[Path, str]:
    """Return the name of each path, its own unless another thing, in another place, has that.

    `known` are the places of earlier imports by name; one that is gone frees its name, and one of
    which this is a later state shares it. What lies in one of them is known by its name there,
    but for copies made for this import, which lie below `apart`; without `apart`, nothing is.

    Raises:
        ImportFailed: Nothing lies at one of the paths.
    """
    places = dict(known)
    names: dict[Path, str] = {}
    for path in paths:
        if not _is_there(path):
            raise ImportFailed(f"{path}: there is no such file or folder; give one that exists")
        place = os.path.realpath(path)
        had = [name for name, one in places.items() if one == place]
        named = [name for name, one in places.items() if Path(one).name == Path(place).name]
        free = (one for one in chain(named, _names_for(path)) if _may_have(path, places.get(one)))
        names[path] = next(chain(had, _names_within(place, places, apart=apart), free))
        places[names[path]] = place
    return names


def list_places(names: Names, *, but_below: Path) -> dict[str, str]:
    """Return by name the places that later imports must know: none of copies, made for this one."""
    copies = Path(os.path.realpath(but_below))
    places = {name: Path(os.path.realpath(path)) for path, name in names.items()}
    return {
        name: str(one)
        for name, one in places.items()
        if "/" not in name and copies not in one.parents
    }


def files_of(paths: Sequence[Path], names: Names, *, source: str) -> Iterator[WalkedFile]:
    """Return the files at paths, each below the name of its path."""
    return chain.from_iterable(files_below(one, source=source, name=names[one]) for one in paths)


def _names_within(place: str, places: Mapping[str, str], *, apart: Path | None) -> Iterator[str]:
    """Yield the names of a place in imported folders, the outermost first; none if hidden."""
    within = Path(place).parents
    if apart is None or Path(os.path.realpath(apart)) in within:
        return
    for name, root in sorted(places.items(), key=lambda one: len(one[1])):
        below = Path(place).relative_to(root).parts if Path(root) in within else ()
        if below and not any(one.startswith(".") for one in below):
            yield "/".join((name, *map(show_name, below)))


def _names_for(path: Path) -> Iterator[str]:
    """Yield names for a path: its own, with a folder that it lies in, with a number."""
    whole = Path(os.path.abspath(path))  # noqa: PTH100  links keep their own names
    own = path.name or whole.name
    stem, ending = (own, "") if path.is_dir() else (Path(own).stem, Path(own).suffix)
    yield show_name(own)
    folders = [folder.name for folder in whole.parents if folder.name]
    yield from (show_name(f"{stem} ({folder}){ending}") for folder in folders)
    number = 2
    while True:
        yield show_name(f"{stem} ({number}){ending}")
        number += 1


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name too long to be one, or a folder that may not be entered
        return False


def _may_have(path: Path, place: str | None) -> bool:
    """Return whether a path may have the name of a place: it is gone, or holds the same thing."""
    return place is None or not os.path.lexists(place) or are_alike(path, Path(place))
