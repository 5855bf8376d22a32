"""Erasures that were interrupted, finished; and files in a home that are not of the engine.

Must not know how bytes are removed, nor how anything is embedded: every opened space asks here.
"""

from simonides.errors import StoreError
from simonides.model.answer import Finding
from simonides.ports.space import Space, SpaceStore

SHOWN_MAX = 5
"""Files named in one finding."""


def finish_erasure(space: Space) -> str:
    """Finish an interrupted erasure of items; return the obstacle, if any."""
    try:
        if not space.is_sweep_due():
            return ""
        space.clear()
        return space.sweep().problem
    except StoreError as error:
        return str(error)


def examine_erasures(space: Space, *, store: SpaceStore) -> Finding:
    """Finish interrupted erasures in a space and its home; return the findings."""
    problems = [finish_erasure(space), finish_erasures(store)]
    said = "; ".join(one for one in problems if one)
    return Finding(check="erasures", sound=not said, detail=said)


def finish_erasures(store: SpaceStore) -> str:
    """Finish interrupted erasures of spaces; return those that could not be finished."""
    left = store.finish_erasures()
    if not left:
        return ""
    names = ", ".join(map(repr, left))
    return f"the erasure of {names} goes on, or was broken off: end what has it open"


def examine_files(store: SpaceStore) -> Finding:
    """Return the foreign files in the engine's folders; they do no harm."""
    found = store.foreign_files()
    more = f" and {len(found) - SHOWN_MAX:,} more" if len(found) > SHOWN_MAX else ""
    detail = f"not of Simonides: {', '.join(found[:SHOWN_MAX])}{more}" if found else ""
    return Finding(check="files of the home", sound=True, detail=detail)
