"""A whole copy of a space while it is in use, and files put in place so that no crash tears them.

Knows SQLite's backup and how a file gets its name durably. Must not know what is in the tables.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import apsw

from simonides.disk import held_folder, link_durably, sync_file
from simonides.errors import InvalidInput, StoreCorrupt
from simonides.storage.sqlite.error_mapping import as_disk_error, as_store_error, translated
from simonides.storage.sqlite.home_files import temporary_prefix_of
from simonides.storage.sqlite.pages import claims_checksums, is_damage, open_file, write_first_page

PAGES_AT_ONCE = 1_000
"""Pages copied before progress is told: 4 MB."""

Progress = Callable[[int, int], None]
"""Is told (done, all) pages."""


def copy(
    source: apsw.Connection, target: Path, *, space: str, on_progress: Progress | None = None
) -> None:
    """Copy what `source` has in view, in its transaction, to `target`; refuse to write over a file.

    The copy appears under its name only when it is whole and durable.

    Raises:
        InvalidInput: There is a file of that name, or its folder is none.
        StoreFull: There is no room for it, or no right.
        StoreCorrupt: What was copied fails SQLite's own check.
    """
    check_new(target)
    with temporary_copy(target, space=space) as temporary:
        with translated(temporary):
            copy_pages(source, temporary, on_progress=on_progress)
        put_in_place(temporary, target)


def check_new(target: Path) -> None:
    """Raise `InvalidInput` unless a file of that name can be made."""
    if os.path.lexists(target):
        raise InvalidInput("file", f"{target} is there already; choose a new name")
    if not target.parent.is_dir():
        raise InvalidInput("file", f"{target.parent} is no folder; make it first")


@contextmanager
def temporary_copy(target: Path, *, space: str) -> Iterator[Path]:
    """Make an empty file for a space beside `target` that is gone at the end, unless it was moved.

    Raises:
        StoreFull: It cannot be made there.
    """
    with ExitStack() as stack:
        try:
            making = held_folder(target.parent, prefix=temporary_prefix_of(space))
            temporary = stack.enter_context(making) / "space.sqlite3"
            temporary.touch(mode=0o600)
        except OSError as error:
            raise as_disk_error(error, file=target) from error
        yield temporary


def put_in_place(temporary: Path, target: Path) -> None:
    """Give a whole file its name, durably; never write over another one."""
    try:
        sync_file(temporary)
        link_durably(temporary, target)
    except FileExistsError as error:
        raise InvalidInput("file", f"{target} is there already; choose a new name") from error
    except OSError as error:
        raise as_disk_error(error, file=target) from error


def copy_pages(
    source: apsw.Connection, temporary: Path, *, on_progress: Progress | None = None
) -> None:
    """Copy what `source` has in view into an empty file, and look whether it is sound.

    Raises:
        StoreCorrupt: A page of it is damaged, or the copy fails SQLite's own check.
    """
    copied = open_file(temporary)
    try:
        if claims_checksums(source):
            write_first_page(copied)
        running = copied.backup("main", source, "main")
        try:  # its own `with` raises a SystemError where the disk fails a second time
            while not running.done:
                running.step(PAGES_AT_ONCE)
                if on_progress is not None:
                    on_progress(running.page_count - running.remaining, running.page_count)
            running.finish()
        finally:
            running.close(True)  # noqa: FBT003  apsw's own signature: whatever its end says
        said = copied.execute("PRAGMA quick_check(1)").get
        if said != "ok":
            raise StoreCorrupt(f"the copy fails SQLite's check ({said}); run `simonides verify`")
    except apsw.IOError as error:
        if is_damage(error):
            raise as_store_error(error, file=Path(source.filename)) from error
        raise
    finally:
        copied.close()
