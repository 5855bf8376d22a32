"""The SQL statements of an adapter, loaded by name from its `.sql` files.

Knows how these files are laid out. Must not know what the statements mean.
"""

import re
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

_HEAD = re.compile(r"^-- name: (\w+)\n((?:-- .*\n)+)", re.MULTILINE)

PRESENT = ("queries", "revisions", "proposals", "dump", "erase", "compaction", "leases", "requests")
"""The files whose statements have a name of their own."""

VIEWS = ("past", "every")
"""Those whose statements stand for others of the same name: as of a revision, of every version."""


def load(package: str, file: str) -> dict[str, tuple[str, str]]:
    """Return the statements of one file with what each returns or does, by name."""
    text = (files(package) / file).read_text(encoding="utf-8")
    heads = list(_HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return {
        head[1]: (text[head.end() : end].strip(), head[2].replace("-- ", "").strip())
        for head, end in zip(heads, ends, strict=True)
    }


def statements(package: str, file: str) -> Mapping[str, str]:
    """Return the statements of one file by name."""
    return MappingProxyType({name: sql for name, (sql, _) in load(package, file).items()})


def all_statements(package: str) -> Mapping[str, str]:
    """Return the statements of an adapter by name; those of a view as `past.items`."""
    found = {
        name: sql for file in PRESENT for name, sql in statements(package, f"{file}.sql").items()
    }
    for view in VIEWS:
        for name, sql in statements(package, f"{view}.sql").items():
            found[f"{view}.{name}"] = sql
    return MappingProxyType(found)
