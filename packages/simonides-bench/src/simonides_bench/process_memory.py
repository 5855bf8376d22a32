"""What memory the workers of a server take, and how much of their indexes they have in common.

Read from `/proc`, so on Linux alone. Must not know what the workers do.
"""

import re
from pathlib import Path
from typing import Any

_MAPPING = re.compile(r"^[0-9a-f]+-[0-9a-f]+ [^/]*(/.*)?$")
_SIZE = re.compile(r"^(\w+): +(\d+) kB$")
_KIB = 1024


def memory_of_workers(pid: int) -> dict[str, Any]:
    """Return the memory of the children of a process; nothing where there is no `/proc`.

    `pss_mb`: of each, with its part of what several have, in MB. `index_mb`: the pages of mapped
    snapshots that each has in use; `index_own_share`: how much of these are its own alone.
    """
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
        found = [sizes(Path(f"/proc/{one}/smaps").read_text("utf-8")) for one in listed.split()]
    except OSError:
        return {}
    mapped = [one for one in found if one["index"]]
    return {
        "pss_mb": [round(one["pss"] / 1e6, 1) for one in found],
        "index_mb": [round(one["index"] / 1e6, 1) for one in mapped],
        "index_own_share": [round(one["own"] / one["index"], 3) for one in mapped],
    }


def sizes(smaps: str) -> dict[str, int]:
    """Return the bytes of a process: all with its part, of snapshots, and of these its own."""
    totals = {"pss": 0, "index": 0, "own": 0}
    path = ""
    for line in smaps.splitlines():
        if found := _SIZE.match(line):
            name, size = found[1], _KIB * int(found[2])
            totals["pss"] += size if name == "Pss" else 0
            if path.removesuffix(" (deleted)").endswith(".index"):
                totals["index"] += size if name == "Rss" else 0
                totals["own"] += size if name in ("Private_Clean", "Private_Dirty") else 0
        elif mapping := _MAPPING.match(line):
            path = mapping[1] or ""
    return totals
