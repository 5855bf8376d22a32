"""The store's SQL statements, loaded by name from its `.sql` files.

Knows how these files are laid out. Must not know what the statements mean.
"""

import re
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

_HEAD = re.compile(r"^-- name: (\w+)\n((?:-- .*\n)+)", re.MULTILINE)


def _load(file: str) -> dict[str, tuple[str, str]]:
    text = (files(__package__) / file).read_text(encoding="utf-8")
    heads = list(_HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return {
        head[1]: (text[head.end() : end].strip(), head[2].replace("-- ", "").strip())
        for head, end in zip(heads, ends, strict=True)
    }


def statements(file: str) -> Mapping[str, str]:
    """Return the statements of one file by name."""
    return MappingProxyType({name: sql for name, (sql, _) in _load(file).items()})


_LOADED = _load("queries.sql")

QUERIES: Mapping[str, str] = MappingProxyType({n: sql for n, (sql, _) in _LOADED.items()})
"""Every statement on the present by name."""

DESCRIPTIONS: Mapping[str, str] = MappingProxyType({n: said for n, (_, said) in _LOADED.items()})
"""What each statement returns or does, by name."""
