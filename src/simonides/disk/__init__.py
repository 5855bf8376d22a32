"""Files of a home: durable names, atomic files, and private permissions.

Knows the file system. Must not know what is kept in files, nor what they are called.
"""

from simonides.disk.durable import (
    link_durably,
    make_private,
    make_private_folder,
    new_private_file,
    open_to_others,
    remove_durably,
    remove_folder_durably,
    rename_durably,
    sync_file,
    sync_folder,
)
from simonides.disk.temporary import (
    hold_abandoned,
    is_of_dead_process,
    make_held_file,
    make_held_folder,
    make_marked_folder,
    new_whole_file,
    process_folder,
    process_mark,
    remove_if_abandoned,
    remove_left_in,
    remove_parts_of,
    scratch_folder,
    temporary_prefix,
    write_atomically,
)

__all__ = [
    "hold_abandoned",
    "is_of_dead_process",
    "link_durably",
    "make_held_file",
    "make_held_folder",
    "make_marked_folder",
    "make_private",
    "make_private_folder",
    "new_private_file",
    "new_whole_file",
    "open_to_others",
    "process_folder",
    "process_mark",
    "remove_durably",
    "remove_folder_durably",
    "remove_if_abandoned",
    "remove_left_in",
    "remove_parts_of",
    "rename_durably",
    "scratch_folder",
    "sync_file",
    "sync_folder",
    "temporary_prefix",
    "write_atomically",
]
