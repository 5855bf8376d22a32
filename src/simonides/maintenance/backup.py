"""A whole copy of a space while it is in use."""

import time
from collections.abc import Callable
from pathlib import Path

from simonides.model.maintenance import BackupReport
from simonides.ports.space import Space


def back_up(
    space: Space, target: Path, *, on_progress: Callable[[int, int], None] | None = None
) -> BackupReport:
    """Copy a space as it is now to a new file; return what is in it.

    Raises:
        InvalidInput: There is a file of that name, or no such folder.
        StoreFull: There is no room, or no right to write there.
    """
    started = time.perf_counter()
    revision, items = space.backup(str(target), on_progress=on_progress)
    return BackupReport(
        file=str(target),
        revision=revision,
        items=items,
        bytes=target.stat().st_size,
        took_s=time.perf_counter() - started,
    )
