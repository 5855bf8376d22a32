"""What memory a process has for itself, read from what Linux tells of its mappings."""

import os

from simonides_bench.process_memory import memory_of_workers, sizes

SMAPS = """\
7f0000000000-7f0000004000 rw-p 00000000 fe:00 7    /home/a/spaces/default.index (deleted)
Rss:                  16 kB
Pss:                  10 kB
Shared_Clean:         12 kB
Private_Clean:         0 kB
Private_Dirty:         4 kB
VmFlags: rd wr mr mw me ac sd
7f0000004000-7f0000008000 rw-p 00000000 00:00 0
Rss:                  16 kB
Pss:                  16 kB
Private_Dirty:        16 kB
"""


def test_the_pages_of_snapshots_are_told_from_all_others() -> None:
    assert sizes(SMAPS) == {"pss": 26 * 1024, "index": 16 * 1024, "own": 4 * 1024}


def test_a_process_without_children_has_no_workers_and_one_that_is_gone_neither() -> None:
    assert memory_of_workers(2**22 + 1) == {}
    assert set(memory_of_workers(os.getpid())) <= {"pss_mb", "index_mb", "index_own_share"}
